"""What the benches read: made in memory, the same for the same size."""

from __future__ import annotations

import io
import random
from functools import cache

import pyarrow as pa
import wireloom
from wireloom.demo.samples import event_table

HOUR = 3_600_000
START = 1_790_000_000_000


@cache
def events(raw_bytes: int) -> pa.Table:
    """JSON events of about 200 bytes, as EdgeMQ's columns."""
    return event_table(random.Random(7), raw_bytes, START, START + HOUR)


@cache
def segment(raw_bytes: int) -> bytes:
    """A raw EdgeMQ segment of those events; a large one repeats a block of 32 MB."""
    block = min(raw_bytes, 32_000_000)
    written = io.BytesIO()
    wireloom.write("edgemq_segment", events(block), written, codec="none")
    return written.getvalue() * max(1, raw_bytes // block)


@cache
def stuffed_log(raw_bytes: int, record: int = 200) -> bytes:
    """A word-stuffed log of records of ``record`` random bytes: the delimiter is as rare in them as chance has it."""
    randomness = random.Random(11)
    block = min(raw_bytes, 16_000_000)
    payloads = [randomness.randbytes(record - 8) for _ in range(block // record)]
    table = pa.table(
        {"generation": pa.array([1] * len(payloads), pa.uint32()), "payload": pa.array(payloads, pa.binary())}
    )
    written = io.BytesIO()
    wireloom.write("word_stuffed_log", table, written)
    return written.getvalue() * max(1, raw_bytes // block)


def drain(format_name: str, source: object, **options: object) -> int:
    """Reads everything into Arrow batches, keeping none; returns the rows."""
    rows = 0
    with wireloom.scan(format_name, source, **options) as scanner:
        for batch in scanner:
            rows += batch.num_rows
    return rows
