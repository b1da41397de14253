"""Reads the files of a format for Spark: plans partitions on the driver and yields Arrow batches in the tasks."""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from functools import cache
from itertools import repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceReader, InputPartition

from ...base.errors import NothingThereError, TemporaryError, WireloomError
from ...base.text import unknown
from ...base.threads import Ahead
from ...format.columns import OFFSET, PATH, READER_NAMES
from ...format.description import Format
from ...input.inputs import USUAL, FileInput, Location
from ..errors import HideTraceback
from ..options import ReadOptions
from .file_listing import input_of, microseconds
from .schema import TargetColumn
from .split_planning import Slice

if TYPE_CHECKING:
    import pyarrow as pa

    from ...input.inputs import Input
    from ...reading.request import ScanRequest
    from .task_reports import TaskReportWriter


class Partition(InputPartition):
    """The input of one task. ``index`` counts the partitions of a read."""

    def __init__(self, index: int, slices: tuple[Slice, ...]) -> None:
        super().__init__(index)
        self.index = index
        self.slices = slices

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle plain values only: a read may have hundreds of thousands of partitions, and resolving the classes of
        their contents would take longer than everything else.
        """
        locations = [getattr(each.input, "location", None) for each in self.slices]
        location = next((each for each in locations if each is not None and each != USUAL), None)
        return _sent, (self.index, location, [_packed(each) for each in self.slices])


def _packed(piece: Slice) -> tuple[Any, ...]:
    source = piece.input
    file_id = source.file_id if isinstance(source, FileInput) else 0
    return (
        *(source.address, source.size, microseconds(source.modified), source.sparse, file_id),
        *(piece.begin, piece.end, piece.cost, piece.opening),
    )


def _sent(index: int, location: Location | None, slices: list[tuple[Any, ...]]) -> Partition:
    found = []
    for path, size, modified, sparse, file_id, *rest in slices:
        source = input_of(path, size, modified, location or USUAL, sparse=sparse, file_id=file_id)
        found.append(Slice(source, *rest))
    return Partition(index, tuple(found))


Item = TypeVar("Item")

ALONE = 2
"""Number of items that are produced in the caller's thread, so that a small partition starts no thread."""
DEPTH = 3
"""Maximum number of items by which the thread is ahead, including the one in progress."""


def ahead(source: Generator[Item]) -> Generator[Item]:
    """Yield the same items in the same order. An exception of the source is raised after the items before it.

    The source runs in one thread at a time: first in the caller's, then in a separate one. When this generator has
    ended, failed or been closed, that thread has ended and the source is closed; an item in progress is completed
    first.
    """
    thread: Ahead[None, Item] = Ahead("wireloom-ahead", lambda _: next(source), lambda: repeat(None, DEPTH))
    try:
        for _ in range(ALONE):
            try:
                item = next(source)
            except StopIteration:
                return
            yield item
            del item
        while True:
            try:
                item = thread.next()
            except StopIteration:
                return
            thread.give(None)
            yield item
            # Drop the reference to an item that was passed on before waiting for the next one.
            del item
    finally:
        if thread.close():
            source.close()


@cache
def keep_imported() -> None:
    """Exempt all existing objects, mostly imported modules, from garbage collection.

    Spark's workers collect garbage after each task, which delays the next task by 30 to 90 ms, more than a small task
    takes by itself. Does nothing in other processes.
    """
    if os.environ.get("SPARK_REUSE_WORKER"):
        gc.freeze()


LOG = logging.getLogger(__name__)

FORMAT_ADVICE = "checkFormat=false reads such a file as empty"


