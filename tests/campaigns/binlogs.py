"""Events of MySQL's binary logs, and blocks of Avro files, damaged after the description of the file.

Every intact event is returned, and every intact block after an intact marker, except those that a damaged one covers:
one whose length was changed so that it happens to end exactly where a later one ends. All events that are returned were
written, since each has a checksum over all of it. Of blocks only the marker is verified.
"""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .case import Case, damaged_ranges, require, require_tiling
from .damaged import Damaged
from .damages import Damager

EVENT = struct.Struct("<IBIIIH")
MARKER = bytes.fromhex("61d07f02c893e51b4c8ea1f6b0337d29")


@dataclass
class Written:
    """Two files, one after the other without its head. ``units``: the position and the values of each."""

    head: bytes
    content: bytes
    other: bytes
    units: list[tuple[int, int, tuple[Any, ...]]]


class _Units:
    """The common part of both formats."""

    name: str
    format: str
    columns: Sequence[str]
    tokens: Sequence[bytes]
    before = 0
    """Number of bytes before a unit that must be intact too."""

    def head(self) -> bytes:
        """Return the bytes before the units, which are never damaged."""
        raise NotImplementedError

    def unit(self, source: random.Random, number: int) -> tuple[bytes, tuple[Any, ...]]:
        """Return a unit and its values in the columns."""
        raise NotImplementedError

    def claimed_end(self, content: bytes, begin: int) -> int:
        """Return where the unit that begins at ``begin`` ends according to its length."""
        raise NotImplementedError

    def values(self, content: bytes, begin: int) -> tuple[Any, ...]:
        """Return the values of the unit at ``begin``."""
        raise NotImplementedError

    def sample(self, source: random.Random) -> Written:
        """As ``Subject.sample``."""
        head, units, files = self.head(), [], []
        position = len(head)
        for first, count in ((1, source.choice((3, 12, 30))), (1001, source.choice((1, 8)))):
            made = b""
            for number in range(first, first + count):
                data, values = self.unit(source, number)
                units.append((position, position + len(data), values))
                position += len(data)
                made += data
            files.append(made)
        return Written(head, head + files[0], files[1], units)

    def damage(self, sample: Written, source: random.Random) -> Damaged:
        """Damage the sample's content after its head."""
        head, rest = sample.head, sample.content[len(sample.head) :]
        damager = Damager(source, self.tokens, [(len(sample.content), sample.other)])
        damaged = damager.damage([(len(head), rest)])
        pieces = [(each.origin, damaged.content[each.begin : each.end]) for each in damaged.stretches]
        return Damaged([(0, head), *pieces], damaged.kinds)

    def check(self, case: Case) -> None:
        """As ``Subject.check``."""
        sample: Written = case.sample
        content = case.damaged.content
        rows, report = case.read(self.format, columns=["_offset", *self.columns], codec="none", recover=True)
        found = {row["_offset"]: tuple(row[each] for each in self.columns) for row in rows}
        extents = [(row["_offset"], self.claimed_end(content, row["_offset"])) for row in rows]
        for at, values in found.items():
            require(values == self.values(content, at), f"the row at {at} is not what stands there")
        require_tiling([(0, len(sample.head)), *extents], report, len(content))
        written = {values for _, _, values in sample.units}
        unseen = [at for at, values in found.items() if values not in written]
        case.counts["unseen"] += len(unseen)
        require(not unseen or bool(self.before), f"the rows at {unseen} were never written")
        for begin, end, values in sample.units:
            for place in case.damaged.intact(begin - self.before, end):
                at = place + self.before
                case.counts["intact"] += 1
                if at in found:
                    case.counts["out"] += 1
                    require(found[at] == values, f"the intact unit at {at} came out otherwise")
                    continue
                case.counts["lost"] += 1
                covering = [each for each in (*extents, *damaged_ranges(report)) if each[0] < at < each[1]]
                require(len(covering) == 1, f"the intact unit at {at} did not come out, and nothing covers it")
                led = self.claimed_end(content, covering[0][0]) == covering[0][1]
                require(led, f"the intact unit at {at} is lost in {covering[0]}, and no length leads there")


