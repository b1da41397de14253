"""Parts of inputs that several threads read, whose rows are returned in the order of the parts."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar

from ..base.errors import WireloomError
from ..base.report import FileReport
from ..base.threads import INTERRUPTIBLE, start
from ..input.inputs import Input
from .parts import ScanPart


class Batches(Protocol):
    """The scanner of a part, as this module uses it: an iterator of batches that is closed after use."""

    def __iter__(self) -> Iterator[Any]: ...

    def __enter__(self) -> Any: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> Any: ...

    def snapshot(self) -> list[FileReport]:
        """Return the reports of the inputs so far, as they are if no other batch is requested."""
        ...


Scanner = TypeVar("Scanner", bound=Batches)


class _Read(Generic[Scanner]):
    """A part that one thread reads. ``scanner`` is set before the first result; it remains ``None`` if it could not be
    created, and the first result is then that error.

    ``results``: a batch, the reports so far and the size of the batch in bytes, for each batch; then ``None`` or the
    error that ended the scan. ``made``, ``taken``: the bytes of the batches that have been added to the results, and
    removed from them, each written by one thread. ``waits``: whether the thread waits for ``signals``. ``dropped``:
    whether the results are not wanted.
    """

    def __init__(self, part: ScanPart) -> None:
        self.part = part
        self.scanner: Scanner | None = None
        self.results: SimpleQueue[Any] = SimpleQueue()
        self.made = self.taken = 0
        self.waits = self.dropped = False
        self.signals: SimpleQueue[None] = SimpleQueue()


class _Shared(Generic[Scanner]):
    """The state that all threads see: the parts that are ``begun``, the maximum number ``most`` of bytes that are made
    and not taken (``None``: any number), and whether the threads have to end."""

    def __init__(self, most: int | None) -> None:
        self.most = most
        self.begun: tuple[_Read[Scanner], ...] = ()
        self.stopped = False

    def must_wait(self, read: _Read[Scanner], size: int) -> bool:
        """Return whether there is no room for a batch of this size. A part always has room for one batch: the consumer
        may be waiting for it."""
        if self.most is None or read.made == read.taken or self.stopped or read.dropped:
            return False
        return sum(each.made - each.taken for each in self.begun) + size > self.most


class ParallelScan(Generic[Scanner]):
    """Scans parts of inputs in threads, with a scanner of ``scan`` for each part.

    ``max_ahead``: about the number of bytes of rows that the threads read ahead of the consumer; ``None``: any number.

    Only queues connect the threads: an interrupt (Ctrl-C) while a thread holds a lock could leave it locked forever.
    Threads start with the first part that is consumed. They end after the last part; after ``close`` each ends with the
    batch that it is reading.
    """

    def __init__(
        self, parts: Iterator[ScanPart], scan: Callable[[ScanPart], Scanner], threads: int, max_ahead: int | None
    ) -> None:
        self._parts = parts
        self._scan = scan
        self._threads: list[threading.Thread] = []
        self._max_threads = threads
        self._shared = _Shared[Scanner](max_ahead)
        self._ahead = None if max_ahead is None else 2 * threads
        """Maximum number of parts that are read and not yet consumed."""
        self._begun: deque[_Read[Scanner]] = deque()
        """These parts, in their order."""
        self._waiting: SimpleQueue[_Read[Scanner] | None] = SimpleQueue()
        """Those of them that no thread has taken."""
        self._dropped: Input | None = None
        self._process = os.getpid()

    def parts(self) -> Iterator[tuple[ScanPart, Scanner, Iterator[tuple[Any, list[FileReport]]]]]:
        """Yield each part, its scanner, and an iterator over its batches and the reports at that time, which raises the
        error that has ended the part. The iterator of a part has to be exhausted before the next part is requested."""
        self._begin()
        while self._begun:
            read = self._begun[0]
            if not read.dropped:
                first = self._next(read)
                if read.scanner is None:
                    raise first
                yield read.part, read.scanner, self._batches_of(read, first)
            self._begun.popleft()
            self._add()
            self._share()

    def drop(self, source: Input) -> None:
        """Leave out the byte ranges of an input after the current one."""
        self._dropped = source
        for read in islice(self._begun, 1, None):
            if not read.part.continues(source):
                self._dropped = None
                break
            read.dropped = True
            read.signals.put(None)

    def _begin(self) -> None:
        while (self._ahead is None or len(self._begun) < self._ahead) and self._add():
            pass
        self._share()
        for number in range(min(self._max_threads, len(self._begun))):
            arguments = (self._waiting, self._scan, self._shared)
            thread = threading.Thread(target=_work, args=arguments, name=f"wireloom-scan-{number}", daemon=True)
            # Before the start, which an interrupt may end: the thread may run nevertheless.
            self._threads.append(thread)
            start(thread)

    def _add(self) -> bool:
        """Let threads begin another part, if there is one."""
        part = next((each for each in self._parts if not each.continues(self._dropped)), None)
        if part is None:
            return False
        self._dropped, read = None, _Read[Scanner](part)
        self._begun.append(read)
        self._waiting.put(read)
        return True

    def _share(self) -> None:
        """Tell the threads which parts are begun, and that there may be room."""
        if self._ahead is not None:
            self._shared.begun = tuple(self._begun)
            for read in self._shared.begun:
                if read.waits:
                    read.signals.put(None)

    def _batches_of(self, read: _Read[Scanner], result: Any) -> Iterator[tuple[Any, list[FileReport]]]:
        while result is not None:
            if isinstance(result, BaseException):
                try:
                    raise result
                finally:
                    # The traceback of the error refers to this frame: together they would form a cycle.
                    del result
            batch, reports, size = result
            read.taken += size
            self._share()
            yield batch, reports
            del batch
            result = self._next(read)

    def _next(self, read: _Read[Scanner]) -> Any:
        while True:
            if self._process != os.getpid():
                raise WireloomError("a scan that was started before a fork cannot be continued in the new process")
            with suppress(Empty):
                return read.results.get(timeout=INTERRUPTIBLE)

    def close(self) -> None:
        """End the threads, and wait until they have ended."""
        self._shared.stopped = True
        for _ in self._threads:
            self._waiting.put(None)
        for read in self._begun:
            read.signals.put(None)
        if self._process == os.getpid():
            for thread in self._threads:
                if thread.is_alive() and thread is not threading.current_thread():
                    thread.join()


def _work(
    waiting: SimpleQueue[_Read[Scanner] | None], scan: Callable[[ScanPart], Scanner], shared: _Shared[Scanner]
) -> None:
    while (read := waiting.get()) is not None and not shared.stopped:
        if read.dropped:
            continue
        try:
            with scan(read.part) as scanner:
                read.scanner = scanner
                _read(read, scanner, shared)
            read.results.put(None)
        except BaseException as error:
            # Any exception is passed on, so that the consumer does not wait forever.
            read.results.put(error)


def _read(read: _Read[Scanner], scanner: Scanner, shared: _Shared[Scanner]) -> None:
    for batch in scanner:
        size = 0 if shared.most is None else batch.nbytes
        while shared.must_wait(read, size):
            # Asked again after ``waits`` is set: from then on the consumer signals that it has taken a batch. Without
            # Python's global lock it may see that late.
            read.waits = True
            if shared.must_wait(read, size):
                with suppress(Empty):
                    read.signals.get(timeout=INTERRUPTIBLE)
            read.waits = False
        if shared.stopped or read.dropped:
            return
        read.made += size
        read.results.put((batch, scanner.snapshot(), size))
