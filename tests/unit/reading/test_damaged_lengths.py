"""Damaged lengths of a stream that is read forward, with ``recover``: how much is read before the next row is found."""

from __future__ import annotations

import io
import struct
import zlib
from random import Random

import pyarrow as pa
import pytest
import wireloom

from ..specs import format_of
from .running import ROW_READERS, read

SPEC = """
meta:
  id: summed
  endian: le
  -wireloom: {rows: rows, columns: [number, data], max-record: 2147483647}
seq:
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: len, type: u4}
      - {id: number, type: u4}
      - {id: data, size: len}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: [number, data]}}}
"""
MIB = 1024 * 1024


class Counted(io.BytesIO):
    """A stream that cannot be seeked and counts the bytes that were read."""

    count = 0

    def seekable(self) -> bool:
        return False

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # any writable buffer
        size = super().readinto(buffer)
        self.count += size
        return size

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.count += len(data)
        return data


def row(number: int, data: bytes) -> bytes:
    body = struct.pack("<I", number) + data
    return struct.pack("<I", len(data)) + body + struct.pack("<I", zlib.crc32(body))


@pytest.fixture
def format() -> wireloom.Format:
    return format_of(SPEC)


@pytest.mark.slow
def test_the_next_row_is_found_without_the_bytes_that_a_length_claims(format: wireloom.Format) -> None:
    rows = [row(number, Random(number).randbytes(20_000)) for number in range(2400)]
    damaged = [*rows]
    damaged[10] = struct.pack("<I", 1_900_000_000) + rows[10][4:]
    stream = Counted(b"".join(damaged))
    size = len(stream.getvalue())
    before = pa.total_allocated_bytes()
    found, ahead, held = [], [], []
    with wireloom.scan(
        format,
        stream,
        recover=True,
        recover_within=2 * MIB,
        batch_rows=50,
        columns=["number", "_offset"],
        prefetch=False,
    ) as scanner:
        for batch in scanner:
            found += batch.column(0).to_pylist()
            ahead.append(stream.count - batch.column(1)[-1].as_py())
            held.append(pa.total_allocated_bytes() - before)
    assert found == [number for number in range(2400) if number != 10]
    [file] = scanner.report.to_dict()["files"]
    assert (file["damaged"], file["tail"]) == ([[10 * len(rows[10]), len(rows[10]), "length"]], "clean")
    assert size > 45 * MIB
    assert max(ahead) < 8 * MIB
    assert max(held) < 24 * MIB


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_so_it_is_in_garbage(format: wireloom.Format, row_reader: str) -> None:
    """Every offset of the garbage claims a row of any size; rows of the format follow."""
    rows = [row(number, b"%d" % number * 100) for number in range(300)]
    garbage = Random(1).randbytes(5000)
    data = b"".join([*rows[:5], garbage, *rows[5:]])
    table, report = read(
        row_reader, format, data, recover=True, recover_within=10_000, streamed=True, chunk=4096, columns=["number"]
    )
    assert table["number"].to_pylist() == list(range(300))
    [(begin, length, _)] = report["damaged"]
    assert (begin, length) == (len(b"".join(rows[:5])), len(garbage))


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_large_row_is_read(format: wireloom.Format, row_reader: str) -> None:
    """It is in memory as a whole where no row of the format is found in it."""
    rows = [row(1, Random(2).randbytes(40_000)), row(2, b"two")]
    options = {"recover": True, "recover_within": 10_000, "streamed": True, "chunk": 4096}
    table, report = read(row_reader, format, b"".join(rows), **options)
    assert (table["number"].to_pylist(), report["damaged"]) == ([1, 2], [])
    nested = row(3, rows[1] + rows[0])
    table, report = read(row_reader, format, nested + rows[1], **(options | {"recover_within": 1_000_000}))
    assert (table["number"].to_pylist(), report["damaged"]) == ([3, 2], [])
    table, report = read(row_reader, format, nested + rows[1], **options)
    assert table["number"].to_pylist() == [2, 1, 2]
    assert [reason for _, _, reason in report["damaged"]] == ["length", "truncated"]
