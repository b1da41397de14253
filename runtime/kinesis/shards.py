"""The shards of a stream, and which of them are to be read before which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from ..base.errors import WireloomError
from .calls import CallError, Calls, time_of_answer
from .positions import LATEST, SHARD_END, Position

TICK = timedelta(seconds=1)
"""How exactly a server says what time it is."""
PAGE = 1000
"""Shards that one answer of ``ListShards`` holds at most."""
MOST_SHARDS = 1_000_000
TRIES = 3
"""How often a listing begins again whose token has expired."""


@dataclass(frozen=True, slots=True)
class StreamShard:
    """A shard. ``parents``: the one or two shards whose place it took; ``hash_range``: as ``FIRST-LAST``; ``open``:
    whether it still gets records."""

    shard_id: str
    parents: tuple[str, ...]
    hash_range: str
    open: bool

    @classmethod
    def of(cls, described: Mapping[str, Any]) -> StreamShard:
        """Return a shard as ``ListShards`` describes it. Raises ``WireloomError`` for what is none."""
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
            raise WireloomError(f"list_shards gave what is no shard: {described!r:.200}") from None


def list_shards(calls: Calls) -> tuple[dict[str, StreamShard], datetime]:
    """Return all shards that have records, or get them, by their ids; and the time at which they were listed, by the
    server's clock. Raises ``WireloomError``."""
    for _ in range(TRIES):
        try:
            return _listed(calls)
        except CallError as error:
            if error.code != "ExpiredNextTokenException":
                raise
    raise WireloomError(f"{calls.shown}: the listing of its shards expires before it has come to its end")


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
        # A token stands for the stream, which may not be named beside it.
        answer = calls("list_shards", named=False, NextToken=token)


def first_positions(shards: Mapping[str, StreamShard], start: str | datetime, now: datetime) -> dict[str, Position]:
    """Return where each shard begins that is read. ``now``: when they were listed, which is where ``LATEST`` begins."""
    if start == LATEST:
        # Their parents have ended before.
        return {each: Position(timestamp=now) for each, shard in shards.items() if shard.open}
    begin = Position(timestamp=start) if isinstance(start, datetime) else Position()
    return dict.fromkeys(shards, begin)


def with_new(positions: Mapping[str, Position], shards: Mapping[str, StreamShard]) -> dict[str, Position]:
    """Return the positions, with shards that were made since, from their first records; without those that have been
    read to their ends and are not listed any more."""
    kept = {each: place for each, place in positions.items() if each in shards or not place.ended}
    new = [each for each in shards if each not in positions and _descends(each, positions, shards)]
    return {**kept, **{each: Position() for each in new}}


def _descends(shard_id: str, positions: Mapping[str, Position], shards: Mapping[str, StreamShard]) -> bool:
    """Return whether a shard came out of those that are read; others ended before reading began."""
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
    """Return the shards that can be read now: those that have not ended, and whose parents have."""
    return [
        each
        for each, place in sorted(positions.items())
        if not place.ended
        and all(positions.get(parent, SHARD_END).ended for parent in (shards[each].parents if each in shards else ()))
    ]


def parents_first(shards: Iterable[StreamShard]) -> list[StreamShard]:
    """Return all shards, each after its parents where these are among them."""
    waiting = {each.shard_id: each for each in shards}
    found: list[StreamShard] = []
    while waiting:
        ready = [each for each in waiting.values() if not any(parent in waiting for parent in each.parents)]
        if not ready:
            raise WireloomError("the shards are each other's parents")
        for each in sorted(ready, key=lambda shard: shard.shard_id):
            found.append(waiting.pop(each.shard_id))
    return found
