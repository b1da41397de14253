"""Reads one shard from a position on, within the limits of ``GetRecords``."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import DamagedInputError, TemporaryError
from ..base.retries import pause
from .calls import CallError, Calls
from .positions import SHARD_END, Position
from .user_records import SEQUENCE, SUB, RecordBatches

LOG = logging.getLogger(__name__)

CALLS_PER_SECOND = 5.0
BYTES_PER_SECOND = 2 << 20
"""Kinesis' limit for all readers of a shard together."""
IDLE_PAUSE = 1.0
"""Seconds between requests to a shard that had nothing new."""
MOST_RECORDS = 10_000
"""Maximum number of records in a response."""
TRIES = 5
"""Number of times an iterator is created without a record in between."""


class LostRecordsError(DamagedInputError):
    """Records that were to be read no longer exist."""

    def __init__(self, shard: str, what: str) -> None:
        super().__init__(
            f"{shard}: {what}: records may be lost, because their retention period is over or the stream was replaced",
            reason="missing",
        )


class ShardReading:
    """A shard that is being read. ``position``: the current position; ``done``: whether there is nothing more to read
    now.

    ``until``: a position up to which the shard was read before, at which the reading ends. ``before``: a time; the
    reading ends at the first record that arrived at or after it. Without ``until`` it also ends at the last record, and
    continues there when ``batches`` is called again. ``fail_on_loss``: whether missing records are an error or a
    warning.
    """

    def __init__(
        self,
        calls: Calls,
        shard_id: str,
        position: Position,
        records: RecordBatches,
        *,
        until: Position | None = None,
        before: datetime | None = None,
        fail_on_loss: bool = True,
    ) -> None:
        self._calls, self._shard_id, self._records = calls, shard_id, records
        self._name = f"{calls.shown}/{shard_id}"
        self.position = position
        self.done = position.ended
        self._until, self._before, self._fail_on_loss = until, before, fail_on_loss
        self._iterator: str | None = None
        self._expected: str | None = None
        self._resumed: Position | None = None
        self._next_call = 0.0

    @property
    def is_due(self) -> bool:
        """Return whether the next request could be sent without waiting."""
        return time.monotonic() >= self._next_call

    def batches(self, limit: int | None = None, seconds: float | None = None) -> Iterator[pa.RecordBatch]:
        """Yield batches of at most ``limit`` user records in total, for about ``seconds``. ``position`` is up to date
        after each. Raises ``LostRecordsError`` and ``WireloomError``."""
        begun, expired = time.monotonic(), 0
        while not self.done:
            try:
                answer = self._answer(limit)
            except CallError as error:
                if error.code != "ExpiredIteratorException" or expired >= TRIES:
                    raise
                expired += 1
                self._iterator = None
                time.sleep(pause(expired))
                continue
            if answer is None:
                break
            records = answer.get("Records", ())
            expired = 0 if records else expired
            caught_up = not answer.get("MillisBehindLatest")
            self._check_expected(records, caught_up)
            for batch in self._rows(records, limit):
                limit = None if limit is None else limit - batch.num_rows
                yield self._records.chosen(batch)
            if limit == 0 and self._iterator is None:
                return
            self._moved(answer, caught_up)
            if (caught_up and self._until is None) or limit == 0:
                return
            if seconds is not None and time.monotonic() - begun > seconds:
                return
            if caught_up and not self.done and time.monotonic() - begun > self._calls.patience:
                raise TemporaryError(f"{self._name} does not end, for {self._calls.patience:.0f} seconds")

    def _answer(self, limit: int | None) -> dict[str, Any] | None:
        """Return the next response; ``None`` if the shard no longer exists."""
        if self._iterator is None and not self._open():
            return None
        time.sleep(max(0.0, self._next_call - time.monotonic()))
        most = MOST_RECORDS if limit is None else max(1, min(limit + 1, MOST_RECORDS))
        answer = self._calls("get_records", named=False, ShardIterator=self._iterator, Limit=most)
        size = sum(len(each["Data"]) for each in answer.get("Records", ()))
        self._next_call = time.monotonic() + max(1 / CALLS_PER_SECOND, size / BYTES_PER_SECOND)
        if not size and not answer.get("MillisBehindLatest"):
            self._next_call += IDLE_PAUSE
        return answer

    def _open(self) -> bool:
        """Create an iterator at the position."""
        place = self.position
        parameters: dict[str, Any] = {"ShardIteratorType": "TRIM_HORIZON"}
        if place.sequence_number is not None:
            # The last record that was read is requested again: if it still exists, nothing after it is lost.
            parameters = {"ShardIteratorType": "AT_SEQUENCE_NUMBER", "StartingSequenceNumber": place.sequence_number}
        elif place.timestamp is not None:
            parameters = {"ShardIteratorType": "AT_TIMESTAMP", "Timestamp": place.timestamp}
        try:
            answer = self._calls("get_shard_iterator", ShardId=self._shard_id, **parameters)
        except CallError as error:
            gone = error.code == "ResourceNotFoundException"
            if not gone and (error.code != "InvalidArgumentException" or place.sequence_number is None):
                raise
            self._lose(error.message)
            self.position, self._resumed, self._expected = (SHARD_END if gone else Position()), None, None
            self.done = gone
            return False if gone else self._open()
        self._iterator = str(answer["ShardIterator"])
        self._expected, self._resumed = place.sequence_number, place
        return True

    def _check_expected(self, records: Sequence[Mapping[str, Any]], caught_up: bool) -> None:
        if self._expected is None or not (records or caught_up):
            return
        if not records or records[0]["SequenceNumber"] != self._expected:
            self._lose(f"the record {self._expected}, up to which it was read, no longer exists")
        self._expected = None

    def _lose(self, what: str) -> None:
        if self._fail_on_loss:
            raise LostRecordsError(self._name, what)
        LOG.warning("%s: %s: continuing with the existing records", self._name, what)

    def _rows(self, records: Sequence[Mapping[str, Any]], limit: int | None) -> Iterator[pa.RecordBatch]:
        """Yield the user records of a response that are to be read."""
        wanted, dropped = self._wanted(records), self._records.dropped
        for batch in self._records.batches(wanted):
            batch = self._without_known(batch)
            if limit is not None and batch.num_rows > limit:
                batch = batch.slice(0, limit)
                # The rest has to be requested again.
                self._iterator = None
            if batch.num_rows:
                last = batch.num_rows - 1
                self.position = Position(batch.column(SEQUENCE)[last].as_py(), batch.column(SUB)[last].as_py())
                limit = None if limit is None else limit - batch.num_rows
                yield batch
            if limit is not None and self._iterator is None:
                return
        if self._records.dropped > dropped:
            more = self._records.dropped - dropped
            LOG.warning("%s: %d aggregates dropped: records in them are not of this shard's range", self._name, more)
        if wanted:
            whole = wanted[-1]["SequenceNumber"]
            until = self._until
            self.position = until if until is not None and whole == until.sequence_number else Position(whole)
        self.done = self.done or len(wanted) < len(records)

    def _wanted(self, records: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        place = len(records)
        if self._before is not None:
            times = (each["ApproximateArrivalTimestamp"] for each in records)
            place = next((number for number, each in enumerate(times) if each >= self._before), place)
        if self._until is not None and self._until.sequence_number is not None:
            last = int(self._until.sequence_number)
            place = next((n for n, each in enumerate(records) if int(each["SequenceNumber"]) > last), place)
        return records[:place]

    def _without_known(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the rows without those that were read before and those after the end."""
        begin, until = self._resumed, self._until
        if begin is not None and begin.sequence_number is not None:
            known = pc.equal(batch.column(SEQUENCE), begin.sequence_number)
            if begin.sub_sequence_number is not None:
                known = pc.and_(known, pc.less_equal(batch.column(SUB), begin.sub_sequence_number))
            batch = batch.filter(pc.invert(pc.fill_null(known, False)))
        if until is not None and until.sub_sequence_number is not None:
            after = pc.greater(batch.column(SUB), until.sub_sequence_number)
            after = pc.and_(pc.equal(batch.column(SEQUENCE), until.sequence_number), after)
            batch = batch.filter(pc.invert(pc.fill_null(after, False)))
        return batch

    def _moved(self, answer: Mapping[str, Any], caught_up: bool) -> None:
        """Update the state of the reading from a response."""
        self._iterator = answer.get("NextShardIterator")
        until = self._until
        if self._iterator is None and not self.done:
            self.position, self.done = SHARD_END, True
        elif caught_up and self._before is not None:
            self.done = True
        if until is None or until.ended:
            return
        reached = self.position == until
        if not reached and (self.done or caught_up):
            self._lose(f"the record {until.sequence_number}, up to which it was to be read, no longer exists")
        self.done = self.done or reached or caught_up
