"""The Kinesis Producer Library's aggregated records, beyond their table: making them from single records.

The format's spec is ``kpl_aggregated_record``; ``wireloom.read``, ``from_wire`` and ``explode`` read it.
"""

from .aggregator import MAX_SIZE, TARGET_SIZE, Aggregator
from .records import KinesisRecord, UserRecord
from .shards import Shard, ShardMap

__all__ = ["MAX_SIZE", "TARGET_SIZE", "Aggregator", "KinesisRecord", "Shard", "ShardMap", "UserRecord"]
