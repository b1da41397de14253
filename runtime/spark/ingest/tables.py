"""The table of an ingest, its quarantine, and the commits that add batches to both atomically."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ...base.dataclass import dataclass
from ...base.errors import TemporaryError, WireloomError
from ...base.report import ReadReport
from ..folders import Folder, folder
from ..read.task_reports import TaskReports, merge_reports
from ..versions import from_arrow_schema, to_arrow_schema
from ..write.commit_log import (
    LOG_FOLDER,
    TABLE,
    Commit,
    CommitLog,
    Move,
    clear_staging,
    clear_unfinished,
    staged_name,
    staging,
)
from .catalogs import catalog_of
from .consistency import (
    QUARANTINE_ADVICE,
    absolute_address,
    check_catalog,
    check_files,
    check_kind,
    check_no_others,
    check_quarantine,
    mark_of,
    part_name,
)
from .conversion import RowConversion
from .ledger import QUARANTINE, Ledger, TableSchema, compact_ledger, key, read_ledger, record_name
from .lock import locked
from .prometheus import batch_metrics, file_metrics, lines, totals
from .read_files import identity_of
from .request import IngestRequest
from .schema_drift import UNKNOWN, evolved, table_schema_of
from .table_files import WrittenFile

if TYPE_CHECKING:
    from pyspark.sql.types import StructType
import pyarrow as pa
import pyarrow.parquet as pq

from ..read.task_reports import QUARANTINE_SCHEMA, damaged_ranges


def write_quarantine(place: Folder, name: str, found: TaskReports, report: ReadReport) -> int:
    """Write a file of the quarantine table, even if nothing is damaged; return its number of rows.

    Records contain their first bytes only; ``report`` contains their full lengths, and ranges without a record. Raises
    ``WireloomError`` if the file cannot be written.
    """
    # By path, offset and reason, since an empty range may begin where another one does.
    ranges = {(each.path, one.offset, one.reason): one for each in report.files for one in damaged_ranges(each)}
    seen: set[tuple[str | None, int, str]] = set()
    rows = 0
    place.make()
    # Damage is rare, so the driver writes a single file.
    with place.created(name) as file, pq.ParquetWriter(file, QUARANTINE_SCHEMA, compression="zstd") as writer:
        for records in found.records():
            paths, offsets, errors = (records.column(each).to_pylist() for each in ("_path", "_offset", "_error"))
            places = list(zip(paths, offsets, (each.partition(":")[0] for each in errors), strict=True))
            lengths = [ranges[each].length if each in ranges else None for each in places]
            number = QUARANTINE_SCHEMA.get_field_index("_length")
            field = QUARANTINE_SCHEMA.field(number)
            writer.write_table(records.set_column(number, field, pa.array(lengths, pa.int64())))
            seen.update(places)
            rows += records.num_rows
        missing = [
            {"_path": key[0], "_offset": each.offset, "_length": each.length, "_error": each.error}
            for key, each in ranges.items()
            if key not in seen
        ]
        writer.write_table(pa.Table.from_pylist(missing, schema=QUARANTINE_SCHEMA))
    return rows + len(missing)


APPEND_ADVICE = "name another folder, or have existing=adopt append to them"
OVERWRITE_ADVICE = "name another folder, or remove them, since overwrite would delete them"


@dataclass(frozen=True)
class StreamBatch:
    """The query of a batch and the number of the batch."""

    query: str
    batch: int


@dataclass(frozen=True)
class BatchAttempt:
    """An attempt at a batch. ``data``: the folder in which tasks write rows; ``reports``: the folder of
    their reports."""

    name: str
    data: Folder
    reports: Folder


class IngestTables:
    """The table and its quarantine while this process has exclusive write access; see ``open_tables``."""

    def __init__(self, request: IngestRequest, check_lock: Callable[[], None]) -> None:
        self.table = request.table
        self.recovered: list[Mapping[str, Any]] = []
        self.ledger = Ledger()
        self._request = request
        self._quarantine = request.quarantine
        self._check_lock = check_lock
        self._catalog = catalog_of(request.settings.to)
        self._log = CommitLog(request.table, self._publish)
        # Tables may share a quarantine; each removes only its own attempts.
        self._address = absolute_address(request.table)
        self._mark = hashlib.blake2b(self._address.encode(), digest_size=4).hexdigest()
        self._shape: TableSchema | None = None
        self._conversion: RowConversion | None = None
        self._replaces = False
        self._replaced: list[tuple[str, str]] = []

    def recover(self) -> None:
        """Apply pending commits of an earlier process, and remove its uncommitted files."""
        if self._request.metrics is not None:
            clear_unfinished(self._request.metrics)
        self.recovered = [batch_metrics(each) for each in self._log.recover()]
        self.discard_attempts()
        self.ledger = read_ledger(self.table, self._log)

    def prepare(self, schema: StructType) -> None:
        """Check that rows with this schema fit the tables, or have the next commit replace the existing content.

        Raises ``WireloomError`` if they do not fit, or if the ledger does not match the table.
        """
        request = self._request
        check_kind(self.table, self.ledger, request.settings.to)
        new, columns = table_schema_of(schema, request.partition_by, request.settings.to), schema
        if self._catalog is not None:
            self._catalog.check(self.table, new)
        if self._catalog is None and not self.ledger.last and request.settings.existing != "adopt":
            check_no_others(self.table, OVERWRITE_ADVICE if request.settings.existing == "overwrite" else APPEND_ADVICE)
        if request.settings.existing == "overwrite":
            self._replace()
        else:
            self._check()
            if self._catalog is None:
                # Later ones are seen by nobody but this process, which has the lock.
                check_files(self.table, self._quarantine, self._mark, self.ledger)
            if self._quarantine is not None:
                check_quarantine(self._address, self._quarantine, self.ledger)
            there = self.ledger.shape or self._found_shape(new)
            if there is not None:
                columns = evolved(self.table.address, there, schema, new, request.settings.schema_evolution)
        request.layout.check_columns(to_arrow_schema(columns))
        self._shape = table_schema_of(columns, request.partition_by, request.settings.to)
        self._conversion = RowConversion.of(schema, columns)

    @property
    def conversion(self) -> RowConversion:
        """Return the conversion of rows that are read to rows of the table."""
        assert self._conversion is not None, "prepare() comes first"
        return self._conversion

    def _check(self) -> None:
        """Raise ``WireloomError`` if the ledger does not match the table's own log, unless the table is replaced."""
        if not self._replaces and self._catalog is not None:
            check_catalog(self.table, self._catalog, self.ledger)

    def _found_shape(self, new: TableSchema) -> TableSchema | None:
        """Return the shape of a table that was created by other software; ``None`` if there is none."""
        if self._catalog is not None:
            names = self._catalog.columns(self.table)
            columns = tuple((name, UNKNOWN) for name in names or ())
            return None if names is None else TableSchema(columns, new.partition_by, new.to)
        if not self.table.files():
            return None
        import pyarrow.dataset

        found = pyarrow.dataset.dataset(
            self.table.path, filesystem=self.table.store, format="parquet", partitioning="hive"
        )
        schema = from_arrow_schema(found.schema.remove_metadata())
        inside = {each.name: each.dataType.simpleString() for each in schema.fields}
        # The types of columns in the names of folders are guesses.
        return TableSchema(
            tuple((name, UNKNOWN if name in new.partition_by else kind) for name, kind in inside.items()),
            new.partition_by if set(new.partition_by) <= set(inside) else (),
            new.to,
        )

    def _replace(self) -> None:
        """Have the next commit remove the current content of the tables; input files that were done may
        be read again."""
        self._replaces = True
        if self._catalog is None:
            self._replaced = [(TABLE, name) for name in self.table.files()]
        if self._quarantine is not None:
            check_no_others(self._quarantine, QUARANTINE_ADVICE)
            # Files of other tables are kept. A table that was moved had another mark before.
            marks = {self._mark, *map(mark_of, self.table.files())} - {None}
            self._replaced += [(QUARANTINE, name) for name in self._quarantine.files() if mark_of(name) in marks]
        old = self.ledger
        # Totals are kept, since the counters of a table never decrease.
        self.ledger = Ledger(
            last=old.last, snapshot=old.snapshot, totals=old.totals, reasons=old.reasons, latest=old.latest
        )

    def attempt(self) -> BatchAttempt:
        """Return a new attempt at a batch."""
        name = f"{self._mark}-{secrets.token_hex(4)}"
        place = staging(self.table, name)
        reports, data = place.inside("reports"), place.inside("data")
        reports.make()
        data.make()
        return BatchAttempt(name, data, reports)

    def discard_attempts(self) -> None:
        """Remove the files of uncommitted attempts."""
        if self._log.pending_names():
            # Committed files may still be staged; the next process applies the commit.
            return
        for place in (self.table, self._quarantine):
            if place is not None and LOG_FOLDER in place.names():
                clear_staging(place, lambda attempt: attempt.startswith(self._mark))

    def commit(
        self,
        attempt: BatchAttempt,
        written: Sequence[WrittenFile],
        sizes: Mapping[str, int | None],
        *,
        seconds: float,
        stream: StreamBatch | None = None,
    ) -> tuple[Commit, ReadReport]:
        """Add a batch whose rows are ``written`` to the tables. ``sizes``: stored sizes in bytes of the inputs,
        ``None`` if not known."""
        assert self._shape is not None, "prepare() comes first"
        reports = TaskReports(attempt.reports)
        reports.refresh()
        report = ReadReport(self._request.format.name, merge_reports(reports.reports))
        number = self.ledger.last + 1
        _check_handed_back(attempt, written, report.rows)
        moves = _moves(attempt, number, written)
        facts_of_files = {
            move.final: {"rows": each.rows, "bytes": each.bytes, "statistics": each.statistics}
            for move, each in zip(moves, written, strict=True)
        }
        quarantine, metrics, kept = self._quarantine, self._request.metrics, 0
        places: dict[str, str] = {}
        if quarantine is not None:
            places[QUARANTINE] = absolute_address(quarantine)
            staged, final = f"damaged-{attempt.name}.parquet", f"part-{record_name(number)}-{attempt.name}.parquet"
            kept = write_quarantine(staging(quarantine, attempt.name), staged, reports, report)
            # An empty quarantine is a valid table too, but a single empty file is sufficient.
            if kept or self._replaces or not quarantine.files():
                moves.append(Move(QUARANTINE, staged_name(attempt.name, staged), final))
        files = [file_metrics(each, sizes.get(key(each.path or ""))) for each in report.files]
        identities = {
            key(each.path): found
            for each in report.files
            if each.path is not None and (found := identity_of(each, sizes.get(key(each.path)))) is not None
        }
        oldest = reports.oldest
        batch = {
            **totals(files),
            "quarantined": kept,
            "tasks": reports.partitions,
            "seconds": round(seconds, 3),
            "lag": None if oldest is None else round(max(0.0, time.time() - oldest), 3),
        }
        facts = {
            "format": self._request.format.name,
            "committed": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "fresh": self._replaces,
            "ledger": self.ledger.identity,
            "table": self._address,
            "shape": self._shape.to_json(),
            "written": facts_of_files,
            "batch": batch,
            "files": files,
            "identities": identities,
            "stream": None if stream is None else {"query": stream.query, "batch": stream.batch},
            "metrics": None if metrics is None else absolute_address(metrics),
        }
        record = Commit(record_name(number), moves, self._replaced, places, facts)
        self._check()
        self._check_lock()
        self._log.commit(record)
        self._replaces, self._replaced = False, []
        self.ledger.add(record)
        compact_ledger(self.table, self._log, self.ledger)
        self.discard_attempts()
        return record, report

    def _publish(self, record: Commit) -> None:
        # An earlier run may have written a table of another kind than this one asks for.
        catalog = catalog_of(TableSchema.from_json(record.facts["shape"]).to)
        if catalog is not None:
            catalog.publish(self.table, record)
        if record.facts["metrics"] is not None:
            place = folder(record.facts["metrics"], self.table.location)
            place.make()
            place.write(f"batch-{record.name}.jsonl", lines(record))


