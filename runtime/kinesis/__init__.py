"""Reads and writes streams of Amazon Kinesis over the network with boto3; aggregated records are de-aggregated.

``read`` returns the user records of a stream as Arrow batches, ``Producer`` puts user records as aggregated records.
The format ``kpl_aggregated_record`` reads the bytes of aggregated records alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.face import face

if TYPE_CHECKING:
    from .calls import Calls
    from .positions import SHARD_END, Position
    from .reading import StreamReading, read
    from .shard_reading import LostRecordsError, ShardReading
    from .shards import StreamShard, list_shards
    from .writing import Producer

__all__ = [
    "SHARD_END",
    "Calls",
    "LostRecordsError",
    "Position",
    "Producer",
    "ShardReading",
    "StreamReading",
    "StreamShard",
    "list_shards",
    "read",
]

__getattr__ = face(
    __name__,
    {
        "calls": "Calls",
        "ends": "end_of",
        "positions": "LATEST SHARD_END Position start_of time_of",
        "reading": "StreamReading read records_of",
        "user_records": "ALL_COLUMNS COLUMNS KINDS HASH_RANGES SCHEMA schema_of",
        "shard_reading": "LostRecordsError ShardReading",
        "shards": "TICK StreamShard first_positions list_shards readable with_new",
        "writing": "Producer",
    },
)
