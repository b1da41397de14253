"""MCAP files, compared with the ``mcap`` package."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from functools import partial

import pyarrow as pa

from .data import drain
from .measure import Comparison, Work, missing

PART = 8
"""Inputs are smaller than elsewhere by this factor, since the package is slow."""
START, STEP = 1_700_000_000_000_000_000, 1000
"""The time of the first message, and the time between two."""


def comparisons(size: int) -> Iterator[Comparison]:
    size //= PART
    absent = missing("mcap.writer")
    if absent is not None:
        nothing = Work("mcap", size, dict)
        yield Comparison("MCAP → Arrow, with the topic", nothing, nothing, target=10, absent=absent)
        return
    from mcap.reader import NonSeekingReader
    from mcap.writer import CompressionType

    def theirs(data: bytes) -> None:
        for _ in NonSeekingReader(io.BytesIO(data)).iter_messages(log_time_order=False):
            pass

    columns = ["channel_id", "topic", "sequence", "log_time", "publish_time", "data"]
    for kind, title in ((CompressionType.ZSTD, "zstd"), (CompressionType.LZ4, "lz4"), (None, "no chunks")):
        data = log(size, kind)
        yield Comparison(
            f"MCAP, messages of 100 bytes, {title} → Arrow, with the topic",
            Work("wireloom", size, partial(drain, "mcap", data, columns=columns)),
            Work("mcap", size, partial(theirs, data)),
            target=10,
            note="of the messages' bytes",
        )
    yield _of_a_time(log(size, CompressionType.ZSTD), size)


def _of_a_time(data: bytes, size: int) -> Comparison:
    """Compare how the messages of one hundredth of the time are found by the summary."""
    # Imported here, since it takes longer than everything else that an unrelated benchmark imports.
    import pyarrow.compute as pc
    from mcap.reader import SeekingReader

    count = size // 100
    begin, end = (START + number * STEP for number in (count // 2, count // 2 + count // 100))
    log_time, times = pc.field("log_time"), [pa.scalar(each, pa.timestamp("ns", "UTC")) for each in (begin, end)]
    condition = (log_time >= times[0]) & (log_time < times[1])

    def theirs() -> None:
        for _ in SeekingReader(io.BytesIO(data)).iter_messages(start_time=begin, end_time=end, log_time_order=False):
            pass

    return Comparison(
        "MCAP, messages of 1 % of the time, zstd → Arrow",
        Work("wireloom", size, partial(drain, "mcap", data, filter=condition)),
        Work("mcap", size, theirs),
        target=1,
        note="of the bytes of all messages",
    )


def log(size: int, kind: object) -> bytes:
    """Return a file with messages of 100 bytes, about ``size`` bytes in total."""
    from mcap.writer import CompressionType, Writer

    chance = random.Random(21)
    text = bytes(chance.choices(b"abcdefgh ", k=100_000))
    file = io.BytesIO()
    compression = kind if isinstance(kind, CompressionType) else CompressionType.NONE
    writer = Writer(file, compression=compression, use_chunking=kind is not None)
    writer.start()
    channels = [writer.register_channel(f"/topic/{number}", "json", 0) for number in range(5)]
    for number in range(size // 100):
        begin = chance.randrange(len(text) - 100)
        at = START + number * STEP
        writer.add_message(channels[number % 5], at, text[begin : begin + 100], at, number)
    writer.finish()
    return file.getvalue()
