"""Reads parts of shards in the tasks, which the driver plans; a batch read reads every shard between two times."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import InputPartition

from ....base.dataclass import dataclass, field
from ....base.errors import WireloomError
from ....kinesis import (
    LATEST,
    SHARD_END,
    TICK,
    Position,
    ShardReading,
    StreamShard,
    end_of,
    first_positions,
    list_shards,
    readable,
    records_of,
    with_new,
)
from ...errors import HideTraceback
from ...read.casting import Caster
from ..source import LiveBatchReader
from .options import KinesisReadOptions

if TYPE_CHECKING:
    import pyarrow as pa


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
            shard, how = partition.shard, (options.hash_range, options.mode, options.codec)
            records = records_of(options.calls, shard, partition.shard_id, names, *how)
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


VERSION = 1
MARGIN = timedelta(minutes=1)
"""Maximum delay between the arrival of a record and its visibility."""
PAUSE = 1.0
"""Seconds between requests to a shard that had nothing new."""
SECONDS = 10.0
"""Approximate maximum duration in seconds of planning one batch."""


@dataclass(frozen=True)
class Offset:
    """The position in each shard (``shards``), and the position at which the batch that ends here begins in each shard
    that it reads (``began``). ``batch`` is the number of batches so far; 0 if nothing is known yet."""

    stream: str
    batch: int = 0
    shards: Mapping[str, Position] = field(default_factory=dict)
    began: Mapping[str, Position] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the offset as JSON values for Spark's checkpoint."""
        return {
            "version": VERSION,
            "stream": self.stream,
            "batch": self.batch,
            "shards": {each: place.to_json() for each, place in sorted(self.shards.items())},
            "began": {each: place.to_json() for each, place in sorted(self.began.items())},
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any], stream: str) -> Offset:
        """Return the offset of a checkpoint. Raises ``WireloomError`` if it is invalid or of another stream."""
        if not isinstance(value, Mapping) or value.get("version") != VERSION:
            raise WireloomError(
                "the checkpoint was not written by kinesis_stream, or by a newer version: use a new checkpoint"
            )
        if value.get("stream") != stream:
            raise WireloomError(f"the checkpoint is of stream {value.get('stream')!r:.100}, not of {stream!r:.100}")
        try:
            shards, began = (
                {str(each): Position.from_json(place) for each, place in value[name].items()}
                for name in ("shards", "began")
            )
            return cls(stream, int(value["batch"]), shards, began)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise WireloomError("the checkpoint is damaged: use a new checkpoint") from None


