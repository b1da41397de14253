"""The objects of rows, read from their bytes by generated classes, and columns of their values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..base.report import NESTED
from ..format.description import Column, Format
from ..objects.checksums import UNKNOWN, RunningChecksums
from ..objects.computing import Computing, ItemCounter
from ..objects.errors import FAILURES, ChecksumError, ComputedError, deciding, reason_of
from ..objects.kaitai import KaitaiStructError
from ..objects.row_log import LoggedRow, RowLog
from ..objects.row_steps import steps_of
from ..objects.streams import MemoryStream
from ..objects.structs import Struct
from ..objects.variables import state_of
from . import object_values
from .carried_values import ChecksumStates, VariableStates, offsets_to_continue_from
from .late_root import struct_of
from .maps_and_unions import map_paths_of
from .reader import FillResult, Settings
from .unit_states import ReaderState, UnitStates

if TYPE_CHECKING:
    from .unit_states import Variables

STRETCH = 256 * 1024
"""Number of bytes of the window that are copied at once; more if a row is larger."""


class BrokenError(Exception):
    """A row or unit without an end. ``rows``: the rows of the unit that are valid anyway; ``sound``: the offset after
    them."""

    rows: Sequence[LoggedRow] = ()
    sound: int = 0


class IncompleteError(BrokenError):
    """The bytes end inside the row or unit."""

    @classmethod
    def after(cls, rows: Sequence[LoggedRow]) -> IncompleteError:
        """Return the error of a unit that may continue after ``rows``."""
        error = cls()
        error.rows, error.sound = rows, rows[-1].end if rows else 0
        return error


class LostError(BrokenError):
    """The end of the row or unit is unknown; the only argument is the reason."""

    @property
    def reason(self) -> str:
        """Return one of ``wireloom.base.report.REASONS``."""
        return str(self.args[0])

    @property
    def sentence(self) -> str | None:
        """Return details beyond the reason, or ``None``."""
        if isinstance(self.__cause__, RecursionError):
            return NESTED
        return self.__cause__.args[0] if isinstance(self.__cause__, ComputedError) else None


class FirstRefusal(list[KaitaiStructError]):
    """A list of refusals of a row whose first one ends the reading."""

    def append(self, error: KaitaiStructError) -> None:
        """Raise the error."""
        raise error


class FirstOfValue(FirstRefusal):
    """A list of refusals in the bytes at other positions that a value depends on. The first one ends the reading.
    ``verify``: whether checksums count."""

    def __init__(self, *, verify: bool) -> None:
        super().__init__()
        self._verify = verify

    def append(self, error: KaitaiStructError) -> None:
        """Raise the error if it counts."""
        if deciding((error,), verify=self._verify) is not None:
            raise error


def _getter(column: Column) -> Callable[[Any], Any]:
    """Return a function that returns the value of a column of an object; ``None`` for a field of an absent struct."""
    first, *inner = (column.attribute or column.name).split(".")
    outer = attrgetter("_parent." * column.up + first)
    if not inner:
        return outer

    def value(row: Any) -> Any:
        found = outer(row)
        for name in inner:
            found = None if found is None else getattr(found, name)
        return found

    return value


class ObjectRows:
    """Creates the objects of rows, and columns of their values."""

    def __init__(self, format: Format, root: Struct | None, settings: Settings) -> None:
        self.format = format
        self.settings = settings
        self._unit_class = format.unit_class
        self._next_steps = steps_of(format.row_paths, format.units)
        self._of_value = FirstOfValue(verify=settings.verify)
        self.begin(root)
        self.computing = Computing(settings.max_computed)
        columns = [format.columns[number] for number in settings.projected]
        self._columns = [
            object_values.ColumnValues(
                format.schema.field(number).type,
                each.labels,
                unsigned=each.unsigned,
                variants=each.variants,
                absent=each.absent,
                maps=map_paths_of(each),
            )
            for number, each in zip(settings.projected, columns, strict=True)
        ]
        getters = [_getter(each) for each in columns]
        self._steps = [
            (getter, each.parent, column.convert)
            for getter, each, column in zip(getters, columns, self._columns, strict=True)
        ]

    def begin(self, root: Struct | None) -> None:
        """Implement ``RowReader.begin``."""
        self._root: Any = self.format.root_class() if root is None else struct_of(root)
        self._start = 0 if root is None else root._io.pos()
        self._checksum_states: ChecksumStates[RunningChecksums] = ChecksumStates(self._start, {}, UNKNOWN)
        first = state_of(self._root, self.format.variables)
        self._variables = VariableStates(self._start, first)
        self._states = UnitStates(first=first)
        """The states of the current fill or search."""
        self._broken_off: Variables | None = None
        """The variables at the end of an incomplete unit."""
        self.refusals: Sequence[Exception] = ()
        self._unit: Struct | None = None
        """The last unit, if it is valid; a row that is no part of a unit is one too."""

    def state(self, offset: int) -> ReaderState:
        """Implement ``RowReader.state``."""
        return ReaderState(self._variables.at(offset))

    def resume(self, offset: int, state: ReaderState) -> None:
        """Implement ``RowReader.resume``."""
        self._variables = VariableStates(offset, state.values())

    def begin_states(self, offset: int | None = None) -> None:
        """Begin a fill at an offset, or (``None``) a search, for which nothing is known."""
        self._states, self._broken_off = UnitStates(first=self._states.first), None
        if offset is not None:
            self._states.running_checksums[offset] = self._checksum_states.at(offset)
            self.begin_search(offset)
            if self.format.variables:
                # What an incomplete unit sets does not count if nothing of it is returned: it is read again, or lost.
                self._states.variables[offset] = self._states.first

    def begin_search(self, offset: int) -> None:
        """Begin a fill or a search at an offset: variables have the values that they had before it."""
        self._states.first = self._variables.at(offset)

    def keep_states(self, filled: FillResult, base: int) -> None:
        """End a fill: keep the state at the offsets at which reading may continue."""
        states = filled.states = self._states
        for _, offset in offsets_to_continue_from(filled, base):
            if offset in states.running_checksums:
                self._checksum_states.note(offset, states.running_checksums[offset])
            # If a unit is incomplete after some of its rows, variables have the values that it has set so far.
            state = states.variables.get(offset, self._broken_off if offset == base + filled.consumed else None)
            if state is not None:
                self._variables.note(offset, state)

    def take(self, stream: MemoryStream, verify: bool) -> Sequence[LoggedRow]:
        """Return the rows of the next unit of the stream, and its parts that contain none. ``verify``: whether
        checksums are verified.

        Raises ``IncompleteError`` and ``LostError``.
        """
        begin = stream.pos() + stream.origin
        if not self.format.rows_path:
            row, refused = self.parse(stream, verify)
            # A row whose bytes cannot be decoded has no stream of its own.
            at: int = getattr(row, "_io", stream).pos()
            return (LoggedRow(begin, stream.pos() + stream.origin, row, refused, stream_end=at),)
        # The root object takes the first step if it reads units itself.
        depth = 0 if self.format.sized_rows or not self.format.streaming else 1
        steps = self._next_steps[self.format.row_paths[0][0]].after if depth else self._next_steps
        log = RowLog([], verify, begin, steps, depth=depth)
        if not self.format.streaming:
            self._root = self.format.root_class()
        log.holders += [self._root] * depth
        self._root._row_log = log
        try:
            _, refused = self.parse(stream, verify, refusals=log.refusals)
        except BrokenError as error:
            log.drop()
            self._root._row_log = None
            sums = verify and self.format.sums_units and not self.settings.keep_unverified
            doubtful = sums or deciding(log.refusals, verify=verify) is not None
            error.rows, error.sound = () if doubtful else self._with_bytes(log.rows), log.sound
            raise
        finally:
            self._root._row_log = None
        end = stream.pos() + stream.origin
        if end == begin:
            # The rows of an input that is read as a whole may all be at explicit positions.
            end = stream.size() + stream.origin
        if refused is None or deciding(log.refusals, verify=verify) is None:
            return self._with_bytes(log.rows, (begin, end))
        whole = LoggedRow(begin, end, None, refused)
        if self.settings.keep_unverified and deciding(log.refusals, verify=False) is None:
            return (whole, *self._with_bytes(log.rows, (begin, end)))
        return (whole,)

    def _with_bytes(self, rows: Sequence[LoggedRow], outermost: tuple[int, int] | None = None) -> Sequence[LoggedRow]:
        """Return the rows of a unit. A row without bytes that has a value which is refused is damage of its unit, as in
        ``RowLog.lose``. ``outermost``: the begin and the end of this unit; ``None`` if it is not read to its end."""
        for each in [each for each in rows if each.begin == each.end]:
            refused = self.values_at(each.row, each.stream_end)[1]
            if refused is None or not any(each is other for other in rows):
                continue
            unit = outermost if each.unit is None or each.unit[0] == each.unit[1] else each.unit
            if unit is None:
                return ()
            inside = [unit[0] <= begin and end <= unit[1] for begin, end in (row.unit or row[:2] for row in rows)]
            left = [row for row, is_inside in zip(rows, inside, strict=True) if not is_inside]
            index = inside.index(True)
            rows = [*left[:index], LoggedRow(*unit, None, refused, unit != outermost), *left[index:]]
        return rows

    def parse(
        self,
        stream: MemoryStream,
        verify: bool,
        *,
        whole: bool = True,
        refusals: list[KaitaiStructError] | None = None,
    ) -> tuple[Struct | None, str | None]:
        """Return the next row or unit of the stream, and why it is refused (``None`` if it is valid). ``verify``:
        whether checksums are verified. ``whole``: whether a row of which a part is refused is read to its end;
        otherwise it is lost. ``refusals``: a list that receives the refusals.

        The row is ``None`` if it is refused as a whole although its end is known. Raises ``IncompleteError`` and
        ``LostError``.
        """
        if refusals is None:
            refusals = [] if whole else FirstRefusal()
        self.refusals, self._root._refusals, self._unit = refusals, refusals, None
        begin = stream.pos()
        if self.format.running_checksums or self.format.variables:
            self._states.give(self._root, self.format.variables, begin)
        self.computing.begin()
        if self.format.positions:
            # Positions may lead to the same items repeatedly.
            stream.counter = ItemCounter()
            self.computing.allow(stream.end - stream.position)
        try:
            with self.computing:
                row = self._next(stream)
        except FAILURES as error:
            reason = reason_of(error)
            if self.format.sized_rows and stream.pos() > begin:
                self.refusals = [*refusals, error]
                self._keep_variables(stream, begin, verify)
                return None, reason
            if whole:
                self._broken_off = state_of(self._root, self.format.variables)
            raise (IncompleteError() if reason == "truncated" else LostError(reason)) from error
        if self.format.running_checksums:
            running = self._states.running_checksums
            running[stream.pos()] = running[stream.pos() + self.settings.padding] = self._root._running_checksums
        self._keep_variables(stream, begin, verify)
        refusal = deciding(refusals, verify=verify) if refusals else None
        if refusal is not None:
            return row, reason_of(refusal)
        self._unit = row
        return row, None

    def _lacks_evidence(self) -> bool:
        """Return whether the last unit is a row for which ``Format.evidence`` is false or cannot be computed."""
        if not self.format.evidence or self._unit is None:
            return False
        try:
            with self.computing:
                return not getattr(self._unit, self.format.evidence)
        except FAILURES:
            return True

    def is_inconclusive(self, *, verify: bool | None = None, searching: bool = False) -> bool:
        """Return whether the last unit is inconclusive: it is valid, but so would be random bytes at a wrong offset,
        since it took the default case of its switch and no checksum covers bytes of it. ``verify``: as for ``parse``;
        by default as in the settings. ``searching``: a row without ``Format.evidence`` is inconclusive too."""
        if not getattr(self._unit, "_is_default", False) and not (searching and self._lacks_evidence()):
            return False
        verify = self.settings.verify if verify is None else verify
        return not (verify and getattr(self._unit, "_covers_bytes", False))

    def _keep_variables(self, stream: MemoryStream, begin: int, verify: bool) -> None:
        """Record the values of variables after the unit at ``begin``. One with a wrong checksum sets none."""
        if self.format.variables:
            variables = self._states.variables
            wrong = verify and any(isinstance(each, ChecksumError) for each in self.refusals)
            state = variables.get(begin, self._states.first) if wrong else state_of(self._root, self.format.variables)
            variables[stream.pos()] = variables[stream.pos() + self.settings.padding] = state

    def _next(self, stream: MemoryStream) -> Struct | None:
        self._root._io = stream
        if self.format.streaming and not self.format.sized_rows:
            made: Struct = self._unit_class(stream, self._root, self._root)
            return made
        if self.format.streaming:
            row: Struct | None = self._root._read_row()
            return row
        self._root._read()
        root: Struct = self._root
        return root

    def values_at(self, row: Struct, stream_end: int) -> tuple[list[Any] | None, str | None]:
        """Return ``values`` with the row's stream at ``stream_end``, where the row ends."""
        if not self.format.positional:
            return self.values(row)
        stream: Any = row._io
        before = stream.pos()
        stream.seek(stream_end)
        try:
            return self.values(row)
        finally:
            stream.seek(before)

    def values(self, row: Struct) -> tuple[list[Any] | None, str | None]:
        """Return the projected columns of a row; or ``None`` and the reason why one of them is unavailable, or ``None``
        twice if the table does not include the row."""
        root, where, unsupported = self._root, self.format.where, self.format.unsupported
        root._refusals = self._of_value
        try:
            with self.computing:
                if unsupported and getattr(row, unsupported):
                    return None, "unsupported"
                if where and not getattr(row, where):
                    return None, None
                return [
                    None if (value := getter(root if parent else row)) is None else convert(value)
                    for getter, parent, convert in self._steps
                ], None
        except FAILURES as error:
            return None, reason_of(error)

    def arrays(self, rows: Sequence[list[Any] | None]) -> dict[int, pa.Array]:
        """Return one array per projected column; ``None`` in ``rows`` is a row of nulls."""
        return {
            number: self._columns[column].array([None if row is None else row[column] for row in rows])
            for column, number in enumerate(self.settings.projected)
        }
