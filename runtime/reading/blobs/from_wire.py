"""``from_wire``: a column of blobs to a column of lists of rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...base.errors import WireloomError
from ...base.options import documented
from ...format.description import Format
from ...rows.numbers import value_array
from ..options import ScanOptions
from .reader import SHOWN_OPTIONS, BlobReader, BlobReport, not_bytes


def from_wire(array: Any, format: str | Path | Format, **options: Any) -> Any:
    """Decode a column of blobs to a column of lists of structs (``list<struct>``), the rows of each blob.

    - ``array``: a ``pyarrow.Array`` or ``ChunkedArray``, or a series of another library, of type ``binary``,
      ``large_binary``, ``fixed_size_binary`` or ``binary_view``. The result has the same length, and null for a null. A
      chunked array needs less memory; its result may have more chunks.
    - ``format``: a format whose input is one message, such as ``kpl_aggregated_record``.
    - ``mode``: with ``permissive`` and ``dropmalformed``, a damaged blob becomes null, or the rows before the damage if
      these are valid. If ``_error`` or ``_corrupt_record`` is among the ``columns``, ``permissive`` adds a struct of
      nulls with the reason or the bytes. ``failfast`` raises an error.
    - ``columns``, ``verify``, ``allow_modules``, ``max_record``, ``batch_rows`` and the options of the format: as in
      ``wireloom.scan``.

    Raises ``DamagedInputError`` with the number of the blob, ``UnknownNameError``, and ``UnsupportedError`` for a
    format whose input is not a single message.
    """
    made, _ = from_wire_with_report(array, format, **options)
    return made


def from_wire_with_report(array: Any, format: str | Path | Format, **options: Any) -> tuple[Any, BlobReport]:
    """Decode a column of blobs like ``from_wire``; return the result and a report of the damaged blobs."""
    reader = BlobReader(format, options)
    if hasattr(array, "__arrow_c_stream__") and not isinstance(array, pa.ChunkedArray):
        array = pa.chunked_array(array)
    if isinstance(array, pa.ChunkedArray):
        chunks: list[pa.Array] = []
        first = 0
        for chunk in array.chunks:
            chunks += reader.chunks(chunk, first)
            first += len(chunk)
        return pa.chunked_array(chunks, pa.list_(pa.struct(reader.schema))), reader.report
    return reader.lists(_array(array)), reader.report


documented(from_wire, ScanOptions, SHOWN_OPTIONS)
documented(from_wire_with_report, ScanOptions, SHOWN_OPTIONS)


def _array(array: Any) -> pa.Array:
    if isinstance(array, pa.Array):
        return array
    if hasattr(array, "__arrow_c_array__"):
        return pa.array(array)
    if isinstance(array, Sequence) and not isinstance(array, str | bytes):
        if any(isinstance(each, str) for each in array):
            # Arrow would treat the characters as bytes.
            raise not_bytes("str", is_text=True)
        try:
            return value_array(array, pa.binary())
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise WireloomError(f"blobs must be a list of bytes or None: {error}") from error
    raise WireloomError(f"blobs must be an Arrow array of bytes, found {type(array).__name__}")
