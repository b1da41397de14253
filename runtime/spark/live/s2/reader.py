"""Reads ranges of streams in the tasks, and plans them for a batch read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pyspark.sql.datasource import InputPartition

from ....s2.reading import LostRecordsError
from ...errors import HideTraceback
from ..options import LiveBatchReader
from .options import S2ReadOptions
from .planning import ADVICE, Range, S2Partition, S2Planning, S2StreamPlanning, partitions_of
from .source import STREAM

if TYPE_CHECKING:
    import pyarrow as pa

NUMBER = "seq_num"
PATIENCE = 60.0
"""Seconds of continuous failures after which a task fails; Spark then runs it again."""
BATCH_ROWS = 8192
"""Maximum number of rows of a batch."""


class S2Reader(LiveBatchReader):
    """The batch reader of streams, between two positions."""

    options: S2ReadOptions

    def planning(self) -> S2StreamPlanning:
        """Return the planning of a streaming query."""
        return S2StreamPlanning(self.options)

    def partitions(self) -> Sequence[InputPartition]:
        """Return a partition for each stream, up to its current end. Raises ``WireloomError``."""
        with HideTraceback():
            return partitions_of(S2Planning(self.options).ranges())

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the batches of one partition. Raises ``WireloomError``, also for lost records if
        ``failOnDataLoss`` is on."""
        if not isinstance(partition, S2Partition):
            # If there are no ranges, Spark reads a partition of its own making.
            return
        with HideTraceback():
            try:
                yield from self._read(partition.range)
            except LostRecordsError as error:
                error.advice = ADVICE
                raise

    def _read(self, wanted: Range) -> Iterator[pa.RecordBatch]:
        from ....reading.coalescing import coalesced
        from ....s2.reading import StreamReading
        from ...read.casting import Caster

        options = self.options
        caster = Caster(self.targets)
        # Rows have to be counted even if Spark reads only null columns.
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
