"""Converts columns of text (values of JSON lines, cells of CSV) to Arrow arrays of the format's types."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pyarrow as pa

from ..base.errors import WireloomError
from ..format.description import Format
from ..rows.maps_and_unions import without_union_types
from ..rows.numbers import constant, value_array
from ..writing.casting import times

MOST_DIGITS = 4000
"""Maximum number of digits of an integer in JSON; Python's own limit is only slightly higher."""


def parse_json(text: str, exact: bool = False) -> Any:
    """Return the value of a text, with decimals in place of floats if it is ``exact``. Raises ``ValueError`` with the
    number of the character at which the text is not JSON, also for an object with duplicate keys, a number with more
    digits than any column could hold, or values that are nested too deeply."""
    try:
        fraction = Decimal if exact else float
        return json.loads(text, object_pairs_hook=_unique, parse_int=_integer, parse_float=fraction)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg.removesuffix(' at')} at character {error.pos + 1}") from error
    except RecursionError as error:
        raise ValueError("lists and objects are nested too deeply") from error


def has_decimals(type: pa.DataType) -> bool:
    """Return whether values of a type are decimals or contain some."""
    inner = (type.field(number).type for number in range(type.num_fields))
    return pa.types.is_decimal(type) or any(map(has_decimals, inner))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these keys and values. Raises ``ValueError`` for duplicate keys."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(each for each in names if names.count(each) > 1)!r:.60} occurs twice")
    return found


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number of {len(digits):,} digits, at most {MOST_DIGITS:,} are read")
    return int(digits)


NO_NUMBERS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
"""Strings for floats that JSON cannot represent as numbers."""
WRONG = (pa.ArrowException, TypeError, ValueError, OverflowError)
"""Exceptions of pyarrow and Python for values of the wrong type."""


def _range(kind: pa.DataType) -> str:
    """Return the range of an integer type."""
    width = kind.bit_width
    signed = pa.types.is_signed_integer(kind)
    return f"{-(1 << width - 1):,} to {(1 << width - 1) - 1:,}" if signed else f"0 to {(1 << width) - 1:,}"


def type_of(format: Format, name: str) -> pa.DataType | None:
    """Return a column's type; ``None`` for a column that the format does not have, or that writing converts."""
    index = format.schema.get_field_index(name)
    kind = format.schema.field(index).type if index >= 0 else None
    if kind is None or pa.types.is_timestamp(kind) or pa.types.is_dictionary(kind):
        return None
    return without_union_types(kind)


def json_column(format: Format, name: str, values: list[Any], numbers: list[int], as_bytes: str) -> pa.Array:
    """Return a column of parsed JSON values as an array.

    ``numbers`` are the line numbers of the values. ``as_bytes`` names the text form of bytes. Raises ``WireloomError``
    with the line of a value that does not have the column's type.
    """
    kind = type_of(format, name)
    if kind is not None and pa.types.is_binary(kind):
        return value_array(_bytes(name, values, numbers, as_bytes), pa.binary())
    fractions = kind is not None and pa.types.is_integer(kind) and not {float, Decimal}.isdisjoint(map(type, values))
    if kind is not None and (fractions or pa.types.is_nested(kind) or pa.types.is_floating(kind)):
        values = _nested(name, kind, values, numbers, as_bytes)
    if kind is not None:
        try:
            return value_array(values, kind)
        except WRONG:
            for number, value in zip(numbers, values, strict=True):
                try:
                    constant(value, kind)
                except WRONG as error:
                    place, wanted, given = _misfit(name, kind, value)
                    said = f"line {number}, column {place}: {_unfit(given, wanted)}"
                    raise WireloomError(said) from error
    try:
        return value_array(values)
    except WRONG as error:
        raise WireloomError(f"column {name} in the lines from {numbers[0]} on: {error}") from error


def _unfit(value: Any, kind: pa.DataType) -> str:
    """Return a sentence about a value that is not one of a type."""
    return f"{value!r:.60} does not fit into {kind}{f' ({_range(kind)})' if pa.types.is_integer(kind) else ''}"


def _misfit(name: str, kind: pa.DataType, value: Any) -> tuple[str, pa.DataType, Any]:
    """Return the innermost value of the wrong type inside a value: its path, the expected type, and the value."""
    inner: list[tuple[str, pa.DataType, Any]] = []
    if pa.types.is_struct(kind) and isinstance(value, dict):
        inner = [(f"{name}.{each.name}", each.type, value.get(each.name)) for each in kind]
    elif pa.types.is_list(kind) and isinstance(value, list):
        inner = [(f"{name}[{number}]", kind.value_type, each) for number, each in enumerate(value)]
    for place, wanted, given in inner:
        try:
            constant(given, wanted)
        except WRONG:
            return _misfit(place, wanted, given)
    return name, kind, value


def _bytes(name: str, values: list[Any], numbers: list[int], as_bytes: str) -> list[bytes | None]:
    decode = DECODERS[as_bytes]
    try:
        return [None if value is None else decode(value) for value in values]
    except (ValueError, TypeError, AttributeError):
        for number, value in zip(numbers, values, strict=True):
            try:
                if value is not None:
                    _decoded(value, as_bytes)
            except ValueError as error:
                raise WireloomError(f"line {number}, column {name}: {error}") from error
        raise


