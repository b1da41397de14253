"""Logs with records in pieces, those of LevelDB and Prometheus."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator

import crc32c
import pyarrow as pa

BLOCK = 32768


def level_piece(kind: int, data: bytes) -> bytes:
    crc = crc32c.crc32c(bytes([kind]) + data)
    return struct.pack("<IHB", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF, len(data), kind) + data


def fragment(kind: int, data: bytes) -> bytes:
    return struct.pack(">BHI", kind, len(data), crc32c.crc32c(data)) + data


def in_blocks(records: Iterator[tuple[bytes, int]], size: int, piece: Callable[[int, bytes], bytes]) -> bytes:
    """Return records of about that total size, each with the flags of its kinds."""
    made = bytearray()
    for data, flags in records:
        if len(made) >= size:
            break
        done, first = 0, True
        while first or done < len(data):
            left = BLOCK - len(made) % BLOCK
            if left < 7:
                made += bytes(left)
                left = BLOCK
            end = min(len(data), done + left - 7)
            kind = (1 if end == len(data) else 2) if first else (4 if end == len(data) else 3)
            made += piece(kind | flags, data[done:end])
            done, first = end, False
    return bytes(made)


def batches(changes: int) -> Iterator[tuple[bytes, int]]:
    """Yield batches of that many puts, with keys of 16 and values of 100 bytes."""
    source, sequence = random.Random(1), 1
    while True:
        data = struct.pack("<QI", sequence, changes)
        data += b"".join(b"\1\x10" + source.randbytes(16) + b"\x64" + source.randbytes(100) for _ in range(changes))
        yield data, 0
        sequence += changes


def scrapes(*, snappy: bool) -> Iterator[tuple[bytes, int]]:
    """Yield records of 200 samples that were taken at the same time."""
    source, at = random.Random(2), 1_700_000_000_000
    while True:
        data = b"\2" + struct.pack(">qq", 1, at)
        data += b"".join(
            (struct.pack(">B", 2 * ref) if ref < 64 else bytes([2 * ref & 127 | 128, 2 * ref >> 7]))
            + struct.pack(">Bd", 0, source.randrange(1000))
            for ref in range(200)
        )
        yield (pa.compress(data, "snappy", asbytes=True), 8) if snappy else (data, 0)
        at += 15_000


def kept(records: Iterator[tuple[bytes, int]], into: list[bytes]) -> Iterator[tuple[bytes, int]]:
    """Yield the records, and keep their bytes."""
    for data, flags in records:
        into.append(data)
        yield data, flags
