"""S2 read sessions, compared with the decompressor alone, a copy, and the public Python SDK."""

from __future__ import annotations

import asyncio
import json
import random
import zlib
from collections.abc import AsyncIterator, Iterator
from functools import cache

import pyarrow as pa
import zstandard

from ..writing import bytes_of
from .data import drain
from .engine import copy_of
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


def decompressor(data: bytes, compression: str) -> Work:
    """python-zstandard or zlib, applied to the body of each frame in turn."""
    bodies = bodies_of(data)

    def run_zstd() -> int:
        context = zstandard.ZstdDecompressor()
        return sum(len(context.decompress(each, max_output_size=2_097_151)) for each in bodies)

    def run_gzip() -> int:
        return sum(len(zlib.decompress(each, wbits=31)) for each in bodies)

    run = {"zstd": run_zstd, "gzip": run_gzip}[compression]
    return Work(f"{compression} alone", run(), run)


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


def comparisons(size: int) -> Iterator[Comparison]:
    for compression in ("zstd", "gzip"):
        data = session(size if compression == "zstd" else size // 4, 1000, compression)
        against = decompressor(data, compression)
        yield Comparison(
            f"S2 read session, {compression}, 1 KB records → Arrow",
            Work("wireloom", against.bytes, lambda data=data: drain(FORMAT, data)),  # type: ignore[misc]
            against,
            target=0.85,
        )
    absent = missing("s2_sdk")
    for record in (1000, 100):
        data = session(size, record, "none")
        title = f"S2 read session, uncompressed, {record}-byte records → Arrow"
        work = Work("wireloom", len(data), lambda data=data: drain(FORMAT, data))  # type: ignore[misc]
        note = "to reach: 2 GB/s" if record == 1000 else ""
        yield Comparison(title, work, copy_of(data), note=note)
        few = session(PEER_BYTES, record, "none")
        against = Work("s2-sdk", 1, lambda: None) if absent else sdk(few, len(few))
        yield Comparison(
            title,
            Work("wireloom", len(few), lambda few=few: drain(FORMAT, few)),  # type: ignore[misc]
            against,
            absent=absent,
        )
