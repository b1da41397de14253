"""The records of an append that were not acknowledged yet, in batches that the server accepts."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from .commands import ValidationError
from .messages import AppendRecord
from .metering import MAX_METERED, MAX_RECORDS, check_record
from .writers import Writer


class AppendBatch:
    """Records that are appended together. ``size``: their metered size."""

    def __init__(self, records: list[AppendRecord], size: int) -> None:
        self.records, self.size = records, size


class Queue:
    """Batches without an acknowledgement, and the records after them. ``sent``: number of batches that are on their
    way, and ``size`` their metered size."""

    def __init__(self, records: Iterable[AppendRecord], writer: Writer | None) -> None:
        self.batches: deque[AppendBatch] = deque()
        self.sent = self.size = 0
        self._source: Iterator[AppendBatch] | None = batches(records, writer)
        self._error: Exception | None = None

    def _has(self, place: int) -> bool:
        if place == len(self.batches) and self._source is not None:
            try:
                self.batches.append(next(self._source))
            except StopIteration:
                self._source = None
            except Exception as error:
                # The batches before it are appended first.
                self._source, self._error = None, error
        return place < len(self.batches)

    def is_sent(self) -> bool:
        """Return whether there is no batch to be sent."""
        return not self._has(self.sent)

    def is_done(self) -> bool:
        """Return whether all batches are acknowledged. Raises the error with which the records ended."""
        if self._has(0):
            return False
        if self._error is not None:
            raise self._error
        return True

    def next(self, window: int) -> AppendBatch | None:
        """Return the next batch to be sent, if the window has room for it."""
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
        """Return the first record that was not acknowledged."""
        return self.batches[0].records[0] if self._has(0) else None

    def drop_record(self) -> None:
        """Remove the first record, none of which is on its way."""
        records = self.batches[0].records
        del records[0]
        if not records:
            self.batches.popleft()


def batches(records: Iterable[AppendRecord], writer: Writer | None = None) -> Iterator[AppendBatch]:
    """Yield batches of at most 1000 records and 1 MiB metered size, whose records name the writer. Raises
    ``ValidationError``, with the number of the record, for one that does not fit any batch."""
    pending: list[AppendRecord] = []
    metered = 0
    for number, record in enumerate(records, 1):
        try:
            record = record if writer is None else writer.named(record)
            size, _ = check_record(record)
        except ValidationError as error:
            if pending:
                yield AppendBatch(pending, metered)
            error.record = number
            raise
        if pending and (len(pending) == MAX_RECORDS or metered + size > MAX_METERED):
            yield AppendBatch(pending, metered)
            pending, metered = [], 0
        pending.append(record)
        metered += size
    if pending:
        yield AppendBatch(pending, metered)
