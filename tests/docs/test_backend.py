"""The backend in docs/internals/backend.md, installed as the page says, and its output."""

import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wireloom
import wireloom.codegen.backends as package
from wireloom import SpecError, WireloomError
from wireloom.codegen.backends.base import backends, own_backends, template_environment
from wireloom.codegen.emit import generate

from .blocks import blocks

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "internals" / "backend.md").read_text()
SPECS = [ROOT / "specs" / f"{name}.ksy" for name in ("bitcoin_blocks", "cobs_log", "edgemq_segment", "mysql_binlog")]
MESSAGES = [ROOT / "specs" / "tf_example.ksy", ROOT / "specs" / "tfrecord.ksy"]
LISTS = """
meta: {id: lists, endian: le, -wireloom: {rows: items, columns: [numbers]}}
seq: [{id: items, type: item, repeat: eos}]
types: {item: {seq: [{id: numbers, type: u1, repeat: expr, repeat-expr: 3}]}}
"""


@pytest.fixture
def with_backend(tmp_path: Path) -> Iterator[None]:
    """Write the page's files to a folder that is an additional place of backends."""
    for block in blocks(PAGE):
        place, _, text = block.text.partition("\n")
        found = re.fullmatch(r"# codegen/(backends/\S+)", place)
        if found is None:
            continue
        path = tmp_path / found[1]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    package.__path__.append(str(tmp_path / "backends"))
    own_backends.cache_clear()
    yield
    package.__path__.pop()
    own_backends.cache_clear()
    template_environment.cache_clear()
    for name in [each for each in sys.modules if each.startswith(f"{package.__name__}.polars")]:
        del sys.modules[name]


@pytest.mark.usefixtures("with_backend")
def test_what_it_generates_is_what_polars_sees(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    out = tmp_path / "generated"
    changes = generate(SPECS, out)
    assert "cobs_log/polars_schema.py" in changes.written
    assert generate(SPECS, out, check=True).clean

    log = tmp_path / "a.wal"
    wireloom.write("edgemq_segment", [{"fmt": 0, "tenant": 1, "ts_millis": 2, "payload": b"x"}], log)
    schema = loaded(out / "edgemq_segment" / "polars_schema.py").SCHEMA
    with wireloom.scan("edgemq_segment", log, columns=list(schema)) as scanner:
        assert polars.DataFrame(scanner).schema == schema


@pytest.mark.usefixtures("with_backend")
def test_what_it_refuses(tmp_path: Path) -> None:
    spec = tmp_path / "lists.ksy"
    spec.write_text(LISTS)
    with pytest.raises(SpecError, match="has no Polars type here"):
        generate([spec], tmp_path / "generated")


PACKAGE = {
    "acme_sizes/__init__.py": "",
    "acme_sizes/backend.py": """
from pathlib import Path
from wireloom.codegen.backends.base import Backend, Output
from wireloom.codegen.tree import Spec


def lower(spec: Spec) -> Spec:
    return spec


BACKEND = Backend("sizes", Path(__file__).parent, lower, (Output("sizes.txt.j2", "{name}/sizes.txt"),), messages=True)
""",
    "acme_sizes/sizes.txt.j2": """\
{{ header | line_comment("//") }}
{% for type in view.structs %}
{{ type.path | join("::") }}: {{ type.least }}
{% endfor %}
""",
    "acme_sizes-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: acme-sizes\nVersion: 1.0\n",
}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install a package whose backend renders nothing but the tree."""
    site = tmp_path / "site"
    for name, text in PACKAGE.items():
        place = site / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    monkeypatch.syspath_prepend(site)
    yield site
    for name in [each for each in sys.modules if each.partition(".")[0] == "acme_sizes"]:
        del sys.modules[name]


def register(site: Path, **points: str) -> None:
    lines = "".join(f"{name} = {place}\n" for name, place in points.items())
    (site / "acme_sizes-1.0.dist-info" / "entry_points.txt").write_text(f"[wireloom.backends]\n{lines}")


def test_one_of_another_package_renders_the_tree(installed: Path, tmp_path: Path) -> None:
    register(installed, sizes="acme_sizes.backend:BACKEND")
    specs = [*SPECS, *MESSAGES]
    out = tmp_path / "generated"
    assert "edgemq_segment/sizes.txt" in generate(specs, out).written
    assert generate(specs, out, check=True).clean
    lines = (out / "edgemq_segment" / "sizes.txt").read_text().splitlines()
    assert lines[-2:] == ["edgemq_segment: 0", "edgemq_segment::frame: 21"]


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("acme_sizes.backend:NONE", "cannot be loaded: AttributeError"),
        ("acme_sizes.nowhere:BACKEND", "cannot be loaded: ModuleNotFoundError"),
        ("acme_sizes.backend:lower", "must be a Backend, found function"),
        ("wireloom.codegen.backends.docs:BACKEND", "two backends are called 'docs'"),
    ],
)
def test_what_is_no_backend(installed: Path, tmp_path: Path, place: str, said: str) -> None:
    register(installed, sizes=place)
    with pytest.raises(WireloomError, match=said):
        generate(SPECS, tmp_path / "generated")


def test_without_it_nothing_is_left(tmp_path: Path) -> None:
    assert "polars" not in {each.name for each in backends()}


def loaded(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("polars_schema", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
