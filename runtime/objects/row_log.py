"""Rows inside other objects, recorded while these are read: generated code says where each row begins and ends.

A value that is refused inside a row counts for that row; any other one counts for the innermost unit (an item on the
way to the rows), and otherwise for the outermost object. Damage after which the next row cannot be found extends to the
end of the innermost sub-stream on the way to the rows, if there is one.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from ..base.dataclass import dataclass, field
from .checksums import note
from .computing import allow_items
from .errors import FAILURES, ProcessError, deciding, reason_of, with_reason
from .kaitai import EndOfStreamError, KaitaiStream, KaitaiStructError
from .processing import content_of, placed_substream, undone_stream
from .row_steps import Steps
from .streams import CutStream, MemoryStream, end_of, offset_of, range_of


class LoggedRow(NamedTuple):
    """A row, or bytes that did not yield one. ``begin``, ``end``: offsets in the input; ``refused``: why the row is
    refused; ``inside``: whether it is part of a unit whose end is known; ``stream_end``: the position of the row's own
    stream at its end; ``unit``: the begin and end of the innermost unit, for a row without bytes that has one."""

    begin: int
    end: int
    row: Any
    refused: str | None
    inside: bool = False
    stream_end: int = 0
    unit: tuple[int, int] | None = None


@dataclass
class RowLog:
    """The rows of one object. ``refusals``: where generated code collects refused values; ``verify``: whether checksums
    count. ``sound``: the offset after the last row. ``steps``: the possible next steps to the rows of this table, empty
    inside a row; ``depth``: how many steps have been made, each in one of ``holders``."""

    refusals: list[KaitaiStructError]
    verify: bool
    sound: int
    steps: Steps
    rows: list[LoggedRow] = field(default_factory=list)
    depth: int = 0
    unit_begin: int = -1
    """The offset of the innermost unit."""
    fills_unit: bool = False
    """Whether a row begins where its unit does."""
    holders: list[Any] = field(default_factory=list)
    open_steps: list[_Step] = field(default_factory=list)
    _begin: int = -1
    _refused: int = 0

    def __post_init__(self) -> None:
        """Begin with the outermost unit."""
        self.unit_begin = self.sound

    def expanded(
        self, io: KaitaiStream, src_path: str, undo: Callable[..., bytes], data: bytes, *arguments: Any
    ) -> MemoryStream:
        """Return the content of a compressed block that contains rows; its bytes ``data`` have just been read from
        ``io``.

        Raises ``ProcessError``, also for a block of a unit that has already been refused: its checksum shows that the
        bytes are damaged, or its rows do not count anyway.
        """
        refusal = deciding(self.refusals, verify=self.verify)
        if refusal is not None:
            raise ProcessError("the decompressed bytes are not available: they were rejected", reason_of(refusal))
        # As many rows as the input has bytes are no more than there could be without a codec.
        allow_items(len(data))
        part = _expanded(io, src_path, undo, data, arguments)
        within = range_of(io, len(data))
        if content_of(part) is data:
            # Bytes that are their own content have offsets in the input.
            self.open_steps[-1].compressed = False
            part.origin, part.block = within[0], getattr(io, "block", None)
        else:
            part.block = within
        return part

    def begin(self, io: KaitaiStream) -> None:
        """Begin a row, if all steps have been made: the steps to the rows of another table may end here."""
        if not self.steps:
            of_unit = self.fills_unit and getattr(io, "block", None) is None
            self._begin, self._refused = self.unit_begin if of_unit else offset_of(io), len(self.refusals)

    def end(self, io: KaitaiStream, row: Any) -> None:
        """Complete the row that has begun."""
        if self.steps:
            return
        refusal = deciding(self.refusals[self._refused :], verify=self.verify)
        begin = self._begin
        self.drop()
        self.sound = end_of(io)
        if refusal is None:
            self.rows.append(LoggedRow(begin, self.sound, row, None, True, io.pos()))
        else:
            self.lose(begin, self.sound, refusal)

    def lose(self, begin: int, end: int, error: Exception) -> None:
        """Record that these bytes yield no row. What has no bytes, such as a row that is counted but not there, cannot
        be damaged: the unit that should contain it is refused. A wrong checksum says more."""
        reason = reason_of(error)
        if begin < end:
            self.rows.append(LoggedRow(begin, end, None, reason, True))
        else:
            self.refusals.append(ProcessError(str(error), "length" if reason == "truncated" else reason))
        self.sound = end

    def lose_rest(self, within: tuple[int, int], error: Exception, *, compressed: bool) -> None:
        """Record that what is left of the bytes of ``within`` after the last row yields none. ``compressed``: there are
        no offsets in them."""
        begin, end = within
        if compressed:
            first = min(begin, self.sound)
        else:
            # What is between two units belongs to neither.
            first = self.unit_begin if self.sound < self.unit_begin < end else self.sound
        self.lose(first, end, error)

    def drop(self) -> None:
        """Forget the row that has begun, if there is one, and its refused values."""
        if self._begin >= 0:
            del self.refusals[self._refused :]
        self._begin = -1

    def end_unit(self, begin: int, end: int, rows: int, refused: int) -> None:
        """Complete a unit. ``begin``, ``end``: its offsets; ``rows``, ``refused``: how many rows and refused values
        there were when it began."""
        refusal = deciding(self.refusals[refused:], verify=self.verify)
        del self.refusals[refused:]
        if refusal is not None:
            del self.rows[rows:]
            self.lose(begin, end, refusal)
        else:
            for index, row in enumerate(self.rows[rows:], rows):
                if row.begin == row.end and row.unit is None:
                    self.rows[index] = row._replace(unit=(begin, end))

    def abandon_unit(self, begin: int, rows: int, refused: int, *, sums: bool) -> None:
        """End a unit that is not read to its end: its rows remain valid unless a value in it is refused, or one of its
        checksums (``sums``) has not been verified. The other arguments are as for ``end_unit``."""
        self.drop()
        doubtful = (sums and self.verify) or deciding(self.refusals[refused:], verify=self.verify) is not None
        del self.refusals[refused:]
        if doubtful:
            del self.rows[rows:]
            self.sound = begin

    @property
    def is_open(self) -> bool:
        """Return whether a row has begun and is not yet complete."""
        return self._begin >= 0


class NoLog:
    """Takes the place of a log where nothing is recorded."""

    def expanded(
        self, io: KaitaiStream, src_path: str, undo: Callable[..., bytes], data: bytes, *arguments: Any
    ) -> MemoryStream:
        """Like ``RowLog.expanded``."""
        return _expanded(io, src_path, undo, data, arguments)

    def begin(self, io: KaitaiStream) -> None:
        """Like ``RowLog.begin``."""

    def end(self, io: KaitaiStream, row: Any) -> None:
        """Like ``RowLog.end``."""


_NOTHING: AbstractContextManager[RowLog | NoLog] = nullcontext(NoLog())


class _Block(AbstractContextManager[RowLog | NoLog]):
    """The context of a compressed field of ``holder`` that does not lead to the rows: if the codec does not accept its
    bytes, the field is refused, as its checksum may already have done."""

    def __init__(self, holder: Any) -> None:
        self._holder = holder

    def __enter__(self) -> NoLog:
        return NoLog()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> bool:
        if not isinstance(error, ProcessError):
            return False
        self._holder._refuse(error, error.reason)
        return True


class _Confined(_Block):
    """The context of a field of ``holder`` that does not lead to the rows, in bytes whose end is known: if it cannot be
    read, ``refuse`` is called with the error."""

    def __init__(self, holder: Any, running_checksums: LostChecksums, refuse: Callable[[Exception], None]) -> None:
        super().__init__(holder)
        self._running_checksums = running_checksums
        self._refuse = refuse

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> bool:
        if not isinstance(error, FAILURES):
            return False
        if not super().__exit__(kind, error):
            self._refuse(error)
        forget_running_checksums(self._holder, self._running_checksums)
        return True


def _expanded(
    io: KaitaiStream, src_path: str, undo: Callable[..., bytes], data: bytes, arguments: tuple[Any, ...]
) -> MemoryStream:
    try:
        return undone_stream(io, undo, data, *arguments)
    except ProcessError as error:
        error.src_path = src_path
        raise


LostChecksums = tuple[tuple[int, str], ...]
"""Checksums in a field that continue from those of the previous items in an enclosing object: the number of levels from
the object with the field up to that object, and the checksums' names."""


