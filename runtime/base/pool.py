"""Threads of this process, for calls of libraries that release Python's global lock, such as decompressors."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

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
