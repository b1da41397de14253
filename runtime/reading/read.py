"""Reading everything at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..base.report import ReadReport
from ..format.description import Format
from .scanning import scan


def read(
    format: str | Path | Format,
    source: Any,
    *,
    columns: Sequence[str] | None = None,
    mode: str = "permissive",
    recover: bool = False,
    verify: bool = True,
    byte_range: tuple[int, int] | None = None,
    **options: Any,
) -> pa.Table:
    """The rows of ``source`` as a table. Everything is as in ``wireloom.scan``, whose other options are taken too."""
    table, _ = read_with_report(
        format,
        source,
        columns=columns,
        mode=mode,
        recover=recover,
        verify=verify,
        byte_range=byte_range,
        **options,
    )
    return table


def read_with_report(
    format: str | Path | Format,
    source: Any,
    *,
    columns: Sequence[str] | None = None,
    mode: str = "permissive",
    recover: bool = False,
    verify: bool = True,
    byte_range: tuple[int, int] | None = None,
    **options: Any,
) -> tuple[pa.Table, ReadReport]:
    """As ``read``, with the report of what was met on the way."""
    with scan(
        format,
        source,
        columns=columns,
        mode=mode,
        recover=recover,
        verify=verify,
        byte_range=byte_range,
        **options,
    ) as scanner:
        table = scanner.read_all()
    return table, scanner.report
