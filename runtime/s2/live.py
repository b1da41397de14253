"""The state of a reader of a live stream, which neither loses nor repeats records. The caller handles connections and
waiting.

One reader is used for the whole reading, over any number of connections.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Unpack

from ..base.arguments import one_of
from ..base.dataclass import dataclass
from ..base.errors import WireloomError
from .errors import RANGE_NOT_SATISFIABLE, SERVER_DRAINING, ServerError, error_from_json
from .frames import FrameError
from .json import format_of_header
from .messages import ReadBatch, SequencedRecord, StreamPosition
from .progress import Batch, MessageBatch, Progress, ReadArguments, ReadRange
from .requests import Request
from .responses import RESPONSES, ResponsePart

HEARTBEAT_SILENCE = 20.0
"""Seconds without a byte after which a connection counts as lost; servers send an empty batch well before."""
ADVICE_PERIOD = 60.0
"""Seconds after an advised reconnection for which further advice is ignored, as in S2's own client, since several
servers may be shutting down one after another."""

COMPLETE = "all requested records were received"
Action = Literal["go on", "reconnect", "retry", "wait", "stop"]


@dataclass(frozen=True, slots=True)
class Step:
    """The next action.

    ``action``: ``go on`` reading; ``reconnect`` at once; ``retry``: reconnect after a pause that grows with
    ``attempt``; ``wait``: the reader has caught up, so request again later; ``stop``, without an ``error`` if
    everything requested was received. ``reason`` is a sentence; ``error`` is that of the server or the frames.
    ``attempt`` is the number of failures since data was received.
    """

    action: Action
    reason: str = ""
    error: ServerError | WireloomError | None = None
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Gap:
    """Records that will not be received: they were trimmed, or their retention has expired. ``expected``: the first
    missing number; ``found``: the next existing one, or the stream's end if it is before that."""

    expected: int
    found: int


@dataclass(frozen=True, slots=True)
class Delivery:
    """New records in order, including commands; empty for a heartbeat. ``tail``: the end of the stream,
    if it was reported. ``gaps``: gaps in the sequence numbers. ``repeated``: number of records that were
    received again and are left out."""

    records: tuple[SequencedRecord, ...]
    tail: StreamPosition | None = None
    gaps: tuple[Gap, ...] = ()
    repeated: int = 0


