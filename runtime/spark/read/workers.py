"""Set-up of Spark's Python processes."""

from __future__ import annotations

import gc
import os
from functools import cache


@cache
def keep_imported() -> None:
    """Exempt all present objects, mostly imported modules, from garbage collection.

    Spark's processes collect garbage after each task, and the next task waits: 30 to 90 ms, more than a small task
    takes by itself. Elsewhere nothing is done.
    """
    if os.environ.get("SPARK_REUSE_WORKER"):
        gc.freeze()
