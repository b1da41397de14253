"""S2's messages, as a file, as a column of blobs, and in the frames of a session.

Neither has a checksum, so damage that leaves a well-formed message cannot be detected. The claims are that each message
is read as its bytes say, or not at all, and that damage in one does not affect others: the messages found by the
lengths of a session, and the other blobs of a column, are returned exactly. A separate reader (``wire``) determines
what the bytes say. A compressed body may be refused even if it could be decompressed.
"""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import zstandard

from .blobs import DamagedColumn, damage_blobs, read_blobs
from .case import Case, require
from .wire import COLUMNS, is_cut, rows_of
from .wire import field as wire_field

TOKENS = (b"\x00\x00\x01", b"\x00", b"\x00\x00\x00", b"\xff" * 11, b"\x0a\x00", b"\x12\x80", b"\x80", b"\x40")
LARGEST = 2_097_152
KINDS = ("read_batch", "read_batch", "append_input", "append_ack")

Row = dict[str, Any]


def message(source: random.Random, kind: str, number: int) -> bytes:
    """Return a message whose records differ from those of all other numbers."""
    if kind == "append_ack":
        positions = (wire_field(1, number + more) + wire_field(2, 1_790_000_000_000 + number) for more in range(3))
        return b"".join(wire_field(1 + each, position) for each, position in enumerate(positions))
    made = b""
    for record in range(source.choice((0, 1, 2, 5))):
        headers = b"".join(
            wire_field(2 if kind == "append_input" else 3, wire_field(1, b"name") + wire_field(2, source.randbytes(3)))
            for _ in range(source.choice((0, 0, 1, 2)))
        )
        body = b"%d.%d " % (number, record) + source.randbytes(source.choice((0, 4, 60, 400)))
        if kind == "append_input":
            timestamp = source.choice((None, 0, number))
            made += wire_field(1, wire_field(1, timestamp) + headers + wire_field(3, body))
        else:
            made += wire_field(
                1, wire_field(1, 10 * number + record) + wire_field(2, number) + headers + wire_field(4, body)
            )
    if kind == "append_input":
        return made + wire_field(2, source.choice((None, 0, number))) + wire_field(3, source.choice((None, b"token")))
    return made + wire_field(2, source.choice((None, wire_field(1, number))))


def comparable(rows: list[Row], kind: str) -> list[tuple[str, ...]]:
    """Return rows without what a campaign ignores."""
    return [tuple(repr(row[name]) for name in COLUMNS[kind]) for row in rows]


@dataclass
class Messages:
    """The written content. ``blobs``: single messages; ``content``, ``other``: those in files."""

    kind: str
    content: bytes
    other: bytes
    blobs: list[bytes | None] = field(default_factory=list)
    frames: list[tuple[int, int, bytes]] = field(default_factory=list)
    """Of a session: the position of each frame, and its message."""


def _messages(source: random.Random) -> Messages:
    kind = source.choice(KINDS)
    blobs: list[bytes | None] = [message(source, kind, number) for number in range(1, source.choice((2, 8, 20)))]
    if source.random() < 0.5:
        blobs.insert(source.randrange(len(blobs)), None)
    return Messages(kind, message(source, kind, 1001), message(source, kind, 1002), blobs)


class File:
    """Each input is one message."""

    name = "s2_messages"
    tokens = TOKENS

    def sample(self, source: random.Random) -> Messages:
        """As ``Subject.sample``."""
        return _messages(source)

    def check(self, case: Case) -> None:
        """As ``Subject.check``."""
        sample: Messages = case.sample
        content = case.damaged.content
        rows, report = case.read("s2_messages", columns=COLUMNS[sample.kind], codec="none", message=sample.kind)
        expected = rows_of(sample.kind, content)
        require(
            comparable(rows, sample.kind) == comparable(expected or [], sample.kind), "the rows are not what it says"
        )
        # Only the end of the input ends the message, so one that ends inside a field is cut off.
        cut = is_cut(sample.kind, content)
        damaged = [[0, len(content), "message"]] if expected is None and not cut else []
        require(report["damaged"] == damaged, f"the report says {report['damaged']} and should say {damaged}")
        tail = ("truncated", 0) if cut else ("clean", len(content))
        require((report["tail"], report["tail_offset"]) == tail, f"the tail is {report['tail']}, and should be {tail}")
        sizes = (0, len(content)) if cut else (len(content), 0)
        require((report["bytes"], report["tail_size"]) == sizes, "not all bytes are accounted for")
        if content == sample.content:
            case.counts["intact"] += len(rows)
            case.counts["out"] += len(rows)
        else:
            case.counts["unseen"] += len(rows)


