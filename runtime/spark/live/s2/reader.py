"""Reads ranges of streams in the tasks, and plans them for a batch read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pyspark.sql.datasource import InputPartition

from ....s2.reading import LostRecordsError
from ...errors import HideTraceback
from ...read.schema import Target
from ..stream import LiveReader
from .options import ReadOptions
from .planning import ADVICE, Planning, Range

if TYPE_CHECKING:
    import pyarrow as pa

STREAM = "_stream"
NUMBER = "seq_num"
PATIENCE = 60.0
"""Seconds of failures in a row after which a task fails; Spark then runs it again."""
BATCH_ROWS = 8192
"""Rows of a batch, where so many have come."""


class StreamRange(InputPartition):
    """The input of one task."""

    def __init__(self, index: int, range: Range) -> None:
        super().__init__(index)
        self.range = range


class S2Reader(LiveReader):
    """Reads streams between two positions."""

    options: ReadOptions

    def __init__(self, options: ReadOptions, targets: Sequence[Target]) -> None:
        self.options = options
        self.targets = tuple(targets)

    def partitions(self) -> Sequence[InputPartition]:
        """Return what is there now, a partition for each stream. Raises ``WireloomError``."""
        with HideTraceback():
            return partitions_of(Planning(self.options).ranges())

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the batches of one partition. Raises ``WireloomError``, where records are gone if that is to fail."""
        if not isinstance(partition, StreamRange):
            # Spark reads one partition of its own making where there is nothing.
            return
        with HideTraceback():
            try:
                yield from self._read(partition.range)
            except LostRecordsError as error:
                error.advice = ADVICE
                raise

    def _read(self, wanted: Range) -> Iterator[pa.RecordBatch]:
        from ....s2.reading import StreamReading
        from ...read.casting import Caster
        from ...read.coalescing import coalesced

        options = self.options
        caster = Caster(self.targets)
        # Even where Spark wants only nulls, rows must be counted.
        columns = [each.source for each in self.targets if each.source is not None] or [NUMBER]
        with StreamReading(
            options.basin,
            wanted.stream,
            wanted.begin,
            end=wanted.end,
            columns=list(dict.fromkeys(columns)),
            lost="raise" if options.fail_on_data_loss else "report",
            endpoint=options.endpoint,
            patience=PATIENCE,
            from_earliest=wanted.earliest,
        ) as reading:
            for batch in coalesced(reading, BATCH_ROWS):
                yield caster.cast(batch, {STREAM: wanted.stream})


def partitions_of(ranges: Sequence[Range]) -> list[StreamRange]:
    """Return the partitions of Spark."""
    return [StreamRange(index, each) for index, each in enumerate(ranges)]
