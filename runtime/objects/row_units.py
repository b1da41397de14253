"""Contexts in which generated classes read units around rows, and what is after the rows."""

from __future__ import annotations

from typing import Any

from .kaitai import KaitaiStream
from .row_log import RowLog, log_at, log_of
from .streams import end_of, offset_of


class _Unit:
    """The context in which a unit inside the outermost one is read. ``sums``: whether one of its checksums is
    verified."""

    def __init__(self, log: RowLog | None, io: KaitaiStream, *, sums: bool) -> None:
        self._log = log
        self._io = io
        self._sums = sums

    def __enter__(self) -> None:
        log = self._log
        if log is not None:
            self._begin, self._rows, self._refused = offset_of(self._io), len(log.rows), len(log.refusals)
            self._outer_begin, log.unit_begin = log.unit_begin, self._begin

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        log = self._log
        if log is None:
            return
        log.unit_begin = self._outer_begin
        if error is None:
            log.end_unit(self._begin, end_of(self._io), self._rows, self._refused)
        else:
            log.abandon_unit(self._begin, self._rows, self._refused, sums=self._sums)


class UnitOfRows(_Unit):
    """The context in which ``holder`` reads an item on the way to the rows that may be a unit, as given by those of
    these steps that are possible next."""

    def __init__(self, holder: Any, io: KaitaiStream, *steps: int) -> None:
        log = log_at(holder, *steps)
        here = () if log is None else (found.unit for each in steps if (found := log.steps.get(each)) is not None)
        # Units with checksums take precedence over other units, and these over no unit.
        unit = max(here, default="")
        super().__init__(log if unit else None, io, sums=unit == "sums")


class AfterRows(_Unit):
    """Context for reading the fields after the rows, if the first of ``steps`` leads to them. ``holder``: the root of
    an input that is read as a whole; ``sums``: whether a checksum is verified there."""

    def __init__(self, holder: Any, io: KaitaiStream, *steps: int, sums: bool = False) -> None:
        log = log_of(holder)
        here = log is not None and log.depth == 0 and any(each in log.steps for each in steps)
        super().__init__(log if here else None, io, sums=sums)
