"""Logs with a delimiter between stuffed records: word-stuffed ones, SLIP, and COBS logs with and without checksums.

The frames are determined here by splitting at the delimiter, and the records among them by comparison with those that
were written. So the expected result is known exactly: each frame that is a record, at its position, and nothing else.
In a log without checksums, a damaged frame cannot be distinguished from a valid one if its stuffing is valid: such rows
are counted.

Each damage loses at most two intact records: those whose delimiters are damaged.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import crc32c
import wireloom

from ..unit.reading.samples import stuff_cobs, stuff_words
from .case import Case, Range, fail, require, require_tiling

Values = tuple[Any, ...]


class Record(NamedTuple):
    """A record that was written: its columns, and its position, stuffed, without delimiters."""

    values: Values
    begin: int
    end: int


@dataclass
class Logs:
    """Two files, one written after the other."""

    content: bytes
    other: bytes
    records: list[Record]
    stuffed: dict[bytes, Values]
    """What was written, by its stuffed bytes."""


def checked_record(generation: int, data: bytes) -> bytes:
    """Return a record with its checksum, before stuffing."""
    body = struct.pack("<I", generation) + data
    return struct.pack("<I", crc32c.crc32c(bytes(4) + body) ^ 0xFFFFFFFF) + body


@cache
def awkward_generation() -> int:
    """Return a generation with which the checksum of an empty record begins with the delimiter of word stuffing, so
    that the stuffed record begins with a zero byte."""
    return next(number for number in range(1 << 24) if checked_record(number, b"").startswith(b"\xfe\xfd"))


def payload(source: random.Random, number: int) -> bytes:
    """Return a payload that differs from all others."""
    size = source.choice((0, 3, 20, 60, 200, 253, 255, 600))
    fillers = (b"\xfe\xfd", b"\x00", b"x", b"\xfe", b"\xfd\xfe", bytes(range(256)))
    filler = source.randbytes(size) if source.random() < 0.5 else (source.choice(fillers) * size)[:size]
    return b"%d " % number + filler


def frames_of(content: bytes, delimiter: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield the position, end and bytes of each frame. A frame's position is that of the delimiter before it; the first
    one may lack one, and there is no frame after the last delimiter."""
    position = content.find(delimiter)
    if position != 0 and content:
        end = len(content) if position < 0 else position
        yield 0, end, content[:end]
    while position >= 0:
        begin = position + len(delimiter)
        following = content.find(delimiter, begin)
        end = len(content) if following < 0 else following
        if begin < len(content):
            yield position, end, content[begin:end]
        position = following


def uncobs(frame: bytes) -> bytes | None:
    """Undo COBS; return ``None`` for bytes that are not in COBS."""
    made, position = bytearray(), 0
    while position < len(frame):
        code = frame[position]
        block = frame[position + 1 : position + code]
        if code == 0 or len(block) < code - 1:
            return None
        made += block
        position += code
        if code < 255 and position < len(frame):
            made.append(0)
    return bytes(made)