class Column:
    """Each input is a column of messages."""

    name = "s2_messages, column"
    tokens = TOKENS

    def sample(self, source: random.Random) -> Messages:
        """As ``Subject.sample``."""
        return _messages(source)

    def damage(self, sample: Messages, source: random.Random) -> DamagedColumn:
        """As ``damage_blobs``."""
        return damage_blobs(sample.blobs, self.tokens, source)

    def check(self, case: Case) -> None:
        """As ``Subject.check``."""
        sample: Messages = case.sample
        kind = sample.kind
        assert isinstance(case.damaged, DamagedColumn)
        lists, report = read_blobs(case, "s2_messages", columns=COLUMNS[kind], message=kind)
        refused = []
        for number, (blob, rows) in enumerate(zip(case.damaged.blobs, lists, strict=True)):
            expected = None if blob is None else rows_of(kind, blob)
            if expected is None or rows is None:
                require(expected is None and not rows, f"blob {number} gave {rows}, and should give {expected}")
                refused += [number] * (blob is not None)
                continue
            same = comparable(rows, kind) == comparable(expected, kind)
            require(same, f"the rows of blob {number} are not what it says")
            good = blob in sample.blobs
            case.counts["intact"] += len(rows) * good
            case.counts["out"] += len(rows) * good
            case.counts["unseen"] += len(rows) * (not good)
        told = [each["blob"] for each in report["problems"]]
        require(told == refused, f"problems are reported of the blobs {told}, and should be of {refused}")


def frame(source: random.Random, content: bytes) -> bytes:
    """Return a frame, compressed or not; a real writer compresses only messages of 1024 bytes or more."""
    way = source.choice((0, 0, 0, 1, 2))
    if way == 1:
        content = zstandard.ZstdCompressor(write_checksum=source.random() < 0.5).compress(content)
    elif way == 2:
        content = zlib.compress(content, 6, wbits=31)
    flag = way << 5 | source.choice((0, 0, 0, 0x10))
    return (len(content) + 1).to_bytes(3, "big") + bytes((flag,)) + content


def undone(way: int, body: bytes) -> bytes | None:
    """Return a frame's message; ``None`` if it cannot be obtained."""
    try:
        if way == 0:
            return body
        if way == 2:
            member = zlib.decompressobj(31)
            made = member.decompress(body, LARGEST)
            return made if member.eof else None
        with zstandard.ZstdDecompressor().stream_reader(body, read_across_frames=True) as reader:
            return bytes(reader.read(LARGEST))
    except (zlib.error, zstandard.ZstdError):
        return None


@dataclass
class Found:
    """A frame of a damaged session. ``rows``: ``None`` if the frame is invalid; ``doubtful``: whether the reader may
    refuse it even if it could be decompressed."""

    begin: int
    end: int
    rows: list[Row] | None
    doubtful: bool


