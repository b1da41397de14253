"""Delta Lake: adds the files that an ingest has put into the table's folder to the table's log."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow.parquet as pq
from deltalake import CommitProperties, DeltaTable, Schema, Transaction
from deltalake.transaction import AddAction, create_table_with_add_actions

from ...base.addresses import S3, same_for_all, scheme_of
from ...input.inputs import Location
from ...input.s3 import Profile, profile
from ..folders import Folder
from ..read.partition_columns import folder_values
from ..write.commit_log import TABLE, Commit
from .ledger import TableSchema

APPLICATION = "wireloom-ingest"
"""Prefix of the names of application transactions, the protocol's own way to add files exactly once, which record our
last commit: with the identity of a ledger the last one of that ledger, without it the last one of any."""


class DeltaCatalog:
    """The log of a Delta table."""

    def publish(self, table: Folder, record: Commit) -> None:
        """Add the files of a commit, see ``TableCatalog.publish``."""
        number, own = int(record.name), _own(record.facts["ledger"])
        shape = TableSchema.from_json(record.facts["shape"])
        place, access, there = _place(table), _access(table), _table(table)
        if there is not None and (there.transaction_version(own) or 0) >= number:
            return
        actions: list[Any] = list(_actions(table, record))
        schema = Schema.from_json(shape.described)
        once = CommitProperties(app_transactions=[Transaction(each, number) for each in (APPLICATION, own)])
        partitions = list(shape.partition_by)
        if there is None:
            create_table_with_add_actions(
                place,
                schema,
                actions,
                mode="error",
                partition_by=partitions,
                storage_options=access,
                commit_properties=once,
            )
            return
        new = [each for each in schema.fields if each.name not in {field.name for field in there.schema().fields}]
        if new and not record.facts["fresh"]:
            # In a separate commit. If the run dies after it, the new column is null in all rows.
            there.alter.add_columns(new)
            there.update_incremental()
        mode = "overwrite" if record.facts["fresh"] else "append"
        there.create_write_transaction(actions, mode, schema, partitions, commit_properties=once)

    def published(self, table: Folder, ledger: str) -> int | None:
        """Return the number of the last commit, see ``TableCatalog.published``."""
        there = _table(table)
        if there is None or there.transaction_version(APPLICATION) is None:
            return None
        return there.transaction_version(_own(ledger)) or 0

    def columns(self, table: Folder) -> Sequence[str] | None:
        """Return the names of the columns, see ``TableCatalog.columns``."""
        there = _table(table)
        return None if there is None else [each.name for each in there.schema().fields]

    def check(self, table: Folder, shape: TableSchema) -> None:
        """Accept every shape, see ``TableCatalog.check``."""


def _own(ledger: str) -> str:
    """Return the application name of a ledger, by its identity."""
    return f"{APPLICATION}-{ledger}"


def _table(table: Folder) -> DeltaTable | None:
    place, access = _place(table), _access(table)
    return DeltaTable(place, storage_options=access) if DeltaTable.is_deltatable(place, access) else None


def _place(table: Folder) -> str:
    return same_for_all(table.address) if table.remote else table.path


def _access(table: Folder) -> dict[str, str] | None:
    """Return deltalake's options for access to a store; it takes missing ones from the environment."""
    if scheme_of(table.address) not in S3:
        return None
    location = table.location or Location()
    own = Profile() if location.profile is None else profile(location.profile)
    keys = dict(
        zip(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"), own.credentials or (), strict=False)
    )
    found = {
        "AWS_ENDPOINT_URL": location.endpoint or own.endpoint,
        "AWS_REGION": location.region or own.region,
        "AWS_SKIP_SIGNATURE": "true" if location.anonymous else None,
        **keys,
    }
    if (found["AWS_ENDPOINT_URL"] or "").startswith("http:"):
        found["AWS_ALLOW_HTTP"] = "true"
    return {name: value for name, value in found.items() if value is not None}


def _actions(table: Folder, record: Commit) -> Iterator[AddAction]:
    now = int(time.time() * 1000)
    # A commit of an older version without statistics, which died before publishing it.
    told = record.facts.get("written", {})
    for move in record.moves:
        if move.place == TABLE:
            known = told.get(move.final) or _found(table, move.final)
            statistics = json.dumps(known["statistics"])
            yield AddAction(move.final, known["bytes"], folder_values(move.final), now, True, statistics)


def _found(table: Folder, name: str) -> dict[str, Any]:
    info = table.store.get_file_info(f"{table.path}/{name}")
    return {
        "bytes": info.size,
        "statistics": {"numRecords": pq.read_metadata(info.path, filesystem=table.store).num_rows},
    }
