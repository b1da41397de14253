"""Selection of the row reader, or the decoder of units, for a format, and the readers that wrap another: rows whose
unit ends with a marker, and rows that depend on values computed before them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import engine
from ..format.description import Format
from ..format.program import PRESENCE
from .reader import FEW_DAMAGES, FillResult, RowDamage, RowReader, Settings
from .zero_runs import fill_before

if TYPE_CHECKING:
    from ..input.window import Window
    from ..objects.structs import Struct
    from .messages.decoding import UnitDecoder
    from .unit_states import ReaderState


ENGINE, OBJECTS = "columns", "objects"
"""The names of the two row readers in reports: the engine, which fills columns, and the object parser."""


def name_of(format: Format, projected: Sequence[int] = ()) -> str:
    """Return ``ENGINE`` if the engine reads this format with the columns of these numbers, ``OBJECTS`` if the object
    parser does."""
    if not format.refused_columns.isdisjoint(projected):
        return OBJECTS
    program = format.message_program if format.message is not None else format.program
    return ENGINE if engine.available and program is not None else OBJECTS


def make(name: str, format: Format, root: Struct | None, settings: Settings) -> RowReader:
    """Return the row reader with that name. ``root``: the object whose attributes before the rows were read, if any."""
    if format.distinct:
        from .distinct_rows import DistinctRows

        # Look-ups into the table find the last row with a key, also if it equals an earlier one.
        every = replace(format, distinct=False)
        return DistinctRows(
            format,
            settings,
            lambda how: make(name_of(every, how.projected) if name == ENGINE else name, every, root, how),
        )
    if not format.looked_up_columns.isdisjoint(settings.projected):
        from .look_ups import LookUpReader

        def made(table: Format, how: Settings) -> RowReader:
            return make(name_of(table, how.projected), replace(table, distinct=False), root, how)

        return LookUpReader(format, settings, made)
    if format.has_marker:
        return MarkedRows(format, root, _reader(name, format, root, settings))
    return _reader(name, format, root, settings)


def _reader(name: str, format: Format, root: Struct | None, settings: Settings) -> RowReader:
    if name == ENGINE:
        from .engine_reader import EngineRowReader

        assert format.program is not None
        names = (*format.program.input_registers, *(each.name for each in format.program.known))
        doubtful = _doubtful(format, names) if names else ()
        if not doubtful:
            return EngineRowReader(format, root, settings)
        by_objects = partial(_reader, OBJECTS, format, settings=settings)
        return DoubtfulValues(doubtful, root, partial(EngineRowReader, format, settings=settings), by_objects)
    from .object_reader import ObjectRowReader

    return ObjectRowReader(format, root, settings)


def _doubtful(format: Format, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names that the root may lack after it has been read: of instances, and of attributes of objects in it,
    which may be damaged. An attribute of its own and its byte order it always has."""
    attributes = {*format.root_class._fields, "_is_le"}
    plain = (each.removeprefix(PRESENCE) for each in names)
    return tuple(each for each in dict.fromkeys(plain) if each not in attributes)


def decoder_of(name: str, format: Format, projected: Sequence[int], **settings: Any) -> UnitDecoder:
    """Return the decoder with that name for the format's columns of these numbers. ``settings``: those of
    ``ObjectDecoder``; ``max_computed`` does not apply to the engine, which computes no text."""
    if name == ENGINE:
        from .messages.engine_decoder import EngineDecoder

        return EngineDecoder(
            format, projected, **{key: each for key, each in settings.items() if key != "max_computed"}
        )
    from .messages.object_decoder import ObjectDecoder

    return ObjectDecoder(format, projected, **settings)


