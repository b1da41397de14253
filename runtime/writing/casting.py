"""Casts of arrays to the types of columns, in which no value changes silently."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import WireloomError
from ..base.iso_times import time_count
from ..rows.numbers import value_array


def cast(array: pa.Array, type: pa.DataType) -> pa.Array:
    """Return the array in another type. Raises ``ArrowException`` if a value does not fit."""
    if array.type == type:
        return array
    if (pa.types.is_boolean(array.type) or pa.types.is_floating(array.type)) and pa.types.is_binary(type):
        raise pa.ArrowTypeError(f"{array.type} values are not bytes")
    if pa.types.is_boolean(array.type) and (pa.types.is_integer(type) or pa.types.is_floating(type)):
        raise pa.ArrowTypeError("bool values are not numbers")
    if pa.types.is_timestamp(type) and (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
        return times(array, type)
    if pa.types.is_timestamp(type) and pa.types.is_integer(array.type):
        array = array.cast(pa.int64())  # The only integers that Arrow casts to times.
    # An integer becomes the nearest float, like any other number.
    done = array.cast(type, safe=not (pa.types.is_integer(array.type) and pa.types.is_floating(type)))
    _check_range(array, done)
    return done


def _check_range(before: pa.Array, after: pa.Array) -> None:
    """Raise if a cast replaced a number with an infinity, also inside lists, maps and structs: it is not an error in
    Arrow."""
    if pa.types.is_floating(before.type) and pa.types.is_floating(after.type):
        overflow = pc.and_(pc.is_finite(before), pc.invert(pc.is_finite(after)))
        if pc.any(overflow).as_py():
            raise pa.ArrowInvalid("a number is too large")
    elif pa.types.is_map(before.type) and pa.types.is_map(after.type):
        _check_range(before.keys, after.keys)
        _check_range(before.items, after.items)
    elif pa.types.is_list(before.type) and pa.types.is_list(after.type):
        _check_range(before.flatten(), after.flatten())
    elif pa.types.is_struct(before.type) and pa.types.is_struct(after.type):
        # Values of absent structs do not count.
        columns = dict(zip(before.type.names, before.flatten(), strict=True))
        for name, column in zip(after.type.names, after.flatten(), strict=True):
            if name in columns:
                _check_range(columns[name], column)


def times(array: pa.Array, type: pa.TimestampType) -> pa.Array:
    """Return texts as times, including those in an int64 that Arrow does not parse. Raises ``ArrowInvalid``."""
    try:
        return array.cast(type)
    except pa.ArrowInvalid as error:
        try:
            counts = [None if each is None else time_count(each, type.unit) for each in array.to_pylist()]
            return value_array(counts, pa.int64()).view(type)
        except (ValueError, OverflowError):
            raise error from None


def python_values(what: str, array: pa.Array) -> list[Any]:
    """Return the values of an array as those of Python. Raises ``WireloomError``, which names the column ``what``, for
    times in nanoseconds, which Python does not have without pandas."""
    try:
        values: list[Any] = array.to_pylist()
    except ValueError as error:
        raise WireloomError(f"{what}: {error}") from error
    return values


def check_text(what: str, array: pa.Array, first_row: int) -> None:
    """Raise ``WireloomError`` if text in an array, also inside of other values, is not UTF-8: Arrow does not check it.

    Args:
        what: The column, for the message.
        array: The values.
        first_row: The number of the first one in the table, from 0.
    """
    if not _has_text(array.type) or _is_valid(array):
        return
    row = next((each for each in range(len(array)) if not _is_valid(array.slice(each, 1))), 0)
    raise WireloomError(f"row {first_row + row}, {what}: the text is not valid UTF-8")


def _has_text(type: pa.DataType) -> bool:
    if pa.types.is_dictionary(type):
        return _has_text(type.value_type)
    texts = pa.types.is_string(type) or pa.types.is_large_string(type) or pa.types.is_string_view(type)
    return texts or any(_has_text(type.field(number).type) for number in range(type.num_fields))


def _is_valid(array: pa.Array) -> bool:
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True
