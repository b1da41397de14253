"""How an interrupt ends the process while it begins. Imports nothing by itself."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

INTERRUPTED = 130
"""Exit code: what a shell reports for a process that an interrupt ended."""


def leave(_number: int = 0, _frame: FrameType | None = None) -> NoReturn:
    """Ends the process as an interrupted one, at once: an exception could get lost in whatever is being imported.

    For the time in which nothing has been begun that would have to be undone; then ``program`` puts the usual exception
    in its place (``begun``).
    """
    import os

    os.write(2, b"wireloom: interrupted\n")
    os._exit(INTERRUPTED)


def begun() -> None:
    """From now on, an interrupt is an exception."""
    import signal

    if signal.getsignal(signal.SIGINT) is leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)
