"""The location in memory of the values of an Arrow array of bytes."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...base.errors import WireloomError


def memory_of(array: pa.Array) -> tuple[Any, pa.Array, pa.Array]:
    """Return the memory with the values of an array of bytes, and the begin and size in bytes of each value (uint64;
    undefined for nulls). Raises ``WireloomError`` for other arrays."""
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    kind = array.type
    if pa.types.is_dictionary(kind):
        return memory_of(array.dictionary_decode())
    if pa.types.is_null(kind):
        array, kind = array.cast(pa.binary()), pa.binary()
    if kind == pa.binary_view():
        array, kind = array.cast(pa.large_binary()), pa.large_binary()
    if pa.types.is_fixed_size_binary(kind):
        width = kind.byte_width
        begins = pa.array(range(array.offset * width, (array.offset + len(array)) * width, width or 1), pa.uint64())
        begins = begins if width else pa.array([0] * len(array), pa.uint64())
        return _buffer(array.buffers()[1]), begins, pa.repeat(pa.scalar(width, pa.uint64()), len(array))
    if not (pa.types.is_binary(kind) or pa.types.is_large_binary(kind)):
        raise not_bytes(str(kind), is_text=kind in (pa.utf8(), pa.large_utf8(), pa.string_view()))
    large = pa.types.is_large_binary(kind)
    _, offsets, data = array.buffers()
    if offsets is None or not len(array):
        empty = pa.array([], pa.uint64())
        return _buffer(data), empty, empty
    places = pa.Array.from_buffers(
        pa.int64() if large else pa.int32(), len(array) + 1, [None, offsets], offset=array.offset
    ).cast(pa.uint64())
    begins = places.slice(0, len(array))
    return _buffer(data), begins, pc.subtract(places.slice(1), begins)


def not_bytes(kind: str, *, is_text: bool) -> WireloomError:
    """Return the error for a column of another type. ``is_text``: whether the column is text that contains bytes in
    some encoding."""
    if is_text:
        return WireloomError(
            f"blobs must be a column of bytes, found text ({kind}): decode it first (base64 by"
            " base64.b64decode, in Spark by unbase64)"
        )
    return WireloomError(f"blobs must be a column of bytes, found {kind}: give a binary column")


def _buffer(data: pa.Buffer | None) -> Any:
    return data if data is not None else b""
