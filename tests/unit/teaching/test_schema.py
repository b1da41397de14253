"""The JSON Schema of the dialect, and its reference: both agree with the validator."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from wireloom.codecs import CODECS
from wireloom.codegen.spec.diagnostics import Diagnostics
from wireloom.codegen.spec.reader import read_yaml
from wireloom.codegen.spec.reference import reference
from wireloom.codegen.spec.schema import schema
from wireloom.codegen.spec.tables import TABLES
from wireloom.codegen.spec.tree import Mapping, Scalar, Sequence, YamlNode
from wireloom.codegen.spec.validator import Validator
from wireloom.command import main

from tests.unit.frontend.specs import HEAD
from tests.unit.frontend.test_mistakes import TABLE_BODY, TABLE_HEAD, specs

ROOT = Path(__file__).parents[3]
CHECKER = jsonschema.Draft202012Validator(schema())
PAGE = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")

BAD = {
    "an unknown key": "seq: [{id: a, tpye: u1}]",
    "an unknown key in the extension": "seq: [{id: a, type: u4, -wireloom: {checksm: {}}}]",
    "an extension where none is": "-wireloom: {}",
    "a word that is none of the choices": "seq: [{id: a, type: u1, repeat: often}]",
    "a number that is too large": "seq: [{id: a, size: 3, terminator: 256}]",
    "a missing key": "seq: [{id: a, type: u4, -wireloom: {checksum: {algorithm: crc32}}}]",
    "a list of the wrong size": "seq: [{id: a, type: u4, -wireloom: {checksum: {algorithm: crc32, over: [a]}}}]",
    "a name that is none": "seq: [{id: A, type: u1}]",
    "a mapping for a list": "seq: {id: a}",
    "an enum's value that is not an integer": "enums: {a: {x: y}}",
    "nothing for text": "doc:",
    "labels that are false": "seq: [{id: a, type: u1, -wireloom: {labels: false}}]",
}


def as_json(node: YamlNode) -> Any:
    """Return YAML as an editor interprets it; its keys are text."""
    if isinstance(node, Mapping):
        return {key.text: as_json(value) for key, value in node.entries}
    if isinstance(node, Sequence):
        return [as_json(each) for each in node.items]
    assert isinstance(node, Scalar)
    return node.value


def judged(text: str) -> tuple[bool, bool] | None:
    """Return whether the validator accepts a spec, and whether the schema does; ``None`` if it is not YAML."""
    diagnostics = Diagnostics()
    node = read_yaml(text, "x.ksy", diagnostics)
    if node is None:
        return None
    Validator(diagnostics).spec(node)
    return not diagnostics.has_errors, CHECKER.is_valid(as_json(node))


@pytest.mark.slow
def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    assert schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize("path", sorted((ROOT / "specs").glob("*.ksy")), ids=lambda path: path.stem)
def test_the_specs_in_the_box_hold(path: Path) -> None:
    node = read_yaml(path.read_text(), path.name, Diagnostics())
    assert node is not None
    CHECKER.validate(as_json(node))


@pytest.mark.parametrize("body", BAD.values(), ids=BAD)
def test_mistakes_of_shape_are_found(body: str) -> None:
    assert judged(f"meta: {{id: x}}\n{body}\n") == (False, False)


@pytest.mark.parametrize("name", ["language", "extensions", "meta", "table"])
def test_what_the_validator_takes_is_never_underlined(name: str) -> None:
    heads = {"meta": ("", ""), "table": (TABLE_HEAD, TABLE_BODY)}
    before, after = heads.get(name, (HEAD, ""))
    verdicts = [judged(before + body + after) for body in specs(name)]
    assert (True, False) not in verdicts
    assert (True, True) in verdicts


def test_what_editors_read_otherwise_is_allowed() -> None:
    text = "meta: {id: x, ks-version: 0.11, title: 5}\nseq: [{id: a, size: 1_000, terminator: '0x1f', if: true}]\n"
    text += "enums: {e: {0x10: a, 1_000: b, -1: {id: c}}}\n"
    node = read_yaml(text, "x.ksy", Diagnostics())
    assert node is not None
    CHECKER.validate(as_json(node))


def test_merged_keys_are_no_names() -> None:
    """yaml-language-server resolves ``<<`` among the keys of a mapping, and takes it for one in ``propertyNames``."""
    assert "propertyNames" not in json.dumps(schema())
    named = schema()["$defs"]["spec"]["properties"]["types"]
    assert list(named["patternProperties"]) == ["^(?:[a-z][a-z0-9_]*)$"]
    assert named["additionalProperties"] is False


def test_every_key_has_words_for_completion() -> None:
    definitions = schema()["$defs"]
    assert set(definitions) == set(TABLES)
    for name in set(TABLES) - {"enum"}:
        for word, each in definitions[name]["properties"].items():
            assert re.search(r"\. See: wireloom reference [a-z.-]+$", each["description"]), (name, word)
    assert definitions["meta-extensions"]["properties"]["codec"]["enum"] == list(CODECS)
    assert "u4" in definitions["attribute"]["properties"]["type"]["anyOf"][0]["anyOf"][0]["enum"]


def test_the_command(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["schema"])
    assert json.loads(result.stdout) == schema()
    assert CliRunner().invoke(main, ["schema", "-o", str(tmp_path / "out.json")]).stdout == ""
    assert json.loads((tmp_path / "out.json").read_text()) == schema()


# The reference -------------------------------------------------------------------------------------------------------


def test_the_reference_is_what_the_tables_say() -> None:
    assert reference() == PAGE, "run: python -m wireloom.codegen.spec.reference"


def test_every_table_and_every_link_has_its_place() -> None:
    anchors = re.findall(r'<a id="([^"]+)">', PAGE)
    assert len(anchors) == len(set(anchors))
    links = set(re.findall(r"\]\(#([^)]+)\)", PAGE))
    described = set(re.findall(r"wireloom reference ([a-z.-]*[a-z])", json.dumps(schema())))
    assert described
    assert (links | described) <= set(anchors)
