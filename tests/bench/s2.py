"""S2 sessions, compared with the public Python SDK."""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
from collections.abc import AsyncIterator, Iterator
from functools import cache

import pyarrow as pa
import wireloom.s2 as s2

from ..writing import bytes_of
from .data import drain
from .measure import Comparison, Work, missing

FORMAT = "s2_session"
CHUNK = 1 << 16
"""Number of bytes that are passed to the SDK at a time, as a network would."""
PEER_BYTES = 16_000_000
APPENDED_BYTES = 8_000_000
BASIN = "wireloom-bench"


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


def appended(endpoint: str, bodies: list[bytes], compression: str) -> None:
    """Append records with one session."""
    records = [s2.AppendRecord(body=each) for each in bodies]
    s2.Appender(BASIN, "out", 0, match_seq_num=False, endpoint=endpoint, compression=compression).append(records)


async def appended_by_sdk(endpoint: str, bodies: list[bytes], compression: str) -> None:
    """Append them with a session of the SDK, in batches as large as ours."""
    from s2_sdk import S2, AppendInput, Compression, Endpoints, Record

    most = min(1000, (1 << 20) // (len(bodies[0]) + 8))
    async with (
        S2("none", endpoints=Endpoints(endpoint, endpoint), compression=Compression(compression)) as client,
        client.basin(BASIN).stream("out").append_session() as session,
    ):
        for begin in range(0, len(bodies), most):
            records = [Record(body=each) for each in bodies[begin : begin + most]]
            await session.submit(AppendInput(records=records))


def appends() -> Iterator[Comparison]:
    """Processor time of the client, since the server takes most of the rest."""
    from .s2_sink import running

    os.environ.setdefault("S2_ACCESS_TOKEN", "none")
    with running() as endpoint:
        for record in (1000, 100):
            for compression in ("none", "zstd"):
                half = random.Random(17).randbytes(APPENDED_BYTES // 2).hex().encode()
                bodies = [half[at : at + record] for at in range(0, len(half), record)]
                arguments = (endpoint, bodies, compression)
                size = len(half)
                yield Comparison(
                    f"S2 append session, {compression}, {record}-byte records, processor time",
                    Work("wireloom", size, lambda to=arguments: appended(*to), clock=time.process_time),  # type: ignore[misc]
                    Work(
                        "s2-sdk", size, lambda to=arguments: asyncio.run(appended_by_sdk(*to)), clock=time.process_time
                    ),  # type: ignore[misc]
                    target=1.0,
                )


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
    if missing("s2_sdk", "h2") is None:
        yield from appends()
