"""Inputs that several threads read, whose rows are returned in the order of the inputs."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from ..base.errors import WireloomError
from ..base.threads import INTERRUPTIBLE, processors, start
from ..input.inputs import Input, ObjectInput
from .small_file_loading import is_small

if TYPE_CHECKING:
    from .request import ScanRequest

WORTH = 8 * 1024 * 1024
"""Stored bytes of all inputs from which on they are read by threads if ``threads`` is not given: less is read before
threads would have started."""
SMALL_FILES = 256
"""Maximum number of small files in a part, which one thread reads."""
BATCH_BYTES = 4 * 1024 * 1024
"""About the size of a full batch."""
LEAST_BATCHES = 2


def max_threads(request: ScanRequest, inputs: Sequence[Input]) -> int:
    """Return the maximum number of threads that read the inputs; there are never more than parts.

    It is 1 for the object parser, whose threads Python's global lock serializes, with a limit, which ends the scan
    soon, for pipes and for files that the caller has opened, and for less than ``WORTH`` bytes unless ``threads`` is
    given.
    """
    wanted = request.threads or processors()
    if wanted == 1 or len(inputs) < 2 or request.limit is not None or not request.by_engine:
        return 1
    if any(each.may_block or each.size is None or isinstance(each, ObjectInput) for each in inputs):
        # Pipes are waited for, and files that a caller has opened are the caller's.
        return 1
    return min(wanted, len(inputs)) if request.threads or sum(each.size or 0 for each in inputs) >= WORTH else 1


def parts_of(inputs: Sequence[Input]) -> list[list[Input]]:
    """Return the inputs in parts, in their order: a large one by itself, consecutive small files together."""
    parts: list[list[Input]] = []
    for each in inputs:
        joins = parts and is_small(each) and is_small(parts[-1][-1]) and len(parts[-1]) < SMALL_FILES
        if joins:
            parts[-1].append(each)
        else:
            parts.append([each])
    return parts


class Batches(Protocol):
    """The scanner of a part, as this module uses it: an iterator of batches that is closed after use."""

    def __iter__(self) -> Iterator[Any]: ...

    def __enter__(self) -> Any: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> Any: ...


Scanner = TypeVar("Scanner", bound=Batches)


class _Part(Generic[Scanner]):
    """Inputs that one thread reads. ``scanner`` is set before the first result; it remains ``None`` if it could not be
    created, and the first result is then that error.

    ``results``: batches, then ``None`` or the error that ended the scan. ``permits``: a semaphore, with an item for
    each batch that may be added to the results.
    """

    def __init__(self, inputs: Sequence[Input]) -> None:
        self.inputs = inputs
        self.scanner: Scanner | None = None
        self.results: SimpleQueue[Any] = SimpleQueue()
        self.permits: SimpleQueue[None] = SimpleQueue()


class ParallelScan(Generic[Scanner]):
    """Scans parts of the inputs in threads, with a scanner of ``scan`` for each part.

    ``max_ahead``: about the number of bytes of rows that the threads read ahead of the consumer; ``None``: any number.

    Only queues connect the threads: an interrupt (Ctrl-C) while a thread holds a lock could leave it locked forever.
    Threads start with the first part that is consumed. They end after the last part; after ``close`` each ends with the
    batch that it is reading.
    """

    def __init__(
        self,
        parts: Sequence[Sequence[Input]],
        scan: Callable[[Sequence[Input]], Scanner],
        threads: int,
        max_ahead: int | None,
    ) -> None:
        self._parts: list[_Part[Scanner]] = [_Part(each) for each in parts]
        self._scan = scan
        self._threads: list[threading.Thread] = []
        self._count = min(threads, len(parts))
        ahead = 2 * self._count
        self._max_queued = None if max_ahead is None else max(LEAST_BATCHES, max_ahead // (ahead * BATCH_BYTES))
        """Maximum number of batches of a part that are read and not yet consumed."""
        self._waiting: SimpleQueue[_Part[Scanner] | None] = SimpleQueue()
        """The parts that may be begun: those that are consumed next, up to twice the number of threads."""
        self._ahead = len(parts) if max_ahead is None else ahead
        self._stopped: list[bool] = []
        self._process = os.getpid()

    def parts(self) -> Iterator[tuple[Scanner, Iterator[Any]]]:
        """Yield the scanner of each part, and an iterator over its batches, which raises the error that has ended the
        part. The iterator of a part has to be exhausted before the next part is requested."""
        self._begin()
        for number, part in enumerate(self._parts):
            first = self._next(part)
            if part.scanner is None:
                raise first
            yield part.scanner, self._batches_of(part, first)
            if number + self._ahead < len(self._parts):
                self._waiting.put(self._parts[number + self._ahead])

    def _begin(self) -> None:
        for part in self._parts[: self._ahead]:
            self._waiting.put(part)
        for number in range(self._count):
            arguments = (self._waiting, self._scan, self._max_queued, self._stopped)
            thread = threading.Thread(target=_work, args=arguments, name=f"wireloom-scan-{number}", daemon=True)
            start(thread)
            self._threads.append(thread)

    def _batches_of(self, part: _Part[Scanner], result: Any) -> Iterator[Any]:
        while result is not None:
            if isinstance(result, BaseException):
                try:
                    raise result
                finally:
                    # The traceback of the error refers to this frame: together they would form a cycle.
                    del result
            part.permits.put(None)
            yield result
            result = self._next(part)

    def _next(self, part: _Part[Scanner]) -> Any:
        while True:
            if self._process != os.getpid():
                raise WireloomError("a scan that was started before a fork cannot be continued in the new process")
            with suppress(Empty):
                return part.results.get(timeout=INTERRUPTIBLE)

    def close(self) -> None:
        """End the threads, and wait until they have ended."""
        self._stopped.append(True)
        for _ in self._threads:
            self._waiting.put(None)
        for part in self._parts:
            part.permits.put(None)
        if self._process == os.getpid():
            for thread in self._threads:
                if thread is not threading.current_thread():
                    thread.join()


def _work(
    waiting: SimpleQueue[_Part[Scanner] | None],
    scan: Callable[[Sequence[Input]], Scanner],
    max_queued: int | None,
    stopped: list[bool],
) -> None:
    while (part := waiting.get()) is not None and not stopped:
        try:
            with scan(part.inputs) as scanner:
                part.scanner = scanner
                for _ in range(max_queued or 0):
                    part.permits.put(None)
                for batch in scanner:
                    if max_queued is not None:
                        part.permits.get()
                    if stopped:
                        return
                    part.results.put(batch)
            part.results.put(None)
        except BaseException as error:
            # Any exception is passed on, so that the consumer does not wait forever.
            part.results.put(error)
