"""Logs as relations of DuckDB: columns and filters of queries reach the reader.

>>> import wireloom.duckdb
>>> wireloom.duckdb.register(connection, "events", "edgemq_segment", "segments/")  # doctest: +SKIP
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..base.arguments import shown
from ..base.errors import WireloomError
from ..format.description import Format
from ..reading.dataset import LogDataset, dataset


def register(connection: Any, name: str, format: str | Path | Format, source: Any, **options: Any) -> LogDataset:
    """Give the rows of ``source`` a name in queries of a DuckDB connection, and return them as a dataset.

    Each query is a new scan, of only the columns that it uses. The reader evaluates comparisons of columns with
    constants, DuckDB all other conditions. ``options``: those of ``wireloom.scan``. Raises what ``wireloom.scan``
    raises.
    """
    if not hasattr(connection, "register"):
        raise WireloomError(
            f"connection must be a DuckDB connection, as returned by duckdb.connect(), not {shown(connection)}"
        )
    found = dataset(format, source, **options)
    connection.register(name, found)
    return found


__all__ = ["register"]
