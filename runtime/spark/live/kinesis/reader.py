"""Reads parts of shards in the tasks; a batch read reads every shard between two times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from pyspark.sql.datasource import InputPartition

from ....base.errors import WireloomError
from ....kinesis import LATEST, TICK, Position, ShardReading, StreamShard, first_positions, list_shards, records_of
from ...errors import HideTraceback
from ...read.casting import Caster
from ..options import LiveBatchReader
from .options import KinesisReadOptions

if TYPE_CHECKING:
    import pyarrow as pa

    from .planning import KinesisPlanning


class ShardPartition(InputPartition):
    """The part of a shard that a task reads: from ``begin`` to a position (``until``), or to the first record that
    arrived at or after a time (``before``)."""

    def __init__(
        self,
        shard_id: str,
        shard: StreamShard | None,
        begin: Position,
        until: Position | None = None,
        before: datetime | None = None,
    ) -> None:
        super().__init__(shard_id)
        self.shard_id, self.shard, self.begin = shard_id, shard, begin
        self.until, self.before = until, before


class KinesisReader(LiveBatchReader):
    """The batch reader of a stream."""

    options: KinesisReadOptions

    def planning(self) -> KinesisPlanning:
        """Return the planning of a streaming query."""
        from .planning import KinesisPlanning

        return KinesisPlanning(self.options)

    def partitions(self) -> Sequence[InputPartition]:
        """Return a partition for each shard. Raises ``WireloomError``."""
        options = self.options
        with HideTraceback():
            if options.start == LATEST:
                raise WireloomError("option start is LATEST, where a batch read ends: choose an earlier position")
            shards, now = list_shards(options.calls)
            end = options.end or now + TICK
            first = first_positions(shards, options.start, now)
            return [ShardPartition(each, shards[each], begin, before=end) for each, begin in sorted(first.items())]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the batches of one partition. Raises ``WireloomError``."""
        if not isinstance(partition, ShardPartition):
            return
        options, caster = self.options, Caster(self.targets)
        names = [str(each.source) for each in self.targets]
        with HideTraceback():
            records = records_of(
                options.calls, partition.shard, partition.shard_id, names, options.hash_range, options.mode
            )
            reading = ShardReading(
                options.calls,
                partition.shard_id,
                partition.begin,
                records,
                until=partition.until,
                before=partition.before,
                fail_on_loss=options.fail_on_data_loss,
            )
            while not reading.done:
                for batch in reading.batches():
                    yield caster.cast(batch)
                if partition.until is None:
                    return
