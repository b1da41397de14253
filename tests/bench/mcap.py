"""MCAP files, compared with the ``mcap`` package."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from functools import partial

from .data import drain
from .measure import Comparison, Work, missing

PART = 8
"""Inputs are smaller than elsewhere by this factor, since the package is slow."""


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
        at = 1_700_000_000_000_000_000 + number * 1000
        writer.add_message(channels[number % 5], at, text[begin : begin + 100], at, number)
    writer.finish()
    return file.getvalue()
