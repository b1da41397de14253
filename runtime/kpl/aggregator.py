"""Combines user records to aggregated records, each with as many records of one shard as fit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..base.arguments import checks_keywords
from ..base.errors import WireloomError
from .hashing import hash_of
from .open_aggregate import OpenAggregate, is_sent_plain
from .records import KinesisRecord, UserRecord
from .shard_map import Shard, ShardMap

TARGET_SIZE = 51_200
"""Size in bytes from which the Kinesis Producer Library begins a new aggregate."""

MAX_SIZE = 1024 * 1024
"""Default maximum size in bytes of a Kinesis record's data and partition key; a stream may have a larger one."""

BUFFER_SIZE = 64 * 1024 * 1024
"""Maximum memory in bytes for the waiting records of all aggregates."""

MODES = ("aggregated", "plain")


class Aggregator:
    """Collects user records and returns a Kinesis record whenever the next one does not fit.

    An aggregate contains records of one shard only, since the Kinesis Client Library drops a whole aggregate if one of
    its records belongs to another shard. ``shards``: the shards of the stream, a ``ShardMap`` or the argument of one,
    ``"one"`` for a stream of one shard. Without it, and for records outside of all its ranges, an aggregate contains
    the records of one hash key: of one partition key, or of one explicit hash key.

    The exact size is known before a record is added, so nothing is ever too large, lost or sent twice. ``target_size``:
    maximum size of an aggregate in bytes; a larger record is sent by itself. ``max_size``: maximum size in bytes of the
    data with the outer partition key. ``single``: whether a single record is sent ``aggregated`` or ``plain``, without
    its tags and the frame of 20 bytes. A plain record that looks like an aggregate is aggregated nevertheless, so that
    readers do not misinterpret it. ``buffer_size``: approximate maximum of waiting bytes in memory; beyond it the
    oldest aggregates are returned.

    >>> aggregator = Aggregator(target_size=60, shards="one")
    >>> aggregator.add("first", b"x" * 20)
    []
    >>> [full.count for full in aggregator.add("second", b"y" * 20)]
    [1]
    >>> [rest.partition_key for rest in aggregator.flush()]
    ['second']
    """

    @checks_keywords()
    def __init__(
        self,
        *,
        shards: Any = None,
        target_size: int = TARGET_SIZE,
        max_size: int = MAX_SIZE,
        single: str = "aggregated",
        buffer_size: int = BUFFER_SIZE,
    ) -> None:
        for name, value in (("target_size", target_size), ("max_size", max_size), ("buffer_size", buffer_size)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise WireloomError(f"{name} must be a number of bytes of at least 1, not {value!r}")
        if single not in MODES:
            raise WireloomError(f"single must be 'aggregated' or 'plain', not {single!r}")
        self._shards = None if shards is None else ShardMap.of(shards)
        self._target_size = target_size
        self._max_size = max_size
        self._single = single
        self._buffer_size = buffer_size
        # By shard, or by hash key if there is no shard; oldest first.
        self._open: dict[Shard | int, OpenAggregate] = {}
        self._memory = 0

    def __len__(self) -> int:
        """Return the number of records that wait for the next flush."""
        return sum(len(each.records) for each in self._open.values())

    @property
    def size(self) -> int:
        """Return the exact total size in bytes of the records that ``flush`` would return; 0 if nothing waits."""
        return sum(each.size for each in self._open.values())

    def add(
        self,
        partition_key: str,
        data: bytes,
        explicit_hash_key: str | None = None,
        tags: Iterable[tuple[str, str | None]] = (),
    ) -> list[KinesisRecord]:
        """Add a record. If it does not fit into the open aggregate of its shard, that aggregate is returned and the
        record begins the next one. The oldest aggregates are returned as well if too many bytes wait. The list is
        usually empty.

        Raises ``WireloomError``, and changes nothing, for a record that is too large for a Kinesis record by itself,
        and for an explicit hash key that is not a decimal number of 128 bits.
        """
        return self.add_record(UserRecord(partition_key, bytes(data), explicit_hash_key, tuple(tags)))

    def add_record(self, record: UserRecord) -> list[KinesisRecord]:
        """Add a record, like ``add``."""
        self._refuse_too_large(record)
        finished: list[KinesisRecord] = []
        place, shard_id = self._place_of(record)
        waiting = self._open.get(place)
        if waiting is not None and not self._fits(waiting, record):
            finished.append(self._taken(place))
            waiting = None
        if waiting is None:
            waiting = self._open[place] = OpenAggregate(self._single, shard_id)
            self._memory += waiting.memory
        before = waiting.memory
        waiting.append(record)
        self._memory += waiting.memory - before
        # A single aggregate is bounded by its own size limit.
        while self._memory > self._buffer_size and len(self._open) > 1:
            finished.append(self._taken(next(iter(self._open))))
        return finished

    def flush(self) -> list[KinesisRecord]:
        """Return all waiting records as Kinesis records, the oldest first."""
        return [self._taken(place) for place in list(self._open)]

    def reshard(self, shards: Any) -> list[KinesisRecord]:
        """Replace the shards, after some were split or merged; arguments are those of the constructor. Waiting records
        are divided again, and the aggregates that this completes are returned. Raises ``WireloomError``, and changes
        nothing, for invalid shards."""
        self._shards = None if shards is None else ShardMap.of(shards)
        waiting, self._open, self._memory = self._open, {}, 0
        records = (record for each in waiting.values() for record in each.records)
        return [made for record in records for made in self.add_record(record)]

    def _place_of(self, record: UserRecord) -> tuple[Shard | int, str | None]:
        """Return the key that the records of an aggregate share, and the id of their shard."""
        hash_key = hash_of(record.partition_key, record.explicit_hash_key)
        shard = None if self._shards is None else self._shards.shard_of(hash_key)
        return (hash_key, None) if shard is None else (shard, shard.shard_id)

    def _taken(self, place: Shard | int) -> KinesisRecord:
        made = self._open[place].made()
        self._memory -= self._open.pop(place).memory
        return made

    def _fits(self, waiting: OpenAggregate, record: UserRecord) -> bool:
        size = waiting.size_with(record)
        return size <= self._target_size and size + waiting.outer_size <= self._max_size

    def _refuse_too_large(self, record: UserRecord) -> None:
        alone = OpenAggregate(self._single, None)
        size = len(record.data) if is_sent_plain(record, self._single) else alone.size_with(record)
        whole = size + len(record.partition_key.encode())
        if whole > self._max_size:
            raise WireloomError(
                f"the record has {whole} bytes with its partition key and its envelope, and a"
                f" Kinesis record has at most {self._max_size}: split it, or raise max_size if the stream accepts more",
                reason="limit",
            )
