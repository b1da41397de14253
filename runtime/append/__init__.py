"""Appending to delimited logs that other processes may be appending to as well.

>>> with AppendWriter("journal.log", "word_stuffed_log") as journal:    # doctest: +SKIP
...     journal.append(generation=7, payload=b"hello")

Each record goes out in one write to a descriptor in append mode, with its delimiter after it. A write that the system
cuts short, or whose writer is killed, leaves a torn record; what is written next begins with the delimiter that is
missing, and a reader skips the torn one. A record whose delimiter alone was torn can so be read twice; none that was
accepted is missing, whatever becomes of other writers (blocks.py).
"""

from __future__ import annotations

from .blocks import REWRITES, AppendError
from .calls import Calls, SystemCalls
from .publish import publish
from .writer import AppendWriter

__all__ = ["REWRITES", "AppendError", "AppendWriter", "Calls", "SystemCalls", "publish"]
