"""Variables, which carry values from units to later ones: both readers agree."""

from __future__ import annotations

from pathlib import Path

import pytest
import wireloom
from wireloom import Format, UnsupportedError
from wireloom.objects import Items

from ..specs import format_of
from .running import ROW_READERS, read

SPEC = """
meta:
  id: made
  endian: le
  -wireloom: {rows: items, columns: [value, sum, kept]}
seq:
  - {id: items, type: item, repeat: eos}
instances:
  sum: {value: 0, -wireloom: {variable: true}}
  all: {value: '[9]', -wireloom: {variable: true}}
types:
  item:
    seq:
      - {id: value, type: s1}
      - {id: back, type: u4}
    instances:
      next:
        value: 'value == -1 ? 1 << 63 : value == -2 ? 1 / (value + 2) : _root.sum + value'
        -wireloom: {sets: _root.sum}
      added: {value: value, -wireloom: {sets: _root.all}}
      sum: {value: _root.sum}
      kept: {value: '_root.all[_root.all.size - back]'}
"""


def item(value: int, back: int = 1) -> bytes:
    return value.to_bytes(1, "little", signed=True) + back.to_bytes(4, "little")


@pytest.fixture
def made() -> Format:
    return format_of(SPEC)


@pytest.mark.slow
@pytest.mark.parametrize("reader", ROW_READERS)
def test_windows_and_batches_make_no_difference(reader: str, made: Format) -> None:
    data = b"".join(item(number % 100, 1 + number // 2) for number in range(300))
    whole, file = read(reader, made, data)
    assert (file["damaged"], whole["sum"].to_pylist()[:4]) == ([], [0, 1, 3, 6])
    assert whole["kept"].to_pylist() == [(number - number // 2) % 100 for number in range(300)]
    for ways in ({"chunk": 7}, {"batch_rows": 1}, {"chunk": 64, "batch_rows": 13}):
        assert read(reader, made, data, streamed=True, **ways)[0].equals(whole)


@pytest.mark.parametrize("reader", ROW_READERS)
def test_what_cannot_be_computed_or_held_is_lost(reader: str, made: Format) -> None:
    for value in (-1, -2):
        table, file = read(reader, made, item(1) + item(value) + item(2))
        assert (table["value"].to_pylist(), file["tail"], file["tail_offset"]) == ([1], "invalid_value", 5)


@pytest.mark.parametrize("reader", ROW_READERS)
def test_an_item_that_is_not_there_costs_the_row(reader: str, made: Format) -> None:
    table, file = read(reader, made, item(1, 9) + item(2, 0) + item(3, 4))
    assert table.to_pylist() == [{"value": 3, "sum": 6, "kept": 9}]
    assert [reason for _, _, reason in file["damaged"]] == ["value", "value"]
    # A reader that does not request it gets the rows.
    assert read(reader, made, item(1, 9) + item(2, 0), columns=["value"])[0].num_rows == 2


@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.parametrize("reader", ROW_READERS)
def test_a_row_with_a_wrong_checksum_sets_nothing(reader: str, verify: bool) -> None:
    check = "- {id: check, type: u1, -wireloom: {checksum: {algorithm: sum8, over: [value, back]}}}"
    format = format_of(SPEC.replace("    instances:\n      next", f"      {check}\n    instances:\n      next"))
    rows = [bytes([*item(value, 2), (value + 2 + wrong) & 255]) for value, wrong in ((1, 0), (2, 0), (5, 1), (3, 0))]
    for ways in ({}, {"chunk": 4, "streamed": True}, {"batch_rows": 1}):
        table, file = read(reader, format, b"".join(rows), verify=verify, **ways)
        sums, kept = ([1, 3, 6], [9, 1, 2]) if verify else ([1, 3, 8, 11], [9, 1, 2, 5])
        assert (table["sum"].to_pylist(), table["kept"].to_pylist()) == (sums, kept)
        assert [each[0] for each in file["damaged"]] == ([12] if verify else [])


CLOCK = """
meta:
  id: clock
  endian: le
  -wireloom: {rows: blocks.body.as<reading>, columns: [ticks, at]}
seq: [{id: blocks, type: block, repeat: eos}]
instances:
  millis: {value: 1000, -wireloom: {variable: true}}
types:
  block:
    seq:
      - {id: kind, type: u1}
      - {id: body, size: 3, type: {switch-on: kind, cases: {1: setting, 2: reading}}}
      - {id: check, type: u1, -wireloom: {checksum: {algorithm: sum8, over: body}}}
  setting:
    seq:
      - {id: millis, type: u2}
      - {id: inner, type: u1INNER}
    instances:
      unit: {value: millis, -wireloom: {sets: _root.millis}}
  reading:
    seq: [{id: ticks, type: u2}, {id: unused, type: u1}]
    instances:
      at: {value: ticks * _root.millis}
"""


@pytest.mark.parametrize("inner", ["", ", -wireloom: {checksum: {algorithm: sum8, over: millis}}"])
@pytest.mark.parametrize("reader", ROW_READERS)
def test_a_unit_with_a_wrong_checksum_sets_nothing(reader: str, inner: str) -> None:
    format = format_of(CLOCK.replace("INNER", inner))

    def block(kind: int, value: int, wrong: int = 0) -> bytes:
        body = bytes([value, 0, value])
        return bytes([kind, value + wrong, *body[1:], sum(body) & 255])

    data = block(2, 2) + block(1, 10, 64) + block(2, 2) + block(1, 7) + block(2, 3)
    for ways in ({}, {"chunk": 4, "streamed": True}, {"batch_rows": 1}, {"recover": True}):
        table, file = read(reader, format, data, **ways)
        assert table["at"].to_pylist() == [2000, 2000, 21]
        assert file["damaged"] == [[5, 5, "checksum"]]
    assert read(reader, format, data, verify=False)[0]["at"].to_pylist() == [2000, 148, 21]


@pytest.mark.slow
@pytest.mark.parametrize("reader", ROW_READERS)
def test_the_oldest_items_are_forgotten(reader: str, made: Format) -> None:
    data = item(5) * 65_535 + item(1, 65_536) + item(2, 65_536) + item(3, 65_537) + item(4, 65_538)
    table, file = read(reader, made, data, columns=["value", "kept"])
    assert table.slice(65_535).to_pylist() == [{"value": 1, "kept": 5}, {"value": 2, "kept": 5}]
    assert [reason for _, _, reason in file["damaged"]] == ["value", "value"]


REPEATED = """
meta:
  id: repeated
  endian: le
  -wireloom: {rows: units.items, columns: [kept]}
seq:
  - {id: units, type: unit, repeat: eos}
instances:
  all: {value: '[0]', -wireloom: {variable: true}}
types:
  unit:
    seq:
      - {id: items, type: item, repeat: expr, repeat-expr: 20}
      - {id: end, size: 3}
  item:
    seq: [{id: value, type: u2}]
    instances:
      added: {value: value, -wireloom: {sets: _root.all}}
      kept: {value: '_root.all[_root.all.size > 65536 ? _root.all.size - 65536 : 0]'}
"""
"""Items are added before the end of their unit, so in each attempt to read it."""


@pytest.mark.slow
@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize("chunk", [pytest.param(None, marks=pytest.mark.thorough), 1_001])
def test_attempts_that_are_repeated_forget_no_items(reader: str, chunk: int | None) -> None:
    repeated = format_of(REPEATED)
    values = [number % 65_521 for number in range(70_000)]
    items = [value.to_bytes(2, "little") for value in values]
    data = b"".join(b"".join(items[begin : begin + 20]) + b"end" for begin in range(0, len(items), 20))
    table, file = read(reader, repeated, data, chunk=chunk, streamed=chunk is not None, batch_rows=999)
    assert (file["damaged"], table.num_rows) == ([], len(values))
    assert table["kept"].to_pylist() == [0] * 65_535 + values[: 70_000 - 65_535]


INCOMPLETE = """
meta:
  id: steps
  -wireloom: {rows: units, columns: [sum]}
seq:
  - {id: units, type: unit, repeat: eos}
instances:
  sum: {value: 0, -wireloom: {variable: true}}
types:
  unit:
    seq:
      - {id: size, type: u1}
      - {id: step, type: step, size: size}
      - {id: end, contents: "!"}
    instances:
      sum: {value: _root.sum}
  step:
    seq: [{id: by, type: u1}]
    instances:
      next: {value: _root.sum + by, -wireloom: {sets: _root.sum}}
"""
"""The variable is set before the end of the unit."""


@pytest.mark.parametrize("reader", ROW_READERS)
def test_an_incomplete_unit_sets_no_variables(reader: str) -> None:
    steps = format_of(INCOMPLETE)
    good = [bytes((1, by)) + b"!" for by in range(1, 7)]
    # Only the end of the unit around the last three is missing.
    data = b"".join(good[:3]) + bytes((10, 100)) + b"".join(good[3:])
    for ways in ({}, {"batch_rows": 1}, {"batch_rows": 2}, {"batch_rows": 3}, {"chunk": 1}, {"chunk": 4}):
        table, file = read(reader, steps, data, recover=True, streamed="chunk" in ways, **ways)
        assert (table["sum"].to_pylist(), file["damaged"]) == ([1, 3, 6, 10, 15, 21], [[9, 2, "truncated"]]), ways


def test_files_are_read_from_their_beginning(made: Format, tmp_path: Path) -> None:
    with pytest.raises(
        UnsupportedError, match="files of made cannot be read in byte ranges: rows depend on the bytes before them"
    ):
        wireloom.read(made, item(1), byte_range=(0, 3))
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(item(1) + item(2))
    table = wireloom.read(made, [tmp_path / "a", tmp_path / "b"], columns=["sum"])
    assert table["sum"].to_pylist() == [1, 3, 1, 3]


def test_writers_set_variables_too(made: Format) -> None:
    objects = made.root_class()
    root = objects.from_bytes(item(1) + item(2) + item(-128))
    assert (root.sum, list(root.all), [each.sum for each in root.items]) == (-125, [9, 1, 2, -128], [1, 3, -125])
    assert root.to_bytes() == item(1) + item(2) + item(-128)
    assert root.sum == -125


def test_items_are_numbered_from_the_first_on() -> None:
    items = Items([4, 5])
    before = items.here()
    items.append(6)
    assert (list(before), list(items), items[1:], len(before)) == ([4, 5], [4, 5, 6], [5, 6], 2)


@pytest.mark.parametrize("reader", ROW_READERS)
def test_a_list_may_be_empty_at_first(reader: str, tmp_path: Path) -> None:
    text = SPEC.replace("'[9]'", "'[]'").replace("sum, kept]", "sum, kept, size]")
    format = format_of(text + "      size: {value: _root.all.size}\n")
    assert format.engine_refusal is None
    data = item(5) + item(6, 2) + item(7, 3)
    table, file = read(reader, format, data)
    assert (file["damaged"], table["kept"].to_pylist(), table["size"].to_pylist()) == ([], [5, 5, 5], [1, 2, 3])
    wireloom.write(format, table.select(["value"]).append_column("back", [[1, 2, 3]]), tmp_path / "made.bin")
    assert (tmp_path / "made.bin").read_bytes() == data
