"""Setup of Spark's Python worker processes."""

from __future__ import annotations

import gc
import os
from functools import cache


@cache
def keep_imported() -> None:
    """Exempt all existing objects, mostly imported modules, from garbage collection.

    Spark's workers collect garbage after each task, which delays the next task by 30 to 90 ms, more than a small task
    takes by itself. Does nothing in other processes.
    """
    if os.environ.get("SPARK_REUSE_WORKER"):
        gc.freeze()
