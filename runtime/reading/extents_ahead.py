"""Extents: consecutive blocks of an input that are read together. Threads fill the next ones while the rows of the
current one are used.

The engine releases Python's global lock, so several extents are filled at the same time. Instead of waiting for a
thread, the caller fills the next extent that no thread has begun.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from ..base.threads import WORKERS, Job, is_in_pool, pool, processors, submitted
from ..input.window import MemoryWindow
from ..rows.reader import FillResult, RowReader

EXTENTS_AHEAD = 3
"""Maximum number of extents after the current one, so that their rows have bounded memory."""

ExtentWindow = TypeVar("ExtentWindow", bound=MemoryWindow)


class ExtentFill(Generic[ExtentWindow]):
    """A part of an input that is read as a separate input, and its first fill. ``row_reader``: reads all of its
    rows."""

    def __init__(self, window: ExtentWindow, row_reader: RowReader) -> None:
        self.window = window
        self.row_reader = row_reader
        self._filled: FillResult | Exception | None = None

    @property
    def is_filled(self) -> bool:
        """Return whether its first fill has ended."""
        return self._filled is not None

    def begin(self, fill: Callable[[RowReader, ExtentWindow], FillResult]) -> None:
        """Fill its first rows. An exception is raised by ``take``, since the rows before it are used first."""
        try:
            self._filled = fill(self.row_reader, self.window)
        except Exception as error:
            self._filled = error

    def take(self) -> FillResult | None:
        """Return its first fill, once; ``None`` if there is none."""
        filled, self._filled = self._filled, None
        if isinstance(filled, Exception):
            raise filled
        return filled


class ExtentsAhead(Generic[ExtentWindow]):
    """The next extents of an input.

    ``row_reader``: one that is free; ``make``: creates another one, if threads may fill extents; ``fill``: fills the
    first rows of an extent.
    """

    def __init__(
        self,
        row_reader: RowReader,
        make: Callable[[], RowReader] | None,
        fill: Callable[[RowReader, ExtentWindow], FillResult],
    ) -> None:
        self._threads = 0 if make is None else min(WORKERS, processors() - 1)
        self._make = make
        self._fill = fill
        self._free = [row_reader]
        self._extents: deque[ExtentFill[ExtentWindow]] = deque()
        self._waiting: deque[ExtentFill[ExtentWindow]] = deque()
        """Those that have not been begun. A call of its methods is atomic."""
        self._jobs: list[Job[None]] = []

    def next(
        self, previous: ExtentFill[ExtentWindow] | None, following: Iterator[ExtentWindow]
    ) -> ExtentFill[ExtentWindow] | None:
        """Return the next extent, filled if threads are used; ``None`` at the end. ``previous``: the one before it,
        which is done; ``following``: those that have not been passed yet."""
        if previous is not None:
            self._free.append(previous.row_reader)
        for window in following:
            self._add(window)
            if len(self._extents) > (EXTENTS_AHEAD if self._threads else 0):
                break
        if not self._extents:
            return None
        self._jobs = [job for job in self._jobs if not job.has_ended]
        if len(self._waiting) > 1 and len(self._jobs) < self._threads:
            self._jobs.append(submitted(pool(), _fill_all, self._waiting, self._fill))
        extent = self._extents.popleft()
        while not extent.is_filled:
            if not _fill_one(self._waiting, self._fill):
                for job in self._jobs:
                    job.result()
                if not extent.is_filled:
                    # This process was forked, so it does not have the thread.
                    extent = ExtentFill(extent.window, self._reader())
                    extent.begin(self._fill)
        return extent

    def clear(self) -> None:
        """Drop all extents, and wait for the threads that use their bytes, unless this is one of them."""
        self._waiting.clear()
        for job in self._jobs if not is_in_pool() else ():
            job.result()
        self._free += [extent.row_reader for extent in self._extents]
        self._extents.clear()
        self._jobs = []

    @property
    def last(self) -> ExtentWindow | None:
        """Return the last extent that has been passed and not returned; ``None`` if there is none."""
        return self._extents[-1].window if self._extents else None

    def _reader(self) -> RowReader:
        row_reader = self._make() if self._make is not None and not self._free else self._free.pop()
        row_reader.begin(None)
        return row_reader

    def _add(self, window: ExtentWindow) -> None:
        extent = ExtentFill(window, self._reader())
        self._extents.append(extent)
        self._waiting.append(extent)


def _fill_one(waiting: deque[ExtentFill[ExtentWindow]], fill: Callable[[RowReader, ExtentWindow], FillResult]) -> bool:
    """Fill the first of the waiting extents; return whether there was one."""
    try:
        extent = waiting.popleft()
    except IndexError:
        return False
    extent.begin(fill)
    return True


def _fill_all(waiting: deque[ExtentFill[ExtentWindow]], fill: Callable[[RowReader, ExtentWindow], FillResult]) -> None:
    """Fill all waiting extents, also those that are added meanwhile."""
    while _fill_one(waiting, fill):
        pass
