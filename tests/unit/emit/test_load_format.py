import textwrap

import pyarrow as pa
import pytest
from wireloom import SpecError
from wireloom.codegen.loading import load_format
from wireloom.objects import Struct

from .test_emit import ONE, PART


def spec(folder, name, text):
    path = folder / f"{name}.ksy"
    path.write_text(textwrap.dedent(text))
    return path


def test_a_format_without_code_on_disk(tmp_path):
    found = load_format(spec(tmp_path, "one", ONE))
    assert found.name == "one"
    assert found.schema.field("number").type == pa.uint32()
    assert issubclass(found.row_class, Struct)
    assert [each.number for each in found.root_class.from_bytes(b"\1\0\0\0\2\0\0\0").items] == [1, 2]
    assert found.program is not None
    assert not list(tmp_path.glob("**/*.py"))


def test_the_same_spec_gives_the_same_classes(tmp_path):
    path = spec(tmp_path, "one", ONE)
    first, second = load_format(path), load_format(path)
    assert first.row_class is second.row_class
    changed = load_format(spec(tmp_path, "one", ONE.replace("u4", "u2")))
    assert changed.row_class is not first.row_class
    assert changed.schema.field("number").type == pa.uint16()


def test_imported_types(tmp_path):
    spec(tmp_path, "part", PART)
    text = """
    meta:
      id: two
      imports: [part]
      -wireloom: {rows: all, columns: [number]}
    seq: [{id: part, type: part}, {id: all, type: row, repeat: eos}]
    types: {row: {seq: [{id: number, type: u1}]}}
    """
    found = load_format(spec(tmp_path, "two", text))
    assert found.root_class.from_bytes(b"\5\1\2").part.x == 5


def test_a_spec_without_rows_is_no_format(tmp_path):
    with pytest.raises(SpecError, match="no rows are declared"):
        load_format(spec(tmp_path, "part", PART))
