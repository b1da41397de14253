"""Converts whole Arrow columns to text, for JSON lines, CSV and the terminal."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import WireloomError
from ..base.iso_times import UNITS, iso_time
from ..base.text import is_legible, json_string
from ..rows.maps_and_unions import without_unions
from ..rows.numbers import constant, value_array

LAST_PLAIN_SECOND = 253_402_300_799
"""9999-12-31T23:59:59. Arrow formats later years incorrectly, and ISO 8601 writes them with a sign."""
FIRST_PLAIN_SECOND = -62_135_596_800


def hexadecimal(array: pa.Array) -> pa.Array:
    """Return bytes as lower-case hex. The data are converted at once, and the offsets are doubled."""
    offsets = pa.Array.from_buffers(pa.int32(), len(array) + 1, [None, array.buffers()[1]], offset=array.offset)
    data = array.buffers()[2]
    if len(array) == 0 or data is None:
        return value_array([None if not valid else "" for valid in array.is_valid().to_pylist()], pa.large_string())
    first, last = offsets[0].as_py(), offsets[-1].as_py()
    text = memoryview(data)[first:last].hex().encode()
    doubled = pc.multiply(pc.subtract(offsets.cast(pa.int64()), first), 2)
    validity = array.is_valid().buffers()[1] if array.null_count else None
    return pa.Array.from_buffers(
        pa.large_string(), len(array), [validity, doubled.buffers()[1], pa.py_buffer(text)], null_count=array.null_count
    )


def base64_text(array: pa.Array) -> pa.Array:
    """Return bytes as base64 in the standard alphabet with padding."""
    return value_array(
        [None if value is None else base64.b64encode(value).decode() for value in array.to_pylist()], pa.large_string()
    )


def utf8_text(array: pa.Array) -> pa.Array:
    """Return bytes as text; invalid UTF-8 is replaced by U+FFFD."""
    try:
        return array.cast(pa.large_string())
    except pa.ArrowInvalid:
        return value_array(
            [None if value is None else value.decode(errors="replace") for value in array.to_pylist()],
            pa.large_string(),
        )


def is_bytes(kind: pa.DataType) -> bool:
    """Return whether values of a type are bytes."""
    return any(each(kind) for each in (pa.types.is_binary, pa.types.is_fixed_size_binary, pa.types.is_large_binary))


BYTES: dict[str, Callable[[pa.Array], pa.Array]] = {
    "hex": hexadecimal,
    "base64": base64_text,
    "utf8": utf8_text,
}


def shown_text(array: pa.Array, as_bytes: str | None) -> list[Any]:
    """Return the values of a column for a table that people read. ``as_bytes``: as for ``plain_text``; ``None``: bytes
    are text if all bytes of the column are legible text, otherwise hex."""
    if as_bytes is None:
        texts = [each for leaf in _binary_leaves(array) for each in utf8_text(leaf).to_pylist() if each is not None]
        # Bytes that are not UTF-8 have become U+FFFD.
        legible = all(each == "\r" or (is_legible(each) and each != "\ufffd") for each in set().union(*texts))
        as_bytes = "utf8" if legible else "hex"
    if pa.types.is_floating(array.type):
        # As in JSON and CSV: Python would show the digits of a double.
        return [None if each is None else each.strip('"') for each in _float_text(array).to_pylist()]
    values: list[Any] = plain_text(array, as_bytes).to_pylist()
    return values


def _binary_leaves(array: pa.Array) -> list[pa.Array]:
    """Return the arrays of bytes in a column, at any depth."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _binary_leaves(array.dictionary)
    if is_bytes(kind):
        return [array.cast(pa.binary())]
    if pa.types.is_struct(kind):
        return [leaf for each in array.flatten() for leaf in _binary_leaves(each)]
    if pa.types.is_map(kind):
        return _binary_leaves(array.keys) + _binary_leaves(array.items)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _binary_leaves(array.flatten())
    return _binary_leaves(without_unions(array)) if pa.types.is_union(kind) else []


def time_text(array: pa.Array) -> pa.Array:
    """Return timestamps in ISO 8601, with ``Z`` for UTC if they have a time zone, and with the digits of their unit."""
    unit, zone = UNITS[array.type.unit], "Z" if array.type.tz else ""
    naive = array.cast(pa.timestamp(array.type.unit))
    counts = array.cast(pa.int64())
    low, high = pc.min_max(counts).as_py().values()
    if low is not None and (low < FIRST_PLAIN_SECOND * unit or high > (LAST_PLAIN_SECOND + 1) * unit - 1):
        values = [None if count is None else iso_time(count, array.type.unit) + zone for count in counts.to_pylist()]
        return value_array(values, pa.string())
    return pc.strftime(naive, format=f"%Y-%m-%dT%H:%M:%S{zone}")


def date_text(array: pa.Array) -> pa.Array:
    """Return dates in ISO 8601. Times have no day that dates in 32 bits lack."""
    days = array.cast(pa.date32()).cast(pa.int32()).cast(pa.int64())
    text = time_text(pc.multiply(days, constant(86_400, pa.int64())).cast(pa.timestamp("s")))
    return pc.utf8_slice_codeunits(text, 0, -9)


