"""The Kinesis Producer Library's aggregated records, beyond their table: building them from single records.

The format's spec is ``kpl_aggregated_record``; ``wireloom.read``, ``from_wire`` and ``explode`` read it.
"""

from .aggregator import MAX_SIZE, TARGET_SIZE, Aggregator
from .hashing import LARGEST_HASH_KEY, hash_of, range_of
from .open_aggregate import FRAME_SIZE
from .records import KinesisRecord, UserRecord
from .shard_map import Shard, ShardMap

__all__ = [
    "FRAME_SIZE",
    "LARGEST_HASH_KEY",
    "MAX_SIZE",
    "TARGET_SIZE",
    "Aggregator",
    "KinesisRecord",
    "Shard",
    "ShardMap",
    "UserRecord",
    "hash_of",
    "range_of",
]
