"""Reading everything at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from .format import Format
from .report import ReadReport
from .scanning import scan


def read(format: str | Path | Format, source: Any, **options: Any) -> pa.Table:
    """The rows of ``source`` as a table. ``options`` are those of ``wireloom.scan``."""
    return read_with_report(format, source, **options)[0]


def read_with_report(format: str | Path | Format, source: Any, **options: Any) -> tuple[pa.Table, ReadReport]:
    """The rows of ``source`` as a table, and what was met on the way. ``options`` are those of ``wireloom.scan``."""
    with scan(format, source, **options) as scanner:
        table = scanner.read_all()
    return table, scanner.report
