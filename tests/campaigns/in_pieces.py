"""Logs of blocks with records in pieces that contain the rows: those of LevelDB and Prometheus.

Every row of a record is returned whose blocks are unchanged and at their original positions. A row that was never
written violates a claim, except those of records whose pieces were exchanged, and of a format whose checksums do not
cover the kind of a piece: these are counted.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import crc32c
import pyarrow as pa
import zstandard

from .case import Case, require

BLOCK = 32768
Values = tuple[Any, ...]
Piece = Callable[[int, int, bytes], bytes]
"""Makes a piece: its kind (1 to 4), the flags of the record, and the data."""


class Record(NamedTuple):
    """A record that was written: the positions of all of its pieces, and its rows."""

    begin: int
    end: int
    rows: tuple[Values, ...]


@dataclass
class Logs:
    """Two files, one written after the other."""

    content: bytes
    other: bytes
    records: list[Record]
    """Those of the first file."""
    written: set[Values]


class InPieces:
    """A campaign on such logs. ``record``: makes the flags, the data and the rows of one; ``piece``: see ``Piece``;
    ``covered``: whether the checksums of pieces cover all of their bytes."""

    cost = 6
    """The time of an input, relative to those of other subjects, which have no blocks of 32 KiB."""

    def __init__(
        self,
        name: str,
        columns: Sequence[str],
        record: Callable[[random.Random, int], tuple[int, bytes, tuple[Values, ...]]],
        piece: Piece,
        *,
        covered: bool,
        **options: Any,
    ) -> None:
        self.name = name
        self.tokens = (bytes(7), b"\x01", b"\x02", b"\x04", bytes(600), b"\xff\xff")
        self._columns = columns
        self._record = record
        self._piece = piece
        self._covered = covered
        self._options = options

    def sample(self, source: random.Random) -> Logs:
        """As ``Subject.sample``."""
        content, records = self._written(source, 1, source.choice((3, 9, 15)))
        other, others = self._written(source, 10_001, source.choice((1, 5)))
        rows = {row for each in (*records, *others) for row in each.rows}
        return Logs(content, other, records, rows)

    def _written(self, source: random.Random, first: int, count: int) -> tuple[bytes, list[Record]]:
        made, records, header = bytearray(), [], len(self._piece(1, 0, b""))
        for number in range(first, first + count):
            flags, data, rows = self._record(source, number)
            done, begin = 0, -1
            while begin < 0 or done < len(data):
                left = BLOCK - len(made) % BLOCK
                if left < header:
                    made += bytes(left)
                    left = BLOCK
                end = min(len(data), done + left - header)
                kind = (1 if end == len(data) else 2) if begin < 0 else (4 if end == len(data) else 3)
                begin = len(made) if begin < 0 else begin
                made += self._piece(kind, flags, data[done:end])
                done = end
            records.append(Record(begin, len(made), rows))
        return bytes(made), records

    def check(self, case: Case) -> None:
        """As ``Subject.check``."""
        sample: Logs = case.sample
        content = case.damaged.content
        format = self.name.partition(",")[0]
        rows, _ = case.read(format, columns=["_offset", *self._columns], check_format=False, **self._options)
        found: dict[int, list[Values]] = {}
        for row in rows:
            found.setdefault(row["_offset"], []).append(tuple(row[name] for name in self._columns))
        same = {
            begin // BLOCK
            for begin in range(0, len(sample.content), BLOCK)
            if content[begin : begin + BLOCK] == sample.content[begin : begin + BLOCK]
        }
        for each in sample.records:
            if same.issuperset(range(each.begin // BLOCK, (each.end - 1) // BLOCK + 1)):
                case.counts["intact"] += 1
                out = tuple(found.get(each.begin, ()))
                require(out == each.rows, f"the record at {each.begin} gives {out}, and was {each.rows}")
                case.counts["out"] += 1
            else:
                case.counts["lost"] += each.begin not in found
        begins = sorted(found)
        for begin, next in pairwise([*begins, len(content)]):
            require(len(set(found[begin])) == len(found[begin]), f"the record at {begin} gives a row twice")
            false = [row for row in found[begin] if row not in sample.written]
            if self._covered and begin // BLOCK == (next - 1) // BLOCK:
                require(not false, f"the record at {begin} gives {false}, which was never written")
            case.counts["unseen"] += len(false)


def _size(source: random.Random) -> int:
    return source.choice((0, 3, 60, 60, 600, 600, 9000, 40_000))


def _level_record(source: random.Random, number: int) -> tuple[int, bytes, tuple[Values, ...]]:
    """Return a batch of puts and deletes."""
    data, rows = bytearray(), []
    for index in range(source.choice((1, 1, 2, 5))):
        key, value = b"%d-%d" % (number, index), source.randbytes(_size(source) // (1 + 4 * bool(index)))
        is_delete = source.random() < 0.2
        data += bytes([not is_delete, len(key)]) + key + (b"" if is_delete else _varint(len(value)) + value)
        row = (100 * number + index, "delete" if is_delete else "put", key, None if is_delete else value)
        rows.append(row)
    return 0, struct.pack("<QI", 100 * number, len(rows)) + data, tuple(rows)


def _varint(number: int) -> bytes:
    made = bytearray()
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    return bytes([*made, number])


def _level_piece(kind: int, flags: int, data: bytes) -> bytes:
    crc = crc32c.crc32c(bytes([kind]) + data)
    return struct.pack("<IHB", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF, len(data), kind) + data


def _samples(source: random.Random, number: int) -> tuple[int, bytes, tuple[Values, ...]]:
    """Return samples of one series, possibly compressed."""
    count = source.choice((0, 1, 3, 30, 30, 300, 3500))
    rows = tuple((number, float(1000 * number + index)) for index in range(count))
    first = struct.pack(">qq", number, 1_700_000_000_000) if count else b""
    data = b"\x02" + first + b"".join(struct.pack(">BBd", 0, 2, value) for _, value in rows)
    flags = source.choice((0, 8, 16)) if count > 3 else 0
    if flags:
        snappy = pa.compress(data, "snappy", asbytes=True)
        data = snappy if flags == 8 else zstandard.ZstdCompressor(write_checksum=True).compress(data)
    return flags, data, rows


def _fragment(kind: int, flags: int, data: bytes) -> bytes:
    return struct.pack(">BHI", kind | flags, len(data), crc32c.crc32c(data)) + data


LEVELDB = InPieces(
    "leveldb_log, changes",
    ("sequence", "type", "key", "value"),
    _level_record,
    _level_piece,
    covered=True,
    table="changes",
)
PROMETHEUS = InPieces("prometheus_wal, samples", ("ref", "value"), _samples, _fragment, covered=False)
