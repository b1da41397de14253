"""Iceberg: adds the files that an ingest has put into the table's folder to the table of a catalog.

The catalog is pyiceberg's ``default``, as configured. The table is named after the folder and its parent:
``lake/events`` is ``lake.events``. The columns that name folders are its partitions, by identity. The files lack these
columns; readers take their values from the partition, as the table format specifies.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.expressions.literals import literal
from pyiceberg.io.pyarrow import (
    compute_statistics_plan,
    data_file_statistics_from_parquet_metadata,
    parquet_path_to_id_mapping,
)
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.table import Table, TableProperties, Transaction
from pyiceberg.transforms import IdentityTransform
from pyiceberg.typedef import Record as Values
from pyspark.sql.types import StructType

from ...base.errors import UnsupportedError
from ..folders import Folder
from ..read.partition_columns import folder_values
from ..versions import to_arrow_schema
from ..write.commit_log import TABLE, Commit
from .ledger import TableSchema

COMMIT = "wireloom.commit"
"""Property of a table with the number of our last commit, which changes together with the table's files. Unlike
snapshots, it does not expire."""
LEDGER = "wireloom.ledger"
"""Property of a table with the identity of the ledger that has this commit."""
TYPES = ("string", "boolean", "tinyint", "smallint", "int", "bigint", "date")
"""Spark types whose values in the names of folders can be read by Iceberg."""


def _is_not_of_statistics(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith("PyArrow statistics missing")


# Columns of bytes have no statistics on purpose. pyiceberg would warn of each of them in each file.
logging.getLogger("pyiceberg.io.pyarrow").addFilter(_is_not_of_statistics)


class IcebergCatalog:
    """A table in the default catalog."""

    def publish(self, table: Folder, record: Commit) -> None:
        """Add the files of a commit, see ``TableCatalog.publish``."""
        names = [move.final for move in record.moves if move.place == TABLE]
        there = _table(_catalog(), table)
        if there is None:
            if not names:
                # Without rows there are no partition folders.
                return
            there = _created(table, TableSchema.from_json(record.facts["shape"]), names[0])
        ledger, number = record.facts["ledger"], int(record.name)
        if (_published(there, ledger) or 0) >= number:
            return
        if names:
            there = _evolved(there, table, TableSchema.from_json(record.facts["shape"]), names[0])
        with there.transaction() as transaction:
            transaction.set_properties({LEDGER: ledger, COMMIT: str(number)})
            if record.facts["fresh"] and there.current_snapshot() is not None:
                transaction.delete(AlwaysTrue())
            _add(transaction, there, table, names)

    def published(self, table: Folder, ledger: str) -> int | None:
        """Return the number of the last commit, see ``TableCatalog.published``."""
        there = _table(_catalog(), table)
        return None if there is None else _published(there, ledger)

    def columns(self, table: Folder) -> Sequence[str] | None:
        """Return the names of the columns, see ``TableCatalog.columns``."""
        there = _table(_catalog(), table)
        return None if there is None else list(there.schema().column_names)

    def check(self, table: Folder, shape: TableSchema) -> None:
        """Check that names of folders can represent the types of partition columns, see ``TableCatalog.check``."""
        for name, kind in shape.columns:
            if name in shape.partition_by and kind not in TYPES:
                raise UnsupportedError(
                    f"a table of kind iceberg cannot have partitions by {name!r}, a {kind}: partition by columns of "
                    "text, whole numbers, dates or booleans, or write a table of kind delta"
                )
        there = _table(_catalog(), table)
        if there is None:
            return
        partitions = [
            there.schema().find_column_name(each.source_id) or ""
            if isinstance(each.transform, IdentityTransform)
            else str(each.transform)
            for each in there.spec().fields
        ]
        if partitions != list(shape.partition_by):
            found, asked = (", ".join(each) or "nothing" for each in (partitions, shape.partition_by))
            raise UnsupportedError(
                f"the table of the catalog is partitioned by {found}, not by {asked}: name the same columns, in the "
                "same order, or another table",
                path=table.address,
            )


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


def _published(there: Table, ledger: str) -> int | None:
    if LEDGER not in there.properties:
        return None
    return int(there.properties[COMMIT]) if there.properties[LEDGER] == ledger else 0


def _name(table: Folder) -> tuple[str, str]:
    path = Path(table.path)
    return path.parent.name, path.name


def _place(table: Folder) -> str:
    # Not percent-encoded, since pyiceberg uses the part after the scheme as the path.
    return table.address.rstrip("/") if table.remote else f"file://{table.path}"


def _created(table: Folder, shape: TableSchema, name: str) -> Table:
    """Create the table without rows. ``name``: one of its files, which has all columns except those of the folders."""
    catalog = _catalog()
    catalog.create_namespace_if_not_exists(_name(table)[0])
    schema = _columns(table, shape, name)
    with catalog.create_table_transaction(_name(table), schema, location=_place(table)) as transaction:
        with transaction.update_spec() as spec:
            for each in shape.partition_by:
                spec.add_identity(each)
        # The columns of the files have names but no field ids.
        names = transaction.table_metadata.schema().name_mapping.model_dump_json()
        transaction.set_properties({TableProperties.DEFAULT_NAME_MAPPING: names})
    return catalog.load_table(_name(table))


def _columns(table: Folder, shape: TableSchema, name: str) -> pa.Schema:
    """Return the columns of a table. ``name``: one of its files, which has all columns except those of the folders."""
    inside: pa.Schema = pq.read_schema(f"{table.path}/{name}", filesystem=table.store)
    every: pa.Schema = to_arrow_schema(StructType.fromJson(json.loads(shape.described)))
    parts = [every.field(each).with_nullable(True) for each in shape.partition_by]
    fields = {each.name: each for each in [*inside, *parts]}
    return pa.schema([fields[each] for each in every.names])


def _evolved(there: Table, table: Folder, shape: TableSchema, name: str) -> Table:
    """Add the columns of a shape that the table lacks; ``name`` as in ``_columns``."""
    known = set(there.schema().column_names)
    if all(each in known for each, _ in shape.columns):
        return there
    # In a separate commit. If the run dies after it, the new column is null in all rows.
    with there.update_schema() as update:
        update.union_by_name(_columns(table, shape, name))
    return _catalog().load_table(_name(table))


def _add(transaction: Transaction, there: Table, table: Folder, names: Sequence[str]) -> None:
    """Add files, with the partition values of their folders."""
    place = _place(table)
    if not there.spec().fields:
        transaction.add_files([f"{place}/{name}" for name in names])
        return
    with transaction.update_snapshot().fast_append() as append:
        for name in names:
            append.append_data_file(_data_file(there, table, name))


def _data_file(there: Table, table: Folder, name: str) -> DataFile:
    path = f"{table.path}/{name}"
    schema = there.schema()
    statistics = data_file_statistics_from_parquet_metadata(
        parquet_metadata=pq.read_metadata(path, filesystem=table.store),
        stats_columns=compute_statistics_plan(schema, there.properties),
        parquet_column_mapping=parquet_path_to_id_mapping(schema),
    )
    return DataFile.from_args(
        content=DataFileContent.DATA,
        file_path=f"{_place(table)}/{name}",
        file_format=FileFormat.PARQUET,
        partition=_partition(there, name),
        file_size_in_bytes=table.store.get_file_info(path).size,
        sort_order_id=None,
        spec_id=there.spec().spec_id,
        equality_ids=None,
        key_metadata=None,
        **statistics.to_serialized_dict(),
    )


def _partition(there: Table, name: str) -> Values:
    """Return the values of the partition columns from the names of a file's folders."""
    texts = folder_values(name)
    values = []
    for each in there.spec().fields:
        column = there.schema().find_field(each.source_id)
        text = texts[column.name]
        values.append(None if text is None else literal(text).to(column.field_type).value)
    return Values(*values)