def towards_rows(
    holder: Any,
    io: KaitaiStream,
    part: KaitaiStream,
    step: int,
    *,
    running_checksums: LostChecksums = (),
    confines: tuple[int, ...] | None = None,
    begin: int | None = None,
) -> AbstractContextManager[RowLog | NoLog]:
    """Return the context in which ``holder`` reads a field that is step number ``step`` to the rows; its value records
    the rows. ``part``: the field's own stream, which has just been taken from ``io``, or ``io`` itself; ``begin``: the
    position in ``io`` at which the field begins, if not all bytes that were taken belong to it. ``confines``: if what
    follows does not depend on it, the steps before it in ``holder``."""
    log = log_at(holder, step)
    if log is None:
        return _NOTHING if confines is None else _confined(holder, running_checksums, confines)
    if part is io:
        return _Step(log, step, holder, None)
    held: Any = part
    is_cut = isinstance(part, CutStream)
    within = range_of(io, len(held.data) if is_cut else held.size() if begin is None else io.pos() - begin)
    held.origin, held.block = within[0], getattr(io, "block", None)
    return _Step(log, step, holder, within, running_checksums, compressed=held.block is not None, is_cut=is_cut)


def towards_bytes(
    holder: Any,
    io: KaitaiStream,
    part: KaitaiStream,
    begin: int,
    step: int,
    *,
    running_checksums: LostChecksums = (),
    confines: bool = False,
) -> AbstractContextManager[RowLog | NoLog]:
    """Like ``towards_rows``, for a field in bytes that were read earlier. The rows in it have the position of
    ``holder``, which begins at the position ``begin`` of ``io``."""
    log = log_at(holder, step)
    if log is None:
        return _Confined(holder, running_checksums, holder._refuse_inner) if confines else _NOTHING
    held: Any = part
    held.block = getattr(io, "block", None) or (begin + getattr(io, "origin", 0), end_of(io))
    return _Step(log, step, holder, held.block, running_checksums, compressed=True)


