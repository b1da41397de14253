"""The codes that keep a delimiter out of records, with their parameters. ``wireloom.objects.stuffing`` runs them."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import cache
from typing import ClassVar, NamedTuple

from ..base.cached import cached_property
from ..base.dataclass import dataclass


class StuffingKind(IntEnum):
    """The codes, as the engine numbers them."""

    NONE = 0
    WORD = 1
    COBS = 2
    ESCAPE = 3
    """A byte that must not occur is replaced by an escape byte and a code."""
    COBS_OTHER = 4
    """COBS, then each byte XORed with the delimiter."""
    COBS_REDUCED = 5
    """COBS/R (McQueen), XORed likewise: if the last byte is not less than the last code, it stands in its place."""


_IS_CODE, _IS_ESCAPED = 1, 2


@dataclass(frozen=True)
class Stuffing:
    """How a record's bytes are kept free of the delimiter.

    ``value``: for ``ESCAPE`` the escape byte; for COBS the delimiter. ``codes``: for ``ESCAPE``, pairs of a code and
    the byte for which it stands. ``xor``: if it is not 0, each byte is a code for its XOR with this number, and
    ``codes`` has the bytes that writers escape.

    >>> Stuffing.cobs(0x7E)
    Stuffing.cobs(126)
    """

    kind: StuffingKind = StuffingKind.NONE
    value: int = 0
    codes: bytes = b""
    xor: int = 0

    NONE: ClassVar[Stuffing]
    WORD: ClassVar[Stuffing]
    COBS: ClassVar[Stuffing]

    @staticmethod
    @cache
    def cobs(delimiter: int = 0, *, reduced: bool = False) -> Stuffing:
        """Return COBS without the byte ``delimiter``; ``reduced``: COBS/R."""
        if not delimiter and not reduced:
            return Stuffing.COBS
        return Stuffing(StuffingKind.COBS_REDUCED if reduced else StuffingKind.COBS_OTHER, delimiter)

    @staticmethod
    @cache
    def escaping(escape: int, codes: bytes, xor: int = 0) -> Stuffing:
        """Return the code with an escape byte, and the given ``codes`` and ``xor``."""
        return Stuffing(StuffingKind.ESCAPE, escape, codes, xor)

    @property
    def made(self) -> str:
        """Return the source of the value, after the name of the class."""
        if self.kind is StuffingKind.ESCAPE:
            return f"escaping({self.value}, {self.codes!r}{f', xor={self.xor}' if self.xor else ''})"
        if self.kind in (StuffingKind.COBS_OTHER, StuffingKind.COBS_REDUCED):
            return f"cobs({self.value}{', reduced=True' if self.kind is StuffingKind.COBS_REDUCED else ''})"
        return self.kind.name

    def __repr__(self) -> str:
        return f"Stuffing.{self.made}"

    def __str__(self) -> str:
        """Return the code in the words of a spec, for people."""
        if self.kind is StuffingKind.ESCAPE:
            pairs = ", ".join(f"{code:02x} for {byte:02x}" for byte, code in self.escapes.items())
            return f"escape {self.value:02x} ({pairs})"
        if self.kind is StuffingKind.COBS_REDUCED:
            return "cobs-r"
        return "cobs" if self.kind is StuffingKind.COBS_OTHER else self.kind.name.lower()

    @property
    def holds_empty(self) -> bool:
        """Return whether an empty record is not an empty frame, which readers pass over."""
        return self.kind not in (StuffingKind.NONE, StuffingKind.ESCAPE)

    @cached_property
    def meanings(self) -> dict[int, int]:
        """Return the byte for which each code stands."""
        if self.xor:
            return {code: code ^ self.xor for code in range(256)}
        return dict(zip(self.codes[::2], self.codes[1::2], strict=True))

    @cached_property
    def escapes(self) -> dict[int, int]:
        """Return the code of each byte that writers escape."""
        if self.xor:
            return {byte: byte ^ self.xor for byte in self.codes}
        return {byte: code for code, byte in self.meanings.items()}

    @cached_property
    def packed(self) -> bytes:
        """Return the code in the form that the engine loads: its number; for those with parameters also its value and,
        by byte, what it stands for, its code, and whether it is a code (1) and is escaped (2)."""
        if self.kind <= StuffingKind.COBS:
            return bytes((self.kind,))
        return bytes((self.kind, self.value)) + _table(self.meanings) + _table(self.escapes) + self._flags()

    def _flags(self) -> bytes:
        codes, escaped = self.meanings.keys(), self.escapes.keys()
        return bytes(_IS_CODE * (each in codes) | _IS_ESCAPED * (each in escaped) for each in range(256))


def _table(values: dict[int, int]) -> bytes:
    return bytes(values.get(each, 0) for each in range(256))


Stuffing.NONE = Stuffing()
Stuffing.WORD = Stuffing(StuffingKind.WORD)
Stuffing.COBS = Stuffing(StuffingKind.COBS)

SLIP = Stuffing.escaping(0xDB, b"\xdc\xc0\xdd\xdb")
"""RFC 1055, with the delimiter C0."""
HDLC = Stuffing.escaping(0x7D, b"\x7e\x7d", xor=0x20)
"""RFC 1662, with the delimiter 7E."""


class NamedStuffing(NamedTuple):
    """A code with a name in specs: ``of`` returns it for a delimiter, or ``None`` if that is not ``wanted``."""

    of: Callable[[bytes], Stuffing | None]
    wanted: str


STUFFINGS = {
    "word": NamedStuffing(
        lambda delimiter: Stuffing.WORD if delimiter == b"\xfe\xfd" else None, "the delimiter [0xFE, 0xFD]"
    ),
    "cobs": NamedStuffing(
        lambda delimiter: Stuffing.cobs(delimiter[0]) if len(delimiter) == 1 else None, "a delimiter of one byte"
    ),
    "cobs-r": NamedStuffing(
        lambda delimiter: Stuffing.cobs(delimiter[0], reduced=True) if len(delimiter) == 1 else None,
        "a delimiter of one byte",
    ),
    "slip": NamedStuffing(lambda delimiter: SLIP if delimiter == b"\xc0" else None, "the delimiter 0xC0"),
    "hdlc": NamedStuffing(lambda delimiter: HDLC if delimiter == b"\x7e" else None, "the delimiter 0x7E"),
    "none": NamedStuffing(lambda delimiter: Stuffing.NONE, "a delimiter"),
}
