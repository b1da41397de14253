"""The last row of an input that is truncated, interrupted or still growing."""

import gzip
import io
from pathlib import Path
from typing import Any

import pytest
import wireloom
import zstandard

from ...examples import spread, strided
from ...writing import bytes_of
from ..specs import format_of
from . import samples
from .running import ROW_READERS, read

LINES = """
meta: {id: lines, -wireloom: {rows: lines}}
seq:
  - {id: lines, type: line, repeat: eos, -wireloom: {framing: {delimiter: [10], stuffing: none}}}
types:
  line:
    seq: [{id: text, type: str, encoding: UTF-8, size-eos: true}]
"""
ENDED = LINES.replace("{framing: {delimiter: [10], stuffing: none}}", "{}").replace(
    "size-eos: true", "terminator: 10, eos-error: false"
)
"""The same lines, of which the last one may extend to the end of the input."""
SUMMED = """
meta: {id: summed, endian: be, -wireloom: {rows: lines}}
seq:
  - {id: lines, type: line, repeat: eos, -wireloom: {framing: {delimiter: [10], stuffing: none}}}
types:
  line:
    seq:
      - {id: head, size: 2}
      - {id: sum, type: u4, -wireloom: {checksum: {algorithm: crc32, over: head}}}
      - {id: text, type: str, encoding: UTF-8, size-eos: true}
"""
PRICES = [b"price=%d" % (2_000_000 + number) for number in range(40)]
TEXT = b"".join(price + b"\n" for price in PRICES)
PAYLOADS = [b"one\0two\0three", b"", b"a" * 254, b"b" * 600, b"\0\0", b"four\0five"]
COBS = samples.cobs_log(PAYLOADS)
WORDS = samples.word_log(PAYLOADS)
SEGMENT = samples.frames(PAYLOADS)


@pytest.fixture(params=[LINES, ENDED], ids=["delimited", "ended"])
def lines(request: pytest.FixtureRequest) -> Any:
    return format_of(request.param)


def gzipped(data: bytes) -> bytes:
    return gzip.compress(data, 9, mtime=0)


def in_blocks(data: bytes) -> bytes:
    """Return zstd with a block for every nine bytes, so that a truncated stream ends anywhere in a row."""
    made = zstandard.ZstdCompressor(level=1).compressobj()
    parts = [
        made.compress(data[at : at + 9]) + made.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        for at in range(0, len(data), 9)
    ]
    return b"".join([*parts, made.flush()])


def ends(log: bytes, delimiter: bytes) -> set[int]:
    """Return the lengths of a log that consist of whole records, each with the delimiter after it."""
    return {0} | {at + len(delimiter) for at in range(len(log)) if log.startswith(delimiter, at)}


# Files that are cut off -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("streamed", [False, True])
def test_failfast_refuses_a_segment_that_is_cut_off(row_reader: str, streamed: bool) -> None:
    whole = len(samples.frames(PAYLOADS[:-1]))
    for size in (whole + 1, whole + 4, whole + 21, len(SEGMENT) - 1):
        how: dict[str, Any] = {"streamed": streamed, "chunk": 100, "columns": ["payload"]}
        with pytest.raises(wireloom.DamagedInputError, match=r"ends inside the record.*tail='growing'") as caught:
            read(row_reader, "edgemq_segment", SEGMENT[:size], mode="failfast", **how)
        assert (caught.value.offset, caught.value.reason, caught.value.record) == (whole, "truncated", len(PAYLOADS))
        for mode in ("failfast", "permissive"):
            table, report = read(row_reader, "edgemq_segment", SEGMENT[:size], mode=mode, tail="growing", **how)
            assert table["payload"].to_pylist() == PAYLOADS[:-1]
            assert (report["tail"], report["tail_offset"], report["tail_size"]) == ("growing", whole, size - whole)
        table, report = read(row_reader, "edgemq_segment", SEGMENT[:size], **how)
        assert (table.num_rows, report["tail"]) == (len(PAYLOADS) - 1, "truncated")
    assert read(row_reader, "edgemq_segment", SEGMENT, mode="failfast")[0].num_rows == len(PAYLOADS)


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_failfast_refuses_a_log_that_is_cut_off_anywhere(row_reader: str) -> None:
    """Even if what is left of a record looks like one: no checksum confirms it."""
    borders = {end + each for end in ends(COBS, b"\0") for each in (-1, 0, 1)} & set(range(len(COBS) + 1))
    for size in sorted(borders.union(spread(strided(range(len(COBS) + 1), 3)))):
        whole = max(each for each in ends(COBS, b"\0") if each <= size)
        complete = PAYLOADS[: COBS[:whole].count(b"\0")]
        table, report = read(row_reader, "cobs_log", COBS[:size], tail="growing", columns=["payload"])
        assert table["payload"].to_pylist() == complete
        assert report["tail"] == ("clean" if size == whole else "growing")
        if size == whole:
            assert read(row_reader, "cobs_log", COBS[:size], mode="failfast")[0].num_rows == len(complete)
            continue
        with pytest.raises(wireloom.DamagedInputError) as caught:
            read(row_reader, "cobs_log", COBS[:size], mode="failfast")
        assert (caught.value.offset, caught.value.reason) == (max(0, whole - 1), "truncated")


