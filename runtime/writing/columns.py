"""Plain rows encoded by the engine: from Arrow's buffers to the bytes of rows, without a Python object per row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import pyarrow as pa

from .. import engine
from ..checksums import Function, function
from ..engine import EncodeStatus, Holds
from ..format.description import Format
from ..format.program import Kind
from .plain import END, PlainRow, algorithm_of

BLOCK = 1 << 20
"""Bytes that are encoded at a time: they stay in the processor's cache until they are written or compressed."""

TYPES = {
    Kind.U1: pa.uint8(), Kind.U2LE: pa.uint16(), Kind.U2BE: pa.uint16(), Kind.U4LE: pa.uint32(),
    Kind.U4BE: pa.uint32(), Kind.U8LE: pa.uint64(), Kind.U8BE: pa.uint64(), Kind.S1: pa.int8(),
    Kind.S2LE: pa.int16(), Kind.S2BE: pa.int16(), Kind.S4LE: pa.int32(), Kind.S4BE: pa.int32(),
    Kind.S8LE: pa.int64(), Kind.S8BE: pa.int64(), Kind.F4LE: pa.float32(), Kind.F4BE: pa.float32(),
    Kind.F8LE: pa.float64(), Kind.F8BE: pa.float64(),
}  # fmt: skip
"""Arrow types whose values the engine encodes without conversion."""


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
            stuffing=int(self._format.stuffing),
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
        for slot in self._plain.slots:
            if slot.field is not None:
                array = _stored(arrays[slot.field], slot.kind)
                owners.append(array)
                fields.append((int(slot.kind), Holds.COLUMN, _values(array), 0))
            elif slot.added is not None:
                fields.append((int(slot.kind), Holds.SIZE, None, slot.added))
            else:
                fields.append((int(slot.kind), Holds.CHECKSUM, None, 0))
        return fields, owners

    def _bytes(self, arrays: Mapping[str, pa.Array]) -> tuple[memoryview | None, memoryview | None]:
        if self._plain.blob is None:
            return None, None
        array = arrays[self._plain.blob]
        if array.type != (pa.string() if self._plain.text else pa.binary()):
            raise RefusedRowError(0)
        _, offsets, data = array.buffers()
        if offsets is None:
            # Arrow allows arrays without rows to have no buffers.
            return memoryview(bytes(4)), memoryview(b"")
        begin = 4 * array.offset
        return memoryview(offsets)[begin : begin + 4 * (len(array) + 1)], memoryview(data or b"")

    def _checksum(self) -> tuple[Function, int, int, int] | None:
        rule = self._plain.rule
        if rule is None:
            return None
        begin, end = self._plain.covered
        last = -1 if end == END else end
        return function(algorithm_of(rule)), max(rule.replace, 0), begin, last


def _stored(array: pa.Array, kind: Kind) -> pa.Array:
    """Return the values with the number of bits that they have in the encoded bytes."""
    wanted = TYPES[kind]
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
