"""Starting threads where an interrupt may come at any time."""

from __future__ import annotations

import threading


def start(thread: threading.Thread) -> None:
    """``thread.start()``. Where that is interrupted, the thread runs or not: it must do nothing that it was not told
    by somebody who knows that it has started.

    Python waits in it with a lock that an interrupt can leave in any state, and then raises ``RuntimeError`` over it.
    """
    try:
        thread.start()
    except RuntimeError as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise
