"""Rows at positions: both readers return the same rows for valid, damaged and hostile inputs."""

import struct
from random import Random

import pytest
import wireloom
from wireloom import Format
from wireloom.base.limits import MAX_COMPUTED

from tests.differential.agreement import agreed, read_rows
from tests.differential.damage import damaged

from ..specs import format_of

LUMPS = """
meta: {id: lumps, endian: le, -wireloom: {rows: index.contents.things, columns: [name, a, b]}}
seq:
  - {id: magic, contents: LMP}
  - {id: count, type: u2}
  - {id: ofs_index, type: s4}
instances:
  index: {pos: ofs_index, type: entry, repeat: expr, repeat-expr: count}
types:
  entry:
    seq:
      - {id: pos, type: u4}
      - {id: size, type: u4}
      - {id: name, type: strz, encoding: ASCII}
    instances:
      contents:
        io: _root._io
        pos: pos
        size: size
        if: size > 0
        type: {switch-on: name, cases: {'"things"': things}}
  things: {seq: [{id: things, type: thing, repeat: eos}]}
  thing:
    seq:
      - {id: a, type: u1, valid: {max: 200}}
      - {id: b, type: u2}
"""
ENTRY = struct.Struct("<II")


@pytest.fixture(scope="module")
def lumps() -> Format:
    return loaded(LUMPS)


def loaded(text: str) -> Format:
    format = format_of(text)
    assert format.engine_refusal is None
    return format


def written(*contents: tuple[bytes, bytes]) -> bytes:
    """Return a file of lumps, each with a name and its content."""
    data, index = b"", b""
    for name, each in contents:
        index += ENTRY.pack(9 + len(data), len(each)) + name + b"\0"
        data += each
    return b"LMP" + struct.pack("<Hi", len(contents), 9 + len(data)) + data + index


DATA = written((b"things", b"\1\2\0\3\4\0"), (b"other", b"?????"), (b"things", b""), (b"things", b"\5\6\0"))


def test_rows_are_where_the_index_says(lumps: Format) -> None:
    rows = read_rows(lumps, DATA, ["a", "b", "name", "_offset"])
    assert [(each["a"], each["b"], each["_offset"]) for each in rows] == [(1, 2, 9), (3, 4, 12), (5, 6, 20)]
    assert all(each["name"] == "things" for each in rows)
    agreed(lumps, DATA)
    with pytest.raises(wireloom.WireloomError):
        wireloom.read(lumps, DATA[:20], mode="failfast")


@pytest.mark.parametrize("seed", range(60))
def test_both_readers_agree_on_damage(lumps: Format, seed: int) -> None:
    random = Random(seed)
    data = damaged(random, DATA)
    for options in ({}, {"batch_rows": 1}, {"verify": False}, {"max_computed": random.randrange(20)}):
        agreed(lumps, data, **options)


def test_damage_costs_what_is_at_one_position(lumps: Format) -> None:
    """A lump that is cut off inside a row; those after it are read."""
    data = written((b"things", b"\1\2\0\3"), (b"things", b"\5\6\0"))
    rows, [report] = agreed(lumps, data)
    assert rows["a"] == [1, None, 5]
    assert (report["damaged"], report["tail"]) == ([[12, 1, "length"]], "clean")


@pytest.mark.parametrize("position", [-1, -(2**31), 2**31 - 1, len(DATA), len(DATA) - 1])
def test_positions_that_are_none(lumps: Format, position: int) -> None:
    rows, [report] = agreed(lumps, DATA[:5] + struct.pack("<i", position) + DATA[9:])
    assert not rows["a"]
    assert report["tail"] == ("invalid_length" if position < 0 else "truncated")


@pytest.mark.slow
def test_positions_that_all_lead_to_the_same_bytes(lumps: Format) -> None:
    """The work is bounded by the size of the input and ``max_computed``, not by their product with the index."""
    things = bytes(3 * 1500)
    index = (ENTRY.pack(9, len(things)) + b"things\0") * 1500
    data = b"LMP" + struct.pack("<Hi", 1500, 9 + len(things)) + things + index
    assert MAX_COMPUTED + len(data) < 1500 * 1500
    rows, [report] = agreed(lumps, data, max_computed=20_000)
    assert report["tail"] == "limit"
    assert len(rows["a"]) <= 20_000 + len(data)
    assert "max_computed" in report["error"]


CHAIN = """
meta: {id: chain, endian: le, -wireloom: {rows: first.next_one.items}}
seq: [{id: pos, type: u1}]
instances:
  first: {pos: pos, type: first}
types:
  first:
    seq: [{id: pos, type: u1}, {id: flag, type: u1}]
    instances:
      next_one: {pos: pos, type: list, if: flag != 0}
  list:
    seq: [{id: end, type: u1}, {id: items, type: item, repeat: until, repeat-until: _.last == 1 or _io.pos >= end}]
  item: {seq: [{id: last, type: u1}, {id: left, type: u1, valid: {expr: _io.size - _io.pos >= 0}}]}
"""


@pytest.mark.parametrize(
    "data",
    [b"\2?\4\1\x0b\0a\0b\1c\0d", b"\0\0\0\0", b"\0\1\0", b"\2?\4\0", b"\2?\4", b"\2?\4\1\x0a\0a\0b\0c\0d"],
)
def test_positions_in_positions(data: bytes) -> None:
    """What is read at a position has the stream that contains the position."""
    agreed(loaded(CHAIN), data)


def test_a_position_is_one_of_the_stream_around_it() -> None:
    rows, _ = agreed(loaded(CHAIN), b"\2?\4\1\x0b\0a\0b\1c\0d")
    assert rows["left"] == [*b"abc"]


def test_a_root_whose_rows_are_all_at_positions() -> None:
    format = loaded(
        """
meta: {id: index, endian: le, -wireloom: {rows: entries, columns: [a]}}
instances:
  entries: {pos: 2, type: entry, repeat: expr, repeat-expr: 2}
types:
  entry: {seq: [{id: a, type: u2}]}
""",
    )
    rows, [file] = agreed(format, bytes([9, 9, 1, 0, 2, 0, 7]))
    assert (rows["a"], file["tail"]) == ([1, 2], "clean")
