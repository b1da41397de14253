"""Predicates that the engine tests for each row: whether the value of a column lies in some ranges.

Each value has a *key*, a non-negative integer in the order of the values. The key of an unsigned integer is the integer
itself, that of a signed one the integer plus 2**63, and that of a floating-point number its bits, all of them inverted
if it is negative, otherwise only the sign bit. So NaN, which comparisons do not order, lies below and above all other
values.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from enum import IntEnum

import pyarrow as pa

from ..base.dataclass import dataclass

Ranges = tuple[tuple[int, int], ...]
"""First and last key of each range, ascending, with gaps between them."""


class Keys(IntEnum):
    """How values are mapped to keys; the numbers are those of the engine."""

    UNSIGNED = 0
    SIGNED = 1
    FLOAT = 2


@dataclass(frozen=True)
class Predicate:
    """True for rows in which the value of a column has a key in ``ranges``, and with ``nulls`` also for nulls.
    ``column``: its number in the format."""

    column: int
    keys: Keys
    nulls: bool
    ranges: Ranges


def packed(predicates: tuple[Predicate, ...], numbers: Mapping[int, int]) -> bytes:
    """Return predicates in the engine's representation. ``numbers``: by number of a format's column, its number in the
    program."""
    words: list[int] = []
    for each in predicates:
        words += [numbers[each.column], each.keys, each.nulls, len(each.ranges)]
        words += [key for pair in each.ranges for key in pair]
    return struct.pack(f"={len(words)}Q", *words)


class Domain:
    """The keys of the type of a column."""

    def __init__(self, kind: pa.DataType) -> None:
        self.kind = kind
        self.is_truth = pa.types.is_boolean(kind)
        self.is_float = pa.types.is_float32(kind) or pa.types.is_float64(kind)
        bits = 8 if self.is_truth else kind.bit_width
        if self.is_float:
            self.keys, self._zero = Keys.FLOAT, 0
            self._format = "=f" if bits == 32 else "=d"
            self._sign = 1 << (bits - 1)
        elif self.is_truth or pa.types.is_unsigned_integer(kind):
            self.keys, self._zero = Keys.UNSIGNED, 0
        else:
            self.keys, self._zero = Keys.SIGNED, 1 << 63
        low = (1 << 63) - (1 << (bits - 1)) if self.keys is Keys.SIGNED else 0
        self.all: Ranges = ((low, low + (1 << bits) - 1),)
        """Those of every value."""
        self.ordered = ((self._of_float(-float("inf")), self._of_float(float("inf"))),) if self.is_float else self.all
        """Those of every value that comparisons put in order."""

    @classmethod
    def of(cls, kind: pa.DataType) -> Domain | None:
        """Return the domain of a type; ``None`` if predicates do not support its values."""
        is_float = pa.types.is_float32(kind) or pa.types.is_float64(kind)
        if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_timestamp(kind) or is_float:
            return cls(kind)
        return None

    def around(self, value: pa.Scalar) -> Ranges | None:
        """Return the range of the values equal to a constant; for a constant between two values, the key above it and
        the key below it. ``None`` if Arrow's comparison may differ or is not supported."""
        if not value.is_valid:
            return None
        if self.is_truth:
            found = value.as_py() if pa.types.is_boolean(value.type) else None
            return None if found is None else ((1, 255),) if found else ((0, 0),)
        if self.is_float:
            return self._around_float(value)
        if pa.types.is_timestamp(self.kind) and pa.types.is_timestamp(value.type):
            try:
                return self._one(value.cast(self.kind).value)
            except pa.ArrowInvalid:
                return None
        if pa.types.is_integer(self.kind) and pa.types.is_integer(value.type):
            return self._one(value.as_py())
        return None

    def _one(self, value: int) -> Ranges:
        return ((value + self._zero, value + self._zero),)

    def _around_float(self, value: pa.Scalar) -> Ranges | None:
        given = value.as_py()
        if not isinstance(given, (int, float)) or isinstance(given, bool) or given != given:
            return None
        try:
            near = struct.unpack(self._format, struct.pack(self._format, given))[0]
        except OverflowError:
            return None
        if near != given and not (isinstance(given, float) and pa.types.is_float64(value.type)):
            # Arrow would round an integer.
            return None
        key = self._of_float(near)
        if near == 0:
            return ((self._of_float(-0.0), self._of_float(0.0)),)
        return ((key, key),) if near == given else ((key + 1, key),) if near < given else ((key, key - 1),)

    def _of_float(self, value: float) -> int:
        bits = int.from_bytes(struct.pack(self._format, value)[:: -1 if struct.pack("=H", 1)[0] else 1], "big")
        return bits ^ (2 * self._sign - 1) if bits & self._sign else bits | self._sign


def union(one: Ranges, other: Ranges) -> Ranges:
    """Return the ranges of all keys in either."""
    found: list[tuple[int, int]] = []
    for first, last in sorted((*one, *other)):
        if first > last:
            continue
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return tuple(found)


def without(one: Ranges, other: Ranges) -> Ranges:
    """Return the ranges of the keys of ``one`` that are not in ``other``."""
    cuts, found, at = union(other, ()), [], 0
    for first, last in union(one, ()):
        while at < len(cuts) and cuts[at][1] < first:
            at += 1
        while at < len(cuts) and cuts[at][0] <= last:
            if first < cuts[at][0]:
                found.append((first, cuts[at][0] - 1))
            first = cuts[at][1] + 1
            if first > last:
                break
            at += 1
        if first <= last:
            found.append((first, last))
    return tuple(found)


def common(one: Ranges, other: Ranges) -> Ranges:
    """Return the ranges of the keys in both."""
    return without(one, without(one, other))
