"""S2 read sessions, compared with the public Python SDK."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Iterator
from functools import cache

import pyarrow as pa

from ..writing import bytes_of
from .data import drain
from .measure import Comparison, Work, missing

FORMAT = "s2_session"
CHUNK = 1 << 16
"""Number of bytes that are passed to the SDK at a time, as a network would."""
PEER_BYTES = 16_000_000


@cache
def session(size: int, record: int, compression: str) -> bytes:
    """Return a read session of JSON records of about ``record`` bytes in batches of up to 1000 records or 1 MiB; a
    large one repeats a block of 16 MB."""
    randomness = random.Random(17)
    block = min(size, 16_000_000)
    count = block // (record + 30)
    bodies = [
        json.dumps(
            {"at": 1_790_000_000_000 + each, "text": randomness.randbytes((record - 40) * 3 // 8).hex()}
        ).encode()
        for each in range(count)
    ]
    table = pa.table(
        {
            "seq_num": pa.array(range(count), pa.uint64()),
            "timestamp": pa.array([1_790_000_000_000 + each for each in range(count)], pa.uint64()),
            "body": pa.array(bodies, pa.binary()),
        }
    )
    return bytes_of(FORMAT, table, compression=compression) * max(1, size // block)


def bodies_of(data: bytes) -> list[bytes]:
    """Return the bodies of the frames, without decoding them."""
    found, at = [], 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 3], "big")
        found.append(data[at + 4 : at + 3 + size])
        at += 3 + size
    return found


def sdk(data: bytes, raw_size: int) -> Work:
    """The SDK's frames, decompression, protobuf and conversion to its records."""
    from s2_sdk._generated.s2.v1 import s2_pb2
    from s2_sdk._mappers import read_batch_from_proto
    from s2_sdk._s2s._protocol import read_messages

    async def chunks() -> AsyncIterator[bytes]:
        for at in range(0, len(data), CHUNK):
            yield data[at : at + CHUNK]

    async def read() -> int:
        rows = 0
        async for message in read_messages(chunks()):
            batch = s2_pb2.ReadBatch()
            batch.ParseFromString(message.body)
            rows += len(read_batch_from_proto(batch).records)
        return rows

    return Work("s2-sdk", raw_size, lambda: asyncio.run(read()))


def comparisons(_: int) -> Iterator[Comparison]:
    absent = missing("s2_sdk")
    for record in (1000, 100):
        title = f"S2 read session, uncompressed, {record}-byte records → Arrow"
        few = session(PEER_BYTES, record, "none")
        against = Work("s2-sdk", 1, lambda: None) if absent else sdk(few, len(few))
        yield Comparison(
            title,
            Work("wireloom", len(few), lambda few=few: drain(FORMAT, few)),  # type: ignore[misc]
            against,
            absent=absent,
        )
