"""Reading everything at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from ..base.report import ReadReport
from ..format.description import Format
from .options import ScanOptions, takes
from .scanning import scan


@takes(ScanOptions)
def read(format: str | Path | Format, source: Any, **options: Any) -> pa.Table:
    """Return the rows of ``source`` as a table. Everything is as in ``wireloom.scan``.

    {options}
    """
    table, _ = read_with_report(format, source, **options)
    return table


@takes(ScanOptions)
def read_with_report(format: str | Path | Format, source: Any, **options: Any) -> tuple[pa.Table, ReadReport]:
    """Like ``read``, with the report of what was met on the way.

    {options}
    """
    with scan(format, source, **options) as scanner:
        table = scanner.read_all()
    return table, scanner.report
