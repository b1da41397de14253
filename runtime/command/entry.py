"""Where the process of a command begins. Imports nothing by itself: who presses Ctrl-C at once sees one line."""

from __future__ import annotations

from .interrupts import leave


def main() -> None:
    """Runs the command line of this process, and ends it."""
    try:
        import signal

        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, leave)
        from .program import main as program

        try:
            program()
        finally:
            # Nothing is left to stop. Python, on its way out, would die of an interrupt without a word.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        leave()