class LiveReader:
    """Reads a stream from ``seq_num`` on, from the first record of ``timestamp`` or later, or from ``tail_offset``
    records before its end; by default from its end.

    >>> reader = LiveReader("events", seq_num=7, count=100)
    >>> reader.request().query
    (('seq_num', '7'), ('count', '100'))

    ``clamp``, ``count``, ``bytes``, ``until`` and ``wait``: as for ``read_session``; they apply to all connections
    together. ``basin``, ``encryption_key`` and ``stream_config`` are added to each request. ``response``: ``session``,
    ``events`` (server-sent events) or ``json`` (a batch for each request); ``format``: that of bytes in events and
    JSON, ``base64`` or ``raw``. Raises ``WireloomError`` for an invalid range.

    For each connection: send ``request()``, pass its status to ``answered`` and its bytes to ``feed``, and call
    ``closed`` (after ``feed(b"")``, which completes ``json``) or ``failed`` when it has ended. Check ``step`` after
    each of these calls, and call ``tick`` from time to time. Times are seconds of any monotonic clock.
    """

    def __init__(
        self,
        stream: str,
        seq_num: int | None = None,
        *,
        compression: str = "zstd",
        response: str = "session",
        format: str = "base64",
        silence: float = HEARTBEAT_SILENCE,
        **more: Unpack[ReadArguments],
    ) -> None:
        self.step = Step("reconnect", "nothing was requested yet")
        limits = {name: value for name, value in more.items() if name in ReadRange.__annotations__}
        self._progress = Progress(seq_num, **limits)  # type: ignore[arg-type]  # which mypy does not see are of it
        self._stream = stream
        others = {name: value for name, value in more.items() if name not in limits}
        self._kind = RESPONSES[one_of("response", response, RESPONSES)]
        self._settings: dict[str, Any] = {"compression": compression, "format": format_of_header(format), **others}
        self._silence = silence
        self._attempt = 0
        self._heard = 0.0
        self._response = self._kind(self._settings["format"])
        self._has_come = False
        self._was_advised = False
        self._reconnected_at: float | None = None
        self.request()

    @property
    def next_seq_num(self) -> int | None:
        """Return the number of the first record that has not been delivered; ``None`` while it is not known."""
        return self._progress.next_seq_num

    def request(self, *, now: float | None = None) -> Request:
        """Return the next request, for everything that has not been delivered yet. ``now`` is used for ``wait``; by
        default the time at which data was last received."""
        remaining = self._progress.remaining(self._heard if now is None else now)
        return self._kind.request(self._stream, **remaining, **self._settings)

    def answered(self, status: int, body: str | bytes = "", *, now: float = 0.0) -> Step:
        """Process the response to the request. ``body`` is needed if the status is not 200."""
        self._response = self._kind(self._settings["format"])
        self._heard = now
        self._has_come = self._was_advised = False
        if status == 200:
            return self._to(Step("go on"))
        return self._refused(error_from_json(status, body))

    def feed(self, chunk: bytes | bytearray | memoryview, *, now: float = 0.0) -> Iterator[Delivery]:
        """Process received bytes: yields the deliveries that are complete. Each delivery has to be processed before the
        next one is requested, since ``next_seq_num`` counts it as delivered. ``step`` is the next action afterwards;
        frames after one that advises to reconnect are ignored, as the next connection sends them again."""
        self._heard = now
        return self._deliveries(self._response.feed(chunk))

    def _deliveries(self, parts: Iterator[ResponsePart]) -> Iterator[Delivery]:
        while self.step.action == "go on":
            try:
                part = next(parts, None)
                if part is None:
                    return
                batch = None if part.error is not None else self._batch_of(part)
            except WireloomError as error:
                self._to(Step("stop", "the server's frames cannot be read", error))
                return
            if batch is None:
                assert part.error is not None
                self._refused(part.error)
                return
            delivery = self._delivery(batch, self._heard)
            if part.reconnect_advised and self.step.action == "go on" and self._takes_advice():
                self._to(Step("reconnect", "the server is about to end the session"))
            yield delivery

    def _takes_advice(self) -> bool:
        """Return whether to reconnect as advised by the server, which is done once a minute. Otherwise the server has
        to end the session."""
        first, self._was_advised = not self._was_advised, True
        recent = self._reconnected_at is not None and self._heard - self._reconnected_at <= ADVICE_PERIOD
        if not first or recent:
            return False
        self._reconnected_at = self._heard
        return True

    def deliver(self, batch: ReadBatch, *, now: float = 0.0) -> Delivery:
        """Process a batch from any source, such as a unary response or an event."""
        return self._delivery(MessageBatch(batch), now)

    def _delivery(self, batch: Batch, now: float) -> Delivery:
        self._attempt, self._has_come = 0, True
        places, gaps = self._progress.took(batch, now)
        if self._progress.is_complete:
            self._to(Step("stop", COMPLETE))
        repeated = len(batch.numbers) - len(places)
        return Delivery(batch.taken(places), batch.tail, tuple(Gap(*each) for each in gaps), repeated)

    def closed(self) -> Step:
        """Process the end of the connection's bytes."""
        if self.step.action != "go on":
            return self.step
        try:
            self._response.finish()
        except WireloomError as error:
            return self._again("the stream was cut inside a frame", error)
        if self._progress.is_bounded and not self._response.is_followed:
            return self._to(Step("stop", COMPLETE))
        if not self._has_come:
            # Otherwise a client and a server that ends each session at once would reconnect in a tight loop.
            return self._again("the server ended the session before sending anything")
        return self._to(Step("reconnect", "the server has ended the session"))

    def failed(self, error: BaseException | None = None) -> Step:
        """Process a failure to connect, or a broken connection."""
        if self.step.action == "stop":
            return self.step
        return self._again(f"the connection failed ({error})" if error else "the connection failed")

    def tick(self, *, now: float) -> Step:
        """Check the time: a connection without data for 20 seconds is lost."""
        if self.step.action == "go on" and now - self._heard >= self._silence:
            return self._again(f"nothing was received for {now - self._heard:.0f} seconds, not even a heartbeat")
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

    def _batch_of(self, part: ResponsePart) -> Batch:
        try:
            return self._decoded(part.content)
        except WireloomError as error:
            raise FrameError(
                f"it is not a batch of records ({error.message})",
                offset=part.offset,
                frame=part.number,
                reason="message",
            ) from error

    def _decoded(self, content: bytes) -> Batch:
        return MessageBatch(ReadBatch.from_bytes(content))
