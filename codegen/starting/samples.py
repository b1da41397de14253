"""The bytes of a new package's samples, written by hand: a few records of the format that its spec initially
describes."""

from __future__ import annotations

import struct
import zlib

OPENED, CLOSED, FORCED = 1, 2, 3
START = 1_790_000_000_000
"""2026-09-21 14:13:20 UTC, in milliseconds since the Unix epoch."""


def record(kind: int, at: int, note: bytes) -> bytes:
    """Return one event as it is stored in a file.

    >>> record(OPENED, START, b"front").hex(" ")
    '0e 00 5e dd d1 78 01 00 6c 50 c4 a0 01 00 00 66 72 6f 6e 74'
    """
    body = struct.pack("<BQ", kind, at) + note
    return struct.pack("<HI", len(body), zlib.crc32(body)) + body


RECORDS = (
    record(OPENED, START, b"front"),
    record(FORCED, START + 1_000, b"back door"),
    record(CLOSED, START + 60_000, b""),
)


def clean() -> bytes:
    """Return three records."""
    return b"".join(RECORDS)


def damaged() -> bytes:
    """Return the three records with one byte of the second one changed, followed by an incomplete fourth one."""
    first, second, third = RECORDS
    return first + second.replace(b"door", b"d0or") + third + first[:11]
