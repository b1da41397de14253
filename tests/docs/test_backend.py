"""The backend in docs/backend.md, put into place as the page says, and what it makes."""

import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wireloom
import wireloom.codegen.backends as package
from wireloom.base.errors import SpecError
from wireloom.codegen.backends.base import backends, template_environment
from wireloom.codegen.emit import generate

from .blocks import blocks

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "backend.md").read_text()
LISTS = """
meta: {id: lists, endian: le, -wireloom: {rows: items, columns: [numbers]}}
seq: [{id: items, type: item, repeat: eos}]
types: {item: {seq: [{id: numbers, type: u1, repeat: expr, repeat-expr: 3}]}}
"""


@pytest.fixture
def with_backend(tmp_path: Path) -> Iterator[None]:
    """Writes the page's files into a folder that counts as one more place of backends."""
    for block in blocks(PAGE):
        place, _, text = block.text.partition("\n")
        path = tmp_path / re.fullmatch(r"# codegen/(backends/\S+)", place)[1]  # type: ignore[index]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    package.__path__.append(str(tmp_path / "backends"))
    backends.cache_clear()
    yield
    package.__path__.pop()
    backends.cache_clear()
    template_environment.cache_clear()
    for name in [each for each in sys.modules if each.startswith(f"{package.__name__}.polars")]:
        del sys.modules[name]


@pytest.mark.usefixtures("with_backend")
def test_what_it_generates_is_what_polars_sees(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    out = tmp_path / "generated"
    changes = generate(sorted((ROOT / "specs").glob("*.ksy")), out)
    assert "cobs_log/polars_schema.py" in changes.written
    assert generate(sorted((ROOT / "specs").glob("*.ksy")), out, check=True).clean

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


def test_without_it_nothing_is_left(tmp_path: Path) -> None:
    assert "polars" not in {each.name for each in backends()}


def loaded(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("polars_schema", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