class Delimited:
    """A campaign on such logs. ``format``: returns the format; ``columns``: those of a record; ``stuff``: stuffs one;
    ``tokens``: further bytes that mean something."""

    def __init__(
        self,
        name: str,
        format: Callable[[], Any],
        columns: Sequence[str],
        delimiter: bytes,
        stuff: Callable[[bytes], bytes],
        *tokens: bytes,
        checked: bool,
    ) -> None:
        self.name = name
        half, other = delimiter[:1], delimiter[-1:]
        self.tokens = (delimiter, delimiter * 3, bytes(len(delimiter)), half, other, b"\x01", bytes(3), *tokens)
        self._format = format
        self._columns = columns
        self._delimiter = delimiter
        self._checked = checked
        self._stuff = stuff

    def sample(self, source: random.Random) -> Logs:
        """As ``Subject.sample``."""
        content, first = self._written(source, 1, source.choice((3, 12, 30)), 0)
        other, second = self._written(source, 1001, source.choice((1, 8)), len(content))
        both = content + other
        records = first + second
        return Logs(content, other, records, {both[each.begin : each.end]: each.values for each in records})

    def _written(self, source: random.Random, first: int, count: int, begin: int) -> tuple[bytes, list[Record]]:
        made, records = bytearray(), []
        for number in range(first, first + count):
            data = payload(source, number)
            values: Values = (data,)
            if self._checked:
                if number == first and source.random() < 0.3 and first == 1:
                    number, data = awkward_generation(), b""
                values = (number, data)
            stuffed = self._stuff(checked_record(number, data) if self._checked else data)
            records.append(Record(values, begin + len(made), begin + len(made) + len(stuffed)))
            made += stuffed + self._delimiter
        return bytes(made), records

    def check(self, case: Case) -> None:
        """As ``Subject.check``."""
        content = case.damaged.content
        rows, report = case.read(self._format(), columns=["_offset", *self._columns], codec="none")
        require(report["bytes"] == len(content), f"the report counts {report['bytes']} bytes of {len(content)}")
        expected, zeros = self._expected(case, rows)
        found = [(row["_offset"], tuple(row[name] for name in self._columns)) for row in rows]
        if found != [(position, values) for position, _, values in expected]:
            fail(_difference(found, expected))
        extents = [(position, end) for position, end, _ in expected]
        # A delimiter at the end belongs to no frame.
        end = len(content) - len(self._delimiter) if content.endswith(self._delimiter) else len(content)
        reached = max([end, *(each[1] for each in extents)])
        require_tiling(extents, report, reached if reached == end else len(content))
        if zeros:
            require(report["damaged"][:1] == [[0, zeros, "length"]], f"{zeros} zeros at the beginning are not reported")
        self._count(case, found)
        self._in_ranges(case, rows)

    def _expected(self, case: Case, rows: list[dict[str, Any]]) -> tuple[list[tuple[int, int, Values]], int]:
        """Return the expected rows with their positions, and the number of zeros at the beginning of a file that do not
        belong to its first record."""
        sample: Logs = case.sample
        content = case.damaged.content
        zeros = 0
        if case.options["source"].endswith("Path") and self._delimiter != b"\0":
            zeros = self._zeros(content, sample)
        expected = []
        for position, end, frame in frames_of(content[zeros:], self._delimiter):
            values = self._values(frame, sample)
            if values is not None:
                expected.append((zeros + position, zeros + end, values))
        return expected, zeros

    def _values(self, frame: bytes, sample: Logs) -> Values | None:
        if self._checked:
            return sample.stuffed.get(frame)
        data = uncobs(frame) if frame else None
        return None if data is None else (data,)

    def _zeros(self, content: bytes, sample: Logs) -> int:
        """Return the zeros at the beginning: a log that was truncated in place begins with zeros, of which up to three
        may belong to the first record."""
        zeros = len(content) - len(content.lstrip(b"\0"))
        if zeros in (0, len(content)):
            return zeros
        first = next(frames_of(content, self._delimiter))[2]
        if first in sample.stuffed:
            return 0
        for own in range(min(3, zeros) + 1):
            if first[zeros - own :] in sample.stuffed:
                return zeros - own
        return zeros

    def _count(self, case: Case, found: list[tuple[int, Values]]) -> None:
        sample: Logs = case.sample
        values = {each for _, each in found}
        written = set(sample.stuffed.values())
        unhit = {each.values for each in sample.records if case.damaged.intact(each.begin, each.end)}
        lost = len(unhit - values)
        case.counts["intact"] += len(unhit)
        case.counts["out"] += len(unhit) - lost
        case.counts["lost"] += lost
        case.counts["unseen"] += sum(each not in written for _, each in found)
        damages = len(case.damaged.kinds)
        require(lost <= 2 * damages, f"{lost} records that were not hit are lost, with {damages} damages")

    def _in_ranges(self, case: Case, rows: list[dict[str, Any]]) -> None:
        """Check that any partition into ranges gives every row once, in order."""
        if case.source.randrange(6):
            return
        content = case.damaged.content
        cuts = sorted(case.source.randrange(len(content) + 1) for _ in range(case.source.randrange(1, 4)))
        parts: list[dict[str, Any]] = []
        where: Any = content
        if case.options["source"].endswith("Path"):
            where = case.folder / "damaged"
        ranges: list[Range] = list(zip([0, *cuts], [*cuts, len(content)], strict=True))
        for each in ranges:
            table = wireloom.read(
                self._format(), where, columns=["_offset", *self._columns], codec="none", byte_range=each
            )
            parts += table.to_pylist()
        require(parts == rows, f"the ranges {ranges} do not give the rows of the whole")


def _difference(found: list[tuple[int, Values]], expected: list[tuple[int, int, Values]]) -> str:
    wanted = {(position, values) for position, _, values in expected}
    missing = sorted(position for position, _ in wanted - set(found))
    false = sorted(position for position, _ in set(found) - wanted)
    return f"rows are missing at {missing}, and are there that must not be at {false}"


def slip(record: bytes) -> bytes:
    """Return a record with the escapes of RFC 1055."""
    return record.replace(b"\xdb", b"\xdb\xdd").replace(b"\xc0", b"\xdb\xdc")


def _spec(name: str) -> Callable[[], Any]:
    return cache(lambda: wireloom.load_spec(Path(__file__).parent / f"{name}.ksy"))


RECORD = ("generation", "payload")

WORD_STUFFED = Delimited("word_stuffed_log", lambda: "word_stuffed_log", RECORD, b"\xfe\xfd", stuff_words, checked=True)
COBS = Delimited("cobs_log", lambda: "cobs_log", ("payload",), b"\0", stuff_cobs, checked=False)
CHECKED_COBS = Delimited("cobs_log with checksums", _spec("checked_cobs"), RECORD, b"\0", stuff_cobs, checked=True)
SLIP = Delimited(
    "slip with checksums", _spec("checked_slip"), RECORD, b"\xc0", slip, b"\xdb", b"\xdb\xdc", b"\xdb\xc0", checked=True
)