class FormatReader(DataSourceReader):
    """Reads one format. It is pickled to be sent to the tasks, so it contains plain data only."""

    def __init__(
        self, format: Format, targets: tuple[TargetColumn, ...], options: ReadOptions, known: Sequence[str] = ()
    ) -> None:
        self.format = format
        self.targets = targets
        self.known = tuple(known)
        """All columns that can be read."""
        self.options = options
        self.ends_where_storage_fails = bool(options.ignore_corrupt_files)
        """Whether a storage failure ends a file, whose rows up to there are kept, instead of failing the task."""

    @property
    def table(self) -> Format:
        """Return the format, or the table that is read if the format has several."""
        from ...reading.request import of_table

        return of_table(self.format, self.options.own)[0]

    @property
    def columns(self) -> list[str]:
        """Return the names of the format's columns that are read."""
        return [each.source for each in self.targets if each.source is not None]

    def partitions(self) -> Sequence[InputPartition]:
        """Plan the partitions of the files that exist now. Raises ``WireloomError`` if there are no files, and
        ``UnknownNameError`` for a column that is neither one of the format nor a partition column of the files.
        """
        from .file_listing import candidate, list_inputs, planned

        options = self.options
        with HideTraceback():
            inputs = list_inputs(options)
            self.check_columns(inputs)
            format, columns = self.table, self.columns
            parts = planned(format, [candidate(format, each, options, columns) for each in inputs], options)
        # Tasks do not need it.
        self.options = replace(options, listed_files=None)
        keep_imported()
        return [Partition(index, slices) for index, slices in enumerate(parts)]

    def check_columns(self, inputs: Sequence[Input]) -> None:
        """Raise ``UnknownNameError`` for a column that is neither one of the format nor a partition column of these
        files. Nothing is checked if there are no files.
        """
        from .partition_columns import constants_of, folders_of

        wanted = [each.field.name for each in self.targets if each.source is None]
        if not wanted or not inputs:
            return
        folders = folders_of(each.path or "" for each in inputs)
        found = dict.fromkeys(name for each in folders for name in constants_of(each, self.options))
        for name in wanted:
            if name.lower() not in found:
                raise unknown(f"column of {self.format.name}", name, [*self.known, *found])

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the batches of one partition, in Spark's schema.

        Raises ``WireloomError`` for a file that cannot be opened, for a value that does not fit the requested type, and
        in mode ``failfast`` at the first damage.
        """
        if not isinstance(partition, Partition):
            # Spark reads a partition of its own making if there are no files.
            return iter(())
        missing, corrupt = self.options.ignore_missing_files, self.options.ignore_corrupt_files
        if missing is None:
            missing = _setting("ignoreMissingFiles")
        if corrupt is None:
            corrupt = _setting("ignoreCorruptFiles")
            self.ends_where_storage_fails |= corrupt
        self.options = replace(self.options, ignore_missing_files=missing, ignore_corrupt_files=corrupt)
        return self._read(partition)

    def _read(self, partition: Partition) -> Iterator[pa.RecordBatch]:
        from ...reading.batching import coalesced
        from .task_reports import TaskReportWriter

        options = self.options
        reports = (
            nullcontext()
            if options.report_folder is None
            else TaskReportWriter(options.report_folder, partition.index, options.store)
        )
        # Outermost, so that users see no traceback. The reports are written when all rows have been passed on, not when
        # they have been read.
        with HideTraceback(), reports as writer:
            yield from ahead(coalesced(self._cast_rows(partition, writer), options.scan.batch_rows))
        keep_imported()

    def _cast_rows(self, partition: Partition, reports: TaskReportWriter | None) -> Generator[pa.RecordBatch]:
        from ...reading.batching import coalesced
        from ...reading.request import request_of
        from .casting import METADATA, Caster, FileMetadata

        caster = Caster(self.targets)
        sources = list(map(attrgetter("source"), self.targets))
        wanted = [PATH if each == METADATA else each for each in sources if each is not None]
        # Rows have to be counted even if Spark reads only null columns.
        names = dict.fromkeys((*(wanted or [OFFSET]), *(() if reports is None else READER_NAMES)))
        scan = request_of(self.format, self.options.scan, self.options.own, columns=[*names])
        # Messages of the format check use the option names of the Python API.
        scan = replace(scan, check_format=False, end_rows=reports is not None)
        for slices, constants in self._groups(partition, has_constants=None in sources):
            files = FileMetadata(slices) if METADATA in sources else None
            rows = self._rows(scan, slices, reports)
            good = rows if reports is None else map(reports.take, rows)
            # The cost of casting a batch does not depend on its size.
            for batch in coalesced(filter(attrgetter("num_rows"), good), self.options.scan.batch_rows):
                yield self.finish(caster.cast(batch, constants, files), batch, reports)

    def finish(self, rows: pa.RecordBatch, origins: pa.RecordBatch, reports: TaskReportWriter | None) -> pa.RecordBatch:
        """Return the rows in their final form; subclasses convert them here. ``origins``: the same rows as they are in
        their inputs, with those of ``READER_NAMES`` if there are ``reports``.
        """
        return rows

    def _groups(
        self, partition: Partition, *, has_constants: bool
    ) -> list[tuple[list[Slice], Mapping[str, str | None]]]:
        """Return groups of slices with the values of their partition columns. Whole files with equal values are
        grouped.
        """
        from .partition_columns import constants_of

        groups: dict[tuple[Any, ...], tuple[list[Slice], Mapping[str, str | None]]] = {}
        for number, piece in enumerate(partition.slices):
            constants = constants_of(piece.input.path, self.options) if has_constants else {}
            same = (*constants.items(), None if piece.byte_range is None else number)
            groups.setdefault(same, ([], constants))[0].append(piece)
        return list(groups.values())

    def _rows(
        self, scan: ScanRequest, slices: Sequence[Slice], reports: TaskReportWriter | None
    ) -> Iterator[pa.RecordBatch]:
        """Yield the batches of slices of the same byte range, and add their reports to ``reports``.

        Raises ``WireloomError`` if the storage fails, whatever the mode: a task that is run again may read it all.
        """
        from ...reading.scanning import Scanner
        from ...reading.wrong_format import wrong_format

        scan = replace(scan, byte_range=slices[0].byte_range)
        options, waiting = self.options, list(slices)
        while waiting:
            scanner = Scanner(scan, list(map(attrgetter("input"), waiting)), mixes_inputs=True)
            try:
                with closing(scanner):
                    yield from scanner
            except NothingThereError:
                if not options.ignore_missing_files and not options.ignore_corrupt_files:
                    raise
            except WireloomError:
                if not options.ignore_corrupt_files:
                    raise
            if scanner.foreign and options.scan.check_format and not options.ignore_corrupt_files:
                raise wrong_format(scan, scanner.foreign, FORMAT_ADVICE)
            for report, piece in zip(scanner.report.files[: scanner.begun], waiting, strict=False):
                last = report.damaged[-1] if report.damaged else None
                if (
                    last is not None
                    and last.reason == "missing"
                    and report.failed
                    and not self.ends_where_storage_fails
                ):
                    raise TemporaryError(
                        report.error or "",
                        path=report.path,
                        offset=last.offset,
                        reason="missing",
                        advice="ignoreCorruptFiles=true keeps the rows before that",
                    )
                if last is not None and last.reason == "digest":
                    # The rows are complete nevertheless, so the problem is visible in the log only.
                    LOG.warning("%s: %s", report.path, report.error)
                if reports is not None:
                    reports.add(report, piece)
            # If a file could not be read to its end, the files after it still have to be read.
            waiting = waiting[max(1, scanner.begun) :]


def _setting(name: str) -> bool:
    """Return whether the session's setting ``spark.sql.files.NAME`` is true. Spark passes it to the tasks
    of a query."""
    context = TaskContext.get()
    return context is not None and context.getLocalProperty(f"spark.sql.files.{name}") == "true"
