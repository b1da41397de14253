"""The shards of a stream, and the order in which they have to be read."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from ..base.dataclass import dataclass
from ..base.errors import WireloomError
from .calls import CallError, Calls, time_of_answer
from .positions import LATEST, SHARD_END, Position

TICK = timedelta(seconds=1)
"""Resolution of the server's time."""
PAGE = 1000
"""Maximum number of shards in a response of ``ListShards``."""
MOST_SHARDS = 1_000_000
TRIES = 3
"""Number of times a listing is restarted when its token has expired."""


@dataclass(frozen=True, slots=True)
class StreamShard:
    """A shard. ``parents``: the one or two shards that it replaced; ``hash_range``: as ``FIRST-LAST``; ``open``:
    whether records can be added to it."""

    shard_id: str
    parents: tuple[str, ...]
    hash_range: str
    open: bool

    @classmethod
    def of(cls, described: Mapping[str, Any]) -> StreamShard:
        """Return a shard from its description by ``ListShards``. Raises ``WireloomError`` for an invalid one."""
        try:
            keys, numbers = described["HashKeyRange"], described["SequenceNumberRange"]
            parents = (described.get("ParentShardId"), described.get("AdjacentParentShardId"))
            return cls(
                str(described["ShardId"]),
                tuple(str(each) for each in parents if each),
                f"{int(keys['StartingHashKey'])}-{int(keys['EndingHashKey'])}",
                numbers.get("EndingSequenceNumber") is None,
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise WireloomError(f"list_shards returned an invalid shard: {described!r:.200}") from None


def list_shards(calls: Calls) -> tuple[dict[str, StreamShard], datetime]:
    """Return all shards that have or receive records, by their ids, and the time of the listing by the server's clock.
    Raises ``WireloomError``."""
    for _ in range(TRIES):
        try:
            return _listed(calls)
        except CallError as error:
            if error.code != "ExpiredNextTokenException":
                raise
    raise WireloomError(f"{calls.shown}: the listing of its shards expired before it was complete")


def _listed(calls: Calls) -> tuple[dict[str, StreamShard], datetime]:
    answer = calls("list_shards", MaxResults=PAGE)
    begun = time_of_answer(answer)
    found: dict[str, StreamShard] = {}
    seen: set[str] = set()
    while True:
        made = [StreamShard.of(each) for each in answer.get("Shards", ())]
        found.update((each.shard_id, each) for each in made)
        token = answer.get("NextToken")
        if not token:
            return found, begun
        if token in seen or len(found) > MOST_SHARDS:
            raise WireloomError(f"{calls.shown}: the listing of its shards has no end")
        seen.add(token)
        # The token identifies the stream, which must not be passed as well.
        answer = calls("list_shards", named=False, NextToken=token)


def first_positions(shards: Mapping[str, StreamShard], start: str | datetime, now: datetime) -> dict[str, Position]:
    """Return the initial position of each shard that is read. ``now``: the time of the listing, at which
    ``LATEST`` begins."""
    if start == LATEST:
        # Their parents ended before.
        return {each: Position(timestamp=now) for each, shard in shards.items() if shard.open}
    begin = Position(timestamp=start) if isinstance(start, datetime) else Position()
    return dict.fromkeys(shards, begin)


def with_new(positions: Mapping[str, Position], shards: Mapping[str, StreamShard]) -> dict[str, Position]:
    """Return the positions, including the beginnings of shards that were created since, and without shards that have
    been read to their ends and are no longer listed."""
    kept = {each: place for each, place in positions.items() if each in shards or not place.ended}
    new = [each for each in shards if each not in positions and _descends(each, positions, shards)]
    return {**kept, **{each: Position() for each in new}}


def _descends(shard_id: str, positions: Mapping[str, Position], shards: Mapping[str, StreamShard]) -> bool:
    """Return whether a shard descends from those that are read; others ended before reading began."""
    waiting, seen = [shard_id], {shard_id}
    while waiting:
        for parent in shards[waiting.pop()].parents:
            if parent in positions:
                return True
            if parent in shards and parent not in seen:
                seen.add(parent)
                waiting.append(parent)
    return False


def readable(positions: Mapping[str, Position], shards: Mapping[str, StreamShard]) -> list[str]:
    """Return the shards that can be read now: those that have not been read to their ends, and whose parents have."""
    return [
        each
        for each, place in sorted(positions.items())
        if not place.ended
        and all(positions.get(parent, SHARD_END).ended for parent in (shards[each].parents if each in shards else ()))
    ]
