"""Streams of Kinesis on this machine: moto's server, with shards that split and merge as those of Kinesis do.

moto moves the records of a shard that is split to its children, and never reports that a shard has ended; Kinesis
leaves the records in place, and readers continue with the children after they have read them.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from operator import attrgetter
from typing import Any
from unittest.mock import patch

ACCOUNT, REGION = "123456789012", "us-east-1"


class Streams:
    """The running server. ``client``: that of boto3. ``failing``: called with the name of each operation before it is
    executed; it raises, or returns which of the records of ``PutRecords`` fail."""

    def __init__(self, endpoint: str, client: Any) -> None:
        self.endpoint, self.client = endpoint, client
        self.made = 0

    def new(self, shards: int = 1) -> str:
        """Create a stream; return its name."""
        self.made += 1
        name = f"stream-{self.made}"
        self.client.create_stream(StreamName=name, ShardCount=shards)
        return name

    def put(self, stream: str, *records: tuple[str, bytes]) -> None:
        for key, data in records:
            self.client.put_record(StreamName=stream, PartitionKey=key, Data=data)

    def split(self, stream: str, shard: int = 0) -> None:
        found = self.model(stream).shards[shard_id(shard)]
        middle = (found.starting_hash + found.ending_hash) // 2
        self.client.split_shard(StreamName=stream, ShardToSplit=found.shard_id, NewStartingHashKey=str(middle))

    def merge(self, stream: str, first: int, second: int) -> None:
        self.client.merge_shards(StreamName=stream, ShardToMerge=shard_id(first), AdjacentShardToMerge=shard_id(second))

    def trim(self, stream: str, shard: int = 0, keep: int = 0) -> None:
        """Remove the oldest records of a shard."""
        records = self.model(stream).shards[shard_id(shard)].records
        for number in list(records)[: len(records) - keep]:
            del records[number]

    def model(self, stream: str) -> Any:
        from moto.kinesis.models import kinesis_backends

        return kinesis_backends[ACCOUNT][REGION].streams[stream]


def shard_id(number: int) -> str:
    return f"shardId-{number:012d}"


def _open_shard(stream: Any, key: str, explicit: str | None) -> Any:
    from wireloom.kpl import hash_of

    number = hash_of(key, explicit or None)
    return next(
        each for each in stream.shards.values() if each.is_open and each.starting_hash <= number <= each.ending_hash
    )


def _children(stream: Any, ranges: list[tuple[int, int]], parents: list[Any]) -> None:
    from moto.kinesis.models import Shard

    last = max(map(attrgetter("_shard_id"), stream.shards.values()))
    for number, (begin, end) in enumerate(ranges, last + 1):
        child = Shard(number, begin, end, *(each.shard_id for each in parents))
        stream.shards[child.shard_id] = child
    for each in parents:
        each.is_open = False


def _split(stream: Any, shard: str, middle: str) -> None:
    parent = stream.shards[shard]
    ranges = [(parent.starting_hash, int(middle) - 1), (int(middle), parent.ending_hash)]
    _children(stream, ranges, [parent])


def _merge(stream: Any, first: str, second: str) -> None:
    parents = [stream.shards[first], stream.shards[second]]
    begin, end = min(each.starting_hash for each in parents), max(each.ending_hash for each in parents)
    _children(stream, [(begin, end)], parents)


@contextmanager
def as_kinesis() -> Iterator[None]:
    """moto with corrections."""
    from moto.kinesis.models import KinesisBackend, Stream
    from moto.kinesis.utils import decompose_shard_iterator

    inner = KinesisBackend.get_records

    def get_records(self: Any, arn: str | None, iterator: str, limit: int | None) -> Any:
        following, records, _ = inner(self, arn, iterator, limit)
        name, shard, after = decompose_shard_iterator(iterator)
        found = self.describe_stream(stream_arn=arn, stream_name=name).get_shard(shard)
        last = records[-1].sequence_number if records else int(after)
        more = any(number > last for number in found.records)
        return (following if more or found.is_open else None), records, 1000 if more else 0

    with (
        patch.object(KinesisBackend, "get_records", get_records),
        patch.object(Stream, "get_shard_for_key", _open_shard),
        patch.object(Stream, "split_shard", _split),
        patch.object(Stream, "merge_shards", _merge),
    ):
        yield


@contextmanager
def on(endpoint: str) -> Iterator[Streams]:
    """Yield streams on a server of moto that runs in this process."""
    import boto3

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with as_kinesis():
        yield Streams(endpoint, boto3.client("kinesis", endpoint_url=endpoint, region_name=REGION))
