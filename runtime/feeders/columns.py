"""Rows by the engine: Arrow buffers are allocated, filled in one call, and wrapped without a copy."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa

from .. import engine
from ..format import Format
from ..program import ColumnProgram, Storage
from ..report import REASONS
from ..window import Window
from . import BATCH_BYTES, Filled, RowDamage, Settings, Status, label_array

if TYPE_CHECKING:
    from ..parsing.structs import Struct

DAMAGES = 1024
"""Damaged rows that one fill can note."""
DAMAGE = struct.Struct("<QQqII")
OFFSET_SIZE = 4


_loaded: dict[int, tuple[ColumnProgram, Any]] = {}
"""Programs as the engine has loaded them, by identity: there are as many as formats."""


def _load(program: ColumnProgram) -> Any:
    found = _loaded.get(id(program))
    if found is None:
        found = _loaded[id(program)] = (program, cast(Any, engine).Program(program.pack()))
    return found[1]


class ColumnFeeder:
    """As ``Feeder``."""

    def __init__(self, format: Format, root: Struct | None, settings: Settings) -> None:
        program = format.program
        assert program is not None
        self._columns = program.columns
        self._settings = settings
        self._program = _load(program)
        self._preset = tuple(int(getattr(root, name)) for name in program.preset)
        self._types: Sequence[Any] = [field.type for field in format.schema]
        self._labels = {number: each.labels for number, each in enumerate(format.columns) if each.labels}

    def fill(self, window: Window, *, capacity: int, at_start: bool = False, stop: int = -1) -> Filled:
        """As ``Feeder.fill``."""
        settings = self._settings
        left = len(window.view) - window.begin
        # A row has at least one byte, and its data is never more than its bytes.
        capacity = min(capacity, max(left, 1))
        room = dict.fromkeys(settings.wanted, min(BATCH_BYTES, left))
        while True:
            buffers = {number: self._buffers(number, capacity, room[number]) for number in settings.wanted}
            offsets = pa.allocate_buffer(8 * capacity) if settings.offsets else None
            damages = bytearray(DAMAGE.size * DAMAGES)
            result = engine.fill(
                self._program,
                window.view,
                window.begin,
                len(window.view),
                base_offset=window.base,
                at_end=window.at_end,
                at_start=at_start,
                capacity=capacity,
                columns=tuple(buffers.get(number) for number in range(len(self._columns))),
                offsets=offsets,
                damages=damages,
                padding=settings.padding,
                max_record=settings.max_record,
                stop=stop,
                verify=settings.verify,
                null_rows=settings.null_rows,
                preset=self._preset,
            )
            rows, consumed, status, reason, position, needed, damage_count, null_counts, data_used = result
            if status != Status.NO_ROOM:
                break
            room[reason] = needed
        noted = [
            RowDamage(begin, end, row, REASONS[number])
            for begin, end, row, number, _ in DAMAGE.iter_unpack(memoryview(damages)[: DAMAGE.size * damage_count])
        ]
        return Filled(
            rows,
            {
                number: self._array(number, buffers[number], rows, null_counts[number], data_used[number])
                for number in settings.wanted
            },
            pa.Array.from_buffers(pa.uint64(), rows, [None, offsets]) if offsets is not None else None,
            noted,
            consumed,
            Status(status),
            position,
            REASONS[reason],
        )

    def resync(self, window: Window, begin: int) -> tuple[bool, int]:
        """As ``Feeder.resync``."""
        status, index = engine.resync(
            self._program,
            window.view,
            begin,
            len(window.view),
            base_offset=window.base,
            at_end=window.at_end,
            padding=self._settings.padding,
            max_record=self._settings.max_record,
            preset=self._preset,
        )
        return status == 0, index

    def _buffers(self, number: int, capacity: int, room: int) -> tuple[Any, ...]:
        """Validity and values; for bytes and text validity, offsets and data."""
        validity = bytearray((capacity + 7) // 8)
        storage = self._columns[number]
        if storage is Storage.VARIABLE:
            return (
                validity,
                pa.allocate_buffer(OFFSET_SIZE * (capacity + 1)),
                pa.allocate_buffer(max(room, 1), resizable=True),
            )
        return validity, pa.allocate_buffer(storage * capacity)

    def _array(self, number: int, buffers: tuple[Any, ...], rows: int, nulls: int, used: int) -> pa.Array:
        validity = pa.py_buffer(buffers[0]) if nulls else None
        kind = self._types[number]
        if self._columns[number] is Storage.VARIABLE:
            _, offsets, data = buffers
            data.resize(used, shrink_to_fit=True)
            return pa.Array.from_buffers(kind, rows, [validity, offsets, data], nulls)
        if number in self._labels:
            numbers = pa.Array.from_buffers(pa.int64(), rows, [validity, buffers[1]], nulls)
            return label_array(numbers, self._labels[number])
        if kind == pa.bool_():
            # The engine stores a byte per value, Arrow a bit.
            return pa.Array.from_buffers(pa.uint8(), rows, [validity, buffers[1]], nulls).cast(kind)
        return pa.Array.from_buffers(kind, rows, [validity, buffers[1]], nulls)
