"""Rows of one size whose positions have shifted: bytes before them are missing or have been added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..input.window import MemoryWindow
from ..rows.reader import FillResult, RowDamage, RowReader, Status
from ..rows.zero_runs import Fill, fill_before
from .row_resync import CAPACITY, DEFERRED_ROWS, RESYNC_BYTES

if TYPE_CHECKING:
    from ..format.description import Format
    from ..input.window import Window

MOST = 16
"""Number of rows in which a search sees whether a row is one."""


class ShiftedRows:
    """Finds rows inside of damaged ones, all of which have the same size.

    A damaged row is believed to end where the next one begins if one of the next rows is valid: ``DEFERRED_ROWS`` of
    them, but no more than have ``RESYNC_BYTES``, and at least one. Otherwise a row is searched for inside it.
    """

    def __init__(self, format: Format, padding: int, row_reader: RowReader) -> None:
        self._size = format.sized_rows if format.rows_path else 0
        self._padding = padding
        self._row_reader = row_reader
        self._first = self._next = -1
        """No row begins from the first of these offsets up to the other one."""
        self._is_found = False
        """Whether a row begins at the latter."""

    def fill(
        self, filled: FillResult, zeros: int, window: Window, fill: Fill, capacity: int
    ) -> tuple[FillResult, int, RowDamage | None, int | None]:
        """Return a fill up to the first damaged row that needs more input, or that contains a valid row; ``zeros``, -1
        if it ends before them; that damage; and the offset of the valid row. ``capacity``: that of the fill."""
        damage, inside = self._judged(filled, window, capacity)
        if damage is None:
            return filled, zeros, None, None
        before = fill_before(damage, window, fill, is_lost=inside is not None)
        if window.base + before.consumed != damage.begin:
            return before, -1, None, None
        if filled.status in (Status.BATCH_FULL, Status.END) and inside is None:
            before = replace(before, status=filled.status)
        return before, -1, damage, inside

    def _judged(self, filled: FillResult, window: Window, capacity: int) -> tuple[RowDamage | None, int | None]:
        following = window.base + filled.consumed
        is_last = filled.status in (Status.TRUNCATED, Status.LOST)
        is_last |= filled.status is Status.END and window.at_end and filled.consumed == len(window.view)
        for run in self._runs(filled.damages, window.base + window.begin):
            size = run[0].end - run[0].begin
            if size > RESYNC_BYTES:
                continue
            ends = following in (run[-1].end, run[-1].end + self._padding)
            is_full = filled.status is Status.BATCH_FULL and capacity >= CAPACITY and len(run) == len(filled.damages)
            after = 0 if ends and is_last else max(1, min(DEFERRED_ROWS, RESYNC_BYTES // size))
            if ends and is_full and len(run) <= after:
                # No fill has more rows.
                after = 0
            decided = max(len(run) - after, 0)
            if decided:
                found, known = self._search(window, run[:decided])
                for each in run[:decided]:
                    if each.end > known:
                        return each, known if found else None
            if ends and decided < len(run):
                return run[decided], None
        return None, None

    def _runs(self, damages: Sequence[RowDamage], begin: int) -> list[list[RowDamage]]:
        """Return the damaged rows that follow each other directly. ``begin``: the offset of a row."""
        runs: list[list[RowDamage]] = []
        step = self._size + self._padding
        for each in damages:
            is_whole = each.end - each.begin == self._size and (each.begin - begin) % step == 0
            if each.inside and not is_whole:
                continue
            if runs and each.begin == runs[-1][-1].end + self._padding:
                runs[-1].append(each)
            else:
                runs.append([each])
        return runs

    def _search(self, window: Window, run: Sequence[RowDamage]) -> tuple[bool, int]:
        """Return whether a valid row begins inside one of these rows, and its offset; otherwise the offset up to which
        there is none."""
        begin, end = run[0].begin, run[-1].end
        step = run[0].end - begin + self._padding
        # A row that a search has found may still be damaged: a value that is computed may fail in it.
        if not self._first <= begin < self._next:
            self._first = self._next = begin + 1
            self._is_found = False
        while not self._is_found and self._next < end:
            stop = min(end, self._next + DEFERRED_ROWS * step)
            near = MemoryWindow(window.view[: stop + MOST * step - window.base])
            near.base, near.at_end = window.base, False
            self._is_found, index = self._row_reader.resync(near, self._next - window.base)
            found = window.base + index
            if self._is_found and (found - begin) % step == 0:
                # What is wrong in this row, such as an encoding, says nothing about positions.
                self._is_found, self._next = False, found + DEFERRED_ROWS * step
            elif not self._is_found and (window.at_end or index < len(near.view) < len(window.view)):
                # The end of the input is no evidence, as it is after a row with a length.
                self._next = max(found, stop)
            else:
                self._next = found
                if found < stop:
                    break
        return (self._is_found, self._next) if self._next < end else (False, end)
