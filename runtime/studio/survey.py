"""Reads a whole file once, in slices, to find its damage and to build an index of units, so that later reads far into
the file can begin near their target."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..format.columns import OFFSET
from ..format.description import Format
from ..input.inputs import Input
from ..inspecting import ranges
from ..reading.input_scan import InputScan
from ..reading.request import UnitStart, scan_request
from ..reading.scan_readers import ScanReaders
from ..rows.unit_states import ReaderState

SPACING = 256 * 1024
"""Initial distance in bytes between entries of the index; also the size of one read."""
MOST_PLACES = 32_768
MOST_STATES = 256
"""Maximum number of places whose state differs from that of the previous place."""


class Survey:
    """Reads ``source`` as far as requested, each byte once."""

    def __init__(self, format: Format, source: Input, options: Mapping[str, Any]) -> None:
        # Reads far into the file need the rows in which columns are looked up.
        columns = [each.name for each in format.columns if each.looked_up and each.default]
        request = scan_request(format, **{**options, "columns": [*columns, OFFSET], "check_format": False})
        self._is_indexed = format.input_format.streaming and not format.input_format.positions
        self._needs_one_before = format.input_format.running_checksums
        """Running checksums are only verified from the second unit on."""
        self._scan = InputScan(replace(request, chunk=SPACING), source, ScanReaders(request))
        self._events = self._scan.events()
        self._size = source.size
        self._spacing = SPACING
        self._units = [UnitStart(0)]
        self._complete: list[int] = [0]
        """For each unit, the offset from which on rows are the same if reading begins at the unit."""
        self._waiting: UnitStart | None = None
        """A unit before which an unfinished record has begun."""
        self._states = 0
        self.is_done = False

    def go_on(self, seconds: float) -> None:
        """Continue reading for about ``seconds``, or to the end."""
        end = time.monotonic() + seconds
        while self._step() and time.monotonic() < end:
            pass

    def place_before(self, offset: int) -> UnitStart | None:
        """Return the place of a unit from which a scan finds all rows that begin at ``offset`` or later; ``None`` if
        the input has to be read from its beginning. Reads further if necessary."""
        while (
            self._is_indexed and max(self._complete[-1] + self._spacing, self._scan.position) <= offset and self._step()
        ):
            pass
        number = bisect_right(self._complete, offset) - 1 - self._needs_one_before
        return self._units[number] if number > 0 else None

    def found(self) -> dict[str, Any]:
        """Return the results so far, as values that JSON supports. ``read``: the fraction of the file that has been
        read, 0 to 1; ``stopped``: the offset from which on it has not been, if there is one."""
        report = self._scan.report
        read = 1.0 if self.is_done else self._scan.stored_bytes / max(1, self._size or 0)
        return {
            "done": self.is_done,
            "read": min(read, 1.0),
            "rows": report.rows,
            "bytes": report.bytes,
            "damaged": len(report.damaged) + report.unlisted,
            "ranges": ranges(report),
            "tail": report.tail if self.is_done else "clean",
            "stopped": self._stopped(),
            "error": str(report.error) if report.error is not None else None,
        }

    def _stopped(self) -> int | None:
        """Return the offset from which on nothing has been read, ``None`` if all of the file has been."""
        report = self._scan.report
        if not self.is_done:
            return self._scan.position
        if report.tail not in ("clean", "unread"):
            return report.tail_offset
        return report.bytes if report.tail == "unread" or report.error is not None else None

    def close(self) -> None:
        """Release the file."""
        self._events.close()

    def _step(self) -> bool:
        """Read to the next event, and record where the unit after it begins. Return whether there is more."""
        if self.is_done:
            return False
        try:
            next(self._events)
        except StopIteration:
            self.is_done = True
            return False
        except BaseException:
            self.is_done = True
            raise
        if self._is_indexed:
            self._note(self._scan.complete_before)
        return True

    def _note(self, complete_before: int) -> None:
        if self._waiting is None and self._scan.position >= self._units[-1].offset + self._spacing:
            self._waiting = self._scan.resume_point
            self._is_indexed = self._waiting is not None
        if self._waiting is None or complete_before < self._waiting.offset:
            return
        state = self._waiting.state
        self._states += isinstance(state, ReaderState) and state != self._units[-1].state
        self._units.append(self._waiting)
        self._complete.append(complete_before)
        self._waiting = None
        if len(self._units) > MOST_PLACES or self._states > MOST_STATES:
            self._states //= 2
            del self._units[1::2], self._complete[1::2]
            self._spacing *= 2
