"""The shard map of a stream, which determines the shard of a record."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from ..base.arguments import shown
from ..base.dataclass import dataclass
from ..base.errors import WireloomError
from .hashing import LARGEST_HASH_KEY, range_of

PAGE = 1000
"""Maximum number of shards in a response of ``ListShards``."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A shard for the records with hash keys ``first`` to ``last`` (inclusive). ``shard_id``: ``None`` if
    it is not known."""

    first: int
    last: int
    shard_id: str | None = None


class ShardMap:
    """The open shards of a stream, by their hash ranges.

    ``shards``: each is ``"FIRST-LAST"``, a pair of numbers, a ``Shard``, or a shard as described by ``ListShards``;
    closed ones are left out. They need not cover every hash key. Raises ``WireloomError`` for invalid or overlapping
    ranges.

    >>> halves = ShardMap(["0-99", (100, 199)])
    >>> halves.shard_of(150)
    Shard(first=100, last=199, shard_id=None)
    >>> str(halves)
    '0-99,100-199'
    """

    def __init__(self, shards: Iterable[Any]) -> None:
        if not isinstance(shards, Iterable) or isinstance(shards, str | bytes | bytearray | Mapping):
            raise WireloomError(f"shards must be a list of ranges, not {shown(shards)}")
        made = sorted((_shard(each) for each in shards if not _is_closed(each)), key=lambda each: each.first)
        for before, after in pairwise(made):
            if after.first <= before.last:
                raise WireloomError(
                    f"the shards {_named(before)} and {_named(after)} overlap: give the open shards of one stream"
                )
        self.shards: tuple[Shard, ...] = tuple(made)
        self._lasts = [each.last for each in made]

    @classmethod
    def of(cls, value: Any) -> ShardMap:
        """Return the map for the value of an option: a map; shards as for the constructor; or text: ranges separated by
        commas, or ``one`` for a stream of one shard. Raises ``WireloomError``."""
        if isinstance(value, ShardMap):
            return value
        if isinstance(value, str):
            return cls([(0, LARGEST_HASH_KEY)] if value == "one" else [each.strip() for each in value.split(",")])
        if not isinstance(value, Iterable) or isinstance(value, bytes | bytearray | Mapping):
            raise WireloomError(f"shards must be a ShardMap, a list of ranges, or their text form, not {value!r:.60}")
        return cls(value)

    @classmethod
    def from_stream(cls, client: Any, stream_name: str | None = None, *, stream_arn: str | None = None) -> ShardMap:
        """Return the map of the open shards of a stream. ``client``: an object with ``list_shards``, such as boto3's
        client of Kinesis, whose exceptions are not translated. Raises ``WireloomError`` if no stream is named, and for
        invalid responses."""
        names = {"StreamName": stream_name, "StreamARN": stream_arn}
        parameters: dict[str, Any] = {name: value for name, value in names.items() if value is not None}
        if not parameters:
            raise WireloomError("give stream_name or stream_arn: the stream whose shards are to be listed")
        parameters["ShardFilter"] = {"Type": "AT_LATEST"}
        shards: list[Any] = []
        seen: set[str] = set()
        while True:
            answer = client.list_shards(MaxResults=PAGE, **parameters)
            page = answer.get("Shards") if isinstance(answer, Mapping) else None
            if not isinstance(page, list | tuple):
                raise WireloomError(f"list_shards did not return a list of shards: {answer!r:.100}")
            shards += page
            token = answer.get("NextToken")
            if not token:
                return cls(shards)
            if token in seen:
                raise WireloomError("list_shards returned the same NextToken twice, so the listing would not end")
            seen.add(token)
            # The token identifies the stream and the filter, which must not be passed as well.
            parameters = {"NextToken": token}

    def shard_of(self, hash_key: int) -> Shard | None:
        """Return the shard whose range contains a hash key; ``None`` if there is none."""
        place = bisect_left(self._lasts, hash_key)
        if place == len(self.shards) or self.shards[place].first > hash_key:
            return None
        return self.shards[place]

    def __str__(self) -> str:
        """Return the ranges as text that ``of`` accepts."""
        return ",".join(f"{each.first}-{each.last}" for each in self.shards)

    def __repr__(self) -> str:
        """Return the constructor call that creates an equal map."""
        return f"ShardMap({list(self.shards)!r})"


def _shard(value: Any) -> Shard:
    if isinstance(value, Shard):
        range_of((value.first, value.last), "a shard")
        return value
    if not isinstance(value, Mapping):
        return Shard(*range_of(value, "a shard"))
    shard_id = value.get("ShardId")
    named = None if shard_id is None else str(shard_id)
    return Shard(*range_of(value.get("HashKeyRange"), "the HashKeyRange of a shard"), named)


def _is_closed(value: Any) -> bool:
    numbers = value.get("SequenceNumberRange") if isinstance(value, Mapping) else None
    return isinstance(numbers, Mapping) and numbers.get("EndingSequenceNumber") is not None


def _named(shard: Shard) -> str:
    return shard.shard_id or f"{shard.first}-{shard.last}"
