"""Uncompressed EdgeMQ segments.

With ``recover``, every intact frame is returned except those that a damaged frame covers: one whose length was changed
so that it happens to end exactly where a later frame begins (or the file ends) cannot be distinguished from one whose
payload was damaged. A frame with an empty payload, whose checksum proves nothing, is not accepted after such damage
unless the next one is valid. Without ``recover``, every intact frame up to the tail is returned.

A row's payload is one that was written, or empty: the eight bytes 0000000D 00000000 form a frame. Its other fields are
those stored in the file: the format's checksum covers only the payload, so damage there cannot be detected.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import crc32c

from .case import Case, Range, damaged_ranges, require, require_tiling

HEAD = struct.Struct(">IIBIQ")
COLUMNS = ["_offset", "len", "crc32c", "fmt", "tenant", "ts_millis", "payload"]
PADDINGS = {"layout": 0, "rules": 13}


@dataclass(frozen=True)
class Frame:
    """A record that was written. ``begin``, ``end``: its position, including its padding."""

    values: tuple[int, int, int, int, int, bytes]
    begin: int
    end: int


@dataclass
class Segments:
    """Two files, one written after the other."""

    content: bytes
    other: bytes
    frames: list[Frame]
    stride: str
    payloads: frozenset[bytes]


def payload(source: random.Random, number: int) -> bytes:
    """Return a payload that differs from all others, unless it is empty."""
    kind = source.randrange(12)
    if kind == 0:
        return b""
    text = b'{"number":%d,"text":"' % number
    size = source.choice((0, 3, 20, 60, 200))
    filler = source.randbytes(size) if kind < 6 else bytes(size) if kind == 6 else b"x" * size
    return text + filler + b'"}'


def written(source: random.Random, first: int, count: int, begin: int, padding: int) -> tuple[bytes, list[Frame]]:
    """Return a segment whose first byte is at ``begin``, and its frames."""
    made, frames = bytearray(), []
    for number in range(first, first + count):
        data = payload(source, number)
        version = source.choice((0, 0, 1, 255))
        values = (len(data) + 13, crc32c.crc32c(data), version, number, 1_790_000_000_000 + number)
        frame = HEAD.pack(*values) + data
        frames.append(Frame((*values, data), begin + len(made), begin + len(made) + len(frame) + padding))
        made += frame + (bytes(padding) if source.random() < 0.5 else source.randbytes(padding))
    return bytes(made), frames


def segments(source: random.Random, stride: str) -> Segments:
    """Return two segments of that stride."""
    padding = PADDINGS[stride]
    content, frames = written(source, 1, source.choice((3, 12, 30)), 0, padding)
    other, more = written(source, 1001, source.choice((1, 8)), len(content), padding)
    frames += more
    return Segments(content, other, frames, stride, frozenset(each.values[-1] for each in frames))


class EdgeMQ:
    """See the module."""

    name = "edgemq_segment"
    tokens = (
        b"\x00\x00\x00\x0d",
        b"\x00\x00\x00\x0d" + bytes(17),
        b"\xff\xff\xff\xff",
        b"\x7f\xff\xff\xff",
        b"\x00\x00\x00\x40",
        b"\x00",
        bytes(13),
    )

    def sample(self, source: random.Random) -> Segments:
        """As ``Subject.sample``."""
        return segments(source, "rules" if source.random() < 0.2 else "layout")

    def check(self, case: Case) -> None:
        """As ``Subject.check``."""
        sample: Segments = case.sample
        recover = case.source.random() < 0.75
        # The remaining bytes of a file may not suffice to detect the stride of the rest.
        rows, report = case.read("edgemq_segment", columns=COLUMNS, codec="none", recover=recover, stride=sample.stride)
        padding = PADDINGS[sample.stride]
        content = case.damaged.content
        # After a frame that cannot be trusted nothing is read, unless frames are searched for there.
        read = report["tail_offset"] if report["tail"].startswith("invalid") and not recover else len(content)
        require(report["bytes"] == read, f"the report counts {report['bytes']} bytes, and {read} were read")
        for row in rows:
            require_row(row, content, sample.payloads)
        extents = [extent_of(row, padding, len(content)) for row in rows]
        require_tiling(extents, report, len(content), padding)
        self._require_intact(case, rows, extents, report)

    def _require_intact(
        self, case: Case, rows: list[dict[str, Any]], extents: Sequence[Range], report: dict[str, Any]
    ) -> None:
        sample: Segments = case.sample
        padding, content = PADDINGS[sample.stride], case.damaged.content
        found = {row["_offset"]: row for row in rows}
        places = {at: each for each in sample.frames for at in case.damaged.intact(each.begin, each.end)}
        end = len(content) if report["tail"] == "clean" or case.options["recover"] else report["tail_offset"]
        for at, frame in places.items():
            if at >= end:
                continue
            case.counts["intact"] += 1
            if at in found:
                case.counts["out"] += 1
                require(values_of(found[at]) == frame.values, f"the intact frame at {at} came out otherwise")
                continue
            case.counts["lost"] += 1
            if not frame.values[-1] and not holds(content, at + HEAD.size + padding):
                continue
            # A damaged row too is followed by the padding that its length requires.
            damaged = [(begin, finish + padding) for begin, finish in damaged_ranges(report)]
            covering = [each for each in (*extents, *damaged) if each[0] < at < each[1]]
            require(len(covering) == 1, f"the intact frame at {at} did not come out, and nothing covers it")
            begin, following = covering[0]
            require(begin not in places, f"the intact frame at {at} is covered by one at {begin} that is intact too")
            # A damaged range ends where the padding begins, a row's range after it.
            led = claimed_end(content, begin, padding) in (following, following + padding)
            require(led, f"the intact frame at {at} is lost in [{begin}, {following}), and no length leads there")
        case.counts["unseen"] += sum(
            at not in places and values_of(row) not in _values(sample) for at, row in found.items()
        )


def _values(sample: Segments) -> set[tuple[Any, ...]]:
    return {each.values for each in sample.frames}


def values_of(row: dict[str, Any]) -> tuple[Any, ...]:
    """Return a row as a record that was written."""
    return tuple(row[name] for name in COLUMNS[1:])


def claimed_end(content: bytes, begin: int, padding: int) -> int:
    """Return where the frame at ``begin`` ends according to its length."""
    return begin + 8 + int.from_bytes(content[begin : begin + 4], "big") + padding


def holds(content: bytes, begin: int) -> bool:
    """Return whether there is a frame at ``begin`` whose checksum matches."""
    if len(content) - begin < HEAD.size:
        return False
    size, checksum, *_ = HEAD.unpack_from(content, begin)
    data = content[begin + HEAD.size : begin + 8 + size]
    return size >= 13 and len(data) == size - 13 and checksum == crc32c.crc32c(data)


def extent_of(row: dict[str, Any], padding: int, size: int) -> Range:
    """Return the range of the row and its padding."""
    begin: int = row["_offset"]
    return begin, min(begin + HEAD.size + len(row["payload"]) + padding, size)


def require_row(row: dict[str, Any], content: bytes, payloads: frozenset[bytes]) -> None:
    """Check that a row equals the bytes at its offset, that its checksum matches, and that its payload was written."""
    begin = row["_offset"]
    values = HEAD.unpack_from(content, begin)
    data = content[begin + HEAD.size : begin + 8 + values[0]]
    require(values_of(row) == (*values, data), f"the row at {begin} is not what stands there")
    require(values[1] == crc32c.crc32c(data), f"the checksum of the row at {begin} does not hold")
    require(not data or data in payloads, f"the payload of the row at {begin} was never written")
