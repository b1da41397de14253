"""Inputs that several threads read, whose rows are returned in the order of the inputs."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from ..base.errors import WireloomError
from ..base.threads import INTERRUPTIBLE, processors, start
from ..input.inputs import Input, ObjectInput
from .small_file_loading import is_small

if TYPE_CHECKING:
    from .request import ScanRequest
    from .scanning import Scanner

WORTH = 8 * 1024 * 1024
"""Stored bytes of all inputs below which they are read before threads would have started."""
SMALL_FILES = 256
"""Most small files that one thread reads together."""
BATCH_BYTES = 4 * 1024 * 1024
"""About the size of a full batch."""
LEAST_BATCHES = 2


def threads_for(request: ScanRequest, inputs: Sequence[Input]) -> int:
    """Return the number of threads that read the inputs: 1 if more would gain nothing, since Python's global lock
    serializes them (classes), or since a limit ends the scan soon."""
    wanted = request.threads or processors()
    if wanted == 1 or len(inputs) < 2 or request.limit is not None or request.engine != "columns":
        return 1
    if any(each.may_block or each.size is None or isinstance(each, ObjectInput) for each in inputs):
        # Pipes are waited for, and files that a caller has opened are the caller's.
        return 1
    return min(wanted, len(inputs)) if request.threads or sum(each.size or 0 for each in inputs) >= WORTH else 1


def divided(inputs: Sequence[Input]) -> list[list[Input]]:
    """Return the inputs in parts, in their order: a large one by itself, consecutive small files together."""
    parts: list[list[Input]] = []
    for each in inputs:
        joins = parts and is_small(each) and is_small(parts[-1][-1]) and len(parts[-1]) < SMALL_FILES
        if joins:
            parts[-1].append(each)
        else:
            parts.append([each])
    return parts


class _Part:
    """Inputs that one thread reads. ``scanner`` is set before the first result.

    ``results``: batches, then ``None`` or the error that ended the scan. ``room``: a token for each batch that may be
    added to them.
    """

    def __init__(self, inputs: Sequence[Input]) -> None:
        self.inputs = inputs
        self.scanner: Scanner | None = None
        self.results: SimpleQueue[Any] = SimpleQueue()
        self.room: SimpleQueue[None] = SimpleQueue()


class ParallelScan:
    """Scans parts of the inputs in threads, with a scanner of ``scan`` for each part.

    ``most``: about the number of bytes of rows that the threads read ahead of the consumer; ``None``: any number.

    Only queues connect the threads: an interrupt inside an event or a lock would leave it taken forever. Threads start
    with the first part that is consumed. They end after the last part, or on ``close`` with the batch that they are
    reading.
    """

    def __init__(
        self,
        parts: Sequence[Sequence[Input]],
        scan: Callable[[Sequence[Input]], Scanner],
        threads: int,
        most: int | None,
    ) -> None:
        self._parts = [_Part(each) for each in parts]
        self._scan = scan
        self._threads: list[threading.Thread] = []
        self._count = min(threads, len(parts))
        ahead = 2 * self._count
        self._batches = None if most is None else max(LEAST_BATCHES, most // (ahead * BATCH_BYTES))
        self._waiting: SimpleQueue[_Part | None] = SimpleQueue()
        """The parts that may be begun: those that are consumed next, up to twice the number of threads."""
        self._ahead = len(parts) if most is None else ahead
        self._stopped: list[bool] = []
        self._process = os.getpid()

    def parts(self) -> Iterator[tuple[Scanner, Iterator[Any]]]:
        """Yield the scanner of each part, and an iterator over its batches, which raises the error that has ended the
        part. That of a part has to be exhausted before the next one is consumed."""
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
            arguments = (self._waiting, self._scan, self._batches, self._stopped)
            thread = threading.Thread(target=_work, args=arguments, name=f"wireloom-scan-{number}", daemon=True)
            start(thread)
            self._threads.append(thread)

    def _batches_of(self, part: _Part, result: Any) -> Iterator[Any]:
        while result is not None:
            if isinstance(result, BaseException):
                try:
                    raise result
                finally:
                    # The traceback of the error refers to this frame: together they would form a cycle.
                    del result
            part.room.put(None)
            yield result
            result = self._next(part)

    def _next(self, part: _Part) -> Any:
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
            part.room.put(None)
        if self._process == os.getpid():
            for thread in self._threads:
                if thread is not threading.current_thread():
                    thread.join()


def _work(
    waiting: SimpleQueue[_Part | None],
    scan: Callable[[Sequence[Input]], Scanner],
    room: int | None,
    stopped: list[bool],
) -> None:
    while (part := waiting.get()) is not None and not stopped:
        try:
            with scan(part.inputs) as scanner:
                part.scanner = scanner
                for _ in range(room or 0):
                    part.room.put(None)
                for batch in scanner:
                    if room is not None:
                        part.room.get()
                    if stopped:
                        return
                    part.results.put(batch)
            part.results.put(None)
        except BaseException as error:
            # Any exception is passed on, so that the consumer does not wait forever.
            part.results.put(error)