def plain_text(array: pa.Array, as_bytes: str) -> pa.Array:
    """Return a column as text for people and for CSV; numbers are unchanged, and nulls remain null."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return plain_text(array.dictionary_decode(), as_bytes)
    if is_bytes(kind):
        return BYTES[as_bytes](array.cast(pa.binary()))
    if pa.types.is_timestamp(kind):
        return time_text(array)
    if pa.types.is_date(kind):
        return date_text(array)
    if pa.types.is_nested(kind):
        return json_text(array, as_bytes)
    return array


def json_text(array: pa.Array, as_bytes: str) -> pa.Array:
    """Return a column as JSON text; nulls remain null.

    Floats that JSON cannot represent are strings, as in protobuf's JSON mapping: ``"NaN"``, ``"Infinity"``,
    ``"-Infinity"``.
    """
    kind = array.type
    if pa.types.is_dictionary(kind):
        return json_text(array.dictionary_decode(), as_bytes)
    if any(each(kind) for each in (pa.types.is_integer, pa.types.is_boolean, pa.types.is_decimal, pa.types.is_null)):
        return array.cast(pa.large_string())
    if pa.types.is_floating(kind):
        return _float_text(array)
    if pa.types.is_timestamp(kind):
        return _quoted(time_text(array))
    if pa.types.is_date(kind):
        return _quoted(date_text(array))
    if pa.types.is_time(kind):
        return _quoted(array.cast(pa.large_string()))
    if is_bytes(kind):
        text = BYTES[as_bytes](array.cast(pa.binary()))
        return _escaped(text) if as_bytes == "utf8" else _quoted(text)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _escaped(array)
    if pa.types.is_union(kind):
        return json_text(without_unions(array), as_bytes)
    if pa.types.is_map(kind):
        # Keys may be duplicated, and need not be strings.
        pairs = pa.struct([("key", kind.key_type), ("value", kind.item_type)])
        return json_text(array.cast(pa.list_(pairs)), as_bytes)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _list_text(array, as_bytes)
    if pa.types.is_struct(kind):
        return objects(array.type.names, array.flatten(), as_bytes, valid=array.is_valid())
    raise WireloomError(f"a column of type {kind} cannot be written as JSON")


def _float_text(array: pa.Array) -> pa.Array:
    text = array.cast(pa.large_string())
    # Without a point it would be read as the integer 0, which has no sign.
    text = pc.if_else(pc.equal(text, "-0"), "-0.0", text)
    infinite = pc.if_else(pc.greater(array, 0), '"Infinity"', '"-Infinity"')
    return pc.if_else(pc.is_finite(array), text, pc.if_else(pc.is_nan(array), '"NaN"', infinite)).cast(
        pa.large_string()
    )


def objects(names: list[str], columns: list[pa.Array], as_bytes: str, valid: pa.Array | None = None) -> pa.Array:
    """Return rows as JSON objects, one text each."""
    pieces: list[Any] = [] if names else ["{"]
    for name, column in zip(names, columns, strict=True):
        pieces += [("," if pieces else "{") + json_string(name) + ":"]
        text = json_text(column, as_bytes)
        pieces += [text.cast(pa.large_string()).fill_null("null")]
    scalars = [constant(piece, pa.large_string()) if isinstance(piece, str) else piece for piece in pieces]
    end, nothing = constant("}", pa.large_string()), constant("", pa.large_string())
    joined = pc.binary_join_element_wise(*scalars, end, nothing)
    return joined if valid is None else pc.if_else(valid, joined, None)


def lines(batch: pa.RecordBatch, as_bytes: str) -> bytes:
    """Return the rows of a batch as JSON lines."""
    if batch.num_rows == 0:
        return b""
    if not batch.num_columns:
        return b"{}\n" * int(batch.num_rows)
    text = objects(batch.schema.names, batch.columns, as_bytes)
    ended = pc.binary_join_element_wise(text, constant("\n", pa.large_string()), constant("", pa.large_string()))
    return _content(ended)


def _content(array: pa.Array) -> bytes:
    """Return the concatenated bytes of all values."""
    offsets = pa.Array.from_buffers(pa.int64(), len(array) + 1, [None, array.buffers()[1]], offset=array.offset)
    first, last = offsets[0].as_py(), offsets[-1].as_py()
    return bytes(memoryview(array.buffers()[2])[first:last])


def _quoted(array: pa.Array) -> pa.Array:
    quote, nothing = constant('"', pa.large_string()), constant("", pa.large_string())
    return pc.binary_join_element_wise(quote, array.cast(pa.large_string()), quote, nothing)


def _escaped(array: pa.Array) -> pa.Array:
    values = array.to_pylist()
    return value_array([None if value is None else json_string(value) for value in values], pa.large_string())


def _list_text(array: pa.Array, as_bytes: str) -> pa.Array:
    items = json_text(array.flatten(), as_bytes).fill_null("null").to_pylist()
    result: list[str | None] = []
    at = 0
    for count in pc.list_value_length(array).to_pylist():
        if count is None:
            result.append(None)
            continue
        result.append(f"[{','.join(items[at : at + count])}]")
        at += count
    return value_array(result, pa.large_string())
