"""Variables that are tables, and tables of constants: what their entries are, when they are set, and their limits."""

from __future__ import annotations

import struct

import pytest
import wireloom
from wireloom import Format, UnsupportedError, WireloomError
from wireloom.objects import Table
from wireloom.objects.errors import ExpressionError

from ..specs import format_of
from .running import ROW_READERS, read

SPEC = """
meta:
  id: keyed
  endian: le
  -wireloom: {rows: items, columns: [key, value, before, other, known]}
seq:
  - {id: items, type: item, repeat: eos}
instances:
  numbers: {-wireloom: {variable: {keys: integer, values: integer}}}
types:
  item:
    seq:
      - {id: key, type: s8}
      - {id: value, type: u8}
      - {id: check, type: u1, -wireloom: {checksum: {algorithm: sum8, over: [key, value]}}}
    instances:
      before: {value: '_root.numbers[key]'}
      other: {value: '_root.numbers[key + 1] + 1'}
      known: {value: '_root.numbers.has(key + 1)'}
      put: {value: value, if: key != 3, -wireloom: {sets: '_root.numbers[key]'}}
"""


def item(key: int, value: int, wrong: int = 0) -> bytes:
    data = struct.pack("<qQ", key, value)
    return data + bytes([sum(data) + wrong & 255])


@pytest.fixture
def keyed() -> Format:
    return format_of(SPEC)


@pytest.mark.parametrize("reader", ROW_READERS)
def test_an_entry_is_what_was_set_last(reader: str, keyed: Format) -> None:
    data = item(1, 10) + item(0, 5) + item(1, 20) + item(0, 5) + item(3, 9) + item(2, 1)
    for ways in ({}, {"chunk": 7, "streamed": True}, {"batch_rows": 1}, {"recover": True}):
        table, file = read(reader, keyed, data, **ways)
        assert file["damaged"] == []
        assert table["before"].to_pylist() == [10, 5, 20, 5, None, 1]
        assert table["other"].to_pylist() == [None, 11, None, 21, None, None]
        assert table["known"].to_pylist() == [False, True, False, True, False, False]


@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.parametrize("reader", ROW_READERS)
def test_a_row_with_a_wrong_checksum_sets_no_entry(reader: str, verify: bool, keyed: Format) -> None:
    data = item(1, 10) + item(1, 20, 1) + item(0, 5) + item(2, 7, 1) + item(1, 30)
    for ways in ({}, {"chunk": 7, "streamed": True}, {"batch_rows": 1}, {"recover": True}):
        table, _ = read(reader, keyed, data, verify=verify, **ways)
        assert table["other"].to_pylist() == ([None, 11, None] if verify else [None, None, 21, None, 8])


@pytest.mark.parametrize("reader", ROW_READERS)
def test_a_value_that_does_not_fit_is_lost(reader: str, keyed: Format) -> None:
    table, file = read(reader, keyed, item(1, 2) + item(1, 1 << 63) + item(0, 1))
    assert (table["value"].to_pylist(), file["tail"], file["tail_offset"]) == ([2], "invalid_value", 17)


def test_each_file_begins_with_an_empty_table(keyed: Format) -> None:
    table = wireloom.read(keyed, [item(1, 10), item(0, 5)], columns=["other"])
    assert table["other"].to_pylist() == [None, None]
    with pytest.raises(UnsupportedError, match="rows depend on the bytes before them"):
        wireloom.read(keyed, item(1, 10), byte_range=(0, 3))


def test_writers_set_entries_too(keyed: Format) -> None:
    objects = keyed.root_class()
    data = item(1, 10) + item(0, 5)
    root = objects.from_bytes(data)
    assert root.to_bytes() == data
    assert (root.numbers.get(1), root.numbers.get(0), root.numbers.get(2)) == (10, 5, None)


def test_tables_of_constants_can_be_read_in_byte_ranges() -> None:
    spec = """
    meta: {id: weighed, -wireloom: {rows: items, columns: [weight, name]}}
    seq: [{id: items, type: u1_item, repeat: eos}]
    instances:
      weights: {-wireloom: {table: {0: 5, 0x10: -7, 255: 0x1_0000_0000}}}
      names: {-wireloom: {table: {-7: '"minus"', 5: '"five"'}}}
    types:
      u1_item:
        seq: [{id: n, type: u1}]
        instances:
          weight: {value: '_root.weights[n]'}
          name: {value: '_root.names[weight]'}
    """
    weighed = format_of(spec)
    rows = [(5, "five"), (-7, "minus"), (1 << 32, None), (None, None)]
    found = wireloom.read(weighed, b"\0\x10\xff\1")
    assert [tuple(each.values()) for each in found.to_pylist()] == rows
    found = wireloom.read(weighed, b"\0\x10\xff\1", columns=["weight"], byte_range=(1, 3))
    assert found["weight"].to_pylist() == [-7, 1 << 32]


NAMED = """
meta: {id: named, endian: le, -wireloom: {rows: records, columns: [op, raw, value]}}
seq: [{id: records, type: record, repeat: eos}]
types:
  record:
    seq:
      - {id: len, type: u1}
      - {id: fields, type: fields, size: len}
      - id: value
        type: {switch-on: 'op', cases: {'"byte"': u1, '"word"': u2}}
        if: op != ""
    instances:
      op: {value: 'fields.known.has("op") ? fields.known["op"].to_s("ASCII") : ""'}
      raw: {value: 'fields.known["op"]'}
  fields:
    seq: [{id: fields, type: field, repeat: eos}]
    instances:
      known: {-wireloom: {variable: {keys: text, values: bytes}}}
  field:
    seq:
      - {id: name, type: strz, terminator: 0x3d, encoding: ASCII}
      - {id: value, terminator: 0x3b}
    instances:
      put: {value: value, -wireloom: {sets: '_parent.known[name]'}}
"""


def test_a_look_up_in_a_table_of_an_object_chooses_a_type() -> None:
    named = format_of(NAMED)
    data = b"\x0ba=1;op=byte" + b";"
    data = bytes([12]) + b"a=1;op=byte;" + b"\7" + bytes([12]) + b"op=word;b=2;" + b"\1\1" + bytes([4]) + b"a=1;"
    found, report = wireloom.read_with_report(named, data)
    assert report.files[0].damaged == []
    assert found.to_pylist() == [
        {"op": "byte", "raw": b"byte", "value": 7},
        {"op": "word", "raw": b"word", "value": 257},
        {"op": "", "raw": None, "value": None},
    ]


def test_tables_have_limits() -> None:
    numbers: Table[int, int] = Table()
    for key in range(32_767):
        numbers.put(key, 1)
    before = numbers.here()
    numbers.put(7, 2)
    numbers.put(None, 3)
    numbers.put(8, None)
    with pytest.raises(ExpressionError, match="at most 32767 keys") as raised:
        numbers.put(32_767, 1)
    assert raised.value.reason == "limit"
    assert (before.get(7), numbers.get(7), numbers.get(8), numbers.has(32_767)) == (1, 2, 1, False)
    texts: Table[str, bytes] = Table()
    for _ in range(3):
        texts.put("a", bytes(60_000_000))
        texts.put("a", b"")
    texts.put("a", bytes(60_000_000))
    with pytest.raises(ExpressionError, match="at most 32767 keys, and 67108864 bytes"):
        texts.put("b", bytes(10_000_000))


def test_a_spec_names_what_is_wrong() -> None:
    with pytest.raises(WireloomError, match="expected an integer as a key, found text"):
        format_of(SPEC.replace("numbers[key]", 'numbers["key"]'))
