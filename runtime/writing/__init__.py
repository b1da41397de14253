"""Writing: rows of a table to the bytes of a format.

>>> report = write("edgemq_segment", table, "seg-00000001.wal.zst")     # doctest: +SKIP

Lengths, counts, checksums and delimiters are filled in.
"""

from __future__ import annotations

from .encoder import RowEncoder
from .output import opened
from .row_batches import batches_of, size_of
from .writer import WriteReport, write

__all__ = ["RowEncoder", "WriteReport", "batches_of", "opened", "size_of", "write"]
