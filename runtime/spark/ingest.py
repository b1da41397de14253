"""The pipeline: files of a format → a Parquet table of the good rows, and a quarantine table of what was damaged.

One pass over the input. While Spark writes the good rows, every task keeps the damaged records, and the report of each
file that it reads, in a folder beside the table (see ``sidechannel``); when all rows are written, these become the
quarantine table and the summary.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UnsupportedError, WireloomError
from ..explored import ExploredFormat
from ..feeders import name_of
from ..format import Format
from ..nearest import unknown
from ..registry import formats, get
from ..report import ReadReport
from ..storage import STANDARD_INPUT
from . import source_of
from .folders import Folder, folder
from .options import MODES
from .quarantine import merged, write_quarantine
from .sidechannel import Findings
from .watch import IngestProgress, Watch, in_brief

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["IngestProgress", "IngestSummary", "ingest"]

PAUSE = 0.25
"""Seconds between two looks at how far it is."""

REMOTE_PAUSE = 2.0
"""The same where each look asks an object store."""

EXISTING = ("error", "append", "overwrite")


@dataclass(frozen=True)
class IngestSummary:
    """What came of it.

    ``report``: what was met in each file, as every reader of wireloom reports it; ``quarantined``: rows of the
    quarantine table; ``seconds`` of the whole, without Spark's start.
    """

    table: str
    quarantine: str | None
    report: ReadReport
    quarantined: int
    seconds: float
    partitions: int
    """How many tasks read the input."""

    @property
    def rows(self) -> int:
        """Good rows in the table."""
        return self.report.rows

    @property
    def bytes(self) -> int:
        """Decompressed bytes of input."""
        return self.report.bytes

    @property
    def damaged(self) -> int:
        """Damaged ranges in all files."""
        return self.report.damaged

    @property
    def clean(self) -> bool:
        """Whether every byte of every file belonged to a good row."""
        return self.report.clean

    @property
    def megabytes_per_second(self) -> float:
        """Decompressed input, in millions of bytes per second."""
        return self.bytes / 1e6 / self.seconds if self.seconds else 0.0

    def to_dict(self) -> Mapping[str, Any]:
        """The summary as JSON takes it: the read report, and the tables and times on top."""
        return {
            **self.report.to_dict(),
            "table": self.table,
            "quarantine": self.quarantine,
            "quarantined": self.quarantined,
            "partitions": self.partitions,
            "seconds": round(self.seconds, 3),
        }


def ingest(
    spark: SparkSession,
    format: str | Format,
    inputs: str | Sequence[str],
    table: str,
    *,
    quarantine: str | None = None,
    mode: str = "permissive",
    recover: bool = False,
    partition_by: Sequence[str] = (),
    columns: Sequence[str] | None = None,
    options: Mapping[str, str] | None = None,
    existing: str = "error",
    progress: Callable[[IngestProgress], None] | None = None,
) -> IngestSummary:
    """Reads ``inputs`` (a path, glob, folder or address, or several) with Spark and writes a Parquet table.

    ``columns``: those of the table, by default the format's own; those of ``partition_by`` come along. ``quarantine``:
    where damaged records go, as a Parquet table of ``_path``, ``_offset``, ``_length``, ``_error``,
    ``_corrupt_record``: one row for each damaged range, also for the unread end of a file that was cut off, whose bytes
    are left out. ``mode``: ``permissive`` or ``dropmalformed`` (the table gets the good rows; the latter keeps no bytes
    of the others) or ``failfast``. ``options``: further ones of the data source. ``existing``: what becomes of tables
    that are there: ``error`` (nothing is done), ``append`` or ``overwrite``. ``progress`` is called several times a
    second, in the caller's thread.

    Raises ``UnknownNameError`` and ``WireloomError``; in ``failfast`` the error of the first damage that was met.
    """
    described = get(format)
    source = described.name
    if isinstance(described, ExploredFormat):
        # Under a name of its own, since there may be an installed format of the same id.
        source = f"{described.name}_{described.spec_sha256[:12]}"
        spark.dataSource.register(source_of(described, source))
    elif described.name not in formats():
        raise UnsupportedError(f"Spark's tasks need generated code for {described.name}: run 'wireloom generate' first")
    _check(existing, EXISTING, "value of existing")
    _check(mode.lower(), MODES, "mode")
    places = [folder(each) for each in (table, quarantine) if each is not None]
    if len(places) == 2 and _overlap(*places):
        raise WireloomError("the quarantine table needs a folder of its own, beside the table", path=quarantine)
    if existing == "error":
        for place in places:
            if place.kind() == "file" or not place.is_empty():
                raise WireloomError(
                    "is there already: name another table, remove it, or say append or overwrite", path=place.address
                )
    side = _beside(places[0])
    side.make()
    started = time.monotonic()
    try:
        with in_brief():
            frame = _source(spark, source, described, inputs, columns, partition_by, mode, recover, options, side)
        findings = Findings(side)
        watch = Watch(spark, findings, progress, started, REMOTE_PAUSE if side.remote else PAUSE)
        watch.run(lambda: _write(frame, _spark_address(places[0]), partition_by, existing))
        findings.refresh()
        report = ReadReport(described.name, merged(findings.reports), engine=name_of(described))
        quarantined = 0
        if quarantine is not None:
            quarantined = write_quarantine(places[1], findings, report, overwrite=existing == "overwrite")
    finally:
        side.remove()
    return IngestSummary(table, quarantine, report, quarantined, time.monotonic() - started, findings.partitions)


def _check(value: str, known: Iterable[str], what: str) -> None:
    if value not in known:
        raise unknown(what, value, known)


def _overlap(one: Folder, other: Folder) -> bool:
    """Whether one folder is in the other, or both are the same."""
    pairs = ((one.path, other.path), (other.path, one.path))
    return one.remote == other.remote and any(f"{inner}/".startswith(f"{outer}/") for inner, outer in pairs)


def _beside(table: Folder) -> Folder:
    """A folder for the tasks' findings: beside the table, not in it, since Spark may clear that."""
    head, slash, _ = table.address.rstrip("/").rpartition("/")
    return folder(f"{head if slash else '.'}/_wireloom-ingest-{secrets.token_hex(6)}")