class KinesisPlanning:
    """Plans the batches of a streaming query. It only caches: the offsets contain everything that is needed for
    correctness.

    A batch is fixed when it is planned. Without a limit it ends with the last record of each shard, which is found by
    its arrival time. Kinesis does not report the number of records between two positions. With a limit, therefore, the
    driver reads the records it plans, but only their numbers.
    """

    def __init__(self, options: KinesisReadOptions) -> None:
        self._options = options
        self._name = options.calls.name
        self._shards: dict[str, StreamShard] | None = None
        self._readings: dict[str, ShardReading] = {}
        self._before: datetime | None = None
        self._clock: tuple[datetime, float] | None = None
        """The server's time, and the local time at which it was received."""
        self._empty: dict[str, datetime] = {}
        """For each shard, the time up to which no record has arrived after its position."""
        self._due: dict[str, float] = {}
        self.end = Offset(self._name)

    def fix(self) -> None:
        """Restrict planning to the records that have arrived by now."""
        now = self._list()
        self._before = now + TICK
        self._readings = {}

    def initial(self) -> dict[str, Any]:
        """Return the offset before anything is known."""
        return Offset(self._name).to_json()

    def progress(self) -> dict[str, Any]:
        """Return the position of the query's planning."""
        return self.end.to_json()

    def latest(self, start: Mapping[str, Any], limit: int | None) -> dict[str, Any]:
        """Return the end offset of the next batch. Raises ``WireloomError``."""
        before = Offset.from_json(start, self._name)
        if not before.batch:
            # A batch without records stores where reading begins, so that a restarted query begins there too.
            now = self._list()
            first = first_positions(self._shards or {}, self._options.start, now)
            self.end = Offset(self._name, 1, first)
            return self.end.to_json()
        if self._clock is None:
            self._list()
        assert self._shards is not None
        shards = with_new(before.shards, self._shards)
        began = self._ends(shards) if limit is None else self._read(shards, before.batch, limit)
        while limit is not None and self._before is not None and not began and self._is_waiting(shards):
            # A batch without new records would be taken for the end of the query.
            began = self._read(shards, before.batch, limit)
        if any(shards[each].ended for each in began):
            self._list()
            shards = with_new(shards, self._shards)
        self._readings = {each: reading for each, reading in self._readings.items() if each in shards}
        if not began and shards == dict(before.shards):
            self.end = before
            # Spark compares offsets as strings.
            return dict(start)
        self.end = Offset(self._name, before.batch + 1, shards, began)
        return self.end.to_json()

    def _list(self) -> datetime:
        """List the current shards; return the server's time."""
        self._shards, now = list_shards(self._options.calls)
        self._clock = now, time.monotonic()
        return now

    def _ends(self, shards: dict[str, Position]) -> dict[str, Position]:
        """Move positions to the ends of the shards; return the previous positions of those that moved."""
        assert self._shards is not None
        assert self._clock is not None
        began: dict[str, Position] = {}
        for shard_id in readable(shards, self._shards):
            here, known = shards[shard_id], self._shards.get(shard_id)
            if self._before is None and time.monotonic() < self._due.get(shard_id, 0.0):
                continue
            if known is not None and not known.open:
                end = SHARD_END
            else:
                told, at = self._clock
                now = told + timedelta(seconds=time.monotonic() - at)
                empty = self._empty.get(shard_id)
                end = end_of(self._options.calls, shard_id, here, now, before=self._before, empty_since=empty)
                self._empty[shard_id] = min(now, self._before or now) - MARGIN
                self._due[shard_id] = time.monotonic() + (PAUSE if end == here else 0.0)
            if end != here:
                began[shard_id], shards[shard_id] = here, end
                self._empty.pop(shard_id, None)
        return began

    def _read(self, shards: dict[str, Position], batch: int, limit: int) -> dict[str, Position]:
        """Move positions forward by at most ``limit`` user records; return the previous positions of
        those that moved."""
        assert self._shards is not None
        order = readable(shards, self._shards)
        # Rotate the order, so that no shard always has to wait for the same others.
        first = batch % len(order) if order else 0
        order = [*order[first:], *order[:first]]
        began: dict[str, Position] = {}
        deadline = time.monotonic() + SECONDS
        for number, shard_id in enumerate(order):
            reading = self._reading(shard_id, shards[shard_id])
            if reading.done or (self._before is None and not reading.is_due):
                continue
            if time.monotonic() > deadline or limit == 0:
                break
            share = max(1, limit // (len(order) - number))
            limit -= sum(each.num_rows for each in reading.batches(share, deadline - time.monotonic()))
            if reading.position != shards[shard_id]:
                began[shard_id], shards[shard_id] = shards[shard_id], reading.position
        return began

    def _is_waiting(self, shards: Mapping[str, Position]) -> bool:
        """Return whether there are shards in which records that had arrived have not been read."""
        return any(not self._reading(each, shards[each]).done for each in readable(shards, self._shards or {}))

    def _reading(self, shard_id: str, position: Position) -> ShardReading:
        found = self._readings.get(shard_id)
        if found is None or found.position != position:
            options = self._options
            known = (self._shards or {}).get(shard_id)
            numbers = ("sequence_number", "sub_sequence_number")
            # Damage is reported by the tasks.
            records = records_of(options.calls, known, shard_id, numbers, options.hash_range, "permissive")
            found = ShardReading(
                options.calls,
                shard_id,
                position,
                records,
                before=self._before,
                fail_on_loss=options.fail_on_data_loss,
            )
            self._readings[shard_id] = found
        return found

    def partitions(self, start: Mapping[str, Any], end: Mapping[str, Any]) -> list[ShardPartition]:
        """Return the partitions of the tasks of a batch, which depend on ``end`` alone."""
        last = Offset.from_json(end, self._name)
        if dict(start) == dict(end):
            return []
        if last.batch != Offset.from_json(start, self._name).batch + 1:
            raise WireloomError("the checkpoint has gaps: use a new checkpoint")
        if last.began and self._shards is None:
            self._list()
        return [
            ShardPartition(each, (self._shards or {}).get(each), begin, until=last.shards[each])
            for each, begin in sorted(last.began.items())
            if each in last.shards
        ]
