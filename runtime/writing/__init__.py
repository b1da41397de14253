"""Writing: rows of a table to the bytes of a format.

>>> report = write("edgemq_segment", table, "seg-00000001.wal.zst")     # doctest: +SKIP

Lengths, counts, checksums and delimiters are filled in.
"""

from __future__ import annotations

from .output import opened
from .writer import WriteReport, write

__all__ = ["WriteReport", "opened", "write"]