BLOCK = 32768
IN_BLOCKS = [b"a" * 100, b"b" * 40_000, b"c" * (2 * BLOCK - 40_100 - 4 * 7 - 7 - 90), b"d" * 50, b"e" * 300]
"""Records of a log of blocks. The second is in two pieces; of the last one, only a few bytes fit into its block."""


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_log_of_blocks_may_be_cut_off_inside_of_a_header(row_reader: str) -> None:
    content = bytes_of("leveldb_log", [{"data": each} for each in IN_BLOCKS], codec="none")
    begins = [content.index(each[:1] * 20) - 7 for each in IN_BLOCKS]
    places = [begin + size for begin in (*begins, BLOCK, 2 * BLOCK) for size in range(10)]
    for size in sorted({*places, *range(2 * BLOCK - 40, 2 * BLOCK)}):
        table, report = read(row_reader, "leveldb_log", content[:size], columns=["data"])
        ends = [content.rindex(each[:1] * 20) + 20 for each in IN_BLOCKS]
        complete = sum(end <= size for end in ends)
        assert table.num_rows == complete, size
        assert not report["damaged"], size
        assert report["tail"] == ("clean" if size in (0, *ends) else "truncated"), size


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("tail", ["complete", "growing"])
def test_a_checksum_proves_a_last_record_without_its_delimiter(row_reader: str, tail: str) -> None:
    table, report = read(row_reader, "word_stuffed_log", WORDS[:-2], mode="failfast", tail=tail, columns=["payload"])
    assert table["payload"].to_pylist() == PAYLOADS
    assert report["tail"] == "clean"
    for cut in range(3, len(samples.word_record(PAYLOADS[-1])) + 2):
        with pytest.raises(wireloom.DamagedInputError, match="truncated"):
            read(row_reader, "word_stuffed_log", WORDS[:-cut], mode="failfast")


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_checksum_over_something_else_proves_nothing(row_reader: str, tmp_path: Path) -> None:
    path = tmp_path / "summed.ksy"
    path.write_text(SUMMED)
    data = bytes_of(path, [{"head": b"ab", "text": "price=2000000"}])
    for cut in range(1, 9):
        with pytest.raises(wireloom.DamagedInputError, match="no checksum proves that it is complete"):
            read(row_reader, path, data[:-cut], mode="failfast")
        assert read(row_reader, path, data[:-cut], tail="growing")[0].num_rows == 0
    assert read(row_reader, path, data, mode="failfast")[0].num_rows == 1


def test_byte_ranges_of_a_cut_log() -> None:
    """Only the range in which the incomplete row begins is damaged."""
    log = COBS[:-3]
    whole = max(each for each in ends(COBS, b"\0") if each <= len(log)) - 1
    assert wireloom.read("cobs_log", log, byte_range=(0, whole), mode="failfast").num_rows == len(PAYLOADS) - 1
    for range_ in ((0, len(log)), (whole, 1 << 40)):
        with pytest.raises(wireloom.DamagedInputError):
            wireloom.read("cobs_log", log, byte_range=range_, mode="failfast")
        wireloom.read("cobs_log", log, byte_range=range_, mode="failfast", tail="growing")


