"""Layouts within bytes that have been read: what cannot be read in them costs their record, and no other one."""

from __future__ import annotations

from zlib import crc32

from hypothesis import given
from hypothesis import strategies as st

from ..unit.specs import format_of
from .agreement import agreed
from .strategies import bounded

SPEC = """
meta:
  id: slots
  endian: le
  -wireloom:
    tables:
      slots: {rows: slots, where: kind < 9, columns: [kind, data, total, seen], selectable: [content]}
      items: {rows: slots.list.items, columns: [number, name]}
      lists: {rows: slots, columns: [kind, count]}
seq: [{id: slots, type: slot, repeat: eos}]
instances:
  sum: {value: 0, -wireloom: {variable: true}}
types:
  slot:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: data, size: len}
      - {id: content, type: {switch-on: kind, cases: {1: pair, 2: text, 3: sized}}, -wireloom: {within: data}}
      - {id: list, type: list, if: kind > 3 and kind < 8, -wireloom: {within: data}}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: [kind, data]}}}
    instances:
      total: {value: content.as<pair>.first + content.as<pair>.second, if: kind == 1}
      count: {value: list.items.size, if: kind > 3 and kind < 8}
      seen: {value: _root.sum}
      next: {value: _root.sum + len, -wireloom: {sets: _root.sum}}
  pair:
    seq: [{id: first, type: u2}, {id: second, type: u1, valid: {max: 200}}, {id: end, contents: [0]}]
  text:
    seq: [{id: text, type: strz, encoding: UTF-8}, {id: rest, type: u1, repeat: eos}]
  sized:
    -wireloom: {trailing-bytes: refuse}
    seq: [{id: len, type: u1}, {id: inner, type: pair, size: len}]
  list:
    seq: [{id: num, type: u1}, {id: items, type: item, repeat: expr, repeat-expr: num}]
  item:
    seq:
      - {id: number, type: u1, valid: {max: 250}}
      - {id: len, type: u1}
      - {id: name, type: str, encoding: UTF-8, size: len}
"""
GOOD = {1: b"\1\0\2\0", 2: b"text\0\1\2", 3: b"\4\1\0\2\0", 4: b"\2\1\1a\2\0", 5: b"\0", 9: b"any"}
SLOTS = st.lists(
    st.tuples(
        st.sampled_from((*GOOD, 6, 8)),
        st.none() | st.binary(max_size=6) | st.tuples(st.integers(0, 7), st.integers(0, 255)),
        st.integers(0, 15),
    ),
    max_size=8,
)


def slot(kind: int, change: bytes | tuple[int, int] | None, sum: int) -> bytes:
    """Return a record; its data are good ones, the bytes of a change, or good ones with another byte. ``sum``: whether
    its checksum is wrong, which is so if it is 0."""
    data = GOOD.get(kind, b"")
    if isinstance(change, bytes):
        data = change
    elif change is not None and data:
        place = change[0] % len(data)
        data = data[:place] + bytes((change[1],)) + data[place + 1 :]
    record = bytes((kind, len(data))) + data
    return record + (crc32(record) ^ (sum == 0)).to_bytes(4, "little")


@bounded(40, thorough=300)
@given(slots=SLOTS)
def test_damage_within_bytes_costs_their_record(slots: list[tuple[int, bytes | tuple[int, int] | None, int]]) -> None:
    format, made = format_of(SPEC), [slot(*each) for each in slots]
    data = b"".join(made)
    begins = {len(b"".join(made[:number])): len(each) for number, each in enumerate(made)}
    for table in format.tables:
        for options in ({}, {"verify": False}, {"window": 9}):
            _, [file] = agreed(format, data, table=table, **options)
            assert file["tail"] == "clean"
            for begin, size, reason in file["damaged"]:
                # Damage of a list begins with its record, or with the item.
                assert begins.get(begin) == size or table == "items"
                assert reason != "truncated"


def test_what_is_damaged() -> None:
    format = format_of(SPEC)
    broken, good = slot(1, b"\1", 1), slot(1, None, 1)
    wrong = slot(1, b"\1", 0)
    for bad, reason in ((broken, "length"), (wrong, "checksum"), (slot(3, b"\4\1\0\2\0\0", 1), "length")):
        rows, [file] = agreed(format, good + bad + good, table="slots", columns=["total", "seen"])
        # A row with a wrong checksum sets no variable.
        assert rows == {"total": [3, 3], "seen": [4, 8 + (bad[1] if reason != "checksum" else 0)]}
        assert file["damaged"] == [[len(good), len(bad), reason]]
