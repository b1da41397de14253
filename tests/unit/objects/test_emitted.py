"""The emitted text as a separate package: linted, type-checked, and its templates without decisions."""

import ast
import re
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path

import pytest
from jinja2 import Environment, nodes
from wireloom.codegen.backends.base import backends
from wireloom.codegen.emit import formatted

from .compiling import made, source_of
from .reading_cases import CASES
from .test_expressions import SEQUENCE, VALUES
from .test_series import SPECS
from .test_writing import CHECKSUMS, ROUND_TRIP

ROOT = Path(__file__).parents[3]
TEMPLATES = sorted(path for backend in backends() for path in backend.folder.rglob("*.j2"))
HEAD = "meta:\n  id: made\n  endian: le\n"


def instances():
    quoted = (expression.replace('"', '\\"') for expression in VALUES)
    lines = (f'  it_{number}: {{value: "{expression}"}}' for number, expression in enumerate(quoted))
    return "\n".join([SEQUENCE, "instances:", *lines])


@pytest.fixture(scope="module")
def emitted(tmp_path_factory):
    """Everything that the other tests compile, as a package on disk."""
    bodies = {re.sub(r"\W", "_", name.lower()): body for name, (body, _, _) in CASES.items()}
    bodies |= {f"series_{name}": body for name, body in SPECS.items()}
    bodies |= {"checksums": CHECKSUMS, "round_trip": ROUND_TRIP, "expressions": instances()}
    texts = {f"{name}.py": source_of(HEAD + "\n".join(_lines(body))) for name, body in bodies.items()}
    folder = tmp_path_factory.mktemp("emitted") / "emitted_package"
    folder.mkdir()
    (folder / "__init__.py").touch()
    for name, text in formatted(texts).items():
        (folder / name).write_text(text)
    return folder


def _lines(body):
    return textwrap.dedent(body).strip("\n").split("\n")


@pytest.mark.slow
def test_the_linter_has_nothing_to_say(emitted):
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--config", ROOT / "pyproject.toml", emitted]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
@pytest.mark.xdist_group("type checker")
def test_the_type_checker_has_nothing_to_say(emitted, mypy):
    found = mypy(emitted.parent, emitted.name)
    assert not [line for line in found.splitlines() if line.startswith(emitted.name)], found


def test_docs_stand_where_python_looks_for_them():
    kind = made(
        r"""
        doc: |
          Has """
        + '"""'
        + r""" quotes and a back\slash, and ends with a quote "
        seq:
          - {id: a, type: u1, doc: 'One.'}
        instances: {b: {value: a, doc: 'Another "'}}
        enums: {kind: {1: {id: x, doc: 'A label.'}}}
        """
    )
    assert kind.__doc__.strip() == 'Has """ quotes and a back\\slash, and ends with a quote "'
    assert kind.b.__doc__ == 'Another "'


def test_long_docs_are_filled():
    text = source_of(HEAD + f"doc: |\n  {'word ' * 60}\n  {'more ' * 30}\n\n  | a | table |\n  | b | stays |\n")
    doc = ast.get_docstring(ast.parse(text).body[-1])
    assert max(map(len, text.splitlines())) <= 120
    assert doc.split()[:90] == ["word"] * 60 + ["more"] * 30
    assert "| a | table |\n| b | stays |" in doc


def test_a_parser_reads_as_an_engineer_would_write_it():
    text = (ROOT / "generated" / "edgemq_segment" / "parser.py").read_text()
    assert len(text.splitlines()) <= 130
    assert text.count("self.len < 13") == 1
    assert text.count("_CRC32C(self.payload)") == 2  # once to read, once to write
    assert "__init__" not in text


MOST = 5
"""Maximum number of templates in a folder: each is a whole file."""


def test_templates_are_few_and_none_has_one_line():
    assert {path.parent.name for path in TEMPLATES} >= {"python", "docs", "spark"}
    paths = sorted((ROOT / "codegen").rglob("*.j2"))
    assert max(Counter(path.parent for path in paths).values()) <= MOST
    assert [path.name for path in paths if len(path.read_text().splitlines()) < 2] == []


DECISIONS = (nodes.Assign, nodes.AssignBlock, nodes.BinExpr, nodes.UnaryExpr, nodes.Compare, nodes.CondExpr, nodes.Test)


def test_templates_decide_nothing(subtests):
    """Templates contain only loops, presence checks, macros, and filters that quote and indent: everything else is done
    by the lowering."""
    for path in TEMPLATES:
        with subtests.test(f"{path.parent.name}/{path.name}"):
            tree = Environment(autoescape=False).parse(path.read_text())
            found = [(type(node).__name__, node.lineno) for node in tree.find_all(DECISIONS)]
            assert not found
            calls = [node for node in tree.find_all(nodes.Call) if not isinstance(node.node, nodes.Name)]
            assert not calls
