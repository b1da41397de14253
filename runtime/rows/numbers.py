"""Arrays of Python values, and single values, without ``pyarrow.array`` and ``pyarrow.scalar``: these import pandas at
their first use where it is installed, which takes half a second."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from typing import Any

import pyarrow as pa

CODES = {
    pa.int8(): "b", pa.uint8(): "B", pa.int16(): "h", pa.uint16(): "H",
    pa.int32(): "i", pa.uint32(): "I", pa.int64(): "q", pa.uint64(): "Q",
    pa.float32(): "f", pa.float64(): "d",
}  # fmt: skip
"""Type codes of Python's arrays."""
KINDS = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.utf8(), bytes: pa.binary()}
"""Types of arrays of single values."""
LARGE = {pa.large_utf8(): pa.utf8(), pa.large_binary(): pa.binary()}
"""Types with offsets of 64 bits, and those with the same values and offsets of 32."""


def number_array(values: Iterable[float], kind: pa.DataType) -> pa.Array:
    """Return an array of numbers. Raises ``OverflowError`` for an integer that does not fit."""
    numbers = array(CODES[kind], values)
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(numbers)])


def number_scalar(value: float, kind: pa.DataType) -> pa.Scalar:
    """Return a number as a scalar. Raises ``OverflowError`` for an integer that does not fit."""
    return number_array((value,), kind)[0]


def constant(value: Any, kind: pa.DataType) -> pa.Scalar:
    """Return a value as a scalar.

    >>> constant(True, pa.bool_()), constant("a", pa.utf8()), constant(None, pa.int8())
    (<pyarrow.BooleanScalar: True>, <pyarrow.StringScalar: 'a'>, <pyarrow.Int8Scalar: None>)
    """
    return value_array((value,), kind)[0]


def bytes_array(values: Sequence[bytes | None], kind: pa.DataType) -> pa.Array:
    """Return an array of byte strings, of the type binary or, if they are UTF-8, of the type utf8, or a large one."""
    present, validity = _present(values, b"")
    ends = number_array([*accumulate(map(len, present), initial=0)], pa.int64() if kind in LARGE else pa.int32())
    return pa.Array.from_buffers(kind, len(values), [validity, ends.buffers()[1], pa.py_buffer(b"".join(present))])


def value_array(values: Sequence[Any], kind: pa.DataType | None = None) -> pa.Array:
    """Return an array of Python values, as ``pyarrow.array`` does.

    Only values whose Python type is not that of ``kind``, decimals, dates and the like take ``pyarrow.array``.

    Args:
        values: Numbers, text, bytes, lists, mappings for structs, mappings or pairs for maps, and ``None``.
        kind: The Arrow type, or ``None`` for that of the first value.

    Raises:
        ArrowException, TypeError, ValueError, OverflowError: A value cannot be of that type.
    """
    like = kind or KINDS.get(next((type(each) for each in values if each is not None), object))
    try:
        made = None if like is None else _array(values, like)
    except (TypeError, ValueError, OverflowError):
        # Arrow names the value that does not fit.
        made = None
    return pa.array(values, kind) if made is None else made


def _array(values: Sequence[Any], kind: pa.DataType) -> pa.Array | None:
    """Return an array of values, or ``None`` unless each has exactly the Python type that belongs to ``kind``."""
    classes = _classes(kind)
    if not classes or not {*map(type, values)} <= {type(None), *classes}:
        return None
    if pa.types.is_timestamp(kind):
        return value_array(values, pa.int64()).view(kind)
    if classes == (str,):
        return bytes_array([None if each is None else each.encode() for each in values], kind)
    if classes == (bytes,):
        return bytes_array(values, kind)
    if kind == pa.bool_() or kind in CODES:
        present, validity = _present(values, 0)
        numbers = number_array(present, kind) if kind in CODES else number_array(present, pa.int8()).cast(kind)
        return pa.Array.from_buffers(kind, len(values), [validity, numbers.buffers()[1]])
    if pa.types.is_struct(kind):
        rows, validity = _present(values, {})
        return _nested(
            kind, len(rows), [validity], [(field.type, [row.get(field.name) for row in rows]) for field in kind]
        )
    lists, validity = _present(values, ())
    ends = number_array([*accumulate(map(len, lists), initial=0)], pa.int32())
    buffers = [validity, ends.buffers()[1]]
    if pa.types.is_list(kind):
        return _nested(kind, len(lists), buffers, [(kind.value_type, [*chain.from_iterable(lists)])])
    pairs = [*chain.from_iterable(each.items() if isinstance(each, dict) else each for each in lists)]
    entries = [dict(zip(("key", "value"), pair, strict=True)) for pair in pairs]
    if any(each["key"] is None for each in entries):
        # Arrow ends the process where it does not expect a null.
        return None
    entry = pa.struct([kind.key_field.with_name("key"), kind.item_field.with_name("value")])
    return _nested(kind, len(lists), buffers, [(entry, entries)])


def _nested(
    kind: pa.DataType, size: int, buffers: list[pa.Buffer | None], children: list[tuple[pa.DataType, list[Any]]]
) -> pa.Array | None:
    """Return an array with values inside of others, or ``None`` if ``pyarrow.array`` is needed for any of these."""
    arrays = [_array(values, inner) for inner, values in children]
    if any(each is None for each in arrays):
        return None
    return pa.Array.from_buffers(kind, size, buffers, children=arrays)


def _classes(kind: pa.DataType) -> tuple[type, ...]:
    """Return the Python types whose values are exactly those of the Arrow type; none if ``pyarrow.array`` is needed."""
    if kind in CODES:
        return (float,) if pa.types.is_floating(kind) else (int,)
    if pa.types.is_timestamp(kind):
        return (int,)
    if pa.types.is_struct(kind):
        return (dict,)
    if pa.types.is_list(kind):
        return (list, tuple)
    if pa.types.is_map(kind):
        return (dict, list)
    return tuple(each for each, made in KINDS.items() if made == LARGE.get(kind, kind))


def _present(values: Sequence[Any], zero: Any) -> tuple[Sequence[Any], pa.Buffer | None]:
    """Return values with ``zero`` in the place of each ``None``, and the validity bitmap if there is any."""
    if type(None) not in {*map(type, values)}:
        return values, None
    validity = number_array([each is not None for each in values], pa.int8()).cast(pa.bool_()).buffers()[1]
    return [zero if each is None else each for each in values], validity
