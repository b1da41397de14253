"""Computed columns: programs of the engine over the arrays of other columns, whose rows are those of the batch."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ... import engine
from ...format.message_program import ComputedSource, InputSource
from ...format.program import Kind, Storage
from ..loaded_programs import loaded_program
from ..nested_columns import MOST, trim

BITS, BYTES, SIZES = len(Kind), len(Kind) + 1, len(Kind) + 2
"""Kinds of arrays beside those of integers, numbered as in ``runtime/engine/engine.h``."""
ORDER = sys.byteorder[0].upper() + "E"
LEAST_BYTES = 4096


class ComputedColumn:
    """A computed column of the Arrow type ``kind``."""

    def __init__(self, source: ComputedSource, kind: pa.DataType) -> None:
        self._inputs = source.inputs
        self._program = loaded_program(source.program)
        self._kind = kind
        self._is_variable = source.program.columns[0] is Storage.VARIABLE
        self._schema = pa.schema([pa.field("", pa.uint8() if kind == pa.bool_() else kind)])

    def array(self, columns: Mapping[str, pa.Array], rows: int) -> pa.Array:
        """Return the values of a number of rows. ``columns``: by name, those of the inputs."""
        arrays = tuple(_parts(columns[each.column], each) for each in self._inputs)
        size = max(LEAST_BYTES, min(MOST, sum(len(each[4] or b"") for each in arrays)))
        found: list[pa.Array] = []
        first = 0
        while first < rows or not found:
            layout = (self._program, b"\1", rows - first, False)
            arena = pa.allocate_buffer(engine._engine.arena_size(*layout, ()))
            data = (pa.allocate_buffer(size, resizable=True),) if self._is_variable else ()
            _, made, needed, nulls, used = engine._engine.compute(
                self._program, arrays, first, rows - first, b"\1", arena, data
            )
            size, first = max(size, needed), first + made
            for each in data:
                trim(each, used[0])
            _, address = engine._engine.export_arena(*layout, arena, data, made, nulls)
            found.append(pa.RecordBatch._import_from_c(address, self._schema).column(0))
        array = found[0] if len(found) == 1 else pa.concat_arrays(found)
        return array.cast(pa.bool_()) if self._kind == pa.bool_() else array


def _parts(array: pa.Array, source: InputSource) -> tuple[Any, ...]:
    """Return the kind, the first element and the buffers of the values of an input, and the offsets of the lists that
    contain them with the number of the first list."""
    for name in source.path:
        array = pc.struct_field(array, name)
    lists, first = None, 0
    if source.item is not None:
        lists, first, array = array.buffers()[1], array.offset, array.values
        for name in source.item:
            array = pc.struct_field(array, name)
    if pa.types.is_float32(array.type):
        array = array.cast(pa.float64())
    kind, buffers = array.type, array.buffers()
    is_variable = pa.types.is_binary(kind) or pa.types.is_string(kind)
    data = buffers[2] if is_variable else None
    return _number(kind), array.offset, buffers[0], buffers[1], data, lists, first


def _number(kind: pa.DataType) -> int:
    if pa.types.is_boolean(kind):
        return BITS
    if pa.types.is_list(kind):
        return SIZES
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return BYTES
    size, unsigned = kind.bit_width // 8, pa.types.is_unsigned_integer(kind)
    # Floats as the integers of their bits.
    return Kind[f"{'U' if unsigned else 'S'}{size}{ORDER if size > 1 else ''}"]
