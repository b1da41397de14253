"""Iceberg: files that an ingest has put into the table's folder are added to the table of a catalog.

The catalog is pyiceberg's ``default``, as its configuration says. The table is called as the folder and the one that
this is in: ``lake/events`` is ``lake.events``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.table import Table

from ..errors import UnsupportedError
from .folders import Folder
from .ingest_ledger import Shape
from .journal import TABLE, Record

COMMIT = "wireloom.commit"
"""Property of a snapshot: which of our commits it is."""


class IcebergCatalog:
    """A table in the default catalog."""

    def publish(self, table: Folder, record: Record) -> None:
        """As ``Catalog.publish``."""
        names = [move.final for move in record.moves if move.place == TABLE]
        catalog = _catalog()
        there = _table(catalog, table)
        if there is None:
            catalog.create_namespace_if_not_exists(_name(table)[0])
            schema = _schema(table, names[0])
            there = catalog.create_table(_name(table), schema, location=_place(table))
        if any(each.summary is not None and each.summary[COMMIT] == record.name for each in there.snapshots()):
            return
        with there.transaction() as transaction:
            if record.facts["fresh"]:
                transaction.delete(AlwaysTrue())
            files = [f"{_place(table)}/{name}" for name in names]
            transaction.add_files(files, snapshot_properties={COMMIT: record.name})

    def columns(self, table: Folder) -> Sequence[str] | None:
        """As ``Catalog.columns``."""
        there = _table(_catalog(), table)
        return None if there is None else list(there.schema().column_names)

    def check(self, table: Folder, shape: Shape) -> None:
        """As ``Catalog.check``: files in folders of partitions lack the columns that Iceberg partitions by."""
        if shape.partition_by:
            raise UnsupportedError("tables of kind iceberg are not partitioned by columns: leave partition_by out")


def _catalog() -> Catalog:
    try:
        return load_catalog()
    except ValueError as error:
        reason = str(error).split("\n", 1)[0]
        raise UnsupportedError(f"pyiceberg has no default catalog ({reason}): configure one") from None


def _table(catalog: Catalog, table: Folder) -> Table | None:
    try:
        return catalog.load_table(_name(table))
    except NoSuchTableError:
        return None


def _name(table: Folder) -> tuple[str, str]:
    path = Path(table.path)
    return path.parent.name, path.name


def _place(table: Folder) -> str:
    return table.address.rstrip("/") if table.remote else Path(table.path).as_uri()


def _schema(table: Folder, name: str) -> pa.Schema:
    schema: pa.Schema = pq.read_schema(f"{table.path}/{name}", filesystem=table.store)
    return schema.remove_metadata()
