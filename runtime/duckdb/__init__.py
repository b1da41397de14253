"""Logs as relations of DuckDB: columns and filters of queries reach the reader.

>>> import wireloom.duckdb
>>> wireloom.duckdb.register(connection, "events", "edgemq_segment", "segments/")  # doctest: +SKIP
"""

from .relation import register

__all__ = ["register"]
