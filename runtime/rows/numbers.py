"""Arrays of numbers, bytes and text, and single values, without ``pyarrow.array`` and ``pyarrow.scalar``: these
import pandas at their first use where it is installed, which takes half a second."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

import pyarrow as pa

CODES = {
    pa.int8(): "b", pa.uint8(): "B", pa.int16(): "h", pa.uint16(): "H",
    pa.int32(): "i", pa.uint32(): "I", pa.int64(): "q", pa.uint64(): "Q", pa.float64(): "d",
}  # fmt: skip
"""Type codes of Python's arrays."""


def number_array(values: Iterable[float], kind: pa.DataType) -> pa.Array:
    """Return an array of numbers. Raises ``OverflowError`` for an integer that does not fit."""
    numbers = array(CODES[kind], values)
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(numbers)])


def number_scalar(value: float, kind: pa.DataType) -> pa.Scalar:
    """Return a number as a scalar. Raises ``OverflowError`` for an integer that does not fit."""
    return number_array((value,), kind)[0]


def constant(value: float | str | bytes | None, kind: pa.DataType) -> pa.Scalar:
    """Return a number, a boolean, text, bytes or null as a scalar.

    >>> constant(True, pa.bool_()), constant("a", pa.utf8()), constant(None, pa.int8())
    (<pyarrow.BooleanScalar: True>, <pyarrow.StringScalar: 'a'>, <pyarrow.Int8Scalar: None>)
    """
    if value is None:
        return pa.nulls(1, kind)[0]
    if isinstance(value, str | bytes):
        return bytes_array((value.encode() if isinstance(value, str) else value,), kind)[0]
    return number_array((value,), pa.int8())[0].cast(kind) if kind == pa.bool_() else number_scalar(value, kind)


def bytes_array(values: Sequence[bytes | None], kind: pa.DataType) -> pa.Array:
    """Return an array of byte strings, of the type binary or, if they are UTF-8, of the type utf8."""
    ends = number_array(accumulate((len(each or b"") for each in values), initial=0), pa.int32())
    buffers = [None, ends.buffers()[1], pa.py_buffer(b"".join(each or b"" for each in values))]
    return _with_nulls(pa.Array.from_buffers(kind, len(values), buffers), values)


def value_array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Return an array of integers, bytes or text; only of other types ``pyarrow.array``, which may import pandas."""
    if kind in CODES:
        return _with_nulls(number_array((0 if each is None else each for each in values), kind), values)
    if kind == pa.utf8():
        return bytes_array([None if each is None else each.encode() for each in values], kind)
    return bytes_array(values, kind) if kind == pa.binary() else pa.array(values, kind)


def _with_nulls(made: pa.Array, values: Sequence[Any]) -> pa.Array:
    """Return an array that is null where ``values`` are ``None``."""
    if None not in values:
        return made
    # Imported here: it takes longer than all other imports of a reader.
    import pyarrow.compute as pc

    there = number_array((each is not None for each in values), pa.int8()).cast(pa.bool_())
    return pc.if_else(there, made, constant(None, made.type))
