"""The entry point of the process. Imports nothing by itself, so that an early Ctrl-C prints a single line."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn


def main() -> None:
    """Run the command line of this process, and end it."""
    try:
        import signal

        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, leave)
        from . import signals
        from .command_group import main as program

        try:
            program(obj=begun)
        finally:
            # Nothing is left to stop. While Python exits, an interrupt would end it without a message.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signals.forget()
    except KeyboardInterrupt:
        leave()


def leave(_number: int = 0, _frame: FrameType | None = None) -> NoReturn:
    """End the process immediately as interrupted, since an exception could get lost in a module that is being imported.

    Used while nothing has been started that would have to be undone; then ``program`` calls ``begun``, which restores
    the usual exception.
    """
    import os
    import signal

    os.write(2, b"wireloom: interrupted\n")
    os._exit(128 + signal.SIGINT)


def begun() -> None:
    """Let interrupts raise ``KeyboardInterrupt`` from now on."""
    import signal

    from .signals import handle

    if signal.getsignal(signal.SIGINT) is leave:
        signal.signal(signal.SIGINT, handle)
