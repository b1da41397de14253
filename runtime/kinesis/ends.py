"""Finds the last record of a shard without reading the records before it.

Kinesis does not report numbers of records, but can start reading at a time. The last seconds are therefore read first
and, as long as they contain no record, longer and longer periods before them.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Any

from .calls import Calls
from .positions import SHARD_END, Position
from .shard_reading import BYTES_PER_SECOND, CALLS_PER_SECOND, MOST_RECORDS

FIRST = timedelta(seconds=1)
WIDER = 8
LONGEST = timedelta(days=366)
"""A period longer than the maximum retention of Kinesis."""


def end_of(
    calls: Calls,
    shard_id: str,
    position: Position,
    now: datetime,
    *,
    before: datetime | None = None,
    empty_since: datetime | None = None,
) -> Position:
    """Return the position after the last record of a shard; ``position`` if no record has been added since.

    ``now``: the server's time. ``before``: a time; the end is before the first record that arrived at or after it.
    ``empty_since``: a time before which no record was added after ``position``. Raises ``WireloomError``.
    """
    earliest = max((each for each in (position.timestamp, empty_since) if each is not None), default=None)
    last, back = min(now, before or now), FIRST
    while True:
        since = last - back
        if back > LONGEST:
            return _newer(position, _last(calls, shard_id, {"ShardIteratorType": "TRIM_HORIZON"}, before))
        is_all = earliest is not None and since <= earliest
        begin = earliest if is_all and earliest is not None else since
        found = _last(calls, shard_id, {"ShardIteratorType": "AT_TIMESTAMP", "Timestamp": begin}, before)
        if found is not None or is_all:
            return _newer(position, found)
        back *= WIDER


def _newer(position: Position, found: Position | None) -> Position:
    if found is None or found.ended or found.sequence_number is None or position.sequence_number is None:
        return found or position
    return found if int(found.sequence_number) >= int(position.sequence_number) else position


def _last(calls: Calls, shard_id: str, begin: dict[str, Any], before: datetime | None) -> Position | None:
    """Return the last record from a time on; ``None`` if there is none, or the end of the shard if it is closed."""
    iterator = calls("get_shard_iterator", ShardId=shard_id, **begin)["ShardIterator"]
    found: Position | None = None
    while iterator is not None:
        begun = time.monotonic()
        answer = calls("get_records", named=False, ShardIterator=iterator, Limit=MOST_RECORDS)
        records = answer.get("Records", ())
        for each in records:
            if before is not None and each["ApproximateArrivalTimestamp"] >= before:
                return found
            found = Position(each["SequenceNumber"])
        iterator = answer.get("NextShardIterator")
        size = sum(len(each["Data"]) for each in records)
        pause = max(1 / CALLS_PER_SECOND, size / BYTES_PER_SECOND) - (time.monotonic() - begun)
        if iterator is not None:
            if not answer.get("MillisBehindLatest"):
                return found
            time.sleep(max(0.0, pause))
    return SHARD_END
