"""Read sessions as server-sent events: reads ``text/event-stream`` from arbitrary chunks, and writes it.

The syntax is that of the HTML standard (Server-sent events, 9.2.6), the events are S2's: ``batch``, ``ping``, ``error``
and the data ``[DONE]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NoReturn

from ..base.dataclass import dataclass
from ..base.errors import WireloomError
from .errors import ServerError, error_from_json, error_to_json
from .json import (
    JsonShape,
    document_of,
    dumps,
    format_of_header,
    optional,
    position_from,
    position_to,
    read_batch_from_json,
    read_batch_to_json,
    unsigned,
)
from .messages import ReadBatch, StreamPosition

CONTENT_TYPE = "text/event-stream"
LAST_EVENT_ID = "Last-Event-ID"
DONE = "[DONE]"
MAX_EVENT = 16 * 1024 * 1024
"""Maximum size in bytes of an event: more than twice a batch of 1 MiB of which each byte is escaped as six."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"[\r\n]")


@dataclass(frozen=True, slots=True)
class LastEventId:
    """The id of a batch: ``seq_num`` of its last record, and the number of records and metered bytes of the session up
    to and including it.

    >>> LastEventId.parse("2,3,38").next_seq_num
    3
    """

    seq_num: int
    count: int
    bytes: int

    @classmethod
    def parse(cls, text: str) -> LastEventId:
        """Return the id from three 64-bit numbers separated by commas. Raises ``WireloomError`` for anything else."""
        parts = text.split(",", 2)
        if len(parts) < 3:
            parts += [""] * (3 - len(parts))
        return cls(*(_number(part, name) for part, name in zip(parts, ("seq_num", "count", "bytes"), strict=True)))

    def __str__(self) -> str:
        return f"{self.seq_num},{self.count},{self.bytes}"

    @property
    def next_seq_num(self) -> int:
        """Return the sequence number at which a session is resumed with this id."""
        return self.seq_num + 1


def _number(text: str, name: str) -> int:
    digits = text.removeprefix("+")
    if not (digits.isascii() and digits.isdigit()) or len(digits.lstrip("0")) > 20 or int(digits) >= 1 << 64:
        raise WireloomError(
            f"the {name} of {LAST_EVENT_ID} is not a 64-bit integer: {text!r}", reason="value", field=name
        )
    return int(digits)


@dataclass(frozen=True, slots=True)
class BatchEvent:
    """A batch of records. ``id`` resumes after them."""

    batch: ReadBatch
    id: LastEventId | None = None


@dataclass(frozen=True, slots=True)
class PingEvent:
    """A heartbeat, at ``timestamp`` (milliseconds since the Unix epoch). Older servers send no ``tail``."""

    timestamp: int
    tail: StreamPosition | None = None


@dataclass(frozen=True, slots=True)
class ErrorEvent:
    """A failure of the session. The HTTP status is not sent: ``error.status`` is 0."""

    error: ServerError


@dataclass(frozen=True, slots=True)
class DoneEvent:
    """The regular end of the session."""


Event = BatchEvent | PingEvent | ErrorEvent | DoneEvent

_PING = JsonShape({"timestamp": unsigned}, {"tail": optional(position_from)})


