"""What a unit says about its rows: sizes of what follows, values of what is inside, and columns that rows share."""

from typing import Any

import pytest
import wireloom
from wireloom import Format

from ...writing import bytes_of
from ..specs import format_of

SPEC = """
meta:
  id: batches
  endian: be
  -wireloom:
    rows: batches.body.records
    columns: [offset, at]
    selectable: [kind, owner, key, tags]
seq:
  - {id: batches, type: batch, repeat: eos}
types:
  batch:
    seq:
      - {id: len_all, type: u2, -wireloom: {size-of: [base, tail]}}
      - {id: base, type: u1, -wireloom: {default: body.records.first.offset}}
      - {id: len, type: u1}
      - {id: owner_id, type: u1, -wireloom: {default: 9}}
      - {id: flags, type: u1, -wireloom: {default: body.records.first.kind & 3}}
      - {id: latest, type: u1, -wireloom: {default: {largest: _.at, of: body.records, if: _.at < 100, otherwise: 0}}}
      - {id: first, type: u1, -wireloom: {default: {smallest: _.at, of: body.records}}}
      - {id: count, type: u1, -wireloom: {default: body.records.size}}
      - {id: body, type: body, size: len}
      - {id: tail, size: 1, -wireloom: {default: '[0xff]'}}
  body:
    seq: [{id: records, type: record, repeat: expr, repeat-expr: _parent.count}]
  record:
    seq:
      - {id: len, type: varint, -wireloom: {size-of: [delta, tags]}}
      - {id: delta, type: varint, -wireloom: {default: offset - _parent._parent.base}}
      - {id: at, type: u1}
      - {id: len_key, type: zigzag, -wireloom: {default: -1}}
      - {id: key, size: len_key.value, if: len_key.value >= 0}
      - {id: num_tags, type: u1}
      - {id: tags, type: u1, repeat: expr, repeat-expr: num_tags, -wireloom: {default: []}}
    instances:
      offset: {value: _parent._parent.base + delta.value}
      kind: {value: _parent._parent.flags & 3, -wireloom: {default: 0}}
      owner: {value: _parent._parent.owner_id}
  varint: {-wireloom: {varint: le}}
  zigzag: {-wireloom: {varint: {order: le, signed: zigzag}}}
"""


@pytest.fixture(scope="module")
def format() -> Format:
    return format_of(SPEC)


def row(offset: int, at: int, key: bytes | None = None, **more: Any) -> dict[str, Any]:
    return {"offset": offset, "at": at, "key": key, **more}


@pytest.mark.slow
def test_a_batch_follows_from_its_rows(format: Format) -> None:
    data = bytes_of(format, [row(7, 200), row(9, 50, b"ab")])
    assert data.hex(" ") == "00 14 07 0c 09 00 32 32 02 04 00 c8 01 00 06 02 32 04 61 62 00 ff"
    assert bytes_of(format, [row(7, 200)]).hex(" ") == "00 0d 07 05 09 00 00 c8 01 04 00 c8 01 00 ff"


@pytest.mark.slow
def test_a_varint_in_front_of_what_it_counts_is_as_long_as_needed(format: Format) -> None:
    data = bytes_of(format, [row(0, 1, b"x" * 200)])
    assert data[9:11] == b"\xcd\x01"
    assert wireloom.read(format, data, columns=["offset", "at", "key"], mode="failfast").to_pylist() == [
        row(0, 1, b"x" * 200)
    ]


def test_rows_of_one_batch_share_what_it_says(format: Format) -> None:
    rows = [row(1, 1, kind=1), row(2, 1, kind=1), row(3, 1, kind=2), row(4, 1, kind=1)]
    rows = [each | {"owner": 5 if each["offset"] > 3 else 6} for each in rows]
    data = bytes_of(format, rows)
    assert wireloom.read(format, data, columns=["offset", "at", "key", "kind", "owner"]).to_pylist() == rows
    assert [data[each + 4] for each in (0, 20, 35)] == [6, 6, 5]


def test_a_value_that_no_batch_can_hold(format: Format) -> None:
    with pytest.raises(wireloom.WireloomError, match="row 0 cannot be written: column kind is 5, and what is written"):
        bytes_of(format, [row(1, 1, kind=5)])
    with pytest.raises(wireloom.WireloomError, match="row 1 cannot be written: column kind is 7"):
        bytes_of(format, [row(1, 1, kind=3), row(2, 1, kind=7)])


def test_a_column_that_values_follow_from_is_required(format: Format) -> None:
    with pytest.raises(wireloom.WireloomError, match="cannot be written without the column offset: the table has at"):
        bytes_of(format, [{"at": 1}])


def test_objects_that_were_read_are_written_as_they_are(format: Format) -> None:
    data = bytes_of(format, [row(7, 200, kind=2), row(9, 50, b"ab", kind=2)])
    assert format.root_class.from_bytes(data).to_bytes() == data


CASES = """
meta:
  id: cases
  -wireloom: {rows: records, columns: [kind, text, number]}
seq:
  - {id: records, type: record, repeat: eos}
types:
  record:
    seq:
      - {id: len, type: u1}
      - {id: kind, type: u1}
      - {id: text, size: len - 1, if: kind == 1}
      - {id: number, size: len - 2, if: kind == 2}
      - {id: end, type: u1, if: kind == 2}
"""


def test_a_length_of_what_is_there_in_each_case() -> None:
    format = format_of(CASES.replace("number]", "number, end]"))
    rows = [
        {"kind": 1, "text": b"abc", "number": None, "end": None},
        {"kind": 2, "text": None, "number": b"12", "end": 7},
    ]
    data = bytes_of(format, rows)
    assert data.hex(" ") == "04 01 61 62 63 04 02 31 32 07"
    assert wireloom.read(format, data).to_pylist() == rows
