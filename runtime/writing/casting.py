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
    if has_views(array.type):
        # Arrow's own cast of these makes arrays that are not valid, as of version 26.
        array = value_array(array.to_pylist(), without_views(array.type))
    if (pa.types.is_boolean(array.type) or pa.types.is_floating(array.type)) and pa.types.is_binary(type):
        raise pa.ArrowTypeError(f"{array.type} values are not bytes")
    if pa.types.is_timestamp(type) and (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
        return times(array, type)
    if pa.types.is_timestamp(type) and pa.types.is_integer(array.type):
        array = array.cast(pa.int64())  # The only integers that Arrow casts to times.
    if pa.types.is_decimal(type) and pa.types.is_integer(array.type):
        array = array.cast(pa.decimal128(20, 0))  # Arrow casts integers only to decimals with room for all of them.
    # An integer becomes the nearest float, like any other number.
    done = array.cast(type, safe=not (pa.types.is_integer(array.type) and pa.types.is_floating(type)))
    _check_changes(array, done)
    return done


def has_views(type: pa.DataType) -> bool:
    """Return whether an array of the type has lists as views, at any depth."""
    is_view = pa.types.is_list_view(type) or pa.types.is_large_list_view(type)
    return is_view or any(has_views(type.field(number).type) for number in range(type.num_fields))


def without_views(type: pa.DataType) -> pa.DataType:
    """Return a type with lists in place of their views."""
    if pa.types.is_struct(type):
        return pa.struct([each.with_type(without_views(each.type)) for each in type])
    if pa.types.is_map(type):
        return pa.map_(type.key_type, without_views(type.item_type))
    return pa.list_(without_views(type.value_type)) if type.num_fields else type


def _check_changes(before: pa.Array, after: pa.Array) -> None:
    """Raise for a cast that changed a value, also inside lists, maps and structs, which is not an error in Arrow: a
    number replaced with an infinity, with a truth value or with a rounded decimal, and text made of other values."""
    types, old, new = pa.types, before.type, after.type
    if types.is_floating(old) and types.is_floating(new):
        _refuse(pc.and_(pc.is_finite(before), pc.invert(pc.is_finite(after))), "a number is too large")
    elif types.is_floating(old) and types.is_decimal(new):
        _refuse(pc.not_equal(before, after.cast(old)), "a number has more digits")
    elif (types.is_floating(old) or types.is_integer(old)) and types.is_boolean(new):
        _refuse(pc.not_equal(before, after.cast(old)), "a number is not 0 or 1")
    elif _is_text(new) and not (_is_text(old) or types.is_integer(old) or _is_bytes(old)) and not types.is_null(old):
        _refuse(before.is_valid(), f"{old} values are not text")
    elif (types.is_boolean(old) or types.is_temporal(old)) and (types.is_integer(new) or types.is_floating(new)):
        # The unit of a time would be that of its column, whatever the number's is.
        _refuse(before.is_valid(), f"{old} values are not numbers")
    elif types.is_map(old) and types.is_map(new):
        _check_changes(before.keys, after.keys)
        _check_changes(before.items, after.items)
    elif _is_list(old) and _is_list(new):
        _check_changes(before.flatten(), after.flatten())
    elif types.is_struct(old) and types.is_struct(new):
        # Values of absent structs do not count.
        columns = dict(zip(old.names, before.flatten(), strict=True))
        for name, column in zip(new.names, after.flatten(), strict=True):
            if name in columns:
                _check_changes(columns[name], column)


def _refuse(changed: pa.Array, reason: str) -> None:
    if pc.any(changed).as_py():
        raise pa.ArrowInvalid(reason)


def _is_list(type: pa.DataType) -> bool:
    return bool(pa.types.is_list(type) or pa.types.is_large_list(type) or pa.types.is_fixed_size_list(type))


def _is_text(type: pa.DataType) -> bool:
    return bool(pa.types.is_string(type) or pa.types.is_large_string(type) or pa.types.is_string_view(type))


def _is_bytes(type: pa.DataType) -> bool:
    kinds = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary, pa.types.is_binary_view)
    return any(is_kind(type) for is_kind in kinds)


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
    return _is_text(type) or any(_has_text(type.field(number).type) for number in range(type.num_fields))


def _is_valid(array: pa.Array) -> bool:
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def range_of(type: pa.DataType) -> str:
    """Return the range of an integer type, or what a timestamp may be, in parentheses after a space; else ''."""
    if pa.types.is_timestamp(type):
        return f" (times, their text in ISO 8601, or integers: {type.unit} since 1970, up to {2**63 - 1})"
    if not pa.types.is_integer(type):
        return ""
    bits = type.bit_width
    if pa.types.is_unsigned_integer(type):
        return f" (0 to {2**bits - 1})"
    return f" (-{2 ** (bits - 1)} to {2 ** (bits - 1) - 1})"
