"""Entries of etcd's write-ahead log."""

from __future__ import annotations

import struct

from crc32c import crc32c

ENTRY = 500


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])


def _frame(kind: int, crc: int, data: bytes | None) -> bytes:
    record = b"\x08" + bytes([kind]) + b"\x10" + _varint(crc)
    if data is not None:
        record += b"\x1a" + _varint(len(data)) + data
    padding = -len(record) % 8
    length = len(record) | (0x80 | padding) << 56 if padding else len(record)
    return struct.pack("<Q", length) + record + bytes(padding)


def entries(size: int) -> bytes:
    """Return entries of 500 bytes, with a running checksum."""
    frames = [_frame(4, 0, None)]
    crc = 0
    for index in range(size // (ENTRY + 40)):
        value = bytes([index % 251]) * ENTRY
        data = b"\x08\x00\x10\x02\x18" + _varint(index + 1) + b"\x22" + _varint(len(value)) + value
        crc = crc32c(data, crc)
        frames.append(_frame(2, crc, data))
    return b"".join(frames)
