"""Reads a stream over the network as batches, over as many connections as necessary."""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Iterator, Sequence
from itertools import chain
from typing import Any, Literal, Unpack

import pyarrow as pa

from ..base.arguments import one_of
from ..base.errors import DamagedInputError, TemporaryError, WireloomError
from ..base.retries import pause
from .client import body_of, chunks, client_of, refusal, refuse_page, said_by
from .endpoint import encryption_key
from .errors import ServerError
from .live import COMPLETE, HEARTBEAT_SILENCE, Delivery, Gap, Step
from .messages import StreamPosition
from .progress import ReadRange
from .responses import POLL_SECONDS
from .tables import Numbered, TableReader

LOG = logging.getLogger(__name__)
CAUGHT_UP_PAUSE = 1.0
"""Seconds between requests of a reader that has caught up with a stream."""
LOST = ("raise", "report")
Lost = Literal["raise", "report"]


class StreamRange(ReadRange, total=False):
    """The range of records to read from a stream, and the key of an encrypted one."""

    encryption_key: bytes | str | None


class LostRecordsError(DamagedInputError):
    """Records that were to be read no longer exist. ``gap``: their range."""

    def __init__(self, stream: str, gap: Gap) -> None:
        super().__init__(
            f"records {gap.expected} to {gap.found - 1} of {stream} no longer exist: they were trimmed, or their "
            "retention period is over",
            reason="missing",
            advice='lost="report" continues after them',
        )
        self.gap = gap


