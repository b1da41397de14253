"""Entries of etcd's write-ahead log, compared with a copy of them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import partial

from crc32c import crc32c

from .data import drain
from .engine import copy_of
from .measure import Comparison, Work

ENTRY = 500


def comparisons(size: int) -> Iterator[Comparison]:
    content = _entries(size // 4)
    work = Work("etcd_wal", len(content), partial(_drained, content))
    title = f"etcd's write-ahead log, entries of {ENTRY} bytes, a running CRC-32C, verified, beside a copy"
    yield Comparison(title, work, copy_of(content))


def _drained(content: bytes) -> None:
    drain("etcd_wal", content)


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


def _entries(size: int) -> bytes:
    frames = [_frame(4, 0, None)]
    crc = 0
    for index in range(size // (ENTRY + 40)):
        value = bytes([index % 251]) * ENTRY
        data = b"\x08\x00\x10\x02\x18" + _varint(index + 1) + b"\x22" + _varint(len(value)) + value
        crc = crc32c(data, crc)
        frames.append(_frame(2, crc, data))
    return b"".join(frames)