class EventReader:
    """Reads events from a stream that is received in arbitrary chunks, which may end inside of a line ending or a
    character.

    >>> reader = EventReader()
    >>> list(reader.feed(b"data: [DO")), list(reader.feed(b"NE]\\n\\n"))
    ([], [DoneEvent()])

    ``last_event_id``: that of the last event returned, for the request that resumes; ``ended``: whether the session is
    done or has failed. An incomplete event at the end of the stream is ignored.
    """

    def __init__(self, format: str = "raw") -> None:
        self.last_event_id: LastEventId | None = None
        self.ended = False
        self._format = format_of_header(format)
        self._buffer = bytearray()
        self._searched = 0
        """Index in the buffer before which no line ends."""
        self._offset = 0
        self._begun = False
        self._skip_line_feed = False
        self._size = 0
        self._kind = ""
        self._id = ""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes | bytearray | memoryview) -> Iterator[Event]:
        """Yield the events that are complete with the chunk. Unknown kinds of events are skipped. Raises
        ``WireloomError`` for an event that is not one of S2's or has more than 16 MiB."""
        if not self.ended:
            self._buffer += chunk
        return self._events()

    def _events(self) -> Iterator[Event]:
        while not self.ended and (line := self._line()) is not None:
            event = self._take(line)
            if event is not None:
                self.ended = isinstance(event, DoneEvent | ErrorEvent)
                yield event

    def _fail(self, message: str, reason: str, cause: BaseException | None = None) -> NoReturn:
        self.ended = True
        raise WireloomError(f"event stream: {message}", offset=self._offset, reason=reason) from cause

    def _line(self) -> bytes | None:
        """Return the next line, without its end: CR, LF, or both."""
        if not self._begun:
            if len(self._buffer) < 3 and BYTE_ORDER_MARK.startswith(self._buffer):
                return None
            self._begun = True
            self._drop(len(BYTE_ORDER_MARK) if self._buffer.startswith(BYTE_ORDER_MARK) else 0)
        if self._skip_line_feed and self._buffer:
            self._drop(1 if self._buffer[0] == 0x0A else 0)
            self._skip_line_feed = False
        found = _LINE_END.search(self._buffer, self._searched)
        if found is None:
            self._searched = len(self._buffer)
            self._check_size(len(self._buffer))
            return None
        end = found.start()
        # A match object references the buffer, which could then not be resized.
        del found
        line = bytes(self._buffer[:end])
        self._skip_line_feed = self._buffer[end] == 0x0D
        self._drop(end + 1)
        self._check_size(len(line))
        return line

    def _drop(self, size: int) -> None:
        del self._buffer[:size]
        self._offset += size
        self._searched = 0

    def _check_size(self, more: int) -> None:
        if self._size + more > MAX_EVENT:
            self._fail(f"an event of more than {MAX_EVENT} bytes", "limit")

    def _take(self, line: bytes) -> Event | None:
        """Process one line; return the event that an empty line completes, if any."""
        if not line:
            return self._dispatch()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"event":
            self._kind = value.decode("utf-8", "replace")
        elif name == b"data":
            self._data.append(value)
            self._size += len(value) + 1
        elif name == b"id" and b"\0" not in value:
            self._id = value.decode("utf-8", "replace")
        return None

    def _dispatch(self) -> Event | None:
        kind, data = self._kind, b"\n".join(self._data)
        self._kind, self._data, self._size = "", [], 0
        if not data:
            return None
        text = data.decode("utf-8", "replace")
        try:
            return self._event(kind, text)
        except WireloomError as error:
            self._fail(f"the data of the event {kind or 'message'!r}: {error}", error.reason or "value", error)

    def _event(self, kind: str, text: str) -> Event | None:
        if kind == "batch":
            batch = read_batch_from_json(text, self._format)
            identity = LastEventId.parse(self._id) if self._id else None
            self.last_event_id = identity or self.last_event_id
            return BatchEvent(batch, identity)
        if kind == "ping":
            found = _PING(document_of(text))
            return PingEvent(found["timestamp"], found.get("tail"))
        if kind == "error":
            return ErrorEvent(error_from_json(0, text))
        return DoneEvent() if text == DONE else None


def event_to_text(event: Event, format: str = "raw") -> str:
    """Return an event as the server writes it.

    >>> event_to_text(DoneEvent())
    'data: [DONE]\\n\\n'
    """
    match event:
        case BatchEvent(batch, identity):
            lines = ["event: batch", *([] if identity is None else [f"id: {identity}"])]
            data = read_batch_to_json(batch, format)
        case PingEvent(timestamp, tail):
            lines = ["event: ping"]
            data = dumps({"timestamp": timestamp} | ({} if tail is None else {"tail": position_to(tail)}))
        case ErrorEvent(error):
            lines = ["event: error"]
            data = error_to_json(error)
        case DoneEvent():
            lines, data = [], DONE
    return "".join(f"{line}\n" for line in (*lines, f"data: {data}", ""))