class MarkedRows:
    """Reads units with a marker. Some units may lack one that is not at their end."""

    def __init__(self, format: Format, root: Struct | None, row_reader: RowReader) -> None:
        self._format = format
        self._row_reader = row_reader
        self._capacity = sys.maxsize
        self._look_for(root)

    def begin(self, root: Struct | None) -> None:
        """Implement ``RowReader.begin``."""
        self._row_reader.begin(root)
        self._look_for(root)

    def _look_for(self, root: Struct | None) -> None:
        marker, lead = self._format.marker_in(root), self._format.marker_lead
        self._size = len(marker)
        self._marker = re.compile(re.escape(marker))
        self._ends_units = lead < 0
        # From the beginning of a marker to that of the unit that it shows.
        self._to_unit = self._size if self._ends_units else -lead

    def state(self, offset: int) -> ReaderState:
        """Implement ``RowReader.state``."""
        return self._row_reader.state(offset)

    def resume(self, offset: int, state: ReaderState) -> None:
        """Implement ``RowReader.resume``."""
        self._row_reader.resume(offset, state)

    def fill(
        self, window: Window, *, capacity: int, at_start: bool = False, stop: int = -1, filtered: bool = False
    ) -> FillResult:
        """Implement ``RowReader.fill``. A damaged unit is lost if its length leads past the next marker."""
        # What is read after a lost unit is read again, so the next fill is small.
        capacity = min(capacity, self._capacity)
        self._capacity = min(2 * self._capacity, sys.maxsize)
        fill = partial(self._row_reader.fill, window, capacity=capacity, at_start=at_start, filtered=filtered)
        filled = fill(stop=stop)
        for damage in filled.damages:
            if not damage.inside and (is_past := self._is_past_marker(window, damage)) is not False:
                self._capacity = FEW_DAMAGES
                return fill_before(damage, window, lambda end: fill(stop=end), is_lost=is_past is True)
        return filled

    def _is_past_marker(self, window: Window, damage: RowDamage) -> bool | None:
        """Return whether a damaged unit has no marker at its end, and the next one begins in it, or right after the
        marker that begins in it or at its end; ``None``: more input is needed. If it begins later, the marker of the
        unit itself may be damaged."""
        begin, end = damage.begin - window.base, damage.end - window.base
        if self._ends_units:
            if end - self._size >= begin and self._marker.match(window.view, end - self._size):
                return False
            last = end + self._size
        else:
            # Of units that begin in it.
            begin, last = begin + 1 - self._to_unit, end - 1 - self._to_unit + self._size
        if self._marker.search(window.view, begin, last):
            return True
        return False if window.at_end or len(window.view) >= last else None

    def resync(self, window: Window, begin: int, *, proven: bool = False) -> tuple[bool, int]:
        """Implement ``RowReader.resync``: the next unit is that of the next marker, as for byte ranges, whether it is
        valid or not, unless the input ends there. The byte before ``begin`` may be the first one of a marker."""
        first = begin - (1 if self._ends_units else self._to_unit)
        found = self._marker.search(window.view, max(window.begin, first))
        unit = found.start() + self._to_unit if found else 0
        if found and unit < len(window.view):
            return True, unit
        if found and not window.at_end:
            return False, found.start()
        return False, max(window.begin, len(window.view) - self._size + 1 + min(0, self._to_unit))


LARGEST = (1 << 63) - 1


class DoubtfulValues:
    """Reads by the engine, or with objects if the object before the rows lacks a value that the engine needs, or has
    one that does not fit a register. ``names``: those of such values."""

    def __init__(
        self,
        names: tuple[str, ...],
        root: Struct | None,
        by_engine: Callable[[Struct | None], RowReader],
        by_objects: Callable[[Struct | None], RowReader],
    ) -> None:
        self._names = names
        self._makers = by_objects, by_engine
        self._readers: dict[bool, RowReader] = {}
        self.begin(root)

    def begin(self, root: Struct | None) -> None:
        """Implement ``RowReader.begin``."""
        fits = all(_fits(root, name) for name in self._names)
        found = self._readers.get(fits)
        if found is None:
            found = self._readers[fits] = self._makers[fits](root)
        else:
            found.begin(root)
        self._reader = found

    def state(self, offset: int) -> ReaderState:
        """Implement ``RowReader.state``."""
        return self._reader.state(offset)

    def resume(self, offset: int, state: ReaderState) -> None:
        """Implement ``RowReader.resume``."""
        self._reader.resume(offset, state)

    def fill(
        self, window: Window, *, capacity: int, at_start: bool = False, stop: int = -1, filtered: bool = False
    ) -> FillResult:
        """Implement ``RowReader.fill``."""
        return self._reader.fill(window, capacity=capacity, at_start=at_start, stop=stop, filtered=filtered)

    def resync(self, window: Window, begin: int, *, proven: bool = False) -> tuple[bool, int]:
        """Implement ``RowReader.resync``."""
        return self._reader.resync(window, begin, proven=proven)


def _fits(root: Struct | None, name: str) -> bool:
    # Imported here: rows read by the engine need no generated classes.
    from ..objects.errors import FAILURES
    from .loaded_programs import value_before_rows

    try:
        value = value_before_rows(root, name)
    except FAILURES:
        return False
    if value is None:
        # An attribute may be absent.
        return "." in name
    return not isinstance(value, int) or -LARGEST <= value <= LARGEST
