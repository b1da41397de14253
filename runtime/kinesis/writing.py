"""Puts user records into a stream: aggregated, in order for each key, with retries of failed records."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from ..base.arguments import checks_keywords
from ..base.errors import TemporaryError, WireloomError
from ..base.retries import Retries, pause
from ..kpl import Aggregator, KinesisRecord, Shard, ShardMap, UserRecord, hash_of, range_of
from ..kpl.aggregator import MAX_SIZE, TARGET_SIZE
from ..reading.blobs.exploding import from_wire
from .calls import PATIENCE, TEMPORARY, Calls
from .shards import list_shards

LOG = logging.getLogger(__name__)

MOST_RECORDS = 500
MOST_BYTES = 5 << 20
"""Maximum size of a ``PutRecords`` request; each record has at most ``MAX_SIZE`` bytes."""
LONGEST_KEY = 256
WAITING = 1 << 22
"""Number of bytes of complete records from which they are sent."""
MOST_RESHARDS = 20
"""Maximum number of consecutive changes of the shards before an error is raised."""


class Producer:
    """Puts records into a stream. As a context manager, it sends all waiting records at the end.

    ``aggregated``: whether many user records of one shard are combined in a Kinesis record; otherwise each is a record
    of its own. Records of a key keep their order: a request has at most one record for a shard (without aggregation,
    for a key), and the next is sent only after that one was accepted. A record may be duplicated if a response is lost,
    since Kinesis has no transactions.
    """

    @checks_keywords()
    def __init__(
        self,
        stream: str,
        *,
        region: str | None = None,
        endpoint_url: str | None = None,
        aggregated: bool = True,
        target_size: int = TARGET_SIZE,
        max_size: int = MAX_SIZE,
        patience: float = PATIENCE,
    ) -> None:
        self._calls = Calls(stream, region, endpoint_url, patience)
        self._max_size = max_size
        self._waiting: list[KinesisRecord] = []
        self._size = 0
        self.user_records = 0
        self.records = 0
        self._reshards = 0
        self._ranges: dict[str, Shard] = {}
        self._aggregator: Aggregator | None = None
        if aggregated:
            self._aggregator = Aggregator(shards=self._shard_map(), target_size=target_size, max_size=max_size)

    def __enter__(self) -> Producer:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_error: object) -> None:
        if kind is None:
            self.flush()

    def put(
        self,
        partition_key: str,
        data: bytes,
        explicit_hash_key: str | None = None,
        tags: Iterable[tuple[str, str | None]] = (),
    ) -> None:
        """Accept a user record, and send records if enough are waiting. Raises ``WireloomError`` for a record that
        Kinesis does not accept, and if sending fails for ``patience`` seconds."""
        if not isinstance(partition_key, str) or not 0 < len(partition_key) <= LONGEST_KEY:
            raise WireloomError(f"a partition key has 1 to {LONGEST_KEY} characters, unlike {partition_key!r:.60}")
        self._add(UserRecord(partition_key, bytes(data), explicit_hash_key, tuple(tags)))
        self.user_records += 1
        while self._size >= WAITING or len(self._waiting) >= MOST_RECORDS:
            self._send()

    def flush(self) -> None:
        """Send all waiting records."""
        while True:
            # Records that have to be divided again because the shards changed are in the aggregator again.
            if self._aggregator is not None:
                self._take(self._aggregator.flush())
            if not self._waiting:
                return
            self._send()

    def _add(self, record: UserRecord) -> None:
        if self._aggregator is not None:
            self._take(self._aggregator.add_record(record))
            return
        size = len(record.data) + len(record.partition_key.encode())
        if size > self._max_size:
            raise WireloomError(f"the record has {size} bytes with its key, more than {self._max_size}", reason="limit")
        if record.tags:
            raise WireloomError("only aggregated records have tags")
        self._take([KinesisRecord(record.data, record.partition_key, record.explicit_hash_key, 1, False)])

    def _take(self, made: list[KinesisRecord]) -> None:
        self._waiting += made
        self._size += sum(map(_size, made))

    def _shard_map(self) -> ShardMap:
        shards, _ = list_shards(self._calls)
        made = [Shard(*range_of(each.hash_range), each.shard_id) for each in shards.values() if each.open]
        self._ranges = {str(each.shard_id): each for each in made}
        return ShardMap(made)

    # Sending ----------------------------------------------------------------------------------------------------------

    def _send(self) -> None:
        """Send one request, and repeat it until at least one of its records was accepted."""
        retries = Retries(self._calls.patience)
        while True:
            chosen = self._chosen()
            answer = self._calls("put_records", Records=[_entry(self._waiting[place]) for place in chosen])
            results = answer.get("Records", ())
            if len(results) != len(chosen):
                raise WireloomError(
                    f"{self._calls.shown}: put_records answered {len(results)} of {len(chosen)} records"
                )
            taken, failures, astray = [], [], []
            for place, result in zip(chosen, results, strict=True):
                if result.get("ErrorCode"):
                    failures.append(f"{result['ErrorCode']}: {result.get('ErrorMessage', '')}")
                    continue
                taken.append(place)
                record = self._waiting[place]
                if record.shard_id is not None and result.get("ShardId") != record.shard_id:
                    astray.append((record, str(result.get("ShardId"))))
            refused = next((each for each in failures if each.partition(":")[0] not in TEMPORARY), None)
            self._remove(taken)
            if astray:
                self._reshard(astray)
            elif taken:
                self._reshards = 0
            if refused is not None:
                raise WireloomError(f"{self._calls.shown}: put_records: {refused:.300}")
            if taken:
                if failures:
                    LOG.warning("%s: %d records to be put again: %.200s", self._calls.shown, len(failures), failures[0])
                    time.sleep(pause(1))
                return
            reason = f"{failures[0]:.300}, for {self._calls.patience:.0f} seconds"
            retries.wait(TemporaryError(f"{self._calls.shown}: put_records: {reason}"))

    def _chosen(self) -> list[int]:
        """Return the indexes of the first records of different lanes, up to the limits of a request."""
        lanes: set[str | int] = set()
        found: list[int] = []
        size = 0
        for place, record in enumerate(self._waiting):
            lane = record.shard_id or hash_of(record.partition_key, record.explicit_hash_key)
            if lane in lanes:
                continue
            lanes.add(lane)
            size += _size(record)
            if size > MOST_BYTES or len(found) == MOST_RECORDS:
                break
            found.append(place)
        return found

    def _remove(self, places: list[int]) -> None:
        gone = set(places)
        self.records += len(places)
        self._size -= sum(_size(self._waiting[place]) for place in places)
        self._waiting = [each for place, each in enumerate(self._waiting) if place not in gone]

    def _reshard(self, astray: list[tuple[KinesisRecord, str]]) -> None:
        """Update the shards, which have changed: records that readers drop are put again, before the waiting ones."""
        assert self._aggregator is not None
        self._reshards += 1
        if self._reshards > MOST_RESHARDS:
            raise TemporaryError(f"{self._calls.shown}: its shards change faster than they can be listed")
        shards = self._shard_map()
        LOG.warning("%s: its shards have changed: redistributing the waiting records", self._calls.shown)
        again = [record for record, shard_id in astray if not self._holds(record, shard_id)]
        waiting = [*again, *self._waiting, *self._aggregator.flush()]
        self._waiting, self._size = [], 0
        self._aggregator.reshard(shards)
        for record in waiting:
            for each in _user_records(record):
                self._add(each)

    def _holds(self, record: KinesisRecord, shard_id: str) -> bool:
        """Return whether readers of the shard accept an aggregate."""
        shard = self._ranges.get(shard_id)
        if shard is None or not record.aggregated:
            return not record.aggregated
        hashes = (hash_of(each.partition_key, each.explicit_hash_key) for each in _user_records(record))
        return all(shard.first <= each <= shard.last for each in hashes)


def _size(record: KinesisRecord) -> int:
    return len(record.data) + len(record.partition_key.encode())


def _entry(record: KinesisRecord) -> dict[str, Any]:
    entry: dict[str, Any] = {"Data": record.data, "PartitionKey": record.partition_key}
    if record.explicit_hash_key is not None:
        entry["ExplicitHashKey"] = record.explicit_hash_key
    return entry


def _user_records(record: KinesisRecord) -> list[UserRecord]:
    if not record.aggregated:
        return [UserRecord(record.partition_key, record.data, record.explicit_hash_key)]
    rows = from_wire(pa.array([record.data], pa.binary()), "kpl_aggregated_record")[0].as_py()
    return [
        UserRecord(
            each["partition_key"],
            each["data"],
            each["explicit_hash_key"],
            tuple((tag["key"], tag["value"]) for tag in each["tags"] or ()),
        )
        for each in rows
    ]
