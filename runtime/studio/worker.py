"""The process in which specs are compiled and files are read: jobs come in, and results go out, a line of JSON each.

Whatever a spec or a file does to it, it ends by itself when a job takes too long or too much memory.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from ..base.errors import WireloomError
from .workshop import JOBS, Workshop

GRACE = 5
"""Seconds after which the process ends by itself, should nobody be there to end it in time."""


def main() -> None:
    """Serve jobs until standard input ends. The first line says what for."""
    # What a spec's code prints does not come among the results.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    begin = json.loads(sys.stdin.readline())
    _limit_memory(begin["memory"])
    workshop = Workshop(Path(begin["spec"]), begin["file"], begin["options"], tuple(begin["allow_modules"]))
    for line in sys.stdin:
        job = json.loads(line)
        _end_after(job["seconds"] + GRACE)
        out.write(json.dumps(_done(workshop, job)) + "\n")
        out.flush()
        _end_after(0)


def _done(workshop: Workshop, job: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"result": JOBS[job["job"]](workshop, **job["arguments"])}
    except WireloomError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": "there is not enough memory for it", "spent": True}
    except RecursionError:
        return {"error": "it is nested too deeply"}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def _limit_memory(size: int) -> None:
    # Windows has no such limits.
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        size = size if most == resource.RLIM_INFINITY else min(size, most)
        resource.setrlimit(resource.RLIMIT_AS, (size, most))


def _end_after(seconds: float) -> None:
    """Have the system end this process then, unless it is called again; 0: not any more."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


if __name__ == "__main__":
    main()
