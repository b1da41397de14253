"""Rows read by the engine: memory is allocated, filled in one call, and wrapped as a record batch without a copy.

A batch has one block of memory for all fixed-size values, offsets and bitmaps, and one for the data of each column of
bytes or text. They live as long as the batch, a slice of it or one of its columns, so select only the columns that you
keep.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from .. import engine
from ..base.report import NESTED, too_much_computed
from ..engine import _engine
from ..format.description import Format
from ..format.program import PRESENCE, Op, Reason
from ..format.program_words import MOST_ITEMS
from ..input.window import Window
from .block_decompression import BlockDecompressor
from .carried_values import STATELESS, CarriedValues
from .decimals import decimal_array
from .loaded_programs import load, value_before_rows
from .maps_and_unions import to_schema_type
from .nested_columns import MOST, Filling, Room, expected_rows, trim
from .predicates import packed
from .reader import (
    BATCH_BYTES,
    FEW_DAMAGES,
    BatchColumns,
    FillResult,
    LastUnit,
    RowDamage,
    Settings,
    Status,
    label_array,
)
from .unit_states import PackedVariables, ReaderState, bits_of

if TYPE_CHECKING:
    from ..objects.structs import Struct

DAMAGES = 1024
"""Maximum number of damaged rows that one fill records."""
DAMAGE = struct.Struct("<QQQQII")
WORDS = tuple(each.word for each in Reason)
"""The engine's reasons as reports have them, by number."""

WHOLE_BYTES = 64 * 1024 * 1024
"""Maximum data size in bytes that is allocated for a column if the whole input is one batch: at most its size."""
EXPECTED_EXPANSION = 16
"""Expected maximum of the size of the content of compressed blocks divided by that of their bytes."""
LEAST_FILTERED = 1024
"""Number of rows allocated at first if few may match predicates, since a batch keeps all memory allocated for it."""
FEW_ITEMS = 1024
"""Number of items of a list allocated before the usual number per row is known."""

Layout = tuple[Any, bytes, int, bool, tuple[int, ...]]
"""Parameters of an arena's layout: program, projected columns, rows, whether offsets are recorded, items by level."""


