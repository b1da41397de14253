"""The state of a reader of a live stream, who is to lose and repeat nothing. Connections and waiting are the caller's.

One reader lasts as long as the reading does, over any number of connections.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ..errors import WireloomError
from .errors import RANGE_NOT_SATISFIABLE, ServerError, error_from_json, error_of
from .frames import Frame, FrameDecoder, FrameError
from .messages import ReadBatch, SequencedRecord, StreamPosition
from .requests import Request, read_session

HEARTBEAT_SILENCE = 20.0
"""Seconds without a byte after which a connection counts as lost: servers send an empty batch well before."""

Action = Literal["go on", "reconnect", "retry", "wait", "stop"]


@dataclass(frozen=True, slots=True)
class Step:
    """What to do now.

    ``action``: ``go on`` reading; ``reconnect`` at once; ``retry``: reconnect, after a pause that grows with
    ``attempt``; ``wait``: the reader has caught up, so ask again later; ``stop``. ``reason`` is a sentence; ``error``
    what the server or the frames said. ``attempt`` counts failures since something came.
    """

    action: Action
    reason: str = ""
    error: ServerError | WireloomError | None = None
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Gap:
    """Records that do not come any more: they were trimmed, or their time is over. ``found``: the next one that is
    there, or the stream's end, where it ends before one."""

    expected: int
    found: int


@dataclass(frozen=True, slots=True)
class Delivery:
    """New records in order, commands among them; none for a heartbeat. ``tail``: where the stream ends, if that was
    said. ``gaps``: jumps of the sequence numbers. ``repeated``: records that came once more and are left out."""

    records: tuple[SequencedRecord, ...]
    tail: StreamPosition | None = None
    gaps: tuple[Gap, ...] = ()
    repeated: int = 0


class LiveReader:
    """Reads a stream from ``seq_num`` on; ``None``: from its end.

    >>> reader = LiveReader("events", seq_num=7)
    >>> reader.request().query
    (('seq_num', '7'),)

    For each connection: send ``request()``, give its status to ``answered``, its bytes to ``feed``, and say with
    ``closed`` or ``failed`` how it ended; look at ``step`` after each of them, and ask ``tick`` from time to time.
    ``next_seq_num``: the first record that has not been delivered; ``None`` as long as that is not known. Times are
    seconds on any clock that only goes forward.
    """

    def __init__(
        self, stream: str, seq_num: int | None = None, *, compression: str = "zstd", silence: float = HEARTBEAT_SILENCE
    ) -> None:
        self.next_seq_num = seq_num
        self.step = Step("reconnect", "nothing has been asked for")
        self._stream = stream
        self._compression = compression
        self._silence = silence
        self._attempt = 0
        self._heard = 0.0
        self._decoder = FrameDecoder()

    def request(self) -> Request:
        """What to ask for now: all records from the next one on."""
        if self.next_seq_num is None:
            return read_session(self._stream, tail_offset=0, compression=self._compression)
        return read_session(self._stream, seq_num=self.next_seq_num, compression=self._compression)

    def answered(self, status: int, body: str | bytes = "", *, now: float = 0.0) -> Step:
        """The answer to the request has come. ``body`` is asked for where the status is not 200."""
        self._decoder = FrameDecoder()
        self._heard = now
        if status == 200:
            return self._to(Step("go on"))
        return self._refused(error_from_json(status, body))

    def feed(self, chunk: bytes | bytearray | memoryview, *, now: float = 0.0) -> Iterator[Delivery]:
        """Bytes have come: gives what is complete now. Each delivery has to be dealt with before the next one is asked
        for, since ``next_seq_num`` counts it as delivered. ``step`` says afterwards what to do: frames behind one that
        advises to reconnect are left, for the next connection to bring."""
        self._heard = now
        return self._deliveries(self._decoder.feed(chunk))

    def _deliveries(self, frames: Iterator[Frame]) -> Iterator[Delivery]:
        while self.step.action == "go on":
            try:
                frame = next(frames, None)
                if frame is None:
                    return
                batch = None if frame.is_terminal else _batch_of(frame)
            except WireloomError as error:
                self._to(Step("stop", "the server's frames cannot be read", error))
                return
            if batch is None:
                terminal = frame.terminal
                assert terminal is not None
                self._refused(error_of(terminal))
                return
            delivery = self.deliver(batch)
            if frame.reconnect_advised:
                self._to(Step("reconnect", "the server is about to end the session"))
            yield delivery

    def deliver(self, batch: ReadBatch) -> Delivery:
        """Takes a batch, from wherever it came: a unary answer or an event as well."""
        self._attempt = 0
        records: list[SequencedRecord] = []
        gaps: list[Gap] = []
        following = self.next_seq_num
        for record in batch.records:
            number = record.seq_num
            if following is not None and number < following:
                continue
            if following is not None and number > following:
                gaps.append(Gap(following, number))
            records.append(record)
            following = number + 1
        if not batch.records and batch.tail is not None:
            # All records before the tail have been sent, but for those that are gone.
            if following is not None and batch.tail.seq_num > following:
                gaps.append(Gap(following, batch.tail.seq_num))
            following = max(following or 0, batch.tail.seq_num)
        self.next_seq_num = following
        return Delivery(tuple(records), batch.tail, tuple(gaps), len(batch.records) - len(records))

    def closed(self) -> Step:
        """The connection's bytes have ended."""
        if self.step.action != "go on":
            return self.step
        try:
            self._decoder.finish()
        except FrameError as error:
            return self._again("the stream was cut inside a frame", error)
        return self._to(Step("reconnect", "the server has ended the session"))

    def failed(self, error: BaseException | None = None) -> Step:
        """The connection could not be made, or broke."""
        return self._again(f"the connection failed ({error})" if error else "the connection failed")

    def tick(self, *, now: float) -> Step:
        """Looks at the clock: silence for 20 seconds is a lost connection."""
        if self.step.action == "go on" and now - self._heard >= self._silence:
            return self._again(f"nothing has come for {now - self._heard:.0f} seconds, not even a heartbeat")
        return self.step

    def _refused(self, error: ServerError) -> Step:
        if error.status == RANGE_NOT_SATISFIABLE and error.tail is not None:
            if self.next_seq_num in (None, error.tail.seq_num):
                self.next_seq_num = error.tail.seq_num
                self._attempt = 0
                return self._to(Step("wait", "the reader has caught up with the stream", error))
            return self._to(Step("stop", f"the stream ends at {error.tail.seq_num}, before the next record", error))
        if error.retryable:
            return self._again(f"the server answered {error.status}", error)
        return self._to(Step("stop", f"the server answered {error.status}", error))

    def _again(self, reason: str, error: ServerError | WireloomError | None = None) -> Step:
        self._attempt += 1
        return self._to(Step("retry", reason, error, self._attempt))

    def _to(self, step: Step) -> Step:
        self.step = step
        return step


def _batch_of(frame: Frame) -> ReadBatch:
    content = frame.content()
    try:
        return ReadBatch.from_bytes(content)
    except WireloomError as error:
        raise FrameError(
            f"it holds no batch of records ({error.message})", offset=frame.offset, frame=frame.index, reason="message"
        ) from error
