"""Decoders of values, and their results."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Protocol

import pyarrow as pa

from ...base.dataclass import dataclass
from ...base.errors import MissingExtraError, TemporaryError, WireloomError
from ...rows.numbers import value_array

LARGEST_EXPANSION = 65_536
"""Maximum number of objects without bytes in a value."""


class ValueLimitError(WireloomError):
    """A value is larger than a limit, decoded or by what it claims."""


@dataclass(frozen=True)
class DecodedValues:
    """Decoded values. ``items``: the objects of all values, in order; ``counts``: the number of objects of each value;
    ``problems``: the numbers of values that cannot be decoded, in order, each with its error; these have no objects.
    """

    items: pa.Array
    counts: Sequence[int]
    problems: Sequence[tuple[int, WireloomError]] = ()


class ValueDecoder(Protocol):
    """Decodes the values of a column. It is pickled for the processes of Spark, and contains plain data only."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Return the names of other columns of the table that it needs."""
        return ()

    @property
    def type(self) -> pa.DataType:
        """Return Arrow's type of an object."""
        ...

    def decode(self, values: pa.Array, beside: Mapping[str, pa.Array], root: Any) -> DecodedValues:
        """Decode values; a null is one object, which is null. ``beside``: the columns of ``needs``; ``root``: the
        object whose attributes precede the rows of the input, if there are any."""
        ...


def of_value(error: WireloomError) -> WireloomError:
    """Return the error of a value. Raises it if the value is not to blame: a registry does not answer, or a package is
    missing."""
    if isinstance(error, TemporaryError | MissingExtraError):
        raise error
    return error


def each_decoded(values: pa.Array, kind: pa.DataType, decode: Callable[[int, bytes], pa.Array]) -> DecodedValues:
    """Decode values one by one. ``decode``: returns the objects of a value, of which it has the number too, as an array
    of the type ``kind``, or raises ``WireloomError``."""
    found: list[pa.Array] = []
    counts, problems = list[int](), list[tuple[int, WireloomError]]()
    for number, value in enumerate(values.to_pylist()):
        try:
            found.append(pa.nulls(1, kind) if value is None else decode(number, value))
            counts.append(len(found[-1]))
        except WireloomError as error:
            problems.append((number, of_value(error)))
            counts.append(0)
    return DecodedValues(pa.concat_arrays(found) if found else pa.nulls(0, kind), counts, problems)


def objects_decoded(
    values: pa.Array, kind: pa.DataType, read: Callable[[bytes], Any], arrow: Callable[[Sequence[Any]], pa.Array]
) -> DecodedValues:
    """Decode values of one object each. ``read``: returns the object of a value; ``arrow``: returns objects as an array
    of the type ``kind``. Both may raise ``WireloomError``."""
    found = list[Any]()
    counts, problems = list[int](), list[tuple[int, WireloomError]]()
    for number, value in enumerate(values.to_pylist()):
        try:
            found.append(None if value is None else read(value))
            counts.append(1)
        except WireloomError as error:
            problems.append((number, of_value(error)))
            counts.append(0)
    try:
        return DecodedValues(arrow(found), counts, problems)
    except WireloomError:
        return each_decoded(values, kind, lambda _, value: arrow([read(value)]))


def json_decoded(values: pa.Array) -> DecodedValues:
    """Decode values that are JSON to text."""

    def read(value: bytes) -> str:
        try:
            text = value.decode()
            json.loads(text)
        except (ValueError, RecursionError) as error:
            raise WireloomError(f"it is no JSON: {error}") from None
        return text

    return objects_decoded(values, pa.utf8(), read, lambda found: pa.array(found, pa.utf8()))


def grouped(
    values: pa.Array, keys: Sequence[Hashable], kind: pa.DataType, decode: Callable[[Any, pa.Array], DecodedValues]
) -> DecodedValues:
    """Decode values of several schemas. ``keys``: the schema of each value; an error for a value without one, and
    ``None`` for one that is left out. ``decode``: decodes the values of one schema, or raises ``WireloomError``. A
    null value is one object, which is null."""
    groups: dict[Any, list[int]] = {}
    counts, rows = [0] * len(values), [list[int | None]()] * len(values)
    problems = dict[int, WireloomError]()
    for number, (key, valid) in enumerate(zip(keys, values.is_valid().to_pylist(), strict=True)):
        if isinstance(key, WireloomError):
            problems[number] = key
        elif key is not None and not valid:
            rows[number] = [None]
        elif key is not None:
            groups.setdefault(key, []).append(number)
    parts, first = list[pa.Array](), 0
    for key, numbers in groups.items():
        try:
            found = decode(key, values.take(value_array(numbers, pa.int64())))
            parts.append(conformed(found.items, kind))
        except WireloomError as error:
            problems.update(dict.fromkeys(numbers, of_value(error)))
            continue
        problems.update((numbers[number], said) for number, said in found.problems)
        for number, count in zip(numbers, found.counts, strict=True):
            rows[number] = [*range(first, first + count)]
            first += count
    counts = [*map(len, rows)]
    items = pa.concat_arrays(parts) if parts else pa.nulls(0, kind)
    if len(parts) != 1 or first != sum(counts) or values.null_count:
        items = items.take(value_array([row for each in rows for row in each], pa.int64()))
    return DecodedValues(items, counts, sorted(problems.items()))


def conformed(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return an array of another schema in a type: fields by their names, and nulls for those that it lacks. Raises
    ``WireloomError`` for a value that the type does not have."""
    if array.type == kind:
        return array
    if pa.types.is_struct(kind) and pa.types.is_struct(array.type):
        numbers = {each.name: number for number, each in enumerate(array.type)}
        fields = array.flatten()
        parts = [
            conformed(fields[numbers[each.name]], each.type)
            if each.name in numbers
            else pa.nulls(len(array), each.type)
            for each in kind
        ]
        mask = array.is_null() if array.null_count else None
        return pa.StructArray.from_arrays(parts, fields=list(kind), mask=mask)
    try:
        return array.cast(kind)
    except pa.ArrowException as error:
        raise WireloomError(f"its schema has another type than the column's: {error}") from None
