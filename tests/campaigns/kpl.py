"""KPL aggregates, as files of one record of a stream and as a column of such records.

An aggregate ends with a digest of all of it. An intact one yields its records; a damaged one is no longer an aggregate,
and is passed through as one row with exactly its bytes and ``aggregated`` false, like any record that was not
aggregated. No other blob of a column is affected.
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from typing import Any

from .blobs import DamagedColumn, damage_blobs, read_blobs
from .case import Case, require
from .wire import field

FORMAT = "kpl_aggregated_record"
MAGIC = b"\xf3\x89\x9a\xc2"
TOKENS = (MAGIC, b"\x1a\x00", b"\xff" * 10, b"\x0a", bytes(16))

Row = dict[str, Any]


def aggregate(source: random.Random, first: int, count: int) -> tuple[bytes, list[Row]]:
    """Return an aggregate, and the rows that it must yield."""
    keys = [f"key {number}" for number in range(source.randrange(1, 5))]
    hashes = [str(source.getrandbits(128)) for _ in range(source.randrange(1, 3))]
    message = b"".join(field(1, each.encode()) for each in keys) + b"".join(field(2, each.encode()) for each in hashes)
    rows: list[Row] = []
    for number in range(count):
        key = source.randrange(len(keys))
        hash_key = source.randrange(len(hashes)) if source.random() < 0.3 else None
        data = b"%d " % (first + number) + source.randbytes(source.choice((0, 5, 50, 200)))
        record = field(1, key) + field(2, hash_key) + field(3, data)
        tags = [{"key": "a", "value": "b"}] if source.random() < 0.2 else []
        record += b"".join(field(4, field(1, b"a") + field(2, b"b")) for _ in tags)
        message += field(3, record)
        rows.append(
            {
                "partition_key": keys[key],
                "explicit_hash_key": None if hash_key is None else hashes[hash_key],
                "sub_sequence_number": number,
                "data": data,
                "tags": tags,
                "aggregated": True,
            }
        )
    return MAGIC + message + hashlib.md5(message, usedforsecurity=False).digest(), rows


def digest_fails(blob: bytes) -> bool:
    """Return whether a blob begins like an aggregate and its digest differs from its last 16 bytes."""
    if len(blob) < 21 or not blob.startswith(MAGIC):
        return False
    return hashlib.md5(blob[4:-16], usedforsecurity=False).digest() != blob[-16:]


def whole(blob: bytes) -> list[Row]:
    """Return the rows of a record that is not an aggregate."""
    return [
        {
            "partition_key": None,
            "explicit_hash_key": None,
            "sub_sequence_number": 0,
            "data": blob,
            "tags": None,
            "aggregated": False,
        }
    ]


@dataclass
class Aggregates:
    """The written content: the rows of each blob. ``content``, ``other``: two of the blobs, for files."""

    content: bytes
    other: bytes
    blobs: list[bytes | None]
    rows: dict[bytes, list[Row]]


def aggregates(source: random.Random) -> Aggregates:
    """Return some aggregates, other records, and nulls."""
    made = [aggregate(source, 100 * number, source.choice((1, 3, 10))) for number in range(source.choice((2, 8, 20)))]
    blobs: list[bytes | None] = [blob for blob, _ in made]
    if source.random() < 0.5:
        blobs.insert(source.randrange(len(blobs)), None)
    rows = dict(made)
    plain = b"not aggregated " + source.randbytes(10)
    blobs.append(plain)
    rows[plain] = whole(plain)
    return Aggregates(made[0][0], made[1][0], blobs, rows)


class File:
    """Each input is one aggregate."""

    name = FORMAT
    tokens = TOKENS

    def sample(self, source: random.Random) -> Aggregates:
        """As ``Subject.sample``."""
        return aggregates(source)

    def check(self, case: Case) -> None:
        """As ``Subject.check``."""
        sample: Aggregates = case.sample
        content = case.damaged.content
        rows, report = case.read(FORMAT, codec="none")
        expected = sample.rows.get(content)
        require(rows == (whole(content) if expected is None else expected), "the rows are not those of the bytes")
        require(report["whole"] == (expected is None), "the report does not say whether it was an aggregate")
        require(report["digest_failed"] == digest_fails(content), "the report counts other digests that do not hold")
        require(report["bytes"] == len(content), "not all bytes are accounted for")
        if expected is not None:
            case.counts["intact"] += len(expected)
            case.counts["out"] += len(rows)


class Column:
    """Each input is a column of aggregates."""

    name = f"{FORMAT}, column"
    tokens = TOKENS

    def sample(self, source: random.Random) -> Aggregates:
        """As ``Subject.sample``."""
        return aggregates(source)

    def damage(self, sample: Aggregates, source: random.Random) -> DamagedColumn:
        """As ``damage_blobs``."""
        return damage_blobs(sample.blobs, self.tokens, source)

    def check(self, case: Case) -> None:
        """As ``Subject.check``."""
        sample: Aggregates = case.sample
        assert isinstance(case.damaged, DamagedColumn)
        lists, report = read_blobs(case, FORMAT)
        wholes = 0
        for number, (blob, rows) in enumerate(zip(case.damaged.blobs, lists, strict=True)):
            if blob is None:
                require(rows is None, f"blob {number} is null and gave rows")
                continue
            expected = sample.rows.get(blob)
            require(rows == (whole(blob) if expected is None else expected), f"blob {number} gave other rows")
            wholes += expected is None or not expected[0]["aggregated"]
            if expected is not None:
                case.counts["intact"] += len(expected)
                case.counts["out"] += len(rows or [])
        failed = sum(digest_fails(blob) for blob in case.damaged.blobs if blob is not None)
        require(report["digest_failed"] == failed, "the report counts other digests that do not hold")
        require(report["whole"] == wholes, f"{report['whole']} blobs are reported as no aggregates, of {wholes}")
        require(not report["problems"], "problems are reported where there are none")


FILE = File()
COLUMN = Column()
