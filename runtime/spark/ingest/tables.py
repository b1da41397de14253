"""The table of an ingest, its quarantine, and the commits that put batches into both at once."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ...base.errors import WireloomError
from ...base.report import ReadReport
from ..folders import Folder, folder
from ..read.task_reports import Findings
from ..write.commit_log import (
    HOME,
    TABLE,
    Journal,
    Move,
    Record,
    clear_staging,
    clear_unfinished,
    staged_name,
    staging,
    tidy,
)
from .catalogs import catalog_of
from .consistency import check_agreement, part_name
from .ledger import Ledger, Shape, key, read_ledger, record_name, sum_up
from .lock import locked
from .metrics import batch_metrics, file_metrics, lines, totals
from .parquet_writer import written
from .quarantine import write_quarantine

QUARANTINE = "quarantine"


@dataclass(frozen=True)
class Stream:
    """Which batch of which query a batch is."""

    query: str
    batch: int


@dataclass(frozen=True)
class Attempt:
    """One try at a batch. ``data``: where Spark writes the rows; ``side``: where its tasks leave what they met."""

    name: str
    data: Folder
    side: Folder


class IngestTables:
    """The table and its quarantine while this process is the one that writes to them; see ``opened_tables``."""

    def __init__(
        self,
        format: str,
        table: Folder,
        quarantine: Folder | None,
        metrics: Folder | None,
        to: str,
        check_lock: Callable[[], None],
    ) -> None:
        self.table = table
        self._check_lock = check_lock
        self.quarantine = quarantine
        self._format = format
        self._metrics = metrics
        self.catalog = catalog_of(to)
        self._journal = Journal(table, self._publish)
        # Tables may share a quarantine: each leaves the attempts of others alone.
        self._mark = hashlib.blake2b(_lasting(table).encode(), digest_size=4).hexdigest()
        self._fresh = False
        self._replaced: list[tuple[str, str]] = []
        self.recovered: list[Mapping[str, Any]] = []
        self.ledger = Ledger()

    def recover(self) -> None:
        """Carries out what an earlier process has committed, and removes what it has not."""
        if self._metrics is not None:
            clear_unfinished(self._metrics)
        self.recovered = [batch_metrics(each) for each in self._journal.recover()]
        self._clear()
        self.ledger = read_ledger(self.table, self._journal)

    def check(self) -> None:
        """Raises ``WireloomError`` where the ledger is not that of the table, unless the table is to be replaced."""
        if not self._fresh:
            check_agreement(self.table, self.catalog, self.ledger)

    def replace(self) -> None:
        """With the next commit, what is in the tables now goes, and the files that were read may come again."""
        self._fresh = True
        if self.catalog is None:
            self._replaced = [(TABLE, name) for name in self.table.files()]
        if self.quarantine is not None:
            self._replaced += [(QUARANTINE, name) for name in self.quarantine.files()]
        last = self.ledger.last
        self.ledger = Ledger(last=last, snapshot=self.ledger.snapshot)

    def attempt(self) -> Attempt:
        """A new try at a batch."""
        name = f"{self._mark}-{secrets.token_hex(4)}"
        place = staging(self.table, name)
        side = place.inside("side")
        side.make()
        return Attempt(name, place.inside("data"), side)

    def give_up(self) -> None:
        """Removes what attempts have left."""
        self._clear()

    def commit(
        self,
        attempt: Attempt,
        findings: Findings,
        report: ReadReport,
        shape: Shape,
        sizes: Mapping[str, int | None],
        *,
        seconds: float,
        stream: Stream | None = None,
    ) -> Record:
        """Puts a batch whose rows are written into the tables. ``sizes``: of files as stored, where they are known."""
        number = self.ledger.last + 1
        kept = 0
        moves = list(self._rows(attempt, number))
        if report.rows and not moves:
            raise WireloomError(
                f"{report.rows} rows were read, and Spark has written none of them here: every task and this process "
                "need the same folder, on one machine or mounted on all of them",
                path=attempt.data.address,
            )
        places: dict[str, str] = {}
        if self.quarantine is not None:
            places[QUARANTINE] = _lasting(self.quarantine)
            staged, final = f"damaged-{attempt.name}.parquet", f"part-{record_name(number)}-{attempt.name}.parquet"
            place = staging(self.quarantine, attempt.name)
            kept = write_quarantine(place, staged, findings, report)
            # A quarantine without rows is a table all the same, but one such file is enough.
            if kept or self._fresh or not self.quarantine.files():
                moves.append(Move(QUARANTINE, staged_name(attempt.name, staged), final))
        files = [file_metrics(each, sizes.get(key(each.path or ""))) for each in report.files]
        batch = {
            **totals(files),
            "quarantined": kept,
            "tasks": findings.partitions,
            "seconds": round(seconds, 3),
        }
        facts = {
            "format": self._format,
            "committed": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "fresh": self._fresh,
            "ledger": self.ledger.identity,
            "shape": shape.to_json(),
            "batch": batch,
            "files": files,
            "stream": None if stream is None else {"query": stream.query, "batch": stream.batch},
            "metrics": None if self._metrics is None else _lasting(self._metrics),
        }
        record = Record(record_name(number), moves, self._replaced, places, facts)
        self.check()
        self._check_lock()
        self._journal.commit(record)
        self._fresh, self._replaced = False, []
        self.ledger.add(record)
        sum_up(self.table, self._journal, self.ledger)
        self._clear()
        return record

    def _rows(self, attempt: Attempt, number: int) -> Iterator[Move]:
        """What Spark has written, under names that nothing else in the table has."""
        for index, name in enumerate(written(attempt.data)):
            parent, slash, own = name.rpartition("/")
            ending = own[own.index(".") :]
            final = part_name(number, attempt.name, index, ending)
            yield Move(TABLE, staged_name(attempt.name, f"data/{name}"), f"{parent}{slash}{final}")

    def _publish(self, record: Record) -> None:
        if self.catalog is not None:
            self.catalog.publish(self.table, record)
        if record.facts["metrics"] is not None:
            place = folder(record.facts["metrics"], self.table.location)
            place.make()
            place.write(f"batch-{record.name}.jsonl", lines(record))

    def _clear(self) -> None:
        if self._journal.undone:
            # What is committed may still be staged: the next process carries it out.
            return
        for place in (self.table, self.quarantine):
            if place is not None and HOME in place.names():
                clear_staging(place, lambda attempt: attempt.startswith(self._mark))
                tidy(place)


@contextmanager
def opened_tables(
    format: str, table: Folder, quarantine: Folder | None, metrics: Folder | None, to: str
) -> Iterator[IngestTables]:
    """The tables, recovered, with everybody else kept out. What was not committed when the block ends is removed, and
    where it fails also a table's folder that has been made here and in which nothing is.

    Raises ``WireloomError`` where another process is writing to the table.
    """
    new = table.kind() == "nothing"
    table.make()
    with locked(table) as check:
        try:
            found = IngestTables(format, table, quarantine, metrics, to, check)
            found.recover()
            try:
                yield found
            finally:
                found.give_up()
        except BaseException:
            if new:
                table.drop()
            raise


def check_apart(places: Iterable[Folder]) -> None:
    """Raises ``WireloomError`` where one of the folders is in another, or is the same."""
    found = list(places)
    for number, one in enumerate(found):
        for other in found[:number]:
            pairs = ((one.path, other.path), (other.path, one.path))
            if one.remote == other.remote and any(f"{inner}/".startswith(f"{outer}/") for inner, outer in pairs):
                raise WireloomError(
                    "table, quarantine and metrics each need a folder of its own, beside the others", path=one.address
                )


def _lasting(place: Folder) -> str:
    """An address that means the same in every folder that a later process may run in."""
    return place.address if place.remote else os.path.abspath(place.path)