def _absolute(path: str) -> str:
    """Spark's workers may run in another folder than the caller's process."""
    return path if "://" in path or path == STANDARD_INPUT else os.path.abspath(path)


def _spark_address(place: Folder) -> str:
    """As Spark wants it: a local path with its scheme, whatever file system is Spark's default."""
    return place.address if "://" in place.address else Path(place.path).as_uri()


def _source(
    spark: SparkSession,
    source: str,
    format: Format,
    inputs: str | Sequence[str],
    columns: Sequence[str] | None,
    partition_by: Sequence[str],
    mode: str,
    recover: bool,
    options: Mapping[str, str] | None,
    side: Folder,
) -> DataFrame:
    wanted = list(format.default_columns if columns is None else columns)
    wanted += [name for name in partition_by if name not in wanted]
    paths = [_absolute(each) for each in ([inputs] if isinstance(inputs, str) else inputs)]
    return (
        spark.read.format(source)
        .options(**(options or {}))
        .option("columns", ",".join(wanted))
        .option("mode", mode)
        .option("recover", str(recover).lower())
        .option("paths", json.dumps(paths))
        .option("reportFolder", side.path if "://" not in side.address else side.address)
        .load()
    )


def _write(frame: DataFrame, table: str, partition_by: Sequence[str], existing: str) -> None:
    writer = frame.write.mode("overwrite" if existing == "overwrite" else "append")
    if partition_by:
        writer = writer.partitionBy(*partition_by)
    writer.parquet(table)
