"""SIGINT and SIGTERM, which end a command with an exception, raised only where it is not discarded.

Python discards exceptions in finalizers and callbacks of weak references. Modules that are written in C may do so while
they are imported: pandas for example, which pyarrow imports when it creates its first array.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from .standard import TERMINATED

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

RETRY = 0.005
"""Seconds until a postponed signal is handled again."""

_postponed: list[int] = []
"""Signals whose exception has not been raised yet."""


def handle(number: int, frame: FrameType | None) -> None:
    """Raise ``KeyboardInterrupt`` for SIGINT, and ``SystemExit`` for SIGTERM. While a module is being imported, do so
    after the import, unless this is the second signal of its kind."""
    if _is_importing(frame) and number not in _postponed and _postpone(number):
        return
    _raise(number)


def interrupting(handler: Callable[[int, FrameType | None], object]) -> Callable[[int, FrameType | None], NoReturn]:
    """Return a handler of SIGINT that ends with ``KeyboardInterrupt`` even if ``handler``, as in older versions of
    PySpark, ends with an error because Java does not answer."""

    def handle(number: int, frame: FrameType | None) -> NoReturn:
        try:
            handler(number, frame)
        finally:
            raise KeyboardInterrupt

    return handle


@contextmanager
def handled() -> Iterator[None]:
    """Handle SIGTERM within the block, and repeat exceptions of ``handle`` that Python has discarded."""
    before, hook = signal.signal(signal.SIGTERM, handle), sys.unraisablehook

    def discarded(unraisable: UnraisableHookArgs) -> None:
        error = unraisable.exc_value
        is_terminated = isinstance(error, SystemExit) and error.code == TERMINATED
        number = signal.SIGTERM if is_terminated else signal.SIGINT
        if not (is_terminated or isinstance(error, KeyboardInterrupt)) or not _postpone(number):
            hook(unraisable)

    sys.unraisablehook = discarded
    try:
        yield
        if _postponed:
            _raise(_postponed[-1])
    finally:
        forget()
        sys.unraisablehook = hook
        signal.signal(signal.SIGTERM, before)


def forget() -> None:
    """Raise no exception for postponed signals any more."""
    _postponed.clear()
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)


def _postpone(number: int) -> bool:
    if not hasattr(signal, "setitimer"):
        return False
    _postponed.append(number)
    signal.signal(signal.SIGALRM, _retry)
    signal.setitimer(signal.ITIMER_REAL, RETRY)
    return True


def _retry(_: int, frame: FrameType | None) -> None:
    if _postponed and _is_importing(frame):
        signal.setitimer(signal.ITIMER_REAL, RETRY)
    elif _postponed:
        _raise(_postponed[-1])


def _raise(number: int) -> NoReturn:
    forget()
    raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(TERMINATED)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False
