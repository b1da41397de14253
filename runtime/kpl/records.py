"""The input and output records of an aggregator."""

from __future__ import annotations

from ..base.arguments import shown
from ..base.dataclass import dataclass
from ..base.errors import WireloomError
from .hashing import LARGEST_HASH_KEY


@dataclass(frozen=True, slots=True)
class UserRecord:
    """A user record. ``explicit_hash_key``, a decimal number of 128 bits, determines the shard instead of the partition
    key; ``tags`` are pairs of a key and a value. Raises ``WireloomError`` for an invalid hash key."""

    partition_key: str
    data: bytes
    explicit_hash_key: str | None = None
    tags: tuple[tuple[str, str | None], ...] = ()

    def __post_init__(self) -> None:
        key = self.explicit_hash_key
        if key is not None and not (
            isinstance(key, str)
            and key.isascii()
            and key.isdecimal()
            and len(key) < 40
            and int(key) <= LARGEST_HASH_KEY
        ):
            raise WireloomError(
                f"an explicit hash key must be a decimal number from 0 to {LARGEST_HASH_KEY}, not {shown(key)}",
                reason="value",
            )


@dataclass(frozen=True, slots=True)
class KinesisRecord:
    """A record to put into a stream: ``data``, with the keys of the first of its ``count`` user records. ``aggregated``
    is false for a single record that is sent without aggregation. ``shard_id``: the id of its shard according to the
    shard map, ``None`` if it is not known. If ``PutRecords`` returns another id, the map is out of date and readers
    will drop the aggregate: send its records again after ``Aggregator.reshard``."""

    data: bytes
    partition_key: str
    explicit_hash_key: str | None
    count: int
    aggregated: bool
    shard_id: str | None = None
