"""Aggregated records beside the public Python library and Google's protobuf."""

from __future__ import annotations

import base64
import hashlib
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pyarrow as pa
import wireloom
from wireloom.kpl import Aggregator

from .measure import Comparison, Work, missing

BLOB = 50_000
"""Approximate target size of the Kinesis Producer Library."""
FORMAT = "kpl_aggregated_record"
PEER_BYTES = 8_000_000
"""Number of bytes for the peers, which are slow."""


@cache
def blobs(size: int, record: int, blob: int = BLOB) -> list[bytes]:
    """Return aggregates of ``blob`` bytes each, ``size`` bytes in total, of user records of ``record`` random bytes
    under a hundred keys. A hundred different ones are repeated."""
    randomness = random.Random(13)
    aggregator = Aggregator(shards="one", target_size=blob, max_size=10 * 1024 * 1024)
    made: list[bytes] = []
    while len(made) < max(1, min(size // blob, 100)):
        key = f"partition-key-{randomness.randrange(100)}"
        made += [full.data for full in aggregator.add(key, randomness.randbytes(record))]
    return (made * (size // (len(made) * blob) + 1))[: max(1, size // blob)]


def exploded(data: list[bytes]) -> Work:
    """wireloom: from a column of blobs to flat columns."""
    table = pa.table({"data": pa.array(data, pa.binary())})
    return Work("wireloom", sum(map(len, data)), lambda: wireloom.explode(table, "data", FORMAT, keep=[]))


def google(data: list[bytes]) -> Work:
    """Google's protobuf (upb) with hashlib, into Arrow columns."""
    # Its modules import each other by short names, which this one makes available.
    import aws_kinesis_agg.deaggregator  # noqa: F401
    from aws_kinesis_agg import messages_pb2

    def run() -> pa.Table:
        columns: tuple[list[Any], ...] = ([], [], [])
        keys, hash_keys, contents = columns
        for blob in data:
            if hashlib.md5(blob[4:-16], usedforsecurity=False).digest() != blob[-16:]:
                raise ValueError("a digest that does not hold")
            message = messages_pb2.AggregatedRecord.FromString(blob[4:-16])
            table, hash_table = message.partition_key_table, message.explicit_hash_key_table
            for record in message.records:
                keys.append(table[record.partition_key_index])
                has = record.HasField("explicit_hash_key_index")
                hash_keys.append(hash_table[record.explicit_hash_key_index] if has else None)
                contents.append(record.data)
        return pa.table({"partition_key": keys, "explicit_hash_key": hash_keys, "data": contents})

    return Work("google's protobuf and hashlib", sum(map(len, data)), run)


def library(data: list[bytes]) -> Work:
    """The public Python library, as its users call it."""
    from aws_kinesis_agg.deaggregator import deaggregate_records

    records = [
        {
            "eventID": str(number),
            "kinesis": {
                "kinesisSchemaVersion": "1.0",
                "sequenceNumber": str(number),
                "partitionKey": "x",
                "approximateArrivalTimestamp": 0.0,
                "data": base64.b64encode(each).decode(),
            },
        }
        for number, each in enumerate(data)
    ]
    return Work("aws_kinesis_agg", sum(map(len, data)), lambda: deaggregate_records(records))


def comparisons(size: int) -> Iterator[Comparison]:
    absent = missing("aws_kinesis_agg.deaggregator")
    for record in (1000, 100):
        title = f"KPL column of 50 KB blobs, {record}-byte records → Arrow, MD5 verified"
        few = blobs(size, record)[: max(1, PEER_BYTES // BLOB)]
        for peer in (google, library):
            against = Work(peer.__name__, 1, lambda: None) if absent else peer(few)
            yield Comparison(title, exploded(few), against, absent=absent)
