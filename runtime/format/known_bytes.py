"""Constants of a program that are taken from the bytes of the input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownBytes:
    """Constants that the reader fills in before the program is loaded: the ``size`` bytes from ``start`` on are those
    of the field ``name`` of the root, which has been read before the first row."""

    name: str
    start: int
    size: int


def filled_in(constants: bytes, known: Sequence[KnownBytes], values: Sequence[bytes]) -> bytes:
    """Return the constants with the values of known fields filled in. Raises ``ValueError`` for a value of another
    size."""
    made = bytearray(constants)
    for each, value in zip(known, values, strict=True):
        if len(value) != each.size:
            raise ValueError(f"{each.name} has {len(value)} bytes, and the program has {each.size}")
        made[each.start : each.start + each.size] = value
    return bytes(made)
