"""etcd's write-ahead log: records with running checksums, in a preallocated file.

Every entry before the first damage is returned, and none twice. A row that was never written can only be that of a
record right after lost bytes, which is not verified: such rows are counted.
"""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass
from typing import Any, NamedTuple

import crc32c

from ..unit.messages.wire_inputs import delimited, varint
from .case import Case, require

COLUMNS = ("term", "index", "type", "data")
Values = tuple[Any, ...]


class Entry(NamedTuple):
    """A record that was written, and its row, if it has one."""

    begin: int
    end: int
    values: Values | None


@dataclass
class Logs:
    """Two files, the second of which continues the first."""

    content: bytes
    other: bytes
    entries: list[Entry]
    written: set[Values]


def framed(record: bytes) -> bytes:
    """Return a record with its length and padding."""
    padding = -len(record) % 8
    size = len(record) | (0x80 | padding) << 56 if padding else len(record)
    return struct.pack("<Q", size) + record + bytes(padding)


class RunningChecksums:
    """As ``Subject``."""

    name = "etcd_wal"
    cost = 3
    """The time of an input, relative to those of other subjects."""
    tokens = (bytes(8), bytes(512), b"\x08\x02\x10", b"\x08\x04\x10", b"\x1a\x00", b"\x18", b"\x80\x80")

    def sample(self, source: random.Random) -> Logs:
        """As ``Subject.sample``."""
        content, entries, crc = self._written(source, 1, source.choice((3, 12, 30)), 0)
        other, others, _ = self._written(source, 1001, source.choice((1, 8)), crc)
        written = {each.values for each in (*entries, *others) if each.values is not None}
        return Logs(content, other, entries, written)

    def _written(self, source: random.Random, first: int, count: int, crc: int) -> tuple[bytes, list[Entry], int]:
        made = bytearray(framed(varint(8) + varint(4) + varint(16) + varint(crc)))
        found: list[Entry] = []
        for number in range(first, first + count):
            values: Values | None = None
            if source.random() < 0.7:
                values = (number // 10, number, 0, b"%d " % number + source.randbytes(source.choice((0, 3, 60, 700))))
                data = varint(16) + varint(number // 10) + varint(24) + varint(number) + delimited(4, values[3])
            else:
                data = varint(8) + varint(number // 10) + varint(24) + varint(number)
            crc = crc32c.crc32c(data, crc)
            kind = 3 if values is None else 2
            record = varint(8) + varint(kind) + varint(16) + varint(crc) + delimited(3, data)
            begin = len(made)
            made += framed(record)
            found.append(Entry(begin, len(made), values))
        return bytes(made) + bytes(source.choice((0, 8, 600))), found, crc

    def check(self, case: Case) -> None:
        """As ``Subject.check``."""
        sample: Logs = case.sample
        recover = case.source.random() < 0.5
        rows, _ = case.read("etcd_wal", columns=["_offset", *COLUMNS], check_format=False, recover=recover)
        found = {row["_offset"]: tuple(row[name] for name in COLUMNS) for row in rows}
        require(len(found) == len(rows), "two rows have one place")
        first = case.damaged.stretches[0] if case.damaged.stretches else None
        sound = first.end if first is not None and first.origin == 0 else 0
        for each in sample.entries:
            if each.values is None:
                continue
            if each.end <= sound:
                case.counts["intact"] += 1
                require(found.get(each.begin) == each.values, f"the entry at {each.begin} does not come out")
                case.counts["out"] += 1
            else:
                case.counts["lost"] += each.values not in found.values()
            for at in case.damaged.intact(each.begin, each.end):
                require(found.get(at, each.values) == each.values, f"the entry at {at} is not what stands there")
        case.counts["unseen"] += sum(each not in sample.written for each in found.values())


ETCD = RunningChecksums()
