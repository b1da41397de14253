"""Consecutive records: those of TFRecord, whose lengths and data have checksums, and batches of Kafka, with one
checksum each.

The checksum of a batch covers its records, but neither its offset nor its length: a changed offset is not detected.
"""

from __future__ import annotations

import gzip
import random
import struct

import crc32c
import zstandard

from .back_to_back import BackToBack, Values, blob

CODECS = ((0, bytes), (1, gzip.compress), (4, zstandard.compress))
"""The codecs, by their numbers in a batch."""
MAGIC = 2
START = 1_700_000_000_000


def _masked(data: bytes) -> bytes:
    crc = crc32c.crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def framed(data: bytes) -> bytes:
    """Return a record of a TFRecord file."""
    size = struct.pack("<Q", len(data))
    return size + _masked(size) + data + _masked(data)


def example(source: random.Random, number: int) -> tuple[bytes, list[Values]]:
    """Return a record of a TFRecord file, and its row."""
    data = blob(source, number)
    return framed(data), [(data,)]


def zigzag(value: int) -> bytes:
    """Return a signed varint."""
    left = value << 1 if value >= 0 else (-value << 1) - 1
    made = bytearray()
    while left > 127:
        made.append(left & 127 | 128)
        left >>= 7
    return bytes([*made, left])


def batch(source: random.Random, number: int) -> tuple[bytes, list[Values]]:
    """Return a batch of Kafka, of version 2."""
    count, base = source.choice((1, 3, 10)), 100 * number
    packed, rows = b"", []
    for delta in range(count):
        key, value = None if delta % 3 == 1 else b"k%d" % delta, blob(source, base + delta)
        keyed = zigzag(-1) if key is None else zigzag(len(key)) + key
        record = b"\0" + zigzag(0) + zigzag(delta) + keyed + zigzag(len(value)) + value + zigzag(0)
        packed += zigzag(len(record)) + record
        rows.append((key, value))
    codec, compress = source.choice(CODECS)
    covered = struct.pack(">HiqqqhiI", codec, count - 1, START, START, -1, -1, -1, count) + compress(packed)
    body = struct.pack(">ib", 0, MAGIC) + struct.pack(">I", crc32c.crc32c(covered)) + covered
    return struct.pack(">qi", base, len(body)) + body, rows


TFRECORD = BackToBack("tfrecord", example, ("data",), (bytes(8), b"\1" + bytes(7), b"\xff" * 8, bytes(40)))
KAFKA = BackToBack(
    "kafka_log",
    batch,
    ("key", "value"),
    (bytes(12), bytes(61), b"\0\0\0\x31", b"\xff" * 4, b"\2"),
    single=False,
    cost=2,
)
