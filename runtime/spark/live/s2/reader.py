"""Reads ranges of streams in the tasks, and plans them on the driver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import InputPartition

from ....s2.reading import LostRecordsError
from ...errors import HideTraceback
from ...read.schema import TargetColumn
from ..options import LiveBatchReader
from .options import S2ReadOptions
from .planning import ADVICE, Range, S2Planning, limited

if TYPE_CHECKING:
    import pyarrow as pa

STREAM = "_stream"
NUMBER = "seq_num"
PATIENCE = 60.0
"""Seconds of continuous failures after which a task fails; Spark then runs it again."""
BATCH_ROWS = 8192
"""Maximum number of rows of a batch."""


class S2Partition(InputPartition):
    """The input of one task."""

    def __init__(self, index: int, range: Range) -> None:
        super().__init__(index)
        self.range = range


class S2Reader(LiveBatchReader):
    """The batch reader of streams, between two positions."""

    options: S2ReadOptions

    def __init__(self, options: S2ReadOptions, targets: Sequence[TargetColumn]) -> None:
        self.options = options
        self.targets = tuple(targets)

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


def partitions_of(ranges: Sequence[Range]) -> list[S2Partition]:
    """Return Spark's partitions of the ranges."""
    return [S2Partition(index, each) for index, each in enumerate(ranges)]


class S2StreamPlanning(S2Planning):
    """Plans the batches of a streaming query. An offset is the sequence number of the next record of each stream."""

    def __init__(self, options: S2ReadOptions) -> None:
        super().__init__(options)
        self._is_fixed = False
        self._fixed: dict[str, int] | None = None
        self._tails: dict[str, int] = {}

    def initial(self) -> dict[str, Any]:
        """Return the first offset, see ``live.stream.StreamPlanning``."""
        return dict(sorted(self.begin(self.streams()).items()))

    def fix(self) -> None:
        """Restrict planning to existing records, see ``live.stream.StreamPlanning``."""
        self._is_fixed = True

    def latest(self, start: Mapping[str, Any], limit: int | None) -> dict[str, Any]:
        """Return the end offset of the next batch, see ``live.stream.StreamPlanning``."""
        self._tails = self._fixed if self._fixed is not None else self.checked_tails(start)
        self._fixed = self._tails if self._is_fixed else None
        return limited(start, self._tails, limit)

    def progress(self) -> dict[str, Any]:
        """Return the ends of the streams."""
        return dict(sorted(self._tails.items()))

    def partitions(self, start: Mapping[str, Any], end: Mapping[str, Any]) -> list[S2Partition]:
        """Return the partitions of a batch, see ``live.stream.StreamPlanning``."""
        return partitions_of(self.between(start, end))
