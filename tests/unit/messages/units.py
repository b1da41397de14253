"""Units for the tests: consecutive bytes, decoded to plain values."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from wireloom import Format
from wireloom.rows.messages.decoding import UnitDecoder, UnitProblem


@dataclass
class Outcome:
    """The result of all calls for units: rows as dictionaries, the number of rows of each unit, problems and wholes by
    the number of the unit, and the unit columns."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    problems: list[UnitProblem] = field(default_factory=list)
    wholes: list[int] = field(default_factory=list)
    units: list[tuple[Any, ...]] = field(default_factory=list)
    calls: int = 0


def placed(units: Iterable[bytes], gap: bytes = b"") -> tuple[bytes, pa.Array, pa.Array]:
    """Return the units with ``gap`` before each, and their positions."""
    data, begins, sizes = bytearray(), [], []
    for each in units:
        data += gap
        begins.append(len(data))
        sizes.append(len(each))
        data += each
    return bytes(data), pa.array(begins, pa.uint64()), pa.array(sizes, pa.uint64())


def outcome(
    decoder: UnitDecoder, format: Format, wanted: Sequence[int], units: Sequence[bytes], *, capacity: int = 1 << 20
) -> Outcome:
    """Return the result of a decoder for all units."""
    source, begins, sizes = placed(units, b"\xff")
    found = Outcome()
    names = [format.columns[number].name for number in wanted]
    while len(found.counts) < len(units):
        first = len(found.counts)
        decoded = decoder.decode(source, begins, sizes, first, capacity=capacity)
        assert decoded.units > 0
        assert len(decoded.counts) == decoded.units
        assert decoded.counts.type == pa.int32()
        assert sum(decoded.counts.to_pylist()) == decoded.rows
        assert set(decoded.arrays) == set(wanted)
        for number, array in decoded.arrays.items():
            array.validate(full=True)
            assert array.type == format.schema.field(number).type
            assert len(array) == decoded.rows
        columns = [plain(decoded.arrays[number]) for number in wanted]
        found.rows += [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        found.counts += decoded.counts.to_pylist()
        found.problems += [each._replace(unit=each.unit + first) for each in decoded.problems]
        found.wholes += [each + first for each in decoded.wholes]
        for array in decoded.unit_arrays:
            assert len(array) == decoded.units
        found.units += list(zip(*(plain(array) for array in decoded.unit_arrays), strict=True))
        found.calls += 1
    return found


def plain(array: pa.Array) -> list[Any]:
    """Return values that can be compared: without floats that differ from themselves, and times that Python cannot
    represent."""
    return [_plain(each) for each in array.cast(timeless(array.type)).to_pylist()]


def timeless(kind: pa.DataType) -> pa.DataType:
    """Return the type with integers in place of times, at every level."""
    if pa.types.is_timestamp(kind):
        return pa.int64()
    if pa.types.is_list(kind):
        return pa.list_(timeless(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(each.name, timeless(each.type)) for each in kind])
    return kind


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return value


def enveloped(message: bytes, prefix: bytes = b"\1\2") -> bytes:
    """Return a message with a prefix before it and its MD5 after it."""
    return prefix + message + hashlib.md5(message).digest()