def test_what_cannot_grow() -> None:
    with pytest.raises(wireloom.UnsupportedError, match="are read as a whole"):
        wireloom.scan("s2_messages", b"", tail="growing")
    with pytest.raises(wireloom.UnknownNameError, match="did you mean 'growing'"):
        wireloom.scan("cobs_log", b"", tail="grow")


# Streams that break off ------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("packed", [gzipped, in_blocks])
def test_what_touches_a_break_is_not_believed(row_reader: str, packed: Any, lines: Any) -> None:
    row_reader = row_reader if lines.program is not None else "objects"
    stored = packed(TEXT)
    found = set()
    for size in spread(strided(range(40, len(stored)), 9)):
        for tail in ("complete", "growing"):
            table, report = read(row_reader, lines, stored[:size], columns=["text"], tail=tail)
            texts = [text.encode() for text in table["text"].to_pylist()]
            assert texts == PRICES[: len(texts)]
            rows = len(b"\n".join(texts))
            assert report["tail_offset"] in (rows, rows + 1)
            found.add(report["tail"])
    assert "truncated" in found


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_what_is_proven_at_a_break_is_believed(row_reader: str) -> None:
    """All of the last record exists, only its delimiter does not."""
    for packed in (gzipped, in_blocks):
        stored = packed(WORDS)
        best = 0
        for size in (*strided(range(20, len(stored) - 9), 9), *range(len(stored) - 9, len(stored))):
            table, _ = read(row_reader, "word_stuffed_log", stored[:size], columns=["payload"])
            assert table["payload"].to_pylist() == PAYLOADS[: table.num_rows]
            best = max(best, table.num_rows)
        assert best == len(PAYLOADS)


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_bytes_after_a_row_may_be_missing_at_a_break(row_reader: str) -> None:
    """They belong to no row: one whose own bytes all exist is complete."""
    data = samples.frames([b"x" * 40] * 30, padding=b"\xaa" * 13)
    stored = in_blocks(data)
    for size in range(100, len(stored), 7):
        plain = zstandard.ZstdDecompressor().decompressobj().decompress(stored[:size])
        table, _ = read(row_reader, "edgemq_segment", stored[:size], stride="rules")
        assert table.num_rows == (len(plain) + 13) // (61 + 13)


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_failing_storage_is_a_break_too(row_reader: str, lines: Any) -> None:
    class Failing(io.BytesIO):
        def readinto(self, buffer: Any) -> int:
            count = super().readinto(buffer)
            if not count:
                raise OSError(5, "Input/output error")
            return count

    row_reader = row_reader if lines.program is not None else "objects"
    table, report = read(row_reader, lines, Failing(b"price=1\nprice=20"))
    assert table["text"].to_pylist() == ["price=1"]
    assert (report["tail"], report["tail_offset"]) == ("truncated", 7 if lines.delimiter else 8)


@pytest.mark.slow
@pytest.mark.parametrize("size", [len(TEXT), pytest.param(len(TEXT) - 1, marks=pytest.mark.thorough), len(TEXT) - 8])
def test_a_row_goes_up_to_the_end_of_the_input_and_of_nothing_else(size: int, lines: Any) -> None:
    """Not to the end of a block, nor of the piece of it that is read at once."""
    expected = TEXT[:size].decode().splitlines()
    for chunk in (1, 7, 50, None):
        for streamed in (False, True):
            table, report = read("objects", lines, TEXT[:size], chunk=chunk, streamed=streamed, columns=["text"])
            assert table["text"].to_pylist() == expected
            assert report["tail"] == "clean"
    many = TEXT * 1_000
    table, _ = read("objects", lines, many[: len(many) - len(TEXT) + size], columns=["text"])
    assert table.num_rows == 999 * len(PRICES) + len(expected)
    assert set(table["text"].unique().to_pylist()) == {price.decode() for price in PRICES} | set(expected)