class Binlog(_Units):
    """MySQL's binary log."""

    name = format = "mysql_binlog"
    cost = 2
    columns = ("server_id", "event_size", "log_pos", "data")
    tokens = (EVENT.pack(0, 2, 1, 19, 0, 0), b"\xff\xff\xff\xff", b"\x13\0\0\0", bytes(19), b"\x0f")

    def head(self) -> bytes:
        """As in ``_Units``, with the description of the format."""
        body = struct.pack("<H50sIB", 4, b"8.0.40", 0, 19) + bytes(41) + b"\1"
        return b"\xfebin" + self._event(15, 0, body)

    def _event(self, kind: int, number: int, body: bytes) -> bytes:
        event = EVENT.pack(1_700_000_000, kind, 7, len(body) + 23, number, 0) + body
        return event + struct.pack("<I", zlib.crc32(event))

    def unit(self, source: random.Random, number: int) -> tuple[bytes, tuple[Any, ...]]:
        """As of ``_Units``."""
        body = source.randbytes(source.choice((0, 8, 50, 200)))
        # Types of events whose content is not compared with the sizes in it.
        event = self._event(source.choice((27, 28, 29, 160)), number, body)
        return event, (7, len(event), number, body)

    def sample(self, source: random.Random) -> Written:
        """As in ``_Units``: the description is an event too."""
        made = super().sample(source)
        made.units.insert(0, (4, len(made.head), (7, len(made.head) - 4, 0, made.head[23:-4])))
        made.head = made.head[:4]
        return made

    def damage(self, sample: Written, source: random.Random) -> Damaged:
        """As in ``_Units``: the description is not damaged, since nothing could be read without it."""
        whole = Written(sample.content[: sample.units[0][1]], sample.content, sample.other, sample.units)
        return super().damage(whole, source)

    def claimed_end(self, content: bytes, begin: int) -> int:
        """As of ``_Units``."""
        return begin + int.from_bytes(content[begin + 9 : begin + 13], "little")

    def values(self, content: bytes, begin: int) -> tuple[Any, ...]:
        """As of ``_Units``."""
        _, _, server_id, size, log_pos, _ = EVENT.unpack_from(content, begin)
        return server_id, size, log_pos, content[begin + 19 : begin + size - 4]


class Avro(_Units):
    """Avro's object container files with uncompressed blocks."""

    name = format = "avro_blocks"
    cost = 2
    columns = ("count", "data")
    tokens = (MARKER, MARKER[:8], b"\0\0" + MARKER, b"\x80", b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f")
    before = len(MARKER)

    def head(self) -> bytes:
        """As of ``_Units``."""
        return b"Obj\1\x02\x16avro.schema\x0e" + b'"bytes"' + b"\0" + MARKER

    def unit(self, source: random.Random, number: int) -> tuple[bytes, tuple[Any, ...]]:
        """As of ``_Units``."""
        data = b"%d:" % number + source.randbytes(source.choice((0, 8, 50, 200)))
        return self._long(number) + self._long(len(data)) + data + MARKER, (number, data)

    @staticmethod
    def _long(number: int) -> bytes:
        value, made = number << 1, bytearray()
        while value > 127:
            made.append(value & 127 | 128)
            value >>= 7
        return bytes([*made, value])

    @staticmethod
    def _head(content: bytes, begin: int) -> tuple[int, int, int]:
        """Return the count and the size of a block, and where its data begins."""
        found = []
        for _ in range(2):
            number = shift = 0
            while begin < len(content) and shift < 70:
                number |= (content[begin] & 127) << shift
                shift += 7
                begin += 1
                if content[begin - 1] < 128:
                    break
            found.append(number >> 1)
        return found[0], found[1], begin

    def claimed_end(self, content: bytes, begin: int) -> int:
        """As of ``_Units``."""
        _, size, at = self._head(content, begin)
        return at + size + len(MARKER)

    def values(self, content: bytes, begin: int) -> tuple[Any, ...]:
        """As of ``_Units``."""
        count, size, at = self._head(content, begin)
        return count, content[at : at + size]
