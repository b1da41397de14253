"""Reading of all rows at once."""

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
    """Return the rows of ``source`` as a ``pyarrow.Table``. Parameters and errors are those of ``wireloom.scan``.

    {options}
    """
    table, _ = read_with_report(format, source, **options)
    return table


@takes(ScanOptions)
def read_with_report(format: str | Path | Format, source: Any, **options: Any) -> tuple[pa.Table, ReadReport]:
    """Return the rows of ``source`` as a ``pyarrow.Table``, like ``read``, and the report of the scan.

    {options}
    """
    with scan(format, source, **options) as scanner:
        table = scanner.read_all()
    return table, scanner.report
