"""Reads the files of a format for Spark: plans partitions on the driver, yields Arrow batches in the tasks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceReader, InputPartition

from ...base.errors import NothingThereError, TemporaryError, WireloomError
from ...format.description import Format
from ...reading.wrong_format import wrong_format
from ..errors import Brief
from ..options import ReadOptions
from .schema import CORRUPT_RECORD, Target
from .split_planning import Slice, plan
from .workers import keep_imported

if TYPE_CHECKING:
    import pyarrow as pa

    from ...base.report import FileReport
    from ...input.inputs import Input
    from ...reading.request import ScanRequest
    from .task_reports import SideChannel

LOG = logging.getLogger(__name__)

Cast = Callable[["Iterable[pa.RecordBatch]", Mapping[str, str | None]], "Iterator[pa.RecordBatch]"]
"""From the engine's batches and the values that are the same in all of them to Spark's."""
QUARANTINE = ("_path", "_offset", "_error", CORRUPT_RECORD)
"""Columns that a damaged record is kept with."""


FORMAT_ADVICE = "checkFormat=false reads such a file as empty"


class Partition(InputPartition):
    """What one task reads. ``index`` counts the partitions of a read."""

    def __init__(self, index: int, slices: tuple[Slice, ...]) -> None:
        super().__init__(index)
        self.index = index
        self.slices = slices


class FormatReader(DataSourceReader):
    """Reads one format. It is pickled on its way to the tasks, so it holds plain data only."""

    def __init__(
        self, format: Format, targets: tuple[Target, ...], options: ReadOptions, known: Sequence[str] = ()
    ) -> None:
        self.format = format
        self.targets = targets
        self.known = tuple(known)
        """The columns that could have been asked for."""
        self.options = options
        self.ends_where_storage_fails = bool(options.ignore_corrupt)
        """Whether the rows of a file up to where its storage failed are all that is wanted of it."""

    def partitions(self) -> Sequence[InputPartition]:
        """The partitions, planned from the files that are there now. Raises ``WireloomError`` where there is none, and
        ``UnknownNameError`` for a column that neither the format nor the files' folders have."""
        from .file_listing import candidate, list_inputs

        options = self.options
        with Brief():
            inputs = list_inputs(options)
            self.check_columns(inputs)
            planned = plan(
                [candidate(self.format, each, options) for each in inputs],
                max_partition_bytes=options.max_partition_bytes,
                open_cost=options.open_cost,
                min_partitions=options.min_partitions,
            )
        # Tasks have no use for it.
        self.options = replace(options, listed_files=None)
        keep_imported()
        return [Partition(index, slices) for index, slices in enumerate(planned)]

    def check_columns(self, inputs: Iterable[Input]) -> None:
        """Raises ``UnknownNameError`` for a column that neither the format nor the folders of these files have."""
        from .file_listing import check_columns

        if self.has_others:
            others = [each.field.name for each in self.targets if each.source is None]
            check_columns(self.format, others, self.known, inputs, self.options)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The batches of one partition, in Spark's schema.

        Raises ``WireloomError`` for a file that cannot be opened, for a value that does not fit the type that it was
        asked for as, and in mode ``failfast`` at the first damage.
        """
        if not isinstance(partition, Partition):
            # Spark reads one partition of its own making where there are no files.
            return iter(())
        self._ask_session()
        if self.options.report_folder is not None:
            return self._read_and_report(partition, self.options.report_folder)
        return self._read(partition)

    def _ask_session(self) -> None:
        """Takes what no option says from the session's settings."""
        missing, corrupt = self.options.ignore_missing, self.options.ignore_corrupt
        if missing is None:
            missing = _setting("ignoreMissingFiles")
        if corrupt is None:
            corrupt = _setting("ignoreCorruptFiles")
            self.ends_where_storage_fails |= corrupt
        self.options = replace(self.options, ignore_missing=missing, ignore_corrupt=corrupt)

    def _read(self, partition: Partition) -> Iterator[pa.RecordBatch]:
        from .coalescing import merged
        from .prefetch import ahead

        # Outermost, so that users see no way that an error took.
        with Brief():
            yield from ahead(merged(self._cast_rows(partition), self.options.scan.batch_rows))
        keep_imported()

    def _cast_rows(self, partition: Partition) -> Iterator[pa.RecordBatch]:
        cast = self._caster()
        scans = self._plan(self._sources())
        for pieces, constants in self._groups(partition):
            yield from cast(self._rows(scans, pieces), constants)

    def _read_and_report(self, partition: Partition, folder: str) -> Iterator[pa.RecordBatch]:
        """As ``_read``, but damaged records and reports go aside."""
        from .prefetch import ahead
        from .task_reports import SideChannel

        # What went aside is there for others when all rows have been handed over, not when they have been read.
        with Brief(), SideChannel(folder, partition.index, self.options.store) as side:
            yield from ahead(self._cast_good_rows(partition, side))
        keep_imported()

    def _cast_good_rows(self, partition: Partition, side: SideChannel) -> Generator[pa.RecordBatch]:
        cast = self._caster()
        scans = replace(self._plan(list(dict.fromkeys([*self._sources(), *QUARANTINE]))), end_rows=True)
        for pieces, constants in self._groups(partition):
            yield from cast(map(side.take, self._rows(scans, pieces, side)), constants)

    def _groups(self, partition: Partition) -> list[tuple[list[Slice], Mapping[str, str | None]]]:
        """The slices, those of whole files together where they have the same values of columns that the format does
        not have; and these values."""
        from .partition_columns import constants_of

        groups: dict[tuple[Any, ...], tuple[list[Slice], Mapping[str, str | None]]] = {}
        for number, piece in enumerate(partition.slices):
            constants = constants_of(piece.input.path, self.options) if self.has_others else {}
            same = (*constants.items(), None if piece.byte_range is None else number)
            groups.setdefault(same, ([], constants))[0].append(piece)
        return list(groups.values())

    def _rows(
        self, scans: ScanRequest, pieces: Sequence[Slice], side: SideChannel | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The engine's batches of slices of the same byte range; ``side`` gets their reports.

        Raises ``WireloomError`` where the storage fails, whatever the mode: a task that is run again may read it all.
        """
        from ...reading.scanning import Scanner

        scans = replace(scans, byte_range=pieces[0].byte_range)
        options, waiting = self.options, list(pieces)
        while waiting:
            scanner = Scanner(scans, [each.input for each in waiting], together=True)
            try:
                with closing(scanner):
                    yield from scanner
            except NothingThereError:
                if not options.ignore_missing and not options.ignore_corrupt:
                    raise
            except WireloomError:
                if not options.ignore_corrupt:
                    raise
            if options.scan.check_format and not options.ignore_corrupt:
                foreign = wrong_format(scans.format.name, scanner.foreign, FORMAT_ADVICE)
                if foreign is not None:
                    raise foreign
            for report, piece in zip(scanner.report.files, waiting, strict=False):
                if report.failed and report.damaged and report.damaged[-1].reason == "missing":
                    self._storage_failed(report)
                if any(each.reason == "digest" for each in report.damaged[-1:]):
                    # The rows are there all the same, so that nobody might notice.
                    LOG.warning("%s: %s", report.path, report.error)
                if side is not None:
                    side.reported(report, piece)
            # Where a file could not be read to its end, those behind it are still to be.
            waiting = waiting[max(1, len(scanner.report.files)) :]

    def _storage_failed(self, report: FileReport) -> None:
        if not self.ends_where_storage_fails:
            advice = "ignoreCorruptFiles=true takes the rows up to there"
            offset = report.damaged[-1].offset
            raise TemporaryError(report.error or "", path=report.path, offset=offset, reason="missing", advice=advice)

    def _caster(self) -> Cast:
        """What gives Spark's types to batches of files, which have the same ``constants``."""
        from .casting import Caster
        from .coalescing import merged

        caster = Caster(self.targets)

        def cast(batches: Iterable[pa.RecordBatch], constants: Mapping[str, str | None]) -> Iterator[pa.RecordBatch]:
            # Small batches are put together first: casting costs each batch the same, however small.
            for batch in merged((each for each in batches if each.num_rows), self.options.scan.batch_rows):
                yield caster.cast(batch, constants)

        return cast

    @property
    def has_others(self) -> bool:
        """Whether columns are wanted that the format does not have."""
        return any(each.source is None for each in self.targets)

    def _sources(self) -> list[str]:
        """The format's columns that are needed."""
        wanted = [each.source for each in self.targets if each.source is not None]
        # Even where Spark wants nothing but nulls, rows must be counted.
        return list(dict.fromkeys(wanted)) or ["_offset"]

    def _plan(self, names: list[str]) -> ScanRequest:
        """How whole files are read."""
        from ...reading.request import request_of

        # The advice of what checks the format names options as they are called elsewhere.
        return request_of(self.format, replace(self.options.scan, columns=names, check_format=False), self.options.own)


def _setting(name: str) -> bool:
    """Whether the session's setting ``spark.sql.files.NAME`` is true. Spark hands it to the tasks of a query."""
    context = TaskContext.get()
    return context is not None and context.getLocalProperty(f"spark.sql.files.{name}") == "true"