def towards_block(
    holder: Any,
    io: KaitaiStream,
    data: bytes,
    step: int,
    *,
    running_checksums: LostChecksums = (),
    confines: tuple[int, ...] | None = None,
) -> AbstractContextManager[RowLog | NoLog]:
    """Like ``towards_rows``, for a field whose bytes ``data``, which have just been read, are compressed: they are
    decompressed in this context."""
    log = log_at(holder, step)
    if log is None:
        return _Block(holder) if confines is None else _confined(holder, running_checksums, confines)
    return _Step(log, step, holder, range_of(io, len(data)), running_checksums, compressed=True)


def _confined(holder: Any, running_checksums: LostChecksums, rows_before: tuple[int, ...]) -> _Confined:
    return _Confined(holder, running_checksums, lambda error: holder._refuse_part(error, *rows_before))


def part_with_rows(holder: Any, io: KaitaiStream, step: int, size: int | None = None) -> MemoryStream:
    """Return the stream of a field of ``holder`` that is step number ``step`` to the rows, which has the next ``size``
    bytes of ``io``, or all that are left. If the input ends in it and the step leads to objects with rows, it has the
    bytes that there are: what is complete in them counts."""
    if isinstance(io, MemoryStream) and io.ends_input and not io.bits_left:
        log, left = log_at(holder, step), io.end - io.position
        missing = io.missing if size is None else size - left
        if missing > 0 and (not io.missing or missing <= io.missing) and log is not None and log.steps[step].after:
            part = CutStream(io.read_bytes(left), missing)
            part.counter = io.counter
            return part if io.trace is None else io.trace.inner(part)
    return placed_substream(io, io.read_bytes_full() if size is None else io.read_bytes(size))


def forget_running_checksums(holder: Any, running_checksums: LostChecksums) -> None:
    """Forget the previous item's values of the checksums, since the current item is not read to its end."""
    for up, name in running_checksums:
        parent = holder
        for _ in range(up):
            parent = parent._parent
        note(parent, None, name, None, None)


def log_of(holder: Any) -> RowLog | None:
    """Return the log of the outermost object, which has one while rows of a table are read, else ``None``."""
    log: RowLog | None = getattr(holder._outermost(), "_row_log", None)
    return log


def log_at(holder: Any, *steps: int) -> RowLog | None:
    """Return the log if one of ``steps`` is the next step to the rows, else ``None``."""
    log = log_of(holder)
    if log is None or not any(each in log.steps for each in steps):
        return None
    # An object that is nested in one of its own type may not be on the way.
    return log if not log.holders or holder._parent is log.holders[-1] else None


class _Step(AbstractContextManager[RowLog | NoLog]):
    """``within``: the range of the input that contains any damage, if known. ``compressed``: whether that is the range
    of a block that is or contains the field, in which there are no offsets. ``is_cut``: whether the input ends in it:
    what follows its complete rows is truncated. ``running_checksums``: those that are unknown after damage in it."""

    def __init__(
        self,
        log: RowLog,
        step: int,
        holder: Any,
        within: tuple[int, int] | None,
        running_checksums: LostChecksums = (),
        *,
        compressed: bool = False,
        is_cut: bool = False,
    ) -> None:
        self._log = log
        self._step = step
        self._holder = holder
        self._running_checksums = running_checksums
        self._within = within
        self.compressed = compressed
        self._is_cut = is_cut

    def __enter__(self) -> RowLog:
        log = self._log
        self._steps, next_step = log.steps, log.steps[self._step]
        log.steps, log.fills_unit = next_step.after, next_step.unit == "row"
        log.depth += 1
        log.holders.append(self._holder)
        log.open_steps.append(self)
        return log

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> bool:
        log = self._log
        log.steps = self._steps
        log.depth -= 1
        log.holders.pop()
        log.open_steps.pop()
        if self._is_cut and (error is None or isinstance(error, FAILURES)):
            log.drop()
            raise with_reason(EndOfStreamError("the input ends in it", 1, 0), "truncated") from error
        if self._within is None or not isinstance(error, FAILURES):
            return False
        forget_running_checksums(self._holder, self._running_checksums)
        log.drop()
        log.lose_rest(self._within, error, compressed=self.compressed)
        return True
