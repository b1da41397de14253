"""Where the process of a command begins. Imports nothing by itself: who presses Ctrl-C at once sees one line."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn


def main() -> None:
    """Run the command line of this process, and ends it."""
    try:
        import signal

        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, leave)
        from .program import main as program

        try:
            program(obj=begun)
        finally:
            # Nothing is left to stop. Python, on its way out, would die of an interrupt without a message.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        leave()


def leave(_number: int = 0, _frame: FrameType | None = None) -> NoReturn:
    """End the process as an interrupted one, at once: an exception could get lost in whatever is being imported.

    For the time in which nothing has been begun that would have to be undone; then ``program`` calls
    ``begun``, which puts the usual exception in its place.
    """
    import os
    import signal

    os.write(2, b"wireloom: interrupted\n")
    os._exit(128 + signal.SIGINT)


def begun() -> None:
    """From now on, an interrupt is an exception."""
    import signal

    if signal.getsignal(signal.SIGINT) is leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)
