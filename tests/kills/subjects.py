"""The logs that are appended to, and records whose bytes show who wrote them and whether they are complete."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import wireloom
from wireloom import Format
from wireloom.format import registry
from wireloom.writing import RowEncoder

HEAD = struct.Struct("<4I")
SIZES = (0, 1, 30, 250, 251, 600, 5000, 40_000)
LARGEST = 200_000
"""Size of the largest record in bytes. The system checks for kills between the pages of a write, so only large records
are torn."""
POOL = random.Random(1).randbytes(LARGEST) + bytes(1000) + b"\xfe\xfd" * 500 + bytes(range(256)) * 400


class Record(NamedTuple):
    """The identity of a record: the life of the appender that wrote it, and its number there. Everything else follows
    from these."""

    life: int
    number: int

    def payload(self) -> bytes:
        """Return its content."""
        randomness = random.Random(self.life << 32 | self.number)
        size = randomness.choice([*SIZES, randomness.randrange(LARGEST)])
        begin = randomness.randrange(len(POOL) - size)
        return HEAD.pack(0x6C6F6F6D, *self, size) + POOL[begin : begin + size]


def record_of(payload: bytes) -> Record | None:
    """Return the record with that payload; ``None`` if it is not a complete one."""
    if len(payload) < HEAD.size:
        return None
    _, life, number, _ = HEAD.unpack_from(payload)
    record = Record(life, number)
    return record if record.payload() == payload else None


@dataclass(frozen=True)
class Subject:
    """A format; ``spec``: beside this file, or a built-in one. ``checked``: whether its records have a checksum."""

    name: str
    spec: Path | None
    checked: bool

    @property
    def format(self) -> Format:
        """Return the format."""
        return _format(self.spec or self.name)

    def values(self, record: Record) -> dict[str, Any]:
        """Return the columns of a record."""
        payload = record.payload()
        if self.name == "hex_lines":
            return {"payload": payload.hex().encode()}
        return {"payload": payload} | ({"generation": record.number} if self.checked else {})

    def payload_of(self, column: bytes) -> bytes:
        """Return the payload in the column of that name; empty if it cannot be one."""
        if self.name != "hex_lines":
            return column
        try:
            return bytes.fromhex(column.decode())
        except ValueError:
            return b""

    def wire(self, record: Record) -> bytes:
        """Return the record's bytes in the file, with its delimiter."""
        return RowEncoder(self.format).encode_one(self.values(record))


@cache
def _format(source: Path | str) -> Format:
    return wireloom.load_spec(source) if isinstance(source, Path) else registry.get(source)


HERE = Path(__file__).parent
SUBJECTS = {
    each.name: each
    for each in (
        Subject("word_stuffed_log", None, True),
        Subject("checked_cobs", HERE.parent / "campaigns" / "checked_cobs.ksy", True),
        Subject("cobs_log", None, False),
        Subject("hex_lines", HERE / "hex_lines.ksy", False),
    )
}
