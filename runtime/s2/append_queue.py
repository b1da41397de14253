"""The records of an append that were not acknowledged yet, in batches that the server accepts."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator

from ..base.arguments import shown
from ..base.errors import WireloomError
from .commands import ValidationError
from .messages import AppendRecord
from .metering import MAX_METERED, MAX_RECORDS, check_record
from .writers import Writer

LINGER = 0.05
"""Seconds for which records that do not fill a batch wait for more."""


class AppendBatch:
    """Records that are appended together. ``size``: their metered size."""

    def __init__(self, records: list[AppendRecord], size: int) -> None:
        self.records, self.size = records, size


class Queue:
    """Batches without an acknowledgement, and the records after them. ``sent``: number of batches that are on their
    way, and ``size`` their metered size. ``pauses``: the last place that was looked at has no batch yet, but may have
    one later."""

    def __init__(self, records: Iterable[AppendRecord | None], writer: Writer | None) -> None:
        self.batches: deque[AppendBatch] = deque()
        self.sent = self.size = 0
        self.pauses = False
        if not isinstance(records, Iterable) or isinstance(records, bytes | str):
            raise WireloomError(f"records must be a list of AppendRecord, not {shown(records)}")
        self._source: Iterator[AppendBatch | None] | None = batches(records, writer)
        self._error: Exception | None = None

    def _has(self, place: int) -> bool:
        self.pauses = False
        if place == len(self.batches) and self._source is not None:
            try:
                batch = next(self._source)
                self.pauses = batch is None
                if batch is not None:
                    self.batches.append(batch)
            except StopIteration:
                self._source = None
            except Exception as error:
                # The batches before it are appended first.
                self._source, self._error = None, error
        return place < len(self.batches)

    def is_sent(self) -> bool:
        """Return whether all batches are on their way, and the records have ended."""
        return self._source is None and self.sent == len(self.batches)

    def is_done(self) -> bool:
        """Return whether all batches are acknowledged. Raises the error with which the records ended."""
        if self._has(0) or self.pauses:
            return False
        if self._error is not None:
            raise self._error
        return True

    def next(self, window: int) -> AppendBatch | None:
        """Return the next batch to be sent, if there is one (see ``pauses``) and the window has room for it."""
        if not self._has(self.sent):
            return None
        batch = self.batches[self.sent]
        if self.sent and self.size + batch.size > window:
            return None
        self.sent += 1
        self.size += batch.size
        return batch

    def acknowledge(self) -> None:
        """Remove the first batch."""
        self.sent -= 1
        self.size -= self.batches.popleft().size

    def rewind(self) -> None:
        """Send all batches again: none is on its way."""
        self.sent = self.size = 0

    def record(self) -> AppendRecord | None:
        """Return the first record that was not acknowledged, after waiting for it."""
        while not self._has(0):
            if not self.pauses:
                return None
        return self.batches[0].records[0]

    def drop_record(self) -> None:
        """Remove the first record, none of which is on its way."""
        records = self.batches[0].records
        del records[0]
        if not records:
            self.batches.popleft()


def batches(records: Iterable[AppendRecord | None], writer: Writer | None = None) -> Iterator[AppendBatch | None]:
    """Yield batches of at most 1000 records and 1 MiB metered size, whose records name the writer. A batch also ends
    with ``None`` among the records, which is yielded if there are none before it, and with a record that came late.

    Raises ``ValidationError``, with the number of the record, for one that does not fit any batch.
    """
    pending: list[AppendRecord] = []
    metered = number = 0
    since = time.monotonic()
    for record in records:
        if record is None:
            yield AppendBatch(pending, metered) if pending else None
            pending, metered, since = [], 0, time.monotonic()
            continue
        number += 1
        try:
            if not isinstance(record, AppendRecord):
                raise ValidationError(f"an AppendRecord is required, not {shown(record)}", reason="value")
            named = record if writer is None else writer.named(record)
            size, _ = check_record(named)
        except ValidationError as error:
            if pending:
                yield AppendBatch(pending, metered)
            error.record = number
            raise
        if pending and (len(pending) == MAX_RECORDS or metered + size > MAX_METERED):
            yield AppendBatch(pending, metered)
            pending, metered, since = [], 0, time.monotonic()
        pending.append(named)
        metered += size
        if time.monotonic() - since > LINGER:
            yield AppendBatch(pending, metered)
            pending, metered, since = [], 0, time.monotonic()
    if pending:
        yield AppendBatch(pending, metered)
