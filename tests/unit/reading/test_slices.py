"""Parts of bytes, and instances that types have of others: both readers agree."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
import wireloom
from wireloom import Format

from .running import ROW_READERS, read

SHARED = """
meta: {id: shared}
types:
  cut:
    params:
      - {id: data, type: bytes}
      - {id: at, type: u1}
    instances:
      code: {value: 'data[at] - 1'}
      twice: {value: code * 2, if: data.size > at}
      thrice: {value: code * 3, if: data.size > at}
      rest: {value: data, -wireloom: {slice: {from: at}}}
"""
SPEC = """
meta:
  id: made
  imports: shared
  -wireloom: {rows: units.body.items, columns: [data, rest, part, twice, thrice], selectable: [code, size_of_rest]}
seq:
  - {id: units, type: unit, repeat: eos}
types:
  unit:
    seq:
      - {id: len, type: u1}
      - {id: body, size: len, type: body, -wireloom: {codec: zlib}}
  body:
    seq:
      - {id: items, type: item, repeat: eos}
  item:
    -wireloom: {instances-of: 'shared::cut'}
    seq:
      - {id: at, type: u1}
      - {id: len, type: u1}
      - {id: data, size: len}
    instances:
      part: {value: data, if: len > 3, -wireloom: {slice: {from: at - 1, to: at + 2}}}
      size_of_rest: {value: rest.size}
"""


@pytest.fixture
def made(tmp_path: Path) -> Format:
    tmp_path.joinpath("shared.ksy").write_text(SHARED)
    path = tmp_path / "made.ksy"
    path.write_text(SPEC)
    return wireloom.load_spec(path)


def unit(*items: tuple[int, bytes]) -> bytes:
    body = b"".join(bytes([at, len(data)]) + data for at, data in items)
    packed = zlib.compress(body)
    return bytes([len(packed)]) + packed


DATA = unit((1, b"abcd"), (0, b""), (2, b"xy"), (5, b"wrong")) + unit((0, b"four"), (3, b"???"), (2, b"end"))


@pytest.mark.parametrize("reader", ROW_READERS)
def test_parts_are_those_of_the_bytes(reader: str, made: Format) -> None:
    for ways in ({}, {"streamed": True, "chunk": 3, "batch_rows": 2}):
        table, file = read(reader, made, DATA, columns=["data", "rest", "twice", "thrice"], **ways)
        found = [(row["data"], row["rest"]) for row in table.to_pylist()]
        assert found[:3] == [(b"abcd", b"bcd"), (b"", b""), (b"xy", b"")]
        assert found[3:] == [(b"wrong", b""), (b"four", b"four"), (b"???", b""), (b"end", b"d")]
        assert table["twice"].to_pylist() == [194, None, None, None, 202, None, 198]
        assert table["thrice"].to_pylist() == [291, None, None, None, 303, None, 297]
        assert file["damaged"] == []


@pytest.mark.parametrize("reader", ROW_READERS)
def test_parts_that_are_not_there_damage_the_row_of_who_asks(reader: str, made: Format) -> None:
    table, file = read(reader, made, DATA, columns=["data", "part"])
    assert [row["part"] for row in table.to_pylist()] == [b"abc", None, None, None, None]
    assert [each[2] for each in file["damaged"]] == ["value", "value"]
    table, file = read(reader, made, DATA, columns=["code"])
    assert (table["code"].to_pylist(), len(file["damaged"])) == ([97, 101, 99], 4)


def test_an_expression_uses_a_part(made: Format) -> None:
    table, file = read("objects", made, DATA, columns=["size_of_rest"])
    assert (table["size_of_rest"].to_pylist(), file["damaged"]) == ([3, 0, 0, 0, 4, 0, 1], [])
