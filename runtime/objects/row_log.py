"""Rows that stand inside of other objects, noted while these are read: generated code says where each begins and ends.

A refused value inside of a row is that row's; any other one is the outermost object's. Damage after which the next row
is not found ends with the innermost sub-stream on the way to the rows, if there is one.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .errors import FAILURES, deciding, reason_of
from .kaitai import KaitaiStream, KaitaiStructError


class LoggedRow(NamedTuple):
    """A row, or bytes that gave none. ``begin``, ``end``: offsets in the input; ``refused``: why it does not stand;
    ``inside``: it is a part of a unit whose end is known."""

    begin: int
    end: int
    row: Any
    refused: str | None
    inside: bool = False


@dataclass
class RowLog:
    """The rows of one object. ``refusals``: where generated code collects refused values; ``verify``: whether checksums
    count. ``sound``: the offset after the last row. ``depth``: how many steps of the way to the rows have been made."""

    refusals: list[KaitaiStructError]
    verify: bool
    sound: int
    rows: list[LoggedRow] = field(default_factory=list)
    depth: int = 0
    _begin: int = -1
    _refused: int = 0

    def begin(self, io: KaitaiStream) -> None:
        """A row begins."""
        self._begin, self._refused = offset_of(io), len(self.refusals)

    def end(self, io: KaitaiStream, row: Any) -> None:
        """The row is complete."""
        refusal = deciding(self.refusals[self._refused :], verify=self.verify)
        begin = self._begin
        self.drop()
        self.sound = offset_of(io)
        self.rows.append(LoggedRow(begin, self.sound, row, None if refusal is None else reason_of(refusal), True))

    def drop(self) -> None:
        """Forget the row that is open, if there is one, and what of it was refused."""
        if self._begin >= 0:
            del self.refusals[self._refused :]
        self._begin = -1

    @property
    def is_open(self) -> bool:
        """Return whether a row has begun and is not complete."""
        return self._begin >= 0


class NoLog:
    """Takes the place of a log where nothing is noted."""

    def begin(self, io: KaitaiStream) -> None:
        """Like ``RowLog.begin``."""

    def end(self, io: KaitaiStream, row: Any) -> None:
        """Like ``RowLog.end``."""


_NOTHING: AbstractContextManager[RowLog | NoLog] = nullcontext(NoLog())


def offset_of(io: KaitaiStream) -> int:
    """Return the offset in the input at which a stream stands."""
    position: int = io.pos()
    return position + getattr(io, "origin", 0)


def towards_rows(
    holder: Any, io: KaitaiStream, part: KaitaiStream, depth: int
) -> AbstractContextManager[RowLog | NoLog]:
    """Return the context in which ``holder`` reads a field on the way to the rows, ``depth`` steps from the outermost
    object; it gives what notes the rows. ``part``: the field's own stream, which has just been taken from ``io``, or
    ``io`` itself."""
    log: RowLog | None = getattr(holder._outermost(), "_row_log", None)
    return _NOTHING if log is None or log.depth != depth else _Step(log, io, part)


class _Step(AbstractContextManager[RowLog | NoLog]):
    def __init__(self, log: RowLog, io: KaitaiStream, part: Any) -> None:
        self._log = log
        self._contains = part is not io
        self._end = offset_of(io)
        if self._contains:
            part.origin = self._end - part.size()

    def __enter__(self) -> RowLog:
        self._log.depth += 1
        return self._log

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> bool:
        log = self._log
        log.depth -= 1
        if not self._contains or not isinstance(error, FAILURES):
            return False
        log.drop()
        log.rows.append(LoggedRow(log.sound, self._end, None, reason_of(error), True))
        log.sound = self._end
        return True
