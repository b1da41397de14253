"""The process in which specs are compiled and files are read: receives jobs and returns results, each as a line of
JSON.

It ends by itself if a job exceeds its limits of time or memory, whatever the spec or file contains.
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
from .workshop import JOBS, Workshop, prepare

GRACE = 5
"""Seconds after a job's time limit at which the process ends by itself if its parent has not ended it."""


def main() -> None:
    """Run jobs until standard input ends. The first line contains the arguments; an empty line is written before the
    first job."""
    # Output of a spec's code must not mix with the results.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    begin = json.loads(sys.stdin.readline())
    _limit_memory(begin["memory"])
    paths = tuple(map(Path, begin["import_paths"]))
    workshop = Workshop(Path(begin["spec"]), begin["file"], begin["options"], tuple(begin["allow_modules"]), paths)
    prepare()
    out.write("\n")
    out.flush()
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
    """Have the system end this process after ``seconds``, unless this is called again; 0 cancels it."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


if __name__ == "__main__":
    main()
