"""Reads the files of a format for Spark: plans partitions on the driver, yields Arrow batches in the tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceReader, InputPartition

from ..format import Format
from .brief import Brief
from .options import ReadOptions
from .planning import Slice, plan
from .schema import CORRUPT_RECORD, Target

if TYPE_CHECKING:
    import pyarrow as pa

    from ..report import FileReport

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

    def partitions(self) -> Sequence[InputPartition]:
        """The partitions, planned from the files that are there now. Raises ``WireloomError`` where there is none."""
        from .files import candidates

        options = self.options
        with Brief():
            planned = plan(
                candidates(self.format, options),
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

    def _read(self, partition: Partition) -> Iterator[pa.RecordBatch]:
        from .casting import Caster

        caster = Caster(self.targets)
        for piece in partition.slices:
            with Brief(), closing(self._scan(piece, self._sources())) as scanner:
                for batch in scanner:
                    yield caster.cast(batch)

    def _read_and_report(self, partition: Partition, folder: str) -> Iterator[pa.RecordBatch]:
        """As ``_read``, but damaged records and reports go aside."""
        from .casting import Caster
        from .sidechannel import SideChannel

        caster = Caster(self.targets)
        names = list(dict.fromkeys([*self._sources(), *QUARANTINE]))
        with Brief(), SideChannel(folder, partition.index) as side:
            for piece in partition.slices:
                with closing(self._scan(piece, names)) as scanner:
                    for batch in scanner:
                        good = side.take(batch)
                        if good.num_rows:
                            yield caster.cast(good)
                report: FileReport = scanner.report.files[0]
                side.reported(report, piece)

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
