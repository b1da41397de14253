"""The framing of a unit in an input, field by field, for ``inspect``."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from ..base.dataclass import dataclass


@dataclass(frozen=True)
class Part:
    """A field of a framing.

    ``[begin, end)``: its bytes, counted from the first byte of the unit's framing. ``problem``: what is wrong with it.
    ``parts``: fields inside it. ``is_unit``: whether this is the unit; ``is_packed``: whether it is compressed, or in
    JSON.
    """

    name: str
    value: Any
    begin: int
    end: int
    problem: str | None = None
    parts: tuple[Part, ...] = ()
    is_unit: bool = False
    is_packed: bool = False


@runtime_checkable
class Described(Protocol):
    """A ``Framing`` that describes the bytes around its units."""

    def described(self, stored: memoryview) -> list[Part]:
        """Return the fields of one stored unit, or of what is left of one, in the order of their bytes; missing fields
        are omitted. This does not change any state or count of the reader."""
        ...


def unit_part(begin: int, length: int, stored: int, *, is_packed: bool = False) -> Part:
    """Return the part of a unit of ``length`` bytes from ``begin`` on; ``stored`` is the total number of bytes that
    exist."""
    there = stored - begin
    problem = f"{there:,} of {length:,} bytes are present" if there < length else None
    return Part("message", None, begin, begin + min(there, length), problem, is_unit=True, is_packed=is_packed)
