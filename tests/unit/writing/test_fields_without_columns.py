"""Fields for which a table has no column: a plain sentence, and what to do."""

import io
from pathlib import Path

import pyarrow as pa
import pytest
import wireloom
from wireloom import Format
from wireloom.objects import UnsetError

from ...writing import bytes_of

HEADER = """
meta:
  id: {name}
  endian: le
  -wireloom: {{rows: items{more}}}
seq:
  - {{id: version, type: u1}}
  - {{id: items, type: item, repeat: eos}}
types:
  item:
    seq:
      - {{id: number, type: u2}}
"""

NESTED = """
meta:
  id: nested_items
  endian: le
  -wireloom: {rows: items}
seq:
  - {id: items, type: item, repeat: eos}
types:
  item:
    seq:
      - {id: number, type: u2}
      - {id: body, size: 4, type: body}
  body:
    seq:
      - {id: left, type: u2}
      - {id: right, type: u2}
"""


def load(folder: Path, name: str, text: str) -> Format:
    path = folder / f"{name}.ksy"
    path.write_text(text)
    return wireloom.load_spec(path)


def test_a_field_before_the_rows(tmp_path: Path) -> None:
    format = load(tmp_path, "header_items", HEADER.format(name="header_items", more=""))
    with pytest.raises(wireloom.WireloomError, match=r"no column contains header_items.version: .*'parent-columns'"):
        wireloom.write(format, pa.table({"number": pa.array([1, 2], pa.uint16())}), io.BytesIO())


def test_a_field_before_the_rows_as_a_column(tmp_path: Path) -> None:
    text = HEADER.format(name="versioned_items", more=", parent-columns: [version]")
    format = load(tmp_path, "versioned_items", text)
    table = pa.table({"number": pa.array([1, 2], pa.uint16()), "version": pa.array([7, 7], pa.uint8())})
    data = bytes_of(format, table)
    assert data.hex() == "0701000200"
    assert wireloom.read(format, data).select(["number", "version"]).to_pylist() == table.to_pylist()


def test_a_field_of_a_type_of_its_own(tmp_path: Path) -> None:
    format = load(tmp_path, "nested_items", NESTED)
    assert format.row == "NestedItems.Item"
    with pytest.raises(
        wireloom.WireloomError, match=r"no column contains body.left, body.right: .*make objects of NestedItems"
    ):
        wireloom.write(format, pa.table({"number": pa.array([1], pa.uint16())}), io.BytesIO())


LATER = """
meta: {id: later_items, endian: le, -wireloom: {rows: items}}
seq:
  - {id: magic, contents: [7]}
  - {id: items, type: item, repeat: eos}
types:
  item:
    seq:
      - {id: number, type: u2}
      - {id: body, type: body}
  body:
    seq:
      - {id: left, type: u2}
"""


def test_a_field_of_a_type_of_its_own_in_a_file_with_a_header(tmp_path: Path) -> None:
    format = load(tmp_path, "later_items", LATER)
    with pytest.raises(wireloom.WireloomError, match=r"no column contains body.left: .*make objects of LaterItems"):
        wireloom.write(format, pa.table({"number": pa.array([1], pa.uint16())}), io.BytesIO())
    with pytest.raises(UnsetError, match=r"LaterItems\.Body has no value for 'left'"):
        format.row_class(number=1, body=format.root_class.Body()).to_bytes()
