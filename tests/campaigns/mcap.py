"""MCAP files of chunks, of single messages, and of both.

A chunk has a checksum: its messages are returned as they were written. A single message has none: a damaged one may be
returned as it is stored in the file, and so may messages of damaged chunks that are not compressed. Such rows are
counted.

All messages of records before the first damage are returned. Intact records after it are counted, since nothing
verifies the length of a damaged one, which may include others.
"""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import lz4.frame
import zstandard

from .case import Case, require

HEAD = struct.Struct("<HIQQ")
MAGIC = b"\x89MCAP0\r\n"
CODECS = {"": bytes, "zstd": zstandard.compress, "lz4": lz4.frame.compress}
COLUMNS = ["_offset", "channel_id", "topic", "sequence", "log_time", "data"]

Values = tuple[int, int, bytes]
"""Values of a message: its channel, its number, its data."""


@dataclass(frozen=True)
class Record:
    """A record with messages, and its position."""

    begin: int
    end: int
    messages: tuple[Values, ...]


@dataclass
class Logs:
    """Two files, one written after the other."""

    content: bytes
    other: bytes
    records: list[Record]


def packed(opcode: int, body: bytes) -> bytes:
    """Return a record."""
    return struct.pack("<BQ", opcode, len(body)) + body


def text(value: str) -> bytes:
    """Return text after its size."""
    return struct.pack("<I", len(value)) + value.encode()


def channel(number: int) -> bytes:
    """Return a channel without a schema."""
    return packed(4, struct.pack("<HH", number, 0) + text(f"/{number}") + text("json") + struct.pack("<I", 0))


def message(values: Values) -> bytes:
    """Return a message whose times are its number."""
    number, sequence, data = values
    return packed(5, HEAD.pack(number, sequence, sequence, sequence) + data)


def chunk(source: random.Random, *records: bytes) -> bytes:
    """Return a chunk of these records, with a checksum."""
    content, name = b"".join(records), source.choice(list(CODECS))
    body = CODECS[name](content)
    head = struct.pack("<QQQI", 0, 0, len(content), zlib.crc32(content))
    return packed(6, head + text(name) + struct.pack("<Q", len(body)) + body)


def written(source: random.Random, first: int, begin: int) -> tuple[bytes, list[Record]]:
    """Return a file whose first byte is at ``begin``, and its records with messages, whose numbers begin at
    ``first``."""
    made = bytearray(MAGIC + packed(1, text("") + text("")) + channel(1) + channel(2))
    records, chunked = [], source.choice((0.0, 0.5, 1.0))
    for number in range(first, first + source.choice((2, 6, 15))):
        count = source.choice((1, 3, 10)) if source.random() < chunked else 0
        messages = tuple(_values(source, 100 * number + each) for each in range(count or 1))
        record = chunk(source, *map(message, messages)) if count else message(messages[0])
        records.append(Record(begin + len(made), begin + len(made) + len(record), messages))
        made += record
        if source.random() < 0.2:
            index = struct.pack("<HI", 1, 16) + source.randbytes(16)
            made += packed(7, index) if source.randrange(2) else packed(0x90, source.randbytes(22))
    made += packed(15, bytes(4)) + channel(1) + packed(2, bytes(20)) + MAGIC
    return bytes(made), records


def _values(source: random.Random, number: int) -> Values:
    return source.choice((1, 2)), number, b"%d " % number + source.randbytes(source.choice((0, 20, 300)))


class Mcap:
    """See the module."""

    name = "mcap"
    cost = 3
    tokens = (MAGIC, bytes(9), bytes(40), b"\x05", b"\x06" + bytes(8), b"\xff" * 8, b"\x0f\x04" + bytes(7))

    def sample(self, source: random.Random) -> Logs:
        """As ``Subject.sample``."""
        content, first = written(source, 1, 0)
        other, second = written(source, 1001, len(content))
        return Logs(content, other, [*first, *second])

    def check(self, case: Case) -> None:
        """As ``Subject.check``."""
        sample: Logs = case.sample
        recover = case.source.random() < 0.75
        rows, _ = case.read("mcap", columns=COLUMNS, recover=recover, codec="none", check_format=False)
        found = {(row["channel_id"], row["sequence"], row["data"]) for row in rows}
        places = {(row["_offset"], row["sequence"]) for row in rows}
        require(len(places) == len(rows), "a message came out twice")
        known = {each for record in sample.records for each in record.messages}
        for row in rows:
            values = row["channel_id"], row["sequence"], row["data"]
            if values not in known:
                self._require_there(row, case.damaged.content)
                case.counts["unseen"] += 1
        first = case.damaged.stretches[0] if case.damaged.stretches else None
        sound = min(first.end, len(sample.content)) if first is not None and first.origin == 0 else 0
        for record, at in self._intact(case, sample.records):
            case.counts["intact"] += 1
            if found.issuperset(record.messages):
                case.counts["out"] += 1
                continue
            require(at != record.begin or record.end > sound, f"the record at {at}, before damage, is missing")
            case.counts["lost"] += 1

    def _intact(self, case: Case, records: list[Record]) -> Iterator[tuple[Record, int]]:
        for record in records:
            yield from ((record, at) for at in case.damaged.intact(record.begin, record.end))

    def _require_there(self, row: dict[str, Any], content: bytes) -> None:
        begin, data = row["_offset"], row["data"]
        # After the opcode and the length.
        there = content[begin + 9 : begin + 9 + HEAD.size + len(data)]
        equal = there[HEAD.size :] == data and HEAD.unpack_from(there)[:2] == (row["channel_id"], row["sequence"])
        require(equal, f"the message at {begin} was never written, and is not what stands there")
