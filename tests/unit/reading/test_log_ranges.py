"""Logs of blocks in adjacent byte ranges: together they have what the whole log has, each row and each damage once."""

from __future__ import annotations

import struct
from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wireloom import Format, UnsupportedError
from wireloom.checksums import algorithm, function
from wireloom.format.registry import get as built_in

from ..specs import format_of
from .running import read
from .test_fixed_blocks import PIECES
from .test_log_ends import SIZES, log_of

BLOCK = 32
FULL, FIRST, MIDDLE, LAST, SKIPPED = 1, 2, 3, 4, 9
CHECKSUM = function(algorithm("crc-8/autosar"))
PREALLOCATED = ("    tables:", "    preallocated: true\n    tables:")
NUMBERED = PIECES.replace("over: data", "over: [log, data]").replace(
    "{id: log, type: u1, if: kind >= 5 and kind <= 8}", "{id: log, type: u1}"
)
"""As in all such formats, a checksum covers the number of the log."""
ROWS = """
meta:
  id: rows
  endian: le
  -wireloom: {rows: blocks.rows, columns: [data]}
seq:
  - {id: blocks, type: block, repeat: eos, size: '_io.size - _io.pos < 32 ? _io.size - _io.pos : 32'}
types:
  block:
    seq:
      - {id: num_rows, type: u2, valid: {max: 5}}
      - {id: rows, type: row, repeat: expr, repeat-expr: num_rows}
      - {id: padding, size-eos: true}
  row:
    seq: [{id: data, type: u4, valid: {max: 0x7fffffff}}]
"""
UNCHECKED = "".join(each for each in PIECES.splitlines(keepends=True) if "crc" not in each)


def piece(kind: int, data: bytes, *, log: int = 0) -> bytes:
    """``log``: the number of the log in the header; 0: pieces without a number."""
    header = bytes([*([log] if log else []), *([0] if kind == SKIPPED else [])])
    checksum = CHECKSUM(header + data if log else data)
    assert isinstance(checksum, int)
    return bytes([kind, len(data), checksum]) + header + data


def pieces(source: Random, log: int = 0) -> bytes:
    """Return records in pieces, some of which are of another kind than they should be."""
    out, header = bytearray(), 6 if log else 4
    for _ in range(source.randrange(1, 8)):
        size = source.choice([0, 1, 3, 8, 24, 28, 70])
        rest = source.randbytes(size) if source.random() < 0.8 else bytes(size)
        kinds = iter([FIRST, *[MIDDLE] * 9])
        while True:
            room = BLOCK - len(out) % BLOCK
            if room < header:
                out += bytes(room)
                continue
            here, rest = rest[: room - header], rest[room - header :]
            kind = next(kinds)
            if not rest:
                kind = FULL if kind == FIRST else LAST
            if source.random() < 0.08:
                kind = source.choice([FULL, FIRST, MIDDLE, LAST, SKIPPED])
            out += piece(kind, here, log=log)
            if not rest:
                break
    return bytes(out)


def unchecked(source: Random) -> bytes:
    """Return anything but pieces with numbers: where there are no checksums, many bytes are pieces."""
    return bytes(source.choice([0, 0, 1, 2, 3, 4, 28]) for _ in range(source.randrange(1, 150)))


def rows(source: Random) -> bytes:
    counts = [source.randrange(6) for _ in range(source.randrange(1, 6))]
    values = [[source.randrange(1 << 31) for _ in range(count)] for count in counts]
    return b"".join(struct.pack(f"<H{len(each)}I", len(each), *each).ljust(BLOCK, b"\0") for each in values)


def log_with_number(source: Random) -> bytes:
    return pieces(source, 7)


def built_in_log(style: str) -> Callable[[Random], bytes]:
    """Return a maker of logs of the built-in format, some with the rest of an older log after them."""

    def made(source: Random) -> bytes:
        own, old = (
            log_of(style, number, [source.randbytes(source.choice(SIZES)) for _ in range(source.randrange(1, 9))])
            for number in (9, 5)
        )
        is_reused = style != "leveldb" and source.random() < 0.6
        return own.content + (old.content[len(own.content) :] if is_reused else b"")

    return made


LOGS: dict[str, tuple[Format, Callable[[Random], bytes], dict[str, Any]]] = {
    "pieces": (format_of(PIECES), pieces, {"table": "records"}),
    "pieces of a numbered log": (format_of(NUMBERED), log_with_number, {"table": "records"}),
    "rows in records": (format_of(PIECES), pieces, {"table": "letters", "columns": ["_offset", "_error", "letter"]}),
    "preallocated": (format_of(PIECES.replace(*PREALLOCATED, 1)), pieces, {"table": "records"}),
    "preallocated, of a numbered log": (
        format_of(NUMBERED.replace(*PREALLOCATED, 1)),
        log_with_number,
        {"table": "records"},
    ),
    "unchecked": (format_of(UNCHECKED), unchecked, {"table": "records"}),
    "rows": (format_of(ROWS), rows, {}),
    "leveldb": (built_in("leveldb_log"), built_in_log("leveldb"), {}),
    "recyclable": (built_in("leveldb_log"), built_in_log("recyclable"), {}),
    "sync": (built_in("leveldb_log"), built_in_log("sync"), {}),
}
COLUMNS = ["_offset", "_error", "_corrupt_record", "data"]


