"""Casts of arrays to the types of columns, in which no value changes silently."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from ..base.iso_times import time_count


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
            return pa.array(counts, pa.int64()).view(type)
        except (ValueError, OverflowError):
            raise error from None
