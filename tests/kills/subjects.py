"""The logs that are appended to, and records that tell from their bytes who wrote them and whether they are whole."""

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
"""Bytes of the largest record. The system looks for a kill between the pages of a write, so that only large ones are
torn by it."""
POOL = random.Random(1).randbytes(LARGEST) + bytes(1000) + b"\xfe\xfd" * 500 + bytes(range(256)) * 400


class Record(NamedTuple):
    """A record's name: the life of an appender that wrote it, and its number there. All else follows."""

    life: int
    number: int

    def payload(self) -> bytes:
        """What is in it."""
        randomness = random.Random(self.life << 32 | self.number)
        size = randomness.choice([*SIZES, randomness.randrange(LARGEST)])
        begin = randomness.randrange(len(POOL) - size)
        return HEAD.pack(0x6C6F6F6D, *self, size) + POOL[begin : begin + size]


def record_of(payload: bytes) -> Record | None:
    """The record whose payload that is; ``None`` where it is not the whole of one."""
    if len(payload) < HEAD.size:
        return None
    _, life, number, _ = HEAD.unpack_from(payload)
    record = Record(life, number)
    return record if record.payload() == payload else None


@dataclass(frozen=True)
class Subject:
    """A format; ``spec``: beside this file, or of those in the box. ``checked``: its records have a checksum."""

    name: str
    spec: Path | None
    checked: bool

    @property
    def format(self) -> Format:
        """The format."""
        return _format(self.spec or self.name)

    def values(self, record: Record) -> dict[str, Any]:
        """The columns of a record."""
        payload = record.payload()
        if self.name == "hex_lines":
            return {"payload": payload.hex().encode()}
        return {"payload": payload} | ({"generation": record.number} if self.checked else {})

    def payload_of(self, column: bytes) -> bytes:
        """The payload in the column of that name; nothing where it cannot be one."""
        if self.name != "hex_lines":
            return column
        try:
            return bytes.fromhex(column.decode())
        except ValueError:
            return b""

    def wire(self, record: Record) -> bytes:
        """The record's bytes in the file, with its delimiter."""
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
