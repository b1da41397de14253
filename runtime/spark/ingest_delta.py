"""Delta Lake: files that an ingest has put into the table's folder are added to its log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote, unquote

import pyarrow.parquet as pq
from deltalake import CommitProperties, DeltaTable, Schema, Transaction
from deltalake.transaction import AddAction, create_table_with_add_actions

from .folders import Folder
from .ingest_ledger import Shape
from .journal import TABLE, Record

APPLICATION = "wireloom-ingest"
"""Under this name the log says which of our commits it has: the protocol's own way to add files once."""
NULL = "__HIVE_DEFAULT_PARTITION__"


class DeltaCatalog:
    """The log of a Delta table."""

    def publish(self, table: Folder, record: Record) -> None:
        """As ``Catalog.publish``."""
        place, number, shape = _place(table), int(record.name), Shape.from_json(record.facts["shape"])
        there = DeltaTable(place) if DeltaTable.is_deltatable(place) else None
        if there is not None and (there.transaction_version(APPLICATION) or 0) >= number:
            return
        actions: list[Any] = list(_actions(table, record))
        schema, once = Schema.from_json(shape.described), CommitProperties(app_transactions=[_transaction(number)])
        partitions = list(shape.partition_by)
        if there is None:
            create_table_with_add_actions(
                place, schema, actions, mode="error", partition_by=partitions, commit_properties=once
            )
            return
        mode = "overwrite" if record.facts["fresh"] else "append"
        there.create_write_transaction(actions, mode, schema, partitions, commit_properties=once)

    def columns(self, table: Folder) -> Sequence[str] | None:
        """As ``Catalog.columns``."""
        place = _place(table)
        return [each.name for each in DeltaTable(place).schema().fields] if DeltaTable.is_deltatable(place) else None

    def check(self, table: Folder, shape: Shape) -> None:
        """As ``Catalog.check``: every shape will do."""


def _transaction(number: int) -> Transaction:
    return Transaction(APPLICATION, number)


def _place(table: Folder) -> str:
    return table.address if table.remote else table.path


def _actions(table: Folder, record: Record) -> Iterator[AddAction]:
    for move in record.moves:
        if move.place != TABLE:
            continue
        info = table.store.get_file_info(f"{table.path}/{move.final}")
        rows = pq.read_metadata(info.path, filesystem=table.store).num_rows
        parts = (each.partition("=") for each in move.final.split("/")[:-1])
        values = {unquote(name): None if value == NULL else unquote(value) for name, _, value in parts}
        modified = int(info.mtime_ns // 1_000_000)
        yield AddAction(quote(move.final, safe="/="), info.size, values, modified, True, f'{{"numRecords":{rows}}}')