class EngineRowReader:
    """Implements ``RowReader``."""

    def __init__(self, format: Format, root: Struct | None, settings: Settings) -> None:
        loaded = load(format)
        self._settings = settings
        self._loaded = loaded
        self._variables = format.variables
        self._carried: CarriedValues | None = None
        self._input_registers: tuple[int, ...] = ()
        self._is_whole = loaded.source.whole
        self._has_units = bool(format.rows_path)
        """Whether damage may be inside a unit. To the engine, a row that has a size is a unit
        too."""
        expands = bool(loaded.source.expansions)
        self._decompressor = (
            BlockDecompressor(loaded.source, settings.block_cache, ahead=settings.ahead) if expands else None
        )
        self._has_json = any(each.op is Op.COLUMN_JSON for each in loaded.source.steps)
        self.begin(root)
        self._projected = loaded.projected(settings.projected)
        self._least_size = loaded.least_size
        self._density = 0.0  # the largest number of rows per byte so far
        self._widths: dict[int, float] = {}
        """Data bytes per row of variable columns, as far as they have been met."""
        self._items = [0.0] * loaded.levels
        """Items per row of each level, as far as they have been met."""
        self._predicates = packed(settings.predicates, dict(self._projected.columns)) if settings.predicates else b""
        self._filtered_capacity = LEAST_FILTERED
        """Expected maximum of the number of rows that match the predicates."""

    def begin(self, root: Struct | None) -> None:
        """Implement ``RowReader.begin``."""
        program = self._loaded.source
        self._program = self._loaded.knowing(root) if program.known else self._loaded.program
        if program.running_checksums or self._variables:
            self._carried = self._carried_before_units(root)
        if program.input_registers:
            self._input_registers = tuple(_register(root, name) for name in program.input_registers)
        if self._decompressor is not None:
            self._decompressor.forget()

    def _carried_before_units(self, root: Struct | None) -> CarriedValues:
        values: Iterable[Any] = self._loaded.source.variables
        if root is not None and self._variables:
            # Objects before the rows may have set them.
            from ..objects.variables import state_of

            values = state_of(root, self._variables)
        start = 0 if root is None else root._io.pos()
        return CarriedValues(self._loaded.source.running_checksums, PackedVariables.beginning(values), start)

    def state(self, offset: int) -> ReaderState:
        """Implement ``RowReader.state``."""
        return STATELESS if self._carried is None else self._carried.state(offset)

    def resume(self, offset: int, state: ReaderState) -> None:
        """Implement ``RowReader.resume``."""
        if self._carried is not None and isinstance(state.variables, PackedVariables):
            self._carried.resume(offset, state.variables)

    def fill(
        self, window: Window, *, capacity: int, at_start: bool = False, stop: int = -1, filtered: bool = False
    ) -> FillResult:
        """Implement ``RowReader.fill``. At most ``DAMAGES`` damaged rows are recorded."""
        settings, columns, carried = self._settings, self._projected, self._carried
        if self._decompressor is not None:
            self._decompressor.read_on(window)
        left = len(window.view) - window.begin
        # The content of compressed blocks is larger than their bytes, by how much is only known afterwards.
        content = left if self._decompressor is None else max(EXPECTED_EXPANSION * left, BATCH_BYTES)
        # Room for one row more than possible: only then the fill reports what is after the last one.
        capacity = min(capacity, content // self._least_size + 1, self._filtered_capacity if filtered else capacity)
        # The data of a row is never larger than its content, unless it comes from objects around the rows.
        most = min(WHOLE_BYTES if self._is_whole else BATCH_BYTES, content)
        # JSON text may be, by the names in it.
        most = max(most, BATCH_BYTES) if self._has_json else most
        rows = expected_rows(self._density, left, capacity) if self._is_whole else capacity
        room = self._room(rows, min(max(capacity, FEW_DAMAGES), DAMAGES), most)
        while True:
            layout = (self._program, columns.flags, room.rows, settings.offsets, room.items)
            arena = pa.allocate_buffer(_engine.arena_size(*layout))
            data = tuple(pa.allocate_buffer(max(size, 1), resizable=True) for size in room.data.values())
            damages = bytearray(DAMAGE.size * room.damages)
            carried_values = stores = None
            if carried is not None:
                carried_values, stores = carried.for_fill(window.base + window.begin, room.damages)
            result = _engine.fill_arena(
                self._program,
                window.view,
                window.begin,
                len(window.view),
                base_offset=window.base,
                at_end=window.at_end,
                at_start=at_start,
                capacity=room.rows,
                wanted=columns.flags,
                offsets=settings.offsets,
                arena=arena,
                data=data,
                damages=damages,
                padding=settings.padding,
                max_record=settings.max_record,
                stop=stop,
                verify=settings.verify,
                null_rows=settings.null_rows,
                input_registers=self._input_registers,
                items=room.items,
                expand=self._decompressor,
                max_items=min(settings.max_computed, sys.maxsize),
                carried_values=carried_values,
                stores=stores,
                predicates=self._predicates if filtered else b"",
            )
            (
                rows,
                filtered_out,
                empty_frames,
                consumed,
                status,
                place,
                position,
                needed,
                damage_count,
                null_counts,
                used,
                items,
                unit,
            ) = result
            if status == Status.NO_ROOM:
                # What was too small: a column's data or, after those, rows, damages or a level of items.
                if self._is_whole and place == len(columns.flags):
                    # Everything is read again, so this should be rare.
                    needed = min(MOST, 4 * needed)
                room = room.grown(place - len(columns.flags), place, needed, most)
            # The estimate was too small: the batch must not be smaller because of it. For rows inside units, the next
            # unit may be what does not fit.
            elif status == Status.BATCH_FULL and needed and rows < capacity and room.data.get(place, most) < most:
                room = replace(room, data={number: max(size, most) for number, size in room.data.items()})
            else:
                break
        if consumed > window.begin:
            is_large = self._decompressor is not None or len(window.view) - consumed > MOST_ITEMS
            if stores is not None and status == Status.NEED_INPUT and is_large:
                # The incomplete unit may have added so many items in vain that they took the place of earlier ones.
                whole = window.base + consumed
                filled = self.fill(window, capacity=capacity, at_start=at_start, stop=whole, filtered=filtered)
                return replace(filled, status=Status.NEED_INPUT)
            if carried is not None:
                carried.stores = stores
        # For a full batch the engine returns the number of the full column in its place.
        reason = Reason.NONE if status == Status.BATCH_FULL else place
        for number, buffer in zip(columns.variable, data, strict=True):
            trim(buffer, used[number])
            if rows * 4 >= capacity or (filtered and rows):
                self._widths[number] = max(self._widths.get(number, 0.0), used[number] / rows)
        if filtered:
            expected = 4 * rows if rows == capacity else max(self._filtered_capacity // 2, 2 * rows)
            self._filtered_capacity = max(LEAST_FILTERED, expected)
        if rows:
            self._density = max(self._density, rows / max(left, 1))
            if items:
                self._items = [max(known, count / rows) for known, count in zip(self._items, items, strict=True)]
        filled = FillResult(
            rows,
            self._columns(layout, arena, data, (rows, *items), null_counts),
            pa.Array.from_buffers(pa.uint64(), rows, [None, arena.slice(0, 8 * rows)]) if settings.offsets else None,
            self._damages(memoryview(damages)[: DAMAGE.size * damage_count]) if damage_count else [],
            consumed,
            Status(status),
            position,
            WORDS[reason],
            _explained(reason, settings) if reason else None,
            last_unit=LastUnit(*unit),
            filtered_out=filtered_out if filtered else None,
            has_empty_frames=empty_frames > 0,
        )
        if carried is not None and carried_values is not None:
            carried.note(filled, window.base, carried_values)
        return filled

    def _damages(self, noted: memoryview) -> list[RowDamage]:
        shows = self._settings.null_rows
        return [
            RowDamage(
                begin,
                end,
                before if shows else -1,
                WORDS[number],
                bool(inside) and self._has_units,
                before,
                inconclusive_end,
            )
            for begin, end, before, inconclusive_end, number, inside in DAMAGE.iter_unpack(noted)
        ]

    def resync(self, window: Window, begin: int, *, proven: bool = False) -> tuple[bool, int]:
        """Implement ``RowReader.resync``."""
        status, index = engine.resync(
            self._program,
            window.view,
            begin,
            len(window.view),
            base_offset=window.base,
            at_end=window.at_end,
            padding=self._settings.padding,
            max_record=self._settings.max_record,
            input_registers=self._input_registers,
            expand=self._decompressor,
            max_items=min(self._settings.max_computed, sys.maxsize),
            carried_values=None if self._carried is None else self._carried.for_search(window.base + begin),
            stores=None if self._carried is None else self._carried.stores_for_search,
            proven=proven,
        )
        return status == 0, index

    def _room(self, rows: int, damages: int, most: int) -> Room:
        """Return the memory to allocate for this many rows: data of columns, at most ``most`` bytes for each, and items
        of lists as in the rows so far, and an eighth more."""
        data, items = dict[int, int](), list[int]()
        for number in self._projected.variable:
            width = self._widths.get(number)
            data[number] = most if width is None else min(most, int(width * rows * 1.125) + 64)
        for each in self._items:
            items.append(min(MOST, max(FEW_ITEMS, int(each * rows * 1.125))))
        return Room(rows, damages, tuple(items), data)

    def _columns(
        self, layout: Layout, arena: Any, data: tuple[Any, ...], lengths: tuple[int, ...], nulls: tuple[int, ...]
    ) -> Mapping[int, pa.Array]:
        if not self._settings.projected:
            return {}
        projected = self._projected
        if projected.is_nested:
            positions = dict(zip(projected.numbers, _engine.arena_places(*layout), strict=True))
            filling = Filling(arena, positions, dict(zip(projected.variable, data, strict=True)), nulls, lengths)
            nodes = zip(self._settings.projected, projected.nodes, strict=True)
            return {number: self._to_schema_type(number, filling.array(node)) for number, node in nodes}
        _, address = _engine.export_arena(*layout[:4], arena, data, lengths[0], nulls)
        columns = BatchColumns(pa.RecordBatch._import_from_c(address, self._projected.schema), self._settings.projected)
        if self._projected.is_plain:
            return columns
        return {number: self._to_schema_type(number, array) for number, array in columns.items()}

    def _to_schema_type(self, number: int, array: pa.Array) -> pa.Array:
        """Return the array converted to its type in the schema."""
        labels = self._projected.labels[number]
        if labels:
            return label_array(array, labels)
        kind = self._projected.kinds[number]
        if pa.types.is_decimal(kind):
            return array if array.type == kind else decimal_array(array, kind)
        if number in self._projected.map_paths:
            return to_schema_type(array, kind, self._projected.map_paths[number])
        return array.cast(pa.bool_()) if number in self._projected.truths else array


def _register(root: Struct | None, name: str) -> int:
    """Return what an input register contains."""
    value = value_before_rows(root, name.removeprefix(PRESENCE))
    return value is not None if name.startswith(PRESENCE) else bits_of(value or 0)


def _explained(reason: int, settings: Settings) -> str | None:
    """Return the message about the limit that ended the reading; ``None`` if it says no more than the reason."""
    if reason == Reason.NESTED:
        return NESTED
    return too_much_computed(settings.max_computed) if reason == Reason.ITEMS else None
