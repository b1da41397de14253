"""Limits to the last byte: the maximum is accepted, and one byte more is not, by either reader."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
import wireloom
from wireloom import engine
from wireloom.format import registry
from wireloom.input.window import MemoryWindow
from wireloom.objects.messages.wire import write_varint
from wireloom.rows.reader import Settings, Status
from wireloom.rows.select import make
from wireloom.s2 import MAX_CONTENT, compress

from ..unit.messages.test_bombs import ENGINES, KPL, RECORD, aggregate, decoded, field
from ..unit.specs import format_of
from .children import needs_engine
from .test_claims import MESSAGES, SPEC

KEY = 65_536
ROWS = 264
FILLED = 184
"""With that many bytes of an unknown field, 256 times the bytes of a unit, and 64 KiB, allow that many keys."""


@pytest.mark.parametrize("columns", [["data"], ["partition_key"]])
@pytest.mark.parametrize("less", [0, 1])
@pytest.mark.parametrize("name", ENGINES)
def test_what_look_ups_may_give(name: str, less: int, columns: list[str]) -> None:
    filler = field(15, bytes(FILLED - 3 - less))
    unit = aggregate(field(1, b"k" * KEY) + RECORD * ROWS + filler)
    assert KEY * ROWS - (256 * len(unit) + 65_536) == 256 * less
    made = decoded(name, registry.get(KPL), [unit], columns)
    assert made.rows == ROWS - less
    assert [each.reason for each in made.problems] == ["limit"] * less


@pytest.mark.parametrize("name", ENGINES)
def test_one_byte_more_than_look_ups_may_give(name: str) -> None:
    last = field(3, b"\x08\x01\x1a\x00")
    filler = field(15, bytes(FILLED - 3 - len(field(1, b"k")) - len(last)))
    unit = aggregate(field(1, b"k" * KEY) + field(1, b"k") + RECORD * ROWS + last + filler)
    assert 256 * len(unit) + 65_536 == KEY * ROWS
    made = decoded(name, registry.get(KPL), [unit], ["data"])
    assert made.rows == ROWS
    assert [each.reason for each in made.problems] == ["limit"]


@needs_engine
def test_what_look_ups_may_give_of_the_largest_units() -> None:
    """At most 1 GiB, even if no column needs it."""
    unit = aggregate(field(1, b"k" * (4 << 20)) + RECORD * 300 + field(15, bytes(1 << 20)))
    made = decoded("columns", registry.get(KPL), [unit], ["data"])
    assert made.rows == 256
    assert [each.reason for each in made.problems] == ["limit"]


def session(size: int) -> bytes:
    """Return a frame of that length, which includes its flag, with an unknown field."""
    return size.to_bytes(3, "big") + b"\0\x7a" + padded(size - 6) + bytes(size - 6)


def padded(value: int) -> bytes:
    """Return a varint of four bytes."""
    return bytes((value & 0x7F | 0x80, value >> 7 & 0x7F | 0x80, value >> 14 & 0x7F | 0x80, value >> 21))


GOOD = b"\x00\x00\x0d\x00\x0a\x0a\x08\x01\x10\x05\x22\x04body"


def test_the_largest_frame_of_a_session(tmp_path: Path) -> None:
    path = tmp_path / "session"
    largest, larger = (GOOD + session(MAX_CONTENT + more) + GOOD for more in (1, 2))
    # In a file, only the beginning of the frame exists when it is refused; in memory all of it does.
    path.write_bytes(largest)
    for source in (path, largest):
        table, report = wireloom.read_with_report("s2_session", source)
        assert (table.num_rows, report.clean) == (2, True)
    path.write_bytes(larger)
    for source in (path, larger):
        table, report = wireloom.read_with_report("s2_session", source)
        [file] = report.files
        assert (table.num_rows, file.tail, file.tail_offset) == (1, "invalid_length", len(GOOD))
        assert file.error == "a length of 2097153 bytes, and the limit is 2097152"


@pytest.mark.parametrize(("compression", "flag"), [("zstd", 0x20), ("gzip", 0x40)])
@pytest.mark.parametrize("more", [0, 1])
def test_the_largest_content_of_a_frame(compression: str, flag: int, more: int, tmp_path: Path) -> None:
    content = session(MAX_CONTENT + 1 + more)[4:]
    body = compress(content, "zstd" if compression == "zstd" else "gzip")
    path = tmp_path / "session"
    path.write_bytes(GOOD + (len(body) + 1).to_bytes(3, "big") + bytes((flag,)) + body + GOOD)
    table, report = wireloom.read_with_report("s2_session", path)
    [file] = report.files
    assert (table.num_rows, file.tail) == (2, "clean")
    assert [each.reason for each in file.damaged] == ["limit"] * more
    # A smaller limit of the reader also applies to decompressed content.
    _, report = wireloom.read_with_report("s2_session", path, max_record=MAX_CONTENT - 1)
    assert [each.reason for each in report.files[0].damaged] == ["limit"]


@pytest.mark.parametrize("framing", ["varint", "u2be", "u4le", "u8be"])
@pytest.mark.parametrize("more", [0, 1])
def test_the_largest_unit(framing: str, more: int) -> None:
    unit = field(1, bytes(500 + more - 3))
    order: Literal["little", "big"] = "little" if framing.endswith("le") else "big"
    prefix = write_varint(len(unit)) if framing == "varint" else len(unit).to_bytes(int(framing[1]), order)
    table, report = wireloom.read_with_report(
        format_of(MESSAGES.format(framing=framing)), prefix + unit, max_record=500, check_format=False
    )
    assert (table.num_rows, report.files[0].tail) == ((0, "limit") if more else (1, "clean"))


@pytest.mark.parametrize("more", [0, 1])
def test_the_largest_input_that_is_one_unit(more: int) -> None:
    record = field(1, b"\x08\x01\x10\x02")
    data = record + field(15, bytes(500 + more - len(record) - 3))
    table, report = wireloom.read_with_report("s2_messages", data, max_record=500, check_format=False)
    assert (table.num_rows, report.files[0].tail) == ((0, "limit") if more else (1, "clean"))


@pytest.mark.parametrize("reader", ["columns", "objects"])
@pytest.mark.parametrize(
    ("size", "there", "tail"),
    [
        (496, 496, "clean"),
        (496, 495, "truncated"),
        (497, 497, "limit"),
        (497, 496, "limit"),
        (497, 495, "truncated"),
        (2**32 - 1, 496, "limit"),
        (2**32 - 1, 495, "truncated"),
    ],
)
def test_the_largest_row(reader: str, size: int, there: int, tail: str) -> None:
    """The existing bytes of a row that cannot end within its limit make it too large; fewer bytes are an end of the
    input."""
    format = format_of(SPEC.format(type="u4"))
    settings = Settings(projected=(0, 1), max_record=500)
    if reader == "columns" and not engine.available:
        pytest.skip("the engine is not there")
    row_reader = make(reader, format, None, settings)
    window = MemoryWindow(memoryview(size.to_bytes(4, "big") + bytes(there)))
    filled = row_reader.fill(window, capacity=10, at_start=True)
    statuses = {"clean": Status.END, "truncated": Status.TRUNCATED, "limit": Status.LOST}
    assert filled.status is statuses[tail]
    assert filled.rows == (tail == "clean")
    assert tail != "limit" or filled.reason == "limit"


@pytest.mark.parametrize("reader", ENGINES)
def test_a_row_of_no_bytes_ends_the_reading(reader: str) -> None:
    """It would repeat endlessly."""
    row_reader = make(
        reader,
        format_of(
            SPEC.format(type="u4")
            .replace("{id: size, type: u4}", "{id: none, type: u1, if: 1 == 2}")
            .replace("size: size", "size: 0")
        ),
        None,
        Settings(projected=(0,)),
    )
    filled = row_reader.fill(MemoryWindow(memoryview(b"abc")), capacity=10, at_start=True)
    assert (filled.status, filled.rows, filled.reason) == (Status.LOST, 0, "length")


@needs_engine
@pytest.mark.parametrize(("first", "fits"), [(252, True), (253, False), (255, False)])
def test_the_longest_first_block_of_words(first: int, fits: bool) -> None:
    # A block of maximum size is followed by another one, even if it is empty.
    stuffed = bytes((first,)) + bytes(first) + bytes(2)
    if fits:
        assert engine.unstuff(stuffed, b"\1", 1000) == bytes(first)
    else:
        with pytest.raises(ValueError, match="not stuffed"):
            engine.unstuff(stuffed, b"\1", 1000)


@needs_engine
@pytest.mark.parametrize(("run", "fits"), [(64_008, True), (64_009, False), (64_264, False)])
def test_the_longest_later_block_of_words(run: int, fits: bool) -> None:
    header = bytes((run - 253 * min(run // 253, 253), min(run // 253, 253)))
    stuffed = b"\0" + header + bytes(run) + bytes(2)
    if fits:
        assert engine.unstuff(stuffed, b"\1", 1 << 20) == b"\xfe\xfd" + bytes(run)
    else:
        with pytest.raises(ValueError, match="not stuffed"):
            engine.unstuff(stuffed, b"\1", 1 << 20)
