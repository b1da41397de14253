"""Reads the files of a format for Spark: plans partitions on the driver, yields Arrow batches in the tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceReader, InputPartition

from ..errors import NothingThereError, WireloomError
from ..format import Format
from .brief import Brief
from .options import ReadOptions
from .planning import Slice, plan
from .schema import CORRUPT_RECORD, Target

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.datasource import Filter

    from ..report import FileReport
    from ..storage import Input
    from .sidechannel import SideChannel

QUARANTINE = ("_path", "_offset", "_error", CORRUPT_RECORD)
"""Columns that a damaged record is kept with."""


class Partition(InputPartition):
    """What one task reads. ``index`` counts the partitions of a read."""

    def __init__(self, index: int, slices: tuple[Slice, ...]) -> None:
        super().__init__(index)
        self.index = index
        self.slices = slices


class FormatReader(DataSourceReader):
    """Reads one format. It is pickled on its way to the tasks, so it holds plain data only."""

    def __init__(self, format: Format, targets: tuple[Target, ...], options: ReadOptions) -> None:
        self.format = format
        self.targets = targets
        self.options = options
        self.filters: list[Filter] = []
        """What only those rows come out for which all of them hold."""
        self.ends_where_storage_fails = options.ignore_corrupt
        """Whether the rows of a file up to where its storage failed are all that is wanted of it."""

    def partitions(self) -> Sequence[InputPartition]:
        """The partitions, planned from the files that are there now. Raises ``WireloomError`` where there is none."""
        from .files import candidates

        options = self.options
        with Brief():
            planned = plan(
                candidates(self.format, options, self._is_wanted),
                max_partition_bytes=options.max_partition_bytes,
                open_cost=options.open_cost,
                min_partitions=options.min_partitions,
            )
        return [Partition(index, slices) for index, slices in enumerate(planned)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The batches of one partition, in Spark's schema.

        Raises ``WireloomError`` for a file that cannot be opened, for a value that does not fit the type that it was
        asked for as, and in mode ``failfast`` at the first damage.
        """
        if not isinstance(partition, Partition):
            # Spark reads one partition of its own making where there are no files.
            return iter(())
        if self.options.report_folder is not None:
            return self._read_and_report(partition, self.options.report_folder)
        return self._read(partition)

    def _is_wanted(self, source: Input) -> bool:
        """Whether any row of a file can hold the filters. The ingest pipeline is to see every file all the same."""
        from .pushdown import is_wanted

        if not self.filters or self.options.report_folder is not None:
            return True
        return is_wanted(source, self.format, self.options, self.targets, self.filters)

    def _read(self, partition: Partition) -> Iterator[pa.RecordBatch]:
        from .merging import merged

        # Outermost, so that users see no way that an error took.
        with Brief():
            yield from merged(self._cast_rows(partition), self.options.batch_rows)

    def _cast_rows(self, partition: Partition) -> Iterator[pa.RecordBatch]:
        cast = self._caster()
        for piece in partition.slices:
            for batch in self._rows(piece, self._sources()):
                yield from cast(batch, piece.input.path)

    def _read_and_report(self, partition: Partition, folder: str) -> Iterator[pa.RecordBatch]:
        """As ``_read``, but damaged records and reports go aside."""
        from .sidechannel import SideChannel

        cast = self._caster()
        names = list(dict.fromkeys([*self._sources(), *QUARANTINE]))
        with Brief(), SideChannel(folder, partition.index) as side:
            for piece in partition.slices:
                for batch in self._rows(piece, names, side):
                    yield from cast(side.take(batch), piece.input.path)

    def _rows(self, piece: Slice, names: list[str], side: SideChannel | None = None) -> Iterator[pa.RecordBatch]:
        """The engine's batches of a slice; ``side`` gets its report.

        Raises ``WireloomError`` where the storage fails, whatever the mode: a task that is run again may read it all.
        """
        options = self.options
        scanner = self._scan(piece, names)
        try:
            with closing(scanner):
                yield from scanner
        except NothingThereError:
            if not options.ignore_missing and not options.ignore_corrupt:
                raise
        except WireloomError:
            if not options.ignore_corrupt:
                raise
        for report in scanner.report.files:
            if report.failed and report.damaged and report.damaged[-1].reason == "missing":
                self._storage_failed(report)
            if side is not None:
                side.reported(report, piece)

    def _storage_failed(self, report: FileReport) -> None:
        if not self.ends_where_storage_fails:
            advice = "ignoreCorruptFiles=true takes the rows up to there"
            offset = report.damaged[-1].offset
            raise WireloomError(report.error or "", path=report.path, offset=offset, reason="missing", advice=advice)

    def _caster(self) -> Callable[[pa.RecordBatch, str | None], Iterator[pa.RecordBatch]]:
        """What filters batches of the file at a path and gives them Spark's types."""
        from .casting import Caster
        from .pushdown import Selection, constants_of

        caster = Caster(self.targets)
        selection = Selection.of(self.filters, self.targets) if self.filters else None

        def cast(batch: pa.RecordBatch, path: str | None) -> Iterator[pa.RecordBatch]:
            constants = constants_of(path, self.options) if self._has_others else {}
            chosen = batch if selection is None else selection.rows(batch, constants)
            if chosen.num_rows:
                yield caster.cast(chosen, constants)

        return cast

    @property
    def _has_others(self) -> bool:
        """Whether columns are wanted that the format does not have."""
        return any(each.source is None for each in self.targets)

    def _sources(self) -> list[str]:
        """The format's columns that are needed."""
        wanted = [each.source for each in self.targets if each.source is not None]
        # Even where Spark wants nothing but nulls, rows must be counted.
        return list(dict.fromkeys(wanted)) or ["_offset"]

    def _scan(self, piece: Slice, names: list[str]) -> Any:
        from ..scanning import scan

        options = self.options
        return scan(
            self.format,
            piece.input,
            columns=names,
            mode=options.mode,
            recover=options.recover,
            verify=options.verify,
            byte_range=piece.byte_range,
            batch_rows=options.batch_rows,
            **options.scan,
        )
