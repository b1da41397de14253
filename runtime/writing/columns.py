"""Plain rows encoded by the engine: from Arrow's buffers to the bytes of rows, without a Python object per row."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat
from operator import add
from typing import Any

import pyarrow as pa

from .. import engine
from ..checksums import Function, algorithm, function
from ..engine import EncodeStatus, Holds
from ..format.columns import PlainRow, RowChecksum
from ..format.description import Format
from ..format.program import Kind


class PlainEncoder:
    """Encoder of the plain rows of a format."""

    def __init__(self, row: PlainRow) -> None:
        self._row = row
        self._head = struct.Struct(row.head)
        self._checksum = None if row.checksum is None else checksum_function(row.checksum)
        self.fields = {each for each in (*row.fields, row.content) if isinstance(each, str) and each}
        """The fields of the row object whose values are required."""

    def encode(self, values: Mapping[str, Sequence[Any]], count: int) -> list[bytes]:
        """Return the encoded bytes of ``count`` rows.

        Raises ``struct.error``, ``TypeError``, ``AttributeError`` or ``UnicodeEncodeError`` for a value that does not
        fit.
        """
        row, none = self._row, [b""] * count
        contents: Sequence[bytes] = values[row.content] if row.content else none
        if row.is_text:
            contents = [text.encode() for text in values[row.content]]
        columns: list[Any] = [self._column(each, values, contents) for each in row.fields]
        if row.checksum is not None and self._checksum is not None:
            place = row.fields.index(None)
            columns[place] = repeat(self._stand_in(place, row.checksum))
            columns[place] = self._checksums(row.checksum, self._checksum, columns, contents)
        heads = map(self._head.pack, *columns) if columns else iter(none)
        return list(map(add, heads, contents)) if row.content else list(heads)

    @staticmethod
    def _column(field: str | int | None, values: Mapping[str, Sequence[Any]], contents: Sequence[bytes]) -> Any:
        return [len(each) + field for each in contents] if isinstance(field, int) else values.get(field or "")

    def _stand_in(self, place: int, checksum: RowChecksum) -> int:
        """Return the value of the checksum's field while the checksum is computed."""
        size = struct.calcsize(self._row.letters[place])
        return int.from_bytes(bytes([checksum.replace]) * size, "little")

    def _checksums(
        self, checksum: RowChecksum, compute: Function, columns: list[Any], contents: Sequence[bytes]
    ) -> list[int]:
        start, end = checksum.start, checksum.end
        if start >= self._head.size:
            return list(map(compute, contents))
        heads = (head[start:end] for head in map(self._head.pack, *columns))
        sums = map(compute, heads)
        return list(map(compute, contents, sums) if end is None else sums)


def checksum_function(checksum: RowChecksum) -> Function:
    """Return the function that computes the checksum of a row."""
    return function(algorithm(checksum.algorithm, checksum.initial, checksum.final_xor))


BLOCK = 1 << 20
"""Bytes that are encoded at a time: they stay in the processor's cache until they are written or compressed."""

TYPES = {
    "B": pa.uint8(), "H": pa.uint16(), "I": pa.uint32(), "Q": pa.uint64(), "f": pa.float32(),
    "b": pa.int8(), "h": pa.int16(), "i": pa.int32(), "q": pa.int64(), "d": pa.float64(),
}  # fmt: skip
"""Arrow types whose values the engine encodes without conversion, by the letters of the ``struct`` module."""


