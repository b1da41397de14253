"""Kinds of tables that are more than a folder of Parquet files: their own logs say which files belong to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ...base.extras import require
from ..folders import Folder
from ..write.commit_log import Record
from .ledger import Shape

KINDS = ("parquet", "delta", "iceberg")
"""What a table can be."""


class Catalog(Protocol):
    """The log of one kind of table."""

    def publish(self, table: Folder, record: Record) -> None:
        """Makes the files of a commit, which are where they belong, part of the table; once, however often called."""
        ...

    def published(self, table: Folder, ledger: str) -> int | None:
        """Number of the last commit of a ledger, by its identity, that the log has: 0 where it has only commits of
        other ledgers; ``None`` where it has none of any, or there is no such table."""
        ...

    def columns(self, table: Folder) -> Sequence[str] | None:
        """Names of the columns of a table that is there; ``None`` where there is none."""
        ...

    def check(self, table: Folder, shape: Shape) -> None:
        """Raises ``UnsupportedError`` where a table cannot be of that shape, or in that place."""
        ...


def catalog_of(to: str) -> Catalog | None:
    """The catalog of a kind of table; ``None`` for plain Parquet.

    Raises ``UnsupportedError`` where the package that it needs is not installed.
    """
    if to == "delta":
        require("deltalake", "delta", "a Delta table")
        from .delta import DeltaCatalog

        return DeltaCatalog()
    if to == "iceberg":
        require("pyiceberg", "iceberg", "an Iceberg table")
        from .iceberg import IcebergCatalog

        return IcebergCatalog()
    return None