def damaged(source: Random, content: bytes) -> bytes:
    """Return a log after up to three accidents."""
    data = bytearray(content)
    for _ in range(source.randrange(4)):
        place = source.randrange(len(data) + 1)
        match source.choice(["bit", "byte", "cut", "zeros", "missing", "end"]):
            case "bit" if place < len(data):
                data[place] ^= 1 << source.randrange(8)
            case "byte" if place < len(data):
                data[place] = source.choice([0, 1, 2, 3, 4, 5, 255])
            case "cut":
                del data[place:]
            case "zeros":
                end = min(place + source.choice([1, 5, 40, 90, 200]), len(data))
                data[place:end] = bytes(end - place)
            case "missing":
                del data[place : place + source.choice([1, 7, 32, 64])]
            case "end":
                data += bytes(source.choice([1, 5, 40, 100]))
    return bytes(data)


def tail_of(file: dict[str, Any]) -> tuple[Any, ...]:
    return file["tail"], file["tail_offset"], file["tail_size"], file.get("tail_zeros", False)


def check_ranges(format: Format, data: bytes, cuts: Callable[[list[int]], list[int]], **options: Any) -> None:
    """Compare a log with its byte ranges. ``cuts`` chooses, among the places near which something begins or ends, the
    offsets where ranges begin."""
    options.setdefault("columns", COLUMNS)
    table, whole = read(None, format, data, **options)
    places = {len(data), *(each for each in table["_offset"].to_pylist() if each is not None)}
    places |= {each for begin, size, _ in whole["damaged"] for each in (begin, begin + size)}
    points = [0, *sorted(set(cuts(sorted(places))) - {0}), len(data) + 1000]
    try:
        parts = [read(None, format, data, byte_range=wanted, **options) for wanted in pairwise(points)]
    except UnsupportedError:
        # A later record names another codec than the first ones.
        return
    assert [row for part, _ in parts for row in part.to_pylist()] == table.to_pylist(), points
    assert [each for _, file in parts for each in file["damaged"]] == whole["damaged"], points
    tails = [tail_of(file) for _, file in parts]
    end = tail_of(whole)
    assert end in tails
    is_plain = ("clean", 0, False)
    assert [each for each in tails if (each[0], *each[2:]) != is_plain] == [end] * ((end[0], *end[2:]) != is_plain)


BAD_CHECKSUM = bytes([FULL, 2, CHECKSUM(b"ab") ^ 1]) + b"ab"  # type: ignore[operator]
FEW = {
    "a record without its end": piece(FULL, b"one") + piece(FIRST, b"lost") + piece(FULL, b"three") + piece(FULL, b"4"),
    "such a record, then zeros": piece(FIRST, b"lost") + piece(FULL, b"three") + bytes(3),
    "damage after a record": piece(FULL, b"one") + BAD_CHECKSUM + piece(FULL, b"three"),
    "damage after damage": piece(FULL, b"one") + 2 * BAD_CHECKSUM + piece(LAST, b"?") + piece(FULL, b"three"),
    "zeros after a record": piece(FULL, b"one").ljust(85, b"\0") + piece(FULL, b"two"),
    "a block that breaks off after padding": piece(FULL, bytes(28)) + b"\0" + piece(FULL, b"cut off")[:-1],
}


@pytest.mark.parametrize("content", FEW.values(), ids=FEW)
def test_a_range_may_begin_at_any_byte(content: bytes) -> None:
    format, _, options = LOGS["pieces"]
    for begin in range(1, len(content) + 1):
        check_ranges(format, content, lambda _, begin=begin: [begin, begin + 5], **options)


@pytest.mark.parametrize("name", LOGS)
def test_ranges_have_what_the_whole_log_has(name: str) -> None:
    format, made, options = LOGS[name]

    @given(st.integers(0, 1 << 32), st.sampled_from([None, 1, 2, 5]))
    def each(seed: int, batch_rows: int | None) -> None:
        source = Random(seed)
        data = damaged(source, made(source))
        more = {} if batch_rows is None else {"batch_rows": batch_rows}

        def cuts(places: list[int]) -> list[int]:
            near = [max(place + by, 0) for place in places for by in (-1, 0, 1)]
            near += [source.randrange(len(data) + 1) for _ in range(3)]
            return source.sample(near, min(len(near), source.choice([1, 1, 2, 4])))

        check_ranges(format, data, cuts, **options, **more)

    each()