def _moves(attempt: BatchAttempt, number: int, written: Sequence[WrittenFile]) -> list[Move]:
    """Return the moves of the files of a batch to unique names in the table."""
    found = []
    for index, each in enumerate(written):
        final = part_name(number, attempt.name, index, ".parquet")
        final = f"{each.folder}/{final}" if each.folder else final
        found.append(Move(TABLE, staged_name(attempt.name, f"data/{each.name}"), final))
    return found


def _check_handed_back(attempt: BatchAttempt, written: Sequence[WrittenFile], rows: int) -> None:
    """Raise ``WireloomError`` if the files that tasks report do not exist here, or do not contain all
    rows that were read."""
    there = attempt.data.files()
    if any(there.get(each.name) != each.bytes for each in written) or (rows and not written):
        raise WireloomError(
            f"{rows} rows were read, but not all of them were found in the table's folder: all tasks and "
            "this process need the same folder, on one machine or mounted on all of them",
            path=attempt.data.address,
        )
    told = sum(each.rows for each in written)
    if told != rows:
        raise TemporaryError(
            f"{rows} rows were read and {told} were written: an input changed between two attempts of a task; "
            "run the same command again",
            path=attempt.data.address,
        )


@contextmanager
def open_tables(request: IngestRequest) -> Iterator[IngestTables]:
    """Open and recover the tables, and lock them against other processes. When the block ends, uncommitted files are
    removed; if it fails, empty folders of table and quarantine that were created here are removed as well.

    Raises ``WireloomError`` if another process is writing to the table.
    """
    table = request.table
    new = [each for each in (table, request.quarantine) if each is not None and each.kind() == "nothing"]
    table.make()
    with locked(table) as check:
        try:
            found = IngestTables(request, check)
            found.recover()
            try:
                yield found
            finally:
                found.discard_attempts()
        except BaseException:
            for each in new:
                each.drop()
            raise
