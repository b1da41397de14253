"""Reads a stream shard by shard, each after its parents."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa

from .. import codecs
from ..base.arguments import checks_keywords, one_of
from ..base.errors import WireloomError
from .calls import PATIENCE, Calls
from .positions import SHARD_END, Position, start_of, time_of
from .shard_reading import ShardReading
from .shards import TICK, StreamShard, first_positions, list_shards, readable, with_new
from .user_records import HASH_RANGES, RecordBatches, schema_of

POLL = 0.05
"""Seconds between checks which shard may be requested again."""


class StreamReading(Iterator[pa.RecordBatch]):
    """Batches of a stream. ``schema``: that of all batches; ``positions``: the position in each shard,
    which can be passed to ``read``; ``dropped``: number of aggregates dropped so far because one of their
    records belongs to another shard."""

    def __init__(
        self,
        calls: Calls,
        start: str | datetime | Mapping[str, Any],
        end: datetime | None,
        columns: Sequence[str] | None,
        *,
        follow: bool,
        hash_range: str,
        mode: str,
        codec: str,
        fail_on_loss: bool,
    ) -> None:
        self._calls, self._columns, self._mode, self._codec = calls, columns, mode, codecs.checked(codec)
        self._hash_range = one_of("hash_range", hash_range, HASH_RANGES)
        self._fail_on_loss, self._follow = fail_on_loss, follow
        self.schema = schema_of(columns)
        self._shards, now = list_shards(calls)
        if isinstance(start, Mapping):
            positions = {str(each): Position.from_json(value) for each, value in start.items()}
            self._positions = with_new(positions, self._shards)
        else:
            self._positions = first_positions(self._shards, start, now)
        self._end = end if end is not None or follow else now + TICK
        self._readings: dict[str, tuple[ShardReading, RecordBatches]] = {}
        self._batches = self._read()

    def __iter__(self) -> StreamReading:
        return self

    def __next__(self) -> pa.RecordBatch:
        return next(self._batches)

    @property
    def positions(self) -> dict[str, Any]:
        """Return the position in each shard, as values that JSON supports."""
        return {each: place.to_json() for each, place in self._positions.items()}

    @property
    def dropped(self) -> int:
        """Return the number of aggregates dropped so far."""
        return sum(records.dropped for _, records in self._readings.values())

    def read_all(self) -> pa.Table:
        """Return all remaining records as a table."""
        return pa.Table.from_batches(list(self), self.schema)

    def _read(self) -> Iterator[pa.RecordBatch]:
        while True:
            waiting = [each for each in readable(self._positions, self._shards) if not self._reading(each).done]
            if not waiting:
                return
            due = [each for each in waiting if self._reading(each).is_due]
            for each in due or ([] if self._follow else waiting):
                reading = self._reading(each)
                for batch in reading.batches():
                    self._positions[each] = reading.position
                    yield batch
                self._positions[each] = reading.position
                if reading.position == SHARD_END:
                    self._shards, _ = list_shards(self._calls)
                    self._positions = with_new(self._positions, self._shards)
            if not due:
                time.sleep(POLL)

    def _reading(self, shard_id: str) -> ShardReading:
        if shard_id not in self._readings:
            shard = self._shards.get(shard_id)
            records = records_of(self._calls, shard, shard_id, self._columns, self._hash_range, self._mode, self._codec)
            reading = ShardReading(
                self._calls,
                shard_id,
                self._positions[shard_id],
                records,
                before=self._end,
                fail_on_loss=self._fail_on_loss,
            )
            self._readings[shard_id] = (reading, records)
        return self._readings[shard_id][0]


def records_of(
    calls: Calls,
    shard: StreamShard | None,
    shard_id: str,
    columns: Sequence[str] | None,
    hash_range: str,
    mode: str,
    codec: str = "none",
) -> RecordBatches:
    """Return the batch builder for a shard's records. ``hash_range``: one of ``HASH_RANGES``; ``codec``: that of the
    data."""
    known = shard.hash_range if shard is not None and hash_range == "shard" else None
    return RecordBatches(calls.name, shard_id, columns, hash_range=known, mode=mode, codec=codec)


@checks_keywords()
def read(
    stream: str,
    *,
    start: str | datetime | Mapping[str, Any] = "TRIM_HORIZON",
    end: str | datetime | None = None,
    follow: bool = False,
    columns: Sequence[str] | None = None,
    region: str | None = None,
    endpoint_url: str | None = None,
    hash_range: str = "shard",
    mode: str = "permissive",
    codec: str = "none",
    fail_on_loss: bool = True,
    patience: float = PATIENCE,
) -> StreamReading:
    """Read the user records of a stream, given by its name or ARN, as record batches. Child shards are read after their
    parents.

    - ``start``: ``TRIM_HORIZON``, ``LATEST``, a time, or the ``positions`` of an earlier read.
    - ``end``: each shard ends before the first record that arrived at this time or later; by default the time of the
      call.
    - ``follow``: wait for new records, up to ``end`` if it is given, otherwise until stopped.
    - ``hash_range``: ``shard`` drops an aggregate with records outside of the hash range of its shard, as Kinesis' own
      client does; ``all`` returns them.
    - ``codec``: how the data of user records is compressed: ``gzip``, ``zstd`` and so on, or ``auto``, by content.
      Data that does not decompress is damage.
    - ``fail_on_loss``: whether records that have expired are an error.
    - ``patience``: the number of seconds of consecutive failures after which an error is raised.

    Raises ``WireloomError``.
    """
    if not isinstance(follow, bool):
        raise WireloomError("follow is True or False")
    return StreamReading(
        Calls(stream, region, endpoint_url, patience),
        start if isinstance(start, Mapping) else start_of(start),
        None if end is None else time_of("end", end),
        columns,
        follow=follow,
        hash_range=hash_range,
        mode=mode,
        codec=codec,
        fail_on_loss=fail_on_loss,
    )