class RefusedRowError(Exception):
    """A row that the engine does not write; the generated class reports why. ``row``: its number in the batch."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


class ColumnEncoder:
    """Encoder of the plain rows of a format. Requires ``engine.available``."""

    def __init__(self, format: Format, plain: PlainRow, *, padding: int, max_record: int) -> None:
        self._format = format
        self._plain = plain
        self._padding = padding
        self._max_record = max_record

    def blocks(self, arrays: Mapping[str, pa.Array], rows: int) -> Iterator[memoryview]:
        """Yield the encoded bytes of a batch in blocks of complete rows.

        ``arrays``: by field of the row, its stored values, without nulls. Each block has memory of its own, which
        belongs to the caller. Raises ``RefusedRowError`` after the last row before one that cannot be written, and at
        once if the arrays have types that the engine does not support.
        """
        fields, keep = self._fields(arrays)
        offsets, data = self._bytes(arrays)
        # Encoding a block evicts Python from the processor's cache, so every step per block in Python is slow.
        encode = partial(
            engine.encode,
            tuple(fields),
            offsets,
            data,
            rows=rows,
            checksum=self._checksum(),
            delimiter=self._format.delimiter,
            stuffing=self._format.stuffing.packed,
            padding=self._padding,
            max_record=self._max_record,
        )
        first, room = 0, BLOCK
        while first < rows:
            out = pa.allocate_buffer(room)
            done, size, status, needed = encode(first=first, out=out)
            first += done
            room = max(BLOCK, needed)
            if size:
                yield memoryview(out)[:size]
            if status == EncodeStatus.REFUSED:
                raise RefusedRowError(first)
        del keep

    def _fields(
        self, arrays: Mapping[str, pa.Array]
    ) -> tuple[list[tuple[int, int, memoryview | None, int]], list[pa.Array]]:
        """Return the engine's view of the fixed fields, and the arrays that own their memory."""
        fields: list[tuple[int, int, memoryview | None, int]] = []
        owners: list[pa.Array] = []
        for letter, field in zip(self._plain.letters, self._plain.fields, strict=True):
            kind = int(_kind(letter, self._plain.head[0]))
            if isinstance(field, str):
                array = _stored(arrays[field], TYPES[letter])
                owners.append(array)
                fields.append((kind, Holds.COLUMN, _values(array), 0))
            elif field is not None:
                fields.append((kind, Holds.SIZE, None, field))
            else:
                fields.append((kind, Holds.CHECKSUM, None, 0))
        return fields, owners

    def _bytes(self, arrays: Mapping[str, pa.Array]) -> tuple[memoryview | None, memoryview | None]:
        if not self._plain.content:
            return None, None
        array = arrays[self._plain.content]
        if array.type != (pa.string() if self._plain.is_text else pa.binary()):
            raise RefusedRowError(0)
        _, offsets, data = array.buffers()
        if offsets is None:
            # Arrow allows arrays without rows to have no buffers.
            return memoryview(bytes(4)), memoryview(b"")
        begin = 4 * array.offset
        return memoryview(offsets)[begin : begin + 4 * (len(array) + 1)], memoryview(data or b"")

    def _checksum(self) -> tuple[Function, int, int, int] | None:
        checksum = self._plain.checksum
        if checksum is None:
            return None
        end = -1 if checksum.end is None else checksum.end
        return checksum_function(checksum), checksum.replace, checksum.start, end


def _kind(letter: str, order: str) -> Kind:
    """Return the kind of a number of the ``struct`` module."""
    size, order = TYPES[letter].bit_width // 8, "BE" if order == ">" else "LE"
    return Kind[f"{'F' if letter in 'fd' else 'U' if letter.isupper() else 'S'}{size}{order * (size > 1)}"]


def _stored(array: pa.Array, wanted: pa.DataType) -> pa.Array:
    """Return the values with the number of bits that they have in the encoded bytes."""
    if array.type == wanted:
        return array
    if pa.types.is_integer(array.type) and pa.types.is_integer(wanted):
        try:
            return array.cast(wanted)
        except pa.ArrowInvalid:
            raise RefusedRowError(0) from None
    raise RefusedRowError(0)


def _values(array: pa.Array) -> memoryview:
    width = array.type.bit_width // 8
    buffer = array.buffers()[1]
    if buffer is None:
        return memoryview(b"")
    return memoryview(buffer)[array.offset * width : (array.offset + len(array)) * width]