def _decoded(value: Any, as_bytes: str) -> bytes:
    """Return the bytes of a text. Raises ``ValueError`` that says what is wrong with another value."""
    if not isinstance(value, str):
        raise ValueError(f"{value!r:.60} is not a string: write bytes as a string, in the form that --bytes names")
    try:
        return DECODERS[as_bytes](value)
    except ValueError as error:
        raise ValueError(f"{value!r:.60} is not valid {as_bytes}: choose another text form with --bytes") from error


def _nested(name: str, kind: pa.DataType, values: list[Any], numbers: list[int], as_bytes: str) -> list[Any]:
    """Return floats, lists and objects with the bytes and floats in them decoded."""
    done = []
    for number, value in zip(numbers, values, strict=True):
        try:
            done.append(_inner(kind, value, as_bytes))
        except (ValueError, TypeError, AttributeError, OverflowError) as error:
            raise WireloomError(
                f"line {number}, column {name}: {value!r:.60} does not fit into {kind}: {error}"
            ) from error
    return done


def _inner(kind: pa.DataType, value: Any, as_bytes: str) -> Any:
    if value is None:
        return None
    if isinstance(value, Decimal) and not pa.types.is_decimal(kind):
        value = float(value)
    if pa.types.is_binary(kind):
        return _decoded(value, as_bytes)
    if pa.types.is_floating(kind):
        return _float(kind, value)
    if pa.types.is_timestamp(kind) and isinstance(value, str):
        return _count(kind, value)
    if pa.types.is_integer(kind) and isinstance(value, float):
        if not value.is_integer():
            raise ValueError("it is not an integer")
        return int(value)
    if pa.types.is_map(kind):
        pairs = _inner(pa.list_(pa.struct([("key", kind.key_type), ("value", kind.item_type)])), value, as_bytes)
        return [(each.get("key"), each.get("value")) for each in pairs]
    if pa.types.is_list(kind):
        if not isinstance(value, list):
            raise TypeError(f"{value!r:.40} is not a list")
        return [_inner(kind.value_type, each, as_bytes) for each in value]
    if pa.types.is_struct(kind):
        if not isinstance(value, dict):
            raise TypeError(f"{value!r:.40} is not an object")
        fields = {each.name: each.type for each in kind}
        stray = next((each for each in value if each not in fields), None)
        if stray is not None:
            raise ValueError(f"there is no {stray!r}, only {', '.join(fields)}")
        return {each: _inner(fields[each], inner, as_bytes) for each, inner in value.items()}
    return value


def _count(kind: pa.TimestampType, text: str) -> int:
    try:
        count: int = times(value_array([text]), kind)[0].value
    except pa.ArrowInvalid:
        example = "2026-03-02T06:00:00Z" if kind.tz else "2026-03-02T06:00:00"
        raise ValueError(f"{text!r:.40} is not a time such as {example!r}, in {kind.unit}") from None
    return count


def _float(kind: pa.DataType, value: Any) -> Any:
    number = NO_NUMBERS.get(value, value) if isinstance(value, str) else value
    if type(number) is int:
        # The nearest float, as for every number; Arrow refuses integers that are not exact floats.
        number = float(number)
    if kind == pa.float32() and isinstance(number, float):
        # Raises OverflowError, where Arrow would return infinity.
        struct.pack("<f", number)
    return number


def csv_column(format: Format, name: str, cells: pa.Array, first: int, as_bytes: str) -> pa.Array:
    """Return a column of CSV cells, an array of strings, as an array of the format's type.

    ``first`` is the number of the first row. Lists and objects are JSON in their cells. Raises ``WireloomError`` with
    the row of a cell that does not have the column's type.
    """
    kind = type_of(format, name)
    if kind is None:
        index = format.schema.get_field_index(name)
        if index >= 0 and pa.types.is_timestamp(format.schema.field(index).type):
            # Times may be integers, as with `decode --nanoseconds long`.
            with suppress(pa.ArrowInvalid):
                return cells.cast(pa.int64())
        return cells
    if pa.types.is_binary(kind) or pa.types.is_nested(kind):
        nested, exact = pa.types.is_nested(kind), has_decimals(kind)
        values: list[Any] = []
        for number, cell in enumerate(cells.to_pylist(), first):
            try:
                value = parse_json(cell, exact) if nested and cell is not None else cell
                values.append(_inner(kind, value, as_bytes))
                # Integers that are too large for the column, and values of other types inside lists.
                if nested:
                    constant(values[-1], kind)
            except (*WRONG, AttributeError) as error:
                what = f"{kind}: {error}" if nested else f"binary as {as_bytes}: choose another text form with --bytes"
                raise WireloomError(f"row {number}, column {name}: {cell!r:.60} does not fit into {what}") from error
        return value_array(values, kind)
    if pa.types.is_floating(kind):
        # A value that is too large for fewer bits is refused when it is written.
        kind = pa.float64()
    try:
        return cells.cast(kind)
    except WRONG:
        for number, cell in enumerate(cells, first):
            try:
                cell.cast(kind)
            except WRONG as error:
                raise WireloomError(f"row {number}, column {name}: {_unfit(cell.as_py(), kind)}") from error
        raise


DECODERS: dict[str, Callable[[Any], bytes]] = {
    "hex": binascii.unhexlify,
    "base64": lambda text: base64.b64decode(text, validate=True),
    "utf8": lambda text: text.encode(),
}
