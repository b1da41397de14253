"""Files of records back to back: TFRecord's, whose lengths and data have checksums, and pcapng's, which have none.

Of a TFRecord file nothing comes out that was not written. A packet that was hit may come out as it stands in the file;
such rows are counted. All records before the first damage come out. Intact ones after it are counted: where a length is
damaged, those up to the next place that reading can go on from are lost.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import dataclass

import crc32c

from .case import Case, require


@dataclass(frozen=True)
class Record:
    """A record, where it stands, and its data."""

    begin: int
    end: int
    data: bytes


@dataclass
class Files:
    """Two files, one written after the other."""

    content: bytes
    other: bytes
    records: list[Record]


def _masked(data: bytes) -> bytes:
    crc = crc32c.crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def example(data: bytes) -> bytes:
    """A record of a TFRecord file."""
    size = struct.pack("<Q", len(data))
    return size + _masked(size) + data + _masked(data)


def block(kind: int, body: bytes) -> bytes:
    """A block of a pcapng file."""
    body += bytes(-len(body) % 4)
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


def packet(data: bytes) -> bytes:
    """An enhanced packet block."""
    return block(6, struct.pack("<IIIII", 0, 7, 9, len(data), len(data)) + data)


SECTION = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)) + block(1, struct.pack("<HHI", 1, 0, 0))


@dataclass(frozen=True)
class BackToBack:
    """As the module says. ``head``: before the records; ``checked``: nothing comes out that was not written;
    ``before``: bytes of a record before its data."""

    name: str
    make: Callable[[bytes], bytes]
    head: bytes
    before: int
    checked: bool
    tokens: tuple[bytes, ...]
    cost: int = 1

    def sample(self, source: random.Random) -> Files:
        """As ``Subject.sample``."""
        content, first = self._written(source, 1, 0)
        other, second = self._written(source, 1001, len(content))
        return Files(content, other, [*first, *second])

    def _written(self, source: random.Random, first: int, begin: int) -> tuple[bytes, list[Record]]:
        made, records = bytearray(self.head), []
        for number in range(first, first + source.choice((2, 6, 15))):
            data = b"%d " % number + source.randbytes(source.choice((0, 20, 300)))
            record = self.make(data)
            records.append(Record(begin + len(made), begin + len(made) + len(record), data))
            made += record
        return bytes(made), records

    def check(self, case: Case) -> None:
        """As ``Subject.check``."""
        sample: Files = case.sample
        recover = case.source.random() < 0.75
        columns = ["_offset", "data"]
        rows, _ = case.read(self.name, columns=columns, recover=recover, codec="none", check_format=False)
        found = {(row["_offset"], row["data"]) for row in rows}
        require(len({row["_offset"] for row in rows}) == len(rows), "a record came out twice")
        known = {each.data for each in sample.records}
        for row in rows:
            if row["data"] not in known:
                require(not self.checked, f"the record at {row['_offset']} was never written")
                begin = row["_offset"]
                there = case.damaged.content[begin : begin + self.before + 4 + len(row["data"])]
                require(row["data"] in there, f"the record at {begin} is not what stands there")
                case.counts["unseen"] += 1
        first = case.damaged.stretches[0] if case.damaged.stretches else None
        sound = min(first.end, len(sample.content)) if first is not None and first.origin == 0 else 0
        for record in sample.records:
            for at in case.damaged.intact(record.begin, record.end):
                case.counts["intact"] += 1
                is_out = (at, record.data) in found
                case.counts["out" if is_out else "lost"] += 1
                require(is_out or at != record.begin or record.end > sound, f"the record at {at} is missing")


TFRECORD = BackToBack("tfrecord", example, b"", 12, True, (bytes(8), b"\1" + bytes(7), b"\xff" * 8, bytes(40)))
PCAPNG = BackToBack("pcapng", packet, SECTION, 28, False, (SECTION[:8], b"\6\0\0\0", bytes(12), b"\xff" * 4), 2)
