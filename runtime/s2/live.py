"""The state of a reader of a live stream, who is to lose and repeat nothing. Connections and waiting are the caller's.

One reader lasts as long as the reading does, over any number of connections.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Unpack

from ..base.errors import WireloomError
from .errors import RANGE_NOT_SATISFIABLE, SERVER_DRAINING, ServerError, error_from_json, error_of
from .frames import Frame, FrameDecoder, FrameError
from .messages import ReadBatch, SequencedRecord, StreamPosition
from .progress import Batch, MessageBatch, Progress, ReadOptions, ReadRange
from .requests import Request, read_session

HEARTBEAT_SILENCE = 20.0
"""Seconds without a byte after which a connection counts as lost: servers send an empty batch well before."""
ADVICE_PERIOD = 60.0
"""Seconds after a reconnection that a server advised in which no other such advice is taken, as S2's own client does:
one server after another may be about to end."""

COMPLETE = "all that was asked for has come"
Action = Literal["go on", "reconnect", "retry", "wait", "stop"]


@dataclass(frozen=True, slots=True)
class Step:
    """The next action.

    ``action``: ``continue`` reading; ``reconnect`` at once; ``retry``: reconnect, after a pause that grows with
    ``attempt``; ``wait``: the reader has caught up, so ask again later; ``stop``, without an ``error`` where all that
    was asked for has come. ``reason`` is a sentence; ``error`` what the server or the frames said. ``attempt`` counts
    failures since something came.
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
    """Reads a stream from ``seq_num`` on, from the first record of ``timestamp`` or later, or from ``tail_offset``
    records before its end; from its end where none is given.

    >>> reader = LiveReader("events", seq_num=7, count=100)
    >>> reader.request().query
    (('seq_num', '7'), ('count', '100'))

    ``clamp``, ``count``, ``bytes``, ``until`` and ``wait`` as of ``read_session``; they hold for all connections
    together. ``basin``, ``encryption_key`` and ``stream_config`` go along with each request. Raises ``WireloomError``
    for what no request can ask for.

    For each connection: send ``request()``, give its status to ``answered``, its bytes to ``feed``, and say with
    ``closed`` or ``failed`` how it ended; look at ``step`` after each of them, and ask ``tick`` from time to time.
    Times are seconds on any clock that only goes forward.
    """

    def __init__(
        self,
        stream: str,
        seq_num: int | None = None,
        *,
        compression: str = "zstd",
        silence: float = HEARTBEAT_SILENCE,
        **more: Unpack[ReadOptions],
    ) -> None:
        self.step = Step("reconnect", "nothing has been asked for")
        asked = {name: value for name, value in more.items() if name in ReadRange.__annotations__}
        self._progress = Progress(seq_num, **asked)  # type: ignore[arg-type]  # which mypy does not see are of it
        self._stream = stream
        others = {name: value for name, value in more.items() if name not in asked}
        self._settings: dict[str, Any] = {"compression": compression, **others}
        self._silence = silence
        self._attempt = 0
        self._heard = 0.0
        self._decoder = FrameDecoder()
        self._has_come = False
        self._was_advised = False
        self._reconnected_at: float | None = None
        self.request()

    @property
    def next_seq_num(self) -> int | None:
        """Return the first record that has not been delivered; ``None`` as long as that is not known."""
        return self._progress.next_seq_num

    def request(self, *, now: float | None = None) -> Request:
        """Return the next request, for all that has not been delivered yet. ``now`` counts for ``wait``; by default the
        time at which something was last heard."""
        asked = self._progress.asked(self._heard if now is None else now)
        return read_session(self._stream, **asked, **self._settings)

    def answered(self, status: int, body: str | bytes = "", *, now: float = 0.0) -> Step:
        """The answer to the request has come. ``body`` is asked for where the status is not 200."""
        self._decoder = FrameDecoder()
        self._heard = now
        self._has_come = self._was_advised = False
        if status == 200:
            return self._to(Step("go on"))
        return self._refused(error_from_json(status, body))

    def feed(self, chunk: bytes | bytearray | memoryview, *, now: float = 0.0) -> Iterator[Delivery]:
        """Bytes have come: gives what is complete now. Each delivery has to be dealt with before the next one is asked
        for, since ``next_seq_num`` counts it as delivered. ``step`` says afterwards what to do: frames after one that
        advises to reconnect are left, for the next connection to bring."""
        self._heard = now
        return self._deliveries(self._decoder.feed(chunk))

    def _deliveries(self, frames: Iterator[Frame]) -> Iterator[Delivery]:
        while self.step.action == "go on":
            try:
                frame = next(frames, None)
                if frame is None:
                    return
                batch = None if frame.is_terminal else self._batch_of(frame)
            except WireloomError as error:
                self._to(Step("stop", "the server's frames cannot be read", error))
                return
            if batch is None:
                terminal = frame.terminal
                assert terminal is not None
                self._refused(error_of(terminal))
                return
            delivery = self._delivery(batch, self._heard)
            if frame.reconnect_advised and self.step.action == "go on" and self._takes_advice():
                self._to(Step("reconnect", "the server is about to end the session"))
            yield delivery

    def _takes_advice(self) -> bool:
        """Return whether to reconnect as a server advises: once in a minute. Otherwise it is left to end the
        session.
        """
        first, self._was_advised = not self._was_advised, True
        recent = self._reconnected_at is not None and self._heard - self._reconnected_at <= ADVICE_PERIOD
        if not first or recent:
            return False
        self._reconnected_at = self._heard
        return True

    def deliver(self, batch: ReadBatch, *, now: float = 0.0) -> Delivery:
        """Take a batch, from wherever it came: a unary answer or an event as well."""
        return self._delivery(MessageBatch(batch), now)

    def _delivery(self, batch: Batch, now: float) -> Delivery:
        self._attempt, self._has_come = 0, True
        places, gaps = self._progress.took(batch, now)
        if self._progress.is_complete:
            self._to(Step("stop", COMPLETE))
        repeated = len(batch.numbers) - len(places)
        return Delivery(batch.taken(places), batch.tail, tuple(Gap(*each) for each in gaps), repeated)

    def closed(self) -> Step:
        """The connection's bytes have ended."""
        if self.step.action != "go on":
            return self.step
        try:
            self._decoder.finish()
        except FrameError as error:
            return self._again("the stream was cut inside a frame", error)
        if self._progress.is_bounded:
            return self._to(Step("stop", COMPLETE))
        if not self._has_come:
            # A client that reconnects at once to a server that ends each session at once does nothing else.
            return self._again("the server has ended the session before anything came")
        return self._to(Step("reconnect", "the server has ended the session"))

    def failed(self, error: BaseException | None = None) -> Step:
        """The connection could not be made, or broke."""
        if self.step.action == "stop":
            return self.step
        return self._again(f"the connection failed ({error})" if error else "the connection failed")

    def tick(self, *, now: float) -> Step:
        """Look at the clock: silence for 20 seconds is a lost connection."""
        if self.step.action == "go on" and now - self._heard >= self._silence:
            return self._again(f"nothing has come for {now - self._heard:.0f} seconds, not even a heartbeat")
        return self.step

    def _refused(self, error: ServerError) -> Step:
        if error.code == SERVER_DRAINING:
            self._reconnected_at = self._heard
        if error.status == RANGE_NOT_SATISFIABLE and error.tail is not None:
            if self._progress.caught_up(error.tail.seq_num):
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

    def _batch_of(self, frame: Frame) -> Batch:
        content = frame.content()
        try:
            return self._decoded(content)
        except WireloomError as error:
            raise FrameError(
                f"it holds no batch of records ({error.message})",
                offset=frame.offset,
                frame=frame.index,
                reason="message",
            ) from error

    def _decoded(self, content: bytes) -> Batch:
        return MessageBatch(ReadBatch.from_bytes(content))
