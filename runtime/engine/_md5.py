"""MD5 of many messages without the extension."""

from __future__ import annotations

from hashlib import md5
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Buffer


def one_after_another(source: Buffer, begins: Buffer, sizes: Buffer) -> bytes:
    """Return the same as ``wireloom.engine.md5_many``, with the same errors."""
    data = memoryview(source).cast("B")
    first, second = memoryview(begins).cast("B"), memoryview(sizes).cast("B")
    if len(first) != len(second) or len(first) % 8:
        raise ValueError(
            f"begins has {len(first)} bytes and sizes {len(second)}: both must be 8 bytes per message, the same "
            "number in each"
        )
    digests = []
    for number, (begin, size) in enumerate(zip(first.cast("q"), second.cast("q"), strict=True)):
        if begin < 0 or size < 0 or begin + size > len(data):
            raise ValueError(f"message {number}: {size} bytes at {begin} are not within the source's {len(data)} bytes")
        digests.append(md5(data[begin : begin + size], usedforsecurity=False).digest())
    return b"".join(digests)