def walk(content: bytes, kind: str) -> Iterator[Found | tuple[str, int]]:
    """Yield the frames at the positions given by the lengths, and finally the tail's name and offset."""
    position = 0
    while True:
        if len(content) - position < 3:
            yield ("truncated" if position < len(content) else "clean"), position
            return
        length = int.from_bytes(content[position : position + 3], "big")
        if not 0 < length <= LARGEST:
            yield "invalid_length", position
            return
        end = position + 3 + length
        if end > len(content):
            yield "truncated", position
            return
        flag, body = content[position + 3], content[position + 4 : end]
        if flag & 0x80:
            yield Found(position, end, [] if _is_terminal(body) else None, False)
            yield "clean", end
            return
        way = flag >> 5 & 3
        data = undone(way, body) if way < 3 else None
        yield Found(position, end, None if data is None else rows_of(kind, data), way in (1, 2))
        position = end


def _is_terminal(body: bytes) -> bool:
    try:
        body[2:].decode()
    except UnicodeDecodeError:
        return False
    return len(body) >= 2


class Session:
    """Each input is a session."""

    name = "s2_session"
    tokens = (*TOKENS, b"\x00\x00\x03\x80\x01\xf4")

    def sample(self, source: random.Random) -> Messages:
        """As ``Subject.sample``."""
        kind = source.choice(KINDS)
        sample = Messages(kind, b"", b"")
        sample.content = self._written(source, sample, 1, source.choice((3, 10, 20)), 0)
        sample.other = self._written(source, sample, 1001, 5, len(sample.content))
        return sample

    def _written(self, source: random.Random, sample: Messages, first: int, count: int, begin: int) -> bytes:
        made = bytearray()
        for number in range(first, first + count):
            content = message(source, sample.kind, number)
            start = begin + len(made)
            made += frame(source, content)
            sample.frames.append((start, begin + len(made), content))
        if source.random() < 0.2:
            body = struct.pack(">H", 500) + b'{"message":"over"}'
            made += (len(body) + 1).to_bytes(3, "big") + b"\x80" + body
        return bytes(made)

    def check(self, case: Case) -> None:
        """As ``Subject.check``."""
        sample: Messages = case.sample
        kind, content = sample.kind, case.damaged.content
        rows, report = case.read("s2_session", columns=["_offset", *COLUMNS[kind]], codec="none", message=kind)
        *frames, tail = walk(content, kind)
        damaged = {begin: (begin + size, reason) for begin, size, reason in report["damaged"]}
        intact = {at for begin, end, _ in sample.frames for at in case.damaged.intact(begin, end)}
        found: dict[int, list[Row]] = {}
        for row in rows:
            found.setdefault(row["_offset"], []).append(row)
        for each in frames:
            assert isinstance(each, Found)
            here = found.pop(each.begin, []), damaged.pop(each.begin, None)
            self._check_frame(case, each, *here, each.begin in intact)
        require(not found and not damaged, f"rows or damage at {[*found, *damaged]}, where no frame begins")
        require((report["tail"], report["tail_offset"]) == tail, f"the tail is {tail}")
        assert isinstance(tail, tuple)
        _, end = tail
        left = len(content) - end
        require(report["tail_size"] == left, f"the tail has {left} bytes, and {report['tail_size']} are reported")
        require(report["bytes"] == end, f"the report counts {report['bytes']} bytes, and {end} were read")

    def _check_frame(
        self, case: Case, each: Found, rows: list[Row], damage: tuple[int, str] | None, intact: bool
    ) -> None:
        kind = case.sample.kind
        if damage is not None:
            require(damage[0] == each.end, f"the damage at {each.begin} ends at {damage[0]} and not with its frame")
            require(not rows, f"the frame at {each.begin} is damage and rows")
            require(each.rows is None or each.doubtful, f"the frame at {each.begin} holds, and is reported as damage")
            require(not intact, f"the frame at {each.begin} is intact, and is reported as damage")
            return
        require(each.rows is not None, f"the frame at {each.begin} does not hold, and is not reported")
        require(
            comparable(rows, kind) == comparable(each.rows or [], kind),
            f"the rows of the frame at {each.begin} are not what it says",
        )
        case.counts["intact"] += len(rows) * intact
        case.counts["out"] += len(rows) * intact
        case.counts["unseen"] += len(rows) * (not intact)


FILE = File()
COLUMN = Column()
SESSION = Session()
