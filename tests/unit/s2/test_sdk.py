"""S2's public SDK for Python, if it is installed: the stand-in understands it, and it reads what is appended."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
import wireloom.s2 as s2

from ...s2_server import BASIN, TOKEN, Fault, Server

pytest.importorskip("s2_sdk")


@pytest.fixture
def endpoint(s2_server: Server) -> Iterator[str]:
    """Run a server of HTTP/2, which the SDK requires."""
    from ...s2_http2 import in_front_of

    s2_server.fill("out", 0)
    with in_front_of(s2_server.endpoint) as (address, _):
        yield address


async def sdk_appends(endpoint: str, bodies: list[bytes], compression: str) -> list[tuple[int, int]]:
    from s2_sdk import S2, AppendInput, Compression, Endpoints, Record

    async with (
        S2(TOKEN, endpoints=Endpoints(endpoint, endpoint), compression=Compression(compression)) as client,
        client.basin(BASIN).stream("out").append_session() as session,
    ):
        tickets = []
        for begin in range(0, len(bodies), 300):
            records = [Record(body=each, headers=[(b"n", b"v")]) for each in bodies[begin : begin + 300]]
            tickets.append(await session.submit(AppendInput(records=records)))
        acks = [await each for each in tickets]
    return [(ack.start.seq_num, ack.end.seq_num) for ack in acks]


async def sdk_reads(endpoint: str, count: int) -> list[tuple[int, bytes, list[tuple[bytes, bytes]]]]:
    from s2_sdk import S2, Endpoints, ReadLimit, SeqNum

    async with S2(TOKEN, endpoints=Endpoints(endpoint, endpoint)) as client:
        found = []
        stream = client.basin(BASIN).stream("out")
        async for batch in stream.read_session(start=SeqNum(0), limit=ReadLimit(count=count)):
            found += [(each.seq_num, each.body, list(each.headers)) for each in batch.records]
    return found


@pytest.mark.parametrize("compression", ["none", "zstd", "gzip"])
def test_sessions_of_both(s2_server: Server, endpoint: str, compression: str) -> None:
    bodies = [b"%d" % number * 9 for number in range(1000)]
    s2_server.append_faults.extend([Fault(), Fault(advise_after=0)])
    acks = asyncio.run(sdk_appends(endpoint, bodies, compression))
    assert acks == [(0, 300), (300, 600), (600, 900), (900, 1000)]
    assert s2.read(BASIN, "out", endpoint=s2_server.endpoint)["body"].to_pylist() == bodies
    theirs = len(s2_server.appends)
    ours = s2.Appender(BASIN, "out", writer="w", endpoint=endpoint, compression=compression, window=20_000)
    ours.append([s2.AppendRecord(body=each, headers=[s2.Header(name=b"n", value=b"v")]) for each in bodies])
    # Both compress what has 1 KiB or more.
    assert {each.compression for each in s2_server.appends[:theirs]} == {compression}
    assert {each.compression for each in s2_server.appends[theirs:]} == {compression}
    found = asyncio.run(sdk_reads(endpoint, 2000))
    assert [number for number, _, _ in found] == list(range(2000))
    assert [body for _, body, _ in found] == 2 * bodies
    assert found[-1][2] == [(b"n", b"v"), (b"wireloom-writer", b"w")]
