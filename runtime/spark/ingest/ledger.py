"""The ledger of a table: its input files, the batches of its streams, and the table's shape.

The records of the commit log are the ledger: a file is done when the commit with its rows is in effect. Every
``SNAPSHOT_EVERY`` commits they are combined in ``_wireloom/ledger.parquet``, and the records themselves are deleted.
"""

from __future__ import annotations

import io
import json
import secrets
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...base.addresses import is_remote, path_text, same_for_all
from ...base.dataclass import dataclass, field
from ...base.errors import WireloomError
from ..folders import Folder
from ..write.commit_log import LOG_FOLDER, TABLE, Commit, CommitLog

SNAPSHOT = "ledger.parquet"
SNAPSHOT_EVERY = 100
NEWEST = 16
"""Number of names of the newest files that a snapshot contains."""
DIGITS = 9
"""Number of digits of a commit's number in names."""
COUNTED = ("files", "rows", "bytes", "quarantined", "setAside", "seconds")
"""Metrics of a batch that are added to the totals."""
QUARANTINE = "quarantine"
"""The place of a commit that contains the damaged records."""
_SCHEMA = pa.schema([pa.field("path", pa.string()), pa.field("size", pa.int64()), pa.field("identity", pa.string())])


@dataclass(frozen=True)
class TableSchema:
    """The shape of a table: its columns by name and Spark type, its partition columns, and its kind. ``described``: the
    columns as the JSON of a Spark schema, as in Delta."""

    columns: tuple[tuple[str, str], ...]
    partition_by: tuple[str, ...]
    to: str
    described: str = field(default="", compare=False)

    def to_json(self) -> dict[str, Any]:
        """Return the shape as it is stored."""
        return {
            "columns": [list(each) for each in self.columns],
            "partitionBy": list(self.partition_by),
            "to": self.to,
            "described": self.described,
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> TableSchema:
        """Parse a stored shape."""
        columns = tuple((name, kind) for name, kind in found["columns"])
        return cls(columns, tuple(found["partitionBy"]), found["to"], found["described"])


@dataclass
class Ledger:
    """``files``: stored sizes in bytes, by path; ``streams``: the last batch of each query, by its id; ``last``: number
    of the last commit, 0 before the first; ``shape``: ``None`` before the first; ``identity``: a random name, which is
    new for every table and whenever a table is replaced. Numbers of commits are valid only together with it."""

    files: dict[str, int | None] = field(default_factory=dict)
    streams: dict[str, int] = field(default_factory=dict)
    last: int = 0
    shape: TableSchema | None = None
    snapshot: int = 0
    """Number of the last commit in the snapshot."""
    identity: str = field(default_factory=lambda: secrets.token_hex(16))
    quarantines: dict[str, str] = field(default_factory=dict)
    """The address of the last quarantine, by that of the table, which may have been moved or copied since."""
    totals: Counter[str] = field(default_factory=Counter)
    """Totals over all commits, by the names of a batch's metrics, and the number of ``batches``."""
    reasons: Counter[str] = field(default_factory=Counter)
    """The number of damaged ranges in all commits, by reason."""
    latest: dict[str, float] = field(default_factory=dict)
    """Metrics of the last commit, by their names in ``prometheus``."""
    identities: dict[str, str] = field(default_factory=dict)
    """What identifies the local files, by path, see ``read_files``; older versions did not store it."""
    written: set[str] = field(default_factory=set)
    """The names of all files of the commits after the snapshot, in the table and the quarantine."""
    newest: list[str] | None = field(default_factory=list)
    """The names of the table's files of the last commit with rows, at most ``NEWEST`` of them; ``None`` if not known:
    snapshots of older versions do not contain them."""

    def add(self, record: Commit) -> None:
        """Add a commit."""
        facts = record.facts
        if facts["fresh"]:
            self.files.clear()
            self.identities.clear()
            self.streams.clear()
            self.quarantines.clear()
            self.newest = []
        self.written.update(each.final for each in record.moves)
        self.newest = [each.final for each in record.moves if each.place == TABLE][:NEWEST] or self.newest
        self.files.update({key(each["path"]): each["size"] for each in facts["files"]})
        self.identities.update(facts.get("identities", {}))
        if facts["stream"] is not None:
            self.streams[facts["stream"]["query"]] = facts["stream"]["batch"]
        # Records of older versions do not contain the table's address.
        if QUARANTINE in record.places and "table" in facts:
            self.quarantines[facts["table"]] = record.places[QUARANTINE]
        self.shape = TableSchema.from_json(facts["shape"])
        self.last = int(record.name)
        self.identity = facts["ledger"]
        self._count(facts["batch"], facts["committed"])

    def _count(self, batch: Mapping[str, Any], committed: str) -> None:
        # Records of older versions do not contain all metrics.
        self.totals.update({name: batch.get(name, 0) for name in COUNTED})
        self.totals["batches"] += 1
        self.reasons.update(batch["reasons"])
        self.latest = {
            "last_commit_timestamp_seconds": datetime.fromisoformat(committed).timestamp(),
            "last_batch_rows": batch["rows"],
            "last_batch_seconds": batch["seconds"],
            **({"lag_seconds": batch["lag"]} if batch.get("lag") is not None else {}),
        }


def key(path: str) -> str:
    """Return the key of a path in the ledger: it is the same for all spellings of an object's address."""
    return same_for_all(path) if is_remote(path) else path_text(path)


def read_ledger(table: Folder, log: CommitLog) -> Ledger:
    """Read the ledger of a table whose log has no pending commits. Raises ``WireloomError`` if it is damaged or a part
    of it is missing."""
    home = table.inside(LOG_FOLDER)
    ledger = _snapshot(home)
    for name in log.names():
        if name <= record_name(ledger.snapshot):
            continue
        if name != record_name(ledger.last + 1):
            raise WireloomError(
                f"the ledger is incomplete: commit {ledger.last + 1} is neither in {SNAPSHOT} nor in commits; restore "
                "the folder, or ingest to another table",
                path=home.address,
            )
        record = log.record(name)
        try:
            if ledger.last and record.facts["ledger"] != ledger.identity and not record.facts["fresh"]:
                raise WireloomError(
                    f"the ledger is mixed: commit {ledger.last + 1} is of another ledger than the commits before it; "
                    "restore the folder as a whole, or ingest to another table",
                    path=home.address,
                )
            ledger.add(record)
        except (KeyError, TypeError, ValueError) as error:
            raise WireloomError(
                f"the record of commit {name} cannot be understood ({error!r}): restore it, or ingest to another table",
                path=home.address,
            ) from None
    return ledger


def record_name(number: int) -> str:
    """Return the name of the record of a commit; names sort like the numbers."""
    return f"{number:0{DIGITS}d}"


def compact_ledger(table: Folder, log: CommitLog, ledger: Ledger, every: int = SNAPSHOT_EVERY) -> None:
    """Write the snapshot every ``SNAPSHOT_EVERY`` commits, and remove the records that it replaces."""
    if ledger.last - ledger.snapshot < every or ledger.shape is None:
        return
    facts = {
        "last": ledger.last,
        "streams": ledger.streams,
        "shape": ledger.shape.to_json(),
        "ledger": ledger.identity,
        "quarantines": ledger.quarantines,
        "totals": ledger.totals,
        "reasons": ledger.reasons,
        "latest": ledger.latest,
        "newest": ledger.newest,
    }
    rows = pa.Table.from_arrays(
        [
            pa.array(ledger.files.keys(), pa.string()),
            pa.array(ledger.files.values(), pa.int64()),
            pa.array([ledger.identities.get(each) for each in ledger.files], pa.string()),
        ],
        schema=_SCHEMA,
    )
    sink = io.BytesIO()
    pq.write_table(rows.replace_schema_metadata({"wireloom": json.dumps(facts)}), sink, compression="zstd")
    table.inside(LOG_FOLDER).write(SNAPSHOT, sink.getvalue())
    ledger.snapshot = ledger.last
    for name in log.names():
        if int(name) <= ledger.snapshot:
            log.forget(name)


def _snapshot(home: Folder) -> Ledger:
    if not home.holds(SNAPSHOT):
        return Ledger()
    try:
        rows = pq.read_table(io.BytesIO(home.read(SNAPSHOT)))
        facts = json.loads(rows.schema.metadata[b"wireloom"])
        files = dict(zip(rows.column("path").to_pylist(), rows.column("size").to_pylist(), strict=True))
        # Snapshots of older versions have no identities.
        stored = rows.column("identity").to_pylist() if "identity" in rows.column_names else []
        identities = {path: each for path, each in zip(files, stored, strict=False) if each is not None}
        last, shape = facts["last"], TableSchema.from_json(facts["shape"])
        totals, reasons = (Counter(facts.get(name, {})) for name in ("totals", "reasons"))
        latest, quarantines, newest = facts.get("latest", {}), facts.get("quarantines", {}), facts.get("newest")
        return Ledger(
            files,
            facts["streams"],
            last,
            shape,
            last,
            facts["ledger"],
            quarantines,
            totals,
            reasons,
            latest,
            identities,
            newest=newest,
        )
    except (pa.ArrowException, KeyError, TypeError, ValueError) as error:
        raise WireloomError(f"the ledger is damaged ({error}): restore it", path=home.child(SNAPSHOT)) from None