class StreamReading(Iterator[pa.RecordBatch]):
    """Batches of a stream, over as many connections as necessary.

    ``schema``: that of all batches; ``next_seq_num``: the number of the first record that has not been returned,
    ``None`` while it is not known; ``tail``: the last reported end of the stream; ``gaps``: ranges of missing records;
    ``reconnections``: number of connections after the first one. If it is not read to its end, it has to be closed, or
    used as a context manager.
    """

    def __init__(
        self,
        basin: str,
        stream: str,
        seq_num: int | None = None,
        *,
        end: int | None = None,
        columns: Sequence[str] | None = None,
        lost: Lost = "raise",
        endpoint: str | None = None,
        patience: float,
        silence: float = HEARTBEAT_SILENCE,
        from_earliest: bool = False,
        response: str = "session",
        format: str = "base64",
        **more: Unpack[StreamRange],
    ) -> None:
        one_of("lost", lost, LOST)
        self._name = f"s2://{basin}/{stream}"
        self._client = client_of(basin, endpoint)
        self._stream, self._columns, self._silence, self._patience = stream, columns, silence, patience
        self._end, self._lost = end, lost
        # Without a session the server may wait for records without sending anything.
        self._silence += max(more.get("wait") or 0, POLL_SECONDS) if response == "json" else 0
        self._from_earliest = from_earliest
        self._arguments: dict[str, Any] = {
            "encryption_key": encryption_key(),
            **more,
            "basin": self._client.endpoint.basin,
            "response": response,
            "format": format,
        }
        self._bounded = any(more.get(each) is not None for each in ("count", "bytes", "until", "wait"))
        self._reader = self._new_reader(seq_num, self._arguments)
        self.schema = self._reader.schema
        self.tail: StreamPosition | None = None
        self.gaps: list[Gap] = []
        self.reconnections = -1
        self._failing_since: float | None = None
        self._batches = self._read()

    def __iter__(self) -> StreamReading:
        return self

    def __next__(self) -> pa.RecordBatch:
        return next(self._batches)

    def __enter__(self) -> StreamReading:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection."""
        self._batches.close()

    @property
    def next_seq_num(self) -> int | None:
        """Return the number of the first record that has not been returned; ``None`` while it is not known."""
        found = self._reader.next_seq_num
        return found if found is None or self._end is None else min(found, self._end)

    def _new_reader(self, seq_num: int | None, parameters: dict[str, Any], *, limited: bool = True) -> TableReader:
        if limited and self._end is not None and seq_num is not None and not self._bounded:
            # With this limit the server ends the session by itself, and the connection can be reused.
            parameters = {**parameters, "count": max(0, self._end - seq_num)}
        return TableReader(self._stream, seq_num, columns=self._columns, silence=self._silence, **parameters)

    # Connections ------------------------------------------------------------------------------------------------------

    def _read(self) -> Generator[pa.RecordBatch, None, None]:
        if self._is_at_end():
            return
        while True:
            yield from self._connection()
            step = self._reader.step
            if self._is_at_end():
                return
            if step.action == "stop":
                if step.error is not None:
                    raise self._error(step)
                if self._end is None or self._bounded:
                    return
                # Fewer records were received than there are numbers. Without a limit, the server reports the end of the
                # stream.
                self._reader = self._new_reader(self.next_seq_num, self._arguments, limited=False)
            elif step.action == "wait":
                if self._end is not None or self._bounded:
                    return
                time.sleep(CAUGHT_UP_PAUSE)
            elif step.action == "retry":
                self._wait_for(step)

    def _is_at_end(self) -> bool:
        return self._end is not None and self.next_seq_num is not None and self.next_seq_num >= self._end

    def _wait_for(self, step: Step) -> None:
        now = time.monotonic()
        if step.attempt <= 1 or self._failing_since is None:
            self._failing_since = now
        reason = said_by(step.error) if isinstance(step.error, ServerError) else step.reason
        LOG.warning("%s: %s: attempt %d", self._name, reason, step.attempt)
        if now - self._failing_since > self._patience:
            raise TemporaryError(f"{self._name}: {reason}, for {self._patience:.0f} seconds")
        time.sleep(pause(step.attempt))

    def _connection(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches of one connection, until it ends or fails."""
        reader = self._reader
        self.reconnections += 1
        try:
            with self._client.opened(reader.request(now=time.monotonic()), silence=self._silence) as answer:
                if answer.status != 200:
                    reader.answered(answer.status, body_of(answer), now=time.monotonic())
                    return
                refuse_page(self._client.endpoint.base, answer.headers.get("Content-Type"))
                reader.answered(200, now=time.monotonic())
                for chunk in chain(chunks(answer), (b"",)):
                    if reader.step.action != "go on":
                        break
                    for delivery in reader.feed(chunk, now=time.monotonic()):
                        yield from self._batches_of(delivery)
                        if self._is_at_end():
                            # The end of a session with a limit follows directly.
                            if reader.step.reason == COMPLETE:
                                next(chunks(answer), None)
                            return
        except TemporaryError as error:
            reader.failed(error)
        else:
            reader.closed()

    def _batches_of(self, delivery: Delivery) -> Iterator[pa.RecordBatch]:
        records: Any = delivery.records
        assert isinstance(records, Numbered)
        if delivery.tail is not None:
            self.tail = delivery.tail
        batch, numbers = records.batch, records.numbers
        for gap in delivery.gaps:
            if self._from_earliest and not gap.expected:
                # Records that were trimmed before the read began were not requested.
                continue
            if self._end is not None and gap.expected >= self._end:
                break
            found = gap.found if self._end is None else min(gap.found, self._end)
            self.gaps.append(Gap(gap.expected, found))
            if self._lost == "raise":
                # The records before the gap are complete.
                place = next((place for place, number in enumerate(numbers) if number >= gap.found), len(numbers))
                if place:
                    yield batch.slice(0, place)
                raise LostRecordsError(self._name, self.gaps[-1])
            LOG.warning("%s: records %d to %d no longer exist", self._name, gap.expected, found - 1)
        self._from_earliest = False
        if self._end is not None and numbers and numbers[-1] >= self._end:
            batch = batch.slice(0, sum(number < self._end for number in numbers))
        if batch.num_rows:
            yield batch

    def _error(self, step: Step) -> WireloomError:
        error = step.error
        if isinstance(error, WireloomError):
            error.path = self._name
            return error
        assert error is not None
        return refusal(self._name, error, "reading")
