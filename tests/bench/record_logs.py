"""Segments of Kafka logs, compared with ``aiokafka``'s reader in C, and TFRecord files, compared with the ``tfrecord``
package."""

from __future__ import annotations

import random
import struct
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import crc32c

from .data import drain
from .measure import Comparison, Work, missing

RECORDS = 1000
"""Number of records in a batch."""
VALUE = 80
"""Size in bytes of a record's value; with its key of 8 bytes and its head a record has about 100."""


def comparisons(size: int) -> Iterator[Comparison]:
    absent = missing("aiokafka", "cramjam")
    for codec, title, target in ((0, "uncompressed", 3), (4, "zstd", 5)):
        content = b"" if absent else kafka_segment(size // 4, codec)
        raw = max(1, len(content)) if codec == 0 else size // 4
        work = Work("kafka_log", raw, partial(_drained, "kafka_log", content, ["offset", "timestamp", "key", "value"]))
        against = Work("aiokafka", raw, partial(_theirs, content))
        title = f"Kafka segment, records of 100 bytes, {title}, CRC on, beside aiokafka's reader"
        yield Comparison(title, work, against, target=target, absent=absent, note="of the records' bytes")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bench.tfrecord")
        path.write_bytes(tfrecords(size // 8))
        all_bytes = path.stat().st_size
        part = Path(folder, "part.tfrecord")
        part.write_bytes(tfrecords(size // 64))
        yield Comparison(
            "TFRecord, records of 200 bytes, CRCs verified, beside tfrecord, which verifies none",
            Work("tfrecord, a spec", all_bytes, partial(_drained, "tfrecord", str(path), ["data"])),
            Work("tfrecord, the package", part.stat().st_size, partial(_packaged, str(part))),
            target=20,
            absent=missing("tfrecord"),
        )


def _drained(name: str, source: object, columns: list[str]) -> None:
    drain(name, source, columns=columns)


def kafka_segment(size: int, codec: int) -> bytes:
    """Return a segment written by aiokafka. The values consist of words, so that they can be compressed."""
    from aiokafka.record.default_records import DefaultRecordBatchBuilder

    chance = random.Random(23)
    words = [chance.randbytes(8) for _ in range(500)]
    builder = DefaultRecordBatchBuilder(2, codec, False, -1, -1, -1, 1 << 20)
    for number in range(RECORDS):
        value = b"".join(chance.choices(words, k=VALUE // 8))
        builder.append(number, 1_700_000_000_000 + number, chance.randbytes(8), value, [])
    batch = bytes(builder.build())
    return batch * max(1, size // (RECORDS * (VALUE + 18)))


def _theirs(content: bytes) -> None:
    from aiokafka.record.memory_records import MemoryRecords

    batches = MemoryRecords(content)
    while batches.has_next():
        batch = batches.next_batch()
        assert batch is not None
        assert batch.validate_crc()
        for _ in batch:
            pass


def _masked(data: bytes) -> int:
    crc = crc32c.crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def tfrecords(size: int) -> bytes:
    chance = random.Random(29)
    records = []
    for _ in range(1000):
        data, length = chance.randbytes(200), struct.pack("<Q", 200)
        records.append(length + struct.pack("<I", _masked(length)) + data + struct.pack("<I", _masked(data)))
    block = b"".join(records)
    return block * max(1, size // len(block))


def _packaged(path: str) -> None:
    from tfrecord.reader import tfrecord_iterator

    for _ in tfrecord_iterator(path):
        pass
