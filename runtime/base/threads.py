"""Threads: work that one does ahead of its consumer, and those of this process for calls of libraries that release
Python's global lock, such as decompressors."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Generic, TypeVar

from .errors import WireloomError

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor


Slot = TypeVar("Slot")
Item = TypeVar("Item")

INTERRUPTIBLE = 0.5
"""Seconds after which a wait is repeated. Python notices a signal that arrives just before a thread blocks only when
the thread runs again."""


class Ahead(Generic[Slot, Item]):
    """Calls ``work(slot)`` in a thread for each slot that it is given, and returns the results in the same order.

    A slot is the resource for one item, such as memory, or a token if the number of slots only limits how far the
    thread runs ahead. ``slots`` creates the first ones. The thread is started by the first ``next``, never at import.
    It ends after an exception of ``work``, after an item for which ``is_last`` returns true, on ``close``, and when
    this object is collected or the interpreter exits: the thread refers to the queues and the work, but not to this
    object.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[Slot], Item],
        slots: Callable[[], Iterable[Slot]],
        is_last: Callable[[Item], bool] = lambda _: False,
    ) -> None:
        self._slots: SimpleQueue[tuple[Slot] | None] = SimpleQueue()
        self._made: SimpleQueue[tuple[Item] | BaseException] = SimpleQueue()
        self._stopped: list[bool] = []
        """Not empty: the thread is to end. An interrupt inside an event would leave its lock taken forever."""
        arguments = (work, is_last, self._slots, self._made, self._stopped)
        self._thread = threading.Thread(target=_work, args=arguments, name=name, daemon=True)
        self._first_slots = slots
        self._is_started = False
        self._process = os.getpid()
        self._finalizer = weakref.finalize(self, _halt, self._stopped, self._slots)

    def give(self, slot: Slot) -> None:
        """Queue a slot for one more item."""
        self._slots.put((slot,))

    def next(self) -> Item:
        """Wait for the next item and return it. Raises the exception that ``work`` raised, and ``WireloomError`` in a
        process that was forked in the meantime, in which the thread does not exist."""
        if self._process != os.getpid():
            raise WireloomError("a scan that was started before a fork cannot be continued in the new process")
        if not self._is_started:
            start(self._thread)
            # If that was interrupted, the thread is not waited for: it has no slot and does nothing.
            self._is_started = True
            for slot in self._first_slots():
                self.give(slot)
        made = self._wait()
        if isinstance(made, BaseException):
            try:
                raise made
            finally:
                # The traceback of the error refers to this frame: without this, the frame and the error would form a
                # cycle.
                del made
        return made[0]

    def _wait(self) -> tuple[Item] | BaseException:
        while True:
            with suppress(Empty):
                return self._made.get(timeout=INTERRUPTIBLE)

    def close(self, *, wait: bool = True) -> bool:
        """Request the end of the thread, and wait for it if ``wait``. Return whether it is known to have ended; false
        when called in the thread itself, which may happen during garbage collection."""
        # Not by the finalizer, which counts as called even if it was interrupted.
        _halt(self._stopped, self._slots)
        self._finalizer.detach()
        if not self._is_started or self._process != os.getpid():
            return True
        if self._thread is threading.current_thread() or not wait:
            return False
        self._thread.join()
        return True


def start(thread: threading.Thread) -> None:
    """Start a thread. If the start is interrupted, the thread may or may not run: it must do nothing until a caller
    that knows that it has started tells it to.

    Python waits for the start with a lock whose state is undefined after an interrupt, and then raises
    ``RuntimeError``.
    """
    try:
        thread.start()
    except RuntimeError as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise


def _halt(stopped: list[bool], slots: SimpleQueue[tuple[Slot] | None]) -> None:
    stopped.append(True)
    slots.put(None)


def _work(
    work: Callable[[Slot], Item],
    is_last: Callable[[Item], bool],
    slots: SimpleQueue[tuple[Slot] | None],
    made: SimpleQueue[tuple[Item] | BaseException],
    stopped: list[bool],
) -> None:
    while (slot := slots.get()) is not None and not stopped:
        try:
            item = work(slot[0])
            ends = is_last(item)
        except BaseException as error:
            # Any exception is passed on, so that the caller does not wait forever.
            made.put(error)
            return
        made.put((item,))
        if ends:
            return
        del slot, item


Result = TypeVar("Result")

WORKERS = 2
"""Number of threads of a process: together they are faster than a thread that builds rows."""
PREFIX = "wireloom-pool"
"""What the names of the threads begin with."""

_pools: dict[int, ThreadPoolExecutor] = {}
"""Thread pools by process id: a forked process has none of its parent's threads."""


def pool() -> ThreadPoolExecutor:
    """Return the thread pool of this process."""
    # Imported here: its module loads that of logging, and most inputs are read by one thread.
    from concurrent.futures import ThreadPoolExecutor

    process = os.getpid()
    if process not in _pools:
        _pools.clear()
        _pools[process] = ThreadPoolExecutor(WORKERS, thread_name_prefix=PREFIX)
    return _pools[process]


def is_in_pool() -> bool:
    """Return whether the current thread is one of the pool's. It must not wait for others, which may wait for it:
    objects that wait for their threads when they are collected may be collected in any thread."""
    return threading.current_thread().name.startswith(PREFIX)


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Job(Generic[Result]):
    """A call that runs in the pool, or later in the caller's thread if no thread has begun it by then."""

    def __init__(self, future: Future[Result]) -> None:
        self._future = future
        self._process = os.getpid()

    @property
    def has_ended(self) -> bool:
        """Return whether the call has ended, or is not going to begin."""
        return self._process != os.getpid() or self._future.done()

    def result(self) -> Result | None:
        """Return the result, and wait for it if a thread is at work; ``None`` if none has begun, or in a forked
        process, which does not have the threads. Raises what the call raises."""
        if self._process != os.getpid() or self._future.cancel():
            return None
        return self._future.result()

    def cancel(self) -> None:
        """Do not begin the call any more."""
        if self._process == os.getpid():
            self._future.cancel()


def submitted(executor: ThreadPoolExecutor, call: Callable[..., Result], *arguments: object) -> Job[Result]:
    """Return the job of a call. No thread begins it if there is none, as when the interpreter ends."""
    try:
        future = executor.submit(call, *arguments)
    except RuntimeError:
        from concurrent.futures import Future

        future = Future()
        future.cancel()
    return Job(future)
