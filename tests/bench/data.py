"""Inputs of the benchmarks: created in memory, and the same for the same size."""

from __future__ import annotations

import random
import struct
from functools import cache
from typing import Any

import pyarrow as pa
import wireloom
from crc32c import crc32c
from wireloom.demo import event_table

from ..writing import bytes_of

HOUR = 3_600_000
START = 1_790_000_000_000


@cache
def events(raw_bytes: int) -> pa.Table:
    """Return JSON events of about 200 bytes, in the columns of EdgeMQ."""
    return event_table(random.Random(7), raw_bytes, START, START + HOUR)


@cache
def segment(raw_bytes: int) -> bytes:
    """Return a raw EdgeMQ segment of those events; a large one repeats a block of 32 MB."""
    block = min(raw_bytes, 32_000_000)
    return bytes_of("edgemq_segment", events(block), codec="none") * max(1, raw_bytes // block)


@cache
def frames(raw_bytes: int, payload: int = 200) -> bytes:
    """Return EdgeMQ frames of 21 bytes with ``payload`` random bytes each."""
    randomness = random.Random(13)
    head = struct.Struct(">IIBIQ")
    parts = []
    for number in range(raw_bytes // (head.size + payload)):
        body = randomness.randbytes(payload)
        parts += [head.pack(13 + payload, crc32c(body), 0, randomness.randrange(1 << 16), START + number), body]
    return b"".join(parts)


@cache
def stuffed_log(raw_bytes: int, record: int = 200) -> bytes:
    """Return a word-stuffed log of records of ``record`` random bytes, in which the delimiter is as rare as in random
    data."""
    randomness = random.Random(11)
    block = min(raw_bytes, 16_000_000)
    payloads = [randomness.randbytes(record - 8) for _ in range(block // record)]
    table = pa.table(
        {"generation": pa.array([1] * len(payloads), pa.uint32()), "payload": pa.array(payloads, pa.binary())}
    )
    return bytes_of("word_stuffed_log", table) * max(1, raw_bytes // block)


@cache
def segment_of(payload: int, raw_bytes: int) -> bytes:
    """Return a raw EdgeMQ segment whose payloads are ``payload`` random bytes each; a large one repeats a block of 32
    MB."""
    block = min(raw_bytes, 32_000_000)
    randomness = random.Random(13)
    count = max(1, block // (payload + 21))
    rows = {
        "fmt": pa.array([0] * count, pa.uint8()),
        "tenant": pa.array([randomness.randrange(1000) for _ in range(count)], pa.uint32()),
        "ts_millis": pa.array([START + row for row in range(count)], pa.uint64()),
        "payload": pa.array([randomness.randbytes(payload) for _ in range(count)], pa.binary()),
    }
    return bytes_of("edgemq_segment", pa.table(rows), codec="none") * max(1, raw_bytes // block)


@cache
def delimiters_log(raw_bytes: int, every: int, record: int = 200) -> bytes:
    """Return a word-stuffed log whose records contain the delimiter every ``every`` bytes (2: nothing else)."""
    block = min(raw_bytes, 16_000_000)
    payload = (b"\xfe\xfd" + b"x" * (every - 2)) * (record // every)
    count = block // record
    table = pa.table({"generation": pa.array([1] * count, pa.uint32()), "payload": pa.array([payload] * count)})
    return bytes_of("word_stuffed_log", table) * max(1, raw_bytes // block)


def drain(format_name: Any, source: object, **options: object) -> int:
    """Read everything into Arrow batches without keeping any; return the number of rows."""
    rows = 0
    with wireloom.scan(format_name, source, **options) as scanner:
        for batch in scanner:
            rows += batch.num_rows
    return rows
