"""Arrays of integers, bytes and text, and single integers, without ``pyarrow.array`` and ``pyarrow.scalar``: these
import pandas at their first use where it is installed, which takes half a second."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate

import pyarrow as pa

CODES = {
    pa.int8(): "b", pa.uint8(): "B", pa.int16(): "h", pa.uint16(): "H",
    pa.int32(): "i", pa.uint32(): "I", pa.int64(): "q", pa.uint64(): "Q",
}  # fmt: skip
"""Type codes of Python's arrays."""


def number_array(values: Iterable[int], kind: pa.DataType) -> pa.Array:
    """Return an array of integers. Raises ``OverflowError`` for one that does not fit."""
    numbers = array(CODES[kind], values)
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(numbers)])


def number_scalar(value: int, kind: pa.DataType) -> pa.Scalar:
    """Return an integer as a scalar. Raises ``OverflowError`` if it does not fit."""
    return number_array((value,), kind)[0]


def bytes_array(values: Sequence[bytes | None], kind: pa.DataType) -> pa.Array:
    """Return an array of byte strings, of the type binary or, if they are UTF-8, of the type utf8."""
    ends = number_array(accumulate((len(each or b"") for each in values), initial=0), pa.int32())
    buffers = [None, ends.buffers()[1], pa.py_buffer(b"".join(each or b"" for each in values))]
    made = pa.Array.from_buffers(kind, len(values), buffers)
    if None not in values:
        return made
    # Imported here: it takes longer than all other imports of a reader.
    import pyarrow.compute as pc

    there = number_array((each is not None for each in values), pa.int8()).cast(pa.bool_())
    return pc.if_else(there, made, pa.nulls(1, kind)[0])
