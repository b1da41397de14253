"""Kinds of tables beyond folders of Parquet files: their own logs determine which files belong to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ...base.addresses import S3, scheme_of
from ...base.errors import UnsupportedError
from ...base.extras import require
from ...base.ingest_options import TABLE_KINDS
from ..folders import Folder
from ..write.commit_log import Commit
from .ledger import TableSchema

SCHEMES = ("", "file", *S3, "gs", "abfs", "abfss", "hdfs")
"""Schemes of addresses that deltalake and pyiceberg support."""


class TableCatalog(Protocol):
    """The log of one kind of table."""

    def publish(self, table: Folder, record: Commit) -> None:
        """Add the files of a commit, which are in place, to the table. Does nothing if they have been added before."""

    def published(self, table: Folder, ledger: str) -> int | None:
        """Return the number of the last commit in the log of the ledger with this identity: 0 if the log has only
        commits of other ledgers; ``None`` if it has none of any ledger, or there is no such table."""

    def columns(self, table: Folder) -> Sequence[str] | None:
        """Return the names of the columns of a table; ``None`` if there is no table."""

    def check(self, table: Folder, shape: TableSchema) -> None:
        """Raise ``UnsupportedError`` if a table cannot have that shape, or that location."""


def check_place(table: Folder, kind: str) -> None:
    """Raise ``UnsupportedError`` if a table of that kind cannot be at that location."""
    scheme = scheme_of(table.address)
    if TABLE_KINDS[kind].package and scheme not in SCHEMES:
        known = ", ".join(f"{each}://" for each in SCHEMES if each)
        raise UnsupportedError(
            f"a table of kind {kind} cannot be at {scheme}://: name a local folder or one of {known}, or write a table "
            "of kind parquet",
            path=table.address,
        )


def _delta() -> TableCatalog:
    from .delta import DeltaCatalog

    return DeltaCatalog()


def _iceberg() -> TableCatalog:
    from .iceberg import IcebergCatalog

    return IcebergCatalog()


CATALOGS = {"delta": _delta, "iceberg": _iceberg}


def catalog_of(to: str) -> TableCatalog | None:
    """Return the catalog of a kind of table; ``None`` for plain Parquet.

    Raises ``UnsupportedError`` if the package that it requires is not installed.
    """
    kind = TABLE_KINDS[to]
    if not kind.package:
        return None
    require(kind.package, to, kind.title)
    return CATALOGS[to]()
