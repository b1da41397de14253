"""Sizes and counts that must agree with what they cover: both readers, at every level."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import pytest
from wireloom import Format, engine

from ..unit.columns_backend.specs import format_of
from .agreement import agreed

SPEC = """
meta:
  id: demo
  endian: le
  -wireloom: {rows: batches.body.records, columns: [text, note]}
seq:
  - {id: batches, type: batch, repeat: eos}
types:
  batch:
    seq:
      - {id: len, type: u2}
      - {id: packed, type: u1}
      - id: body
        type: body
        size: len
        -wireloom: {codec: {switch-on: packed, cases: {0: none, 1: zlib}}}
  body:
    -wireloom: {trailing-bytes: refuse}
    seq:
      - {id: count, type: u1}
      - {id: records, type: record, repeat: expr, repeat-expr: count}
  record:
    seq:
      - {id: len, type: v, -wireloom: {size-of: [len_text, note]}}
      - {id: len_text, type: u1}
      - {id: text, size: len_text}
      - {id: len_note, type: u1}
      - {id: note, type: note, size: len_note, if: len_note > 0}
  note:
    -wireloom: {trailing-bytes: refuse, columns: [value]}
    seq: [{id: value, type: u2}]
  v: {-wireloom: {varint: le}}
"""


def record(text: bytes, note: bytes = b"", more: int = 0) -> bytes:
    body = bytes([len(text)]) + text + bytes([len(note)]) + note
    return bytes([len(body) + more]) + body


def batch(*records: bytes, count: int | None = None, packed: bool = False) -> bytes:
    body = bytes([len(records) if count is None else count]) + b"".join(records)
    body = zlib.compress(body) if packed else body
    return struct.pack("<HB", len(body), packed) + body


GOOD = batch(record(b"a"), record(b"b", b"\1\0"))


def texts(format: Format, data: bytes, **options: Any) -> tuple[list[bytes], list[Any]]:
    rows, [report] = agreed(format, data, **options)
    assert report["tail"] == "clean"
    return [each for each in rows["text"] if each is not None], report["damaged"]


@pytest.fixture(scope="module")
def demo() -> Format:
    return format_of(SPEC)


@pytest.mark.parametrize("packed", [False, True])
def test_records_after_the_last_one_damage_their_batch(demo: Format, packed: bool) -> None:
    for count in (0, 1):
        bad = batch(record(b"c"), record(b"d"), count=count, packed=packed)
        assert texts(demo, GOOD + bad + GOOD) == ([b"a", b"b"] * 2, [[len(GOOD), len(bad), "length"]])


@pytest.mark.parametrize("packed", [False, True])
def test_a_wrong_size_loses_the_rest_of_the_batch(demo: Format, packed: bool) -> None:
    for more in (-1, 1):
        bad = batch(record(b"c"), record(b"d", more=more), record(b"e"), packed=packed)
        found, [[begin, size, reason]] = texts(demo, GOOD + bad + GOOD)
        assert (found, reason) == ([b"a", b"b", b"c", b"a", b"b"], "length")
        assert len(GOOD) <= begin < begin + size <= len(GOOD) + len(bad)


def test_bytes_after_a_struct_of_a_row_damage_the_row(demo: Format) -> None:
    first, bad, last = record(b"c"), record(b"d", b"\1\0\0"), record(b"e")
    begin = len(GOOD) + 4 + len(first)
    assert texts(demo, GOOD + batch(first, bad, last)) == ([b"a", b"b", b"c", b"e"], [[begin, len(bad), "length"]])


def test_failfast_raises(demo: Format) -> None:
    for bad in (batch(record(b"c"), count=0), batch(record(b"d", more=1)), batch(record(b"d", b"\1\0\0"))):
        assert agreed(demo, GOOD + bad, mode="failfast")[::2] == ("DamagedInputError", "length")


@pytest.mark.skipif(not engine.available, reason="row blocks are the engine's")
def test_many_rows_at_once(demo: Format) -> None:
    """The engine reads such rows in row blocks, and each wrong one by itself."""
    rows = [record(b"%03d" % number) for number in range(250)]
    for place in (0, 1, 100, 249):
        bad = [*rows[:place], record(b"bad", more=2), *rows[place + 1 :]]
        found, damaged = texts(demo, batch(*rows) + batch(*bad) + GOOD)
        assert found == [b"%03d" % number for number in (*range(250), *range(place))] + [b"a", b"b"]
        assert [reason for _, _, reason in damaged] == ["length"]
