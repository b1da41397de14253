"""Appending to delimited logs, to which other processes may append as well.

>>> with AppendWriter("journal.log", "word_stuffed_log") as journal:    # doctest: +SKIP
...     journal.append(generation=7, payload=b"hello")

Each record is written, followed by its delimiter, with one call to a descriptor in append mode. A write that is
incomplete, or whose writer is killed, leaves a torn record; the next write begins with the missing delimiter, and
readers skip the torn record. A record of which only the delimiter was torn may therefore be read twice, but no accepted
record is lost, whatever happens to other writers (blocks.py).
"""

from __future__ import annotations

from .blocks import REWRITES, AppendError
from .calls import Calls, SystemCalls
from .writer import AppendWriter, publish

__all__ = ["REWRITES", "AppendError", "AppendWriter", "Calls", "SystemCalls", "publish"]
