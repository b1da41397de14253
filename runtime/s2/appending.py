"""Appends records to a stream over the network, by sessions in which many batches are on their way at a time."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator
from typing import Any

from ..base.arguments import check_place
from ..base.errors import TemporaryError, WireloomError
from ..base.retries import Retries
from .append_queue import AppendBatch, Queue
from .client import ANSWER_SECONDS, client_of, refusal
from .compression import checked
from .duplex import Exchange
from .endpoint import encryption_key
from .errors import RefusedError, error_from_json, error_of
from .frames import Frame, FrameDecoder, encode_frame
from .live import ADVICE_PERIOD
from .messages import AppendAck, AppendInput, AppendRecord
from .metering import MAX_METERED
from .reading import Lost, LostRecordsError, StreamReading
from .requests import append_session
from .streams import READ_PATIENCE, end_or_beginning
from .writers import Writer

LOG = logging.getLogger(__name__)
WINDOW = 5 * MAX_METERED
"""Default of ``window``, as in S2's own clients."""
COMPARED = ("seq_num", "headers", "body", "command")


class Appender:
    """Appends records to a stream, in order.

    By default the stream must not have other writers at the same time: each batch names the sequence number of its
    first record, beginning with ``next_seq_num``, by default the end of the stream. If the stream already has records
    from there on, from an earlier attempt, they are compared with those to be appended, and are not appended again. An
    ``Appender`` that begins at the same number with the same records thus appends each of them exactly once, however
    often it is run.

    ``writer``: the stream may have other writers. Each record gets a header ``wireloom-writer`` with this name, which
    no other program may use at the same time. The records with this name from ``next_seq_num`` on are those that an
    earlier attempt has appended; as above, each is appended exactly once. To find out what was appended when a
    connection broke, writers set the fencing token of the stream.

    ``match_seq_num=False`` without ``writer``: the stream may have other writers, and each record is appended at least
    once: batches without an acknowledgement are sent again after a connection broke.

    ``window``: maximum metered size in bytes of the batches that are on their way; at least one batch is.
    ``compression``: that of batches of 1 KiB or more. ``fencing_token``: the stream's token, which the server compares.
    The other arguments are those of ``wireloom.s2.scan``.
    """

    def __init__(
        self,
        basin: str,
        stream: str,
        next_seq_num: int | None = None,
        *,
        match_seq_num: bool = True,
        writer: str | None = None,
        fencing_token: str | None = None,
        window: int = WINDOW,
        compression: str = "zstd",
        endpoint: str | None = None,
        patience: float = READ_PATIENCE,
    ) -> None:
        check_place("next_seq_num", next_seq_num)
        check_place("window", window)
        if writer is not None and fencing_token is not None:
            raise WireloomError("give fencing_token or writer: writers that share a stream set its token by themselves")
        self._client = client_of(basin, endpoint)
        self._basin, self._stream = basin, stream
        self._reading: dict[str, Any] = {"endpoint": endpoint, "patience": patience}
        self._window, self._compression, self._token = window, checked(compression), fencing_token
        is_new = next_seq_num is None
        if next_seq_num is None:
            next_seq_num = end_or_beginning(basin, stream, **self._reading).seq_num
        self.next_seq_num = next_seq_num
        self._writer = None if writer is None else Writer(writer, next_seq_num, is_new)
        self._matches = match_seq_num and writer is None
        self._advised_at: float | None = None
        self._is_busy = False

    def append(self, records: Iterable[AppendRecord | None]) -> int:
        """Append the records in batches that the server accepts, and return their number.

        Raises ``ValidationError`` for a record that does not fit any batch, after appending those before it;
        ``S2Error`` if the server refuses a batch; ``WireloomError`` if the stream has other records at these numbers,
        or another program uses the name of this writer; ``TemporaryError`` if the server cannot be reached.
        """
        return sum(self.acknowledged(records))

    def acknowledged(self, records: Iterable[AppendRecord | None]) -> Iterator[int]:
        """Append the records like ``append``, and yield how many are acknowledged at a time, in order; ``next_seq_num``
        is then the number after the last of them.

        Nothing is sent or received while the next record is waited for. Records that may come late can have ``None``
        among them, which appends those before it at once and yields what was acknowledged meanwhile.
        """
        if self._is_busy:
            raise WireloomError(
                "this Appender is appending other records", advice="use one Appender for each thread, one after another"
            )
        queue = Queue(records, self._writer)
        self._is_busy = True
        try:
            yield from self._attempts(queue)
        finally:
            self._failed(queue)
            self._is_busy = False

    def _attempts(self, queue: Queue) -> Iterator[int]:
        """Append the records of the queue, in as many sessions as necessary."""
        retries = Retries(self._reading["patience"])
        while True:
            failure: WireloomError
            try:
                for count in self._session_or_comparison(queue):
                    if count:
                        retries = Retries(self._reading["patience"])
                        yield count
                if queue.is_done():
                    return
                continue
            except TemporaryError as problem:
                if not queue.sent and queue.pauses:
                    # Servers end sessions in which nothing happens.
                    queue.pauses = False
                    continue
                self._failed(queue)
                failure = TemporaryError(f"appending to {self._name}: {problem.message}")
            except RefusedError as problem:
                error, found = problem.error, problem.error.expected_seq_num
                if self._writer is not None and self._writer.adopts(error):
                    queue.rewind()
                    continue
                if self._matches and found is not None and found > self.next_seq_num:
                    yield self._compared(queue, found)
                    continue
                self._failed(queue)
                failure = refusal(self._name, error, "appending to")
                if not isinstance(failure, TemporaryError):
                    raise failure from None
            LOG.warning("%s: attempt %d", failure.message, retries.attempt)
            retries.wait(failure)

    def _failed(self, queue: Queue) -> None:
        """Record that the batches that are on their way may be appended or not."""
        if self._writer is not None and queue.sent:
            self._writer.doubt()
        queue.rewind()

    def _session_or_comparison(self, queue: Queue) -> Iterator[int]:
        writer = self._writer
        if writer is not None and not writer.is_read:
            end = end_or_beginning(self._basin, self._stream, **self._reading)
            yield self._compared(queue, end.seq_num)
            if self.next_seq_num < end.seq_num:
                return
            if writer.is_in_doubt and not writer.is_fenced:
                # Timestamps never decrease, so that of the fence must not be later than those of the records.
                first = None if end.seq_num else queue.record()
                stamp = end.timestamp if end.seq_num else None if first is None else first.timestamp
                writer.fence(self._client, self._stream, stamp, encryption_key=encryption_key())
            else:
                writer.trust()
        elif not queue.is_done() and not queue.pauses:
            yield from self._session(queue)

    # One session ------------------------------------------------------------------------------------------------------

    def _session(self, queue: Queue) -> Iterator[int]:
        """Send all batches of the queue; yield numbers of acknowledged records. Ends when all are acknowledged, or
        earlier if the server advises to reconnect."""
        request = append_session(
            self._stream,
            compression=self._compression,
            basin=self._client.endpoint.basin,
            encryption_key=encryption_key(),
        )
        decoder, position, ends, heard = FrameDecoder(), self.next_seq_num, False, time.monotonic()
        with Exchange(self._client, request) as exchange:
            while queue.sent or not ends:
                batch = None if ends else queue.next(self._window)
                if batch is not None:
                    if queue.sent == 1:
                        heard = time.monotonic()
                    elif exchange.status is None:
                        # The server may refuse the session before it reads more.
                        exchange.answered(ANSWER_SECONDS)
                    exchange.send(self._frame(batch, position))
                    position += len(batch.records)
                elif not ends and queue.is_sent():
                    ends = exchange.end()
                waits = batch is None and (ends or not queue.pauses)
                if not waits:
                    exchange.look()
                if (waits or exchange.status is not None) and exchange.answered(ANSWER_SECONDS) != 200:
                    raise RefusedError(error_from_json(exchange.status or 0, exchange.rest(ANSWER_SECONDS)))
                data = exchange.receive(ANSWER_SECONDS) if waits else exchange.taken()
                for frame in decoder.feed(data):
                    yield self._acknowledge(queue, frame)
                    if frame.reconnect_advised and not ends and self._takes_advice():
                        ends = exchange.end()
                if data:
                    heard = time.monotonic()
                elif queue.sent and time.monotonic() - heard > ANSWER_SECONDS:
                    raise exchange.silent(ANSWER_SECONDS)
                elif (waits or exchange.is_over) and (queue.sent or not ends):
                    raise TemporaryError("the server has ended the session before everything was acknowledged")

    def _frame(self, batch: AppendBatch, position: int) -> bytes:
        message = AppendInput(
            records=batch.records,
            match_seq_num=position if self._matches else None,
            fencing_token=self._token if self._writer is None else self._writer.token,
        )
        return encode_frame(message.to_bytes(), self._compression)

    def _acknowledge(self, queue: Queue, frame: Frame) -> int:
        """Process a frame of the server; return the number of records that it acknowledges."""
        if frame.terminal is not None:
            raise RefusedError(error_of(frame.terminal))
        try:
            ack = AppendAck.from_bytes(frame.content())
        except WireloomError as error:
            raise WireloomError(
                f"appending to {self._name}: the server's answer is no acknowledgement ({error})"
            ) from None
        start, end = (-1 if each is None else each.seq_num for each in (ack.start, ack.end))
        count = len(queue.batches[0].records) if queue.sent else 0
        is_next = start == self.next_seq_num if self._matches else start >= self.next_seq_num
        if not count or end - start != count or not is_next:
            raise WireloomError(
                f"appending to {self._name}: the server says that a batch begins at {start} and ends at {end}, but it "
                f"was expected to begin at {self.next_seq_num} and to have {count} records"
            )
        queue.acknowledge()
        self.next_seq_num = end
        return count

    def _takes_advice(self) -> bool:
        """Return whether to reconnect as the server advises, which is done once a minute, as in reading."""
        now = time.monotonic()
        if self._advised_at is not None and now - self._advised_at <= ADVICE_PERIOD:
            return False
        self._advised_at = now
        return True

    # What the stream already has --------------------------------------------------------------------------------------

    def _compared(self, queue: Queue, end: int) -> int:
        """Compare the records of the stream, up to a number, with the next ones of the queue, which need not be
        appended; return how many there are. Ends with the last record of the queue. Raises ``WireloomError`` if they
        differ."""
        queue.rewind()
        count = 0
        if self.next_seq_num >= end:
            return count
        # Without a doubt, records that no longer exist are those of others.
        lost: Lost = "raise" if self._writer is None or self._writer.is_in_doubt else "report"
        try:
            with StreamReading(
                self._basin, self._stream, self.next_seq_num, end=end, columns=COMPARED, lost=lost, **self._reading
            ) as reading:
                for number, row in ((row["seq_num"], row) for batch in reading for row in batch.to_pylist()):
                    if self._writer is None or self._writer.owns(number, row):
                        record = queue.record()
                        if record is None:
                            return count
                        headers = [(each["name"], each["value"]) for each in row["headers"]]
                        if row["body"] != record.body or headers != [
                            (each.name, each.value) for each in record.headers
                        ]:
                            raise WireloomError(
                                f"record {number} is not the expected one: "
                                + ("the stream has another writer, or " if self._writer is None else "")
                                + "the rows changed when they were written again",
                                path=self._name,
                            )
                        queue.drop_record()
                        count += 1
                    self.next_seq_num = number + 1
        except LostRecordsError as error:
            error.advice = (
                "it is not known whether they were those to append: to append all of these, begin with "
                f"next_seq_num={error.gap.found}"
            )
            raise
        self.next_seq_num = end
        return count

    @property
    def _name(self) -> str:
        return f"s2://{self._basin}/{self._stream}"
