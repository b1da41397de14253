"""The memory that batches keep, and that extra allocated space is never visible in results."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from wireloom import engine
from wireloom.engine import _engine

from ..specs import format_of
from .blocks import UNITS, record
from .blocks import batch as block
from .running import read
from .samples import frame, frames, rows_of

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine is not there")


def sizes(data: bytes, **options: Any) -> Iterator[tuple[pa.RecordBatch, int]]:
    """Yield batches and the bytes that each has added to Arrow's memory."""
    with wireloom.scan("edgemq_segment", data, **options) as scanner:
        before = pa.total_allocated_bytes()
        for batch in scanner:
            now = pa.total_allocated_bytes()
            yield batch, now - before
            before = now


def test_batches_hold_little_more_than_their_rows() -> None:
    """Kept batches: payloads, a few bytes of space after them, and the columns of 21 bytes per row."""
    data = frames([b"x" * 64] * 50_000)
    kept = list(sizes(data))
    for batch, held in kept:
        assert held <= 2 * batch.nbytes + 100_000


def test_batches_of_compressed_blocks_have_as_many_rows_as_others() -> None:
    """Although the content is forty times as large as the input."""
    data = b"".join(block("zstd", shard, *(record(number, b"x" * 100) for number in range(1000))) for shard in range(9))
    with wireloom.scan(format_of(UNITS), data, columns=["number", "text"]) as scanner:
        batches = list(scanner)
    assert [batch.num_rows for batch in batches] == [9000]
    assert pa.Table.from_batches(batches)["number"].to_pylist() == list(range(1000)) * 9


def test_a_small_input_holds_little() -> None:
    for _, held in sizes(frames([b"abc"] * 3)):
        assert held < 8_000


def test_memory_is_given_back() -> None:
    data = frames([b"x" * 64] * 50_000)
    before = pa.total_allocated_bytes()
    rows = sum(batch.num_rows for batch in wireloom.scan("edgemq_segment", data))
    assert rows == 50_000
    assert pa.total_allocated_bytes() <= before + 1_000


def test_payloads_that_grow() -> None:
    """Batches have the requested number of rows, even if these are larger than all before them."""
    payloads = [bytes([number % 251]) * (number // 100) for number in range(20_000)]
    with wireloom.scan("edgemq_segment", frames(payloads), columns=["payload"], batch_rows=1000) as scanner:
        batches = list(scanner)
    assert [batch.num_rows for batch in batches] == [1000] * 20
    assert pa.Table.from_batches(batches)["payload"].to_pylist() == payloads


KEYED = """
meta: {id: keyed, endian: le, -wireloom: {rows: rows, columns: [key, value]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: len, type: u4}
      - {id: key, size: 8}
      - {id: value, size: len}
"""


def test_batches_that_are_full_of_one_column_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The values fill a batch while there is little room for keys, of which no batch has more."""
    data = (struct.pack("<I", 1000) + bytes(1008)) * 20_000
    calls, fill = 0, _engine.fill_arena

    def counted(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        return fill(*arguments, **options)

    monkeypatch.setattr(_engine, "fill_arena", counted)
    with wireloom.scan(format_of(KEYED), data) as scanner:
        batches = list(scanner)
    assert sum(batch.num_rows for batch in batches) == 20_000
    assert len(batches) > 3
    assert calls <= len(batches) + 1


def test_a_payload_larger_than_a_batch() -> None:
    payloads = [b"a", b"b" * 5_000_000, b"c", b"d" * 6_000_000, b"e" * 10]
    with wireloom.scan("edgemq_segment", frames(payloads), columns=["payload", "ts_millis"]) as scanner:
        assert scanner.read_all()["payload"].to_pylist() == payloads


@pytest.mark.parametrize("chunk", [5, 16, 30])
def test_a_doubtful_row_where_the_window_ends(chunk: int) -> None:
    """A record lacks its payload, so it extends into the next one: whether it is valid depends on what follows, which
    is searched for even if less than a row of it is in the window."""
    data = frames([b""] * 6) + frame(b"ab")[:-2] + frame(b"")
    options: dict[str, Any] = {"columns": ["_offset", "_error", "_corrupt_record"], "codec": "none"}
    table, report = read("columns", "edgemq_segment", data, **options)
    pieces, parts = read("columns", "edgemq_segment", data, streamed=True, chunk=chunk, **options)
    assert rows_of(pieces) == rows_of(table)
    assert parts["damaged"] == report["damaged"]
