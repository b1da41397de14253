"""The input and output records of an aggregator."""

from __future__ import annotations

from dataclasses import dataclass

from ..base.arguments import shown
from ..base.errors import WireloomError
from .hashing import LARGEST_HASH_KEY


@dataclass(frozen=True, slots=True)
class UserRecord:
    """A record of a user. ``explicit_hash_key`` is a decimal number of 128 bits, which decides about the shard in the
    partition key's place; ``tags`` are keys and values. Raises ``WireloomError`` for a hash key that is none."""

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
                f"an explicit hash key is a decimal number from 0 to {LARGEST_HASH_KEY}, not {shown(key)}",
                reason="value",
            )


@dataclass(frozen=True, slots=True)
class KinesisRecord:
    """A record to put into a stream: ``data``, with the keys of the first of its ``count`` user records. ``aggregated``
    is false if a single one is sent as it is. ``shard_id``: of the shard that it is for, where the shard map names
    it. Where ``PutRecords`` answers with another, the map is out of date, and readers drop the aggregate: send its
    records again after ``Aggregator.reshard``."""

    data: bytes
    partition_key: str
    explicit_hash_key: str | None
    count: int
    aggregated: bool
    shard_id: str | None = None
