"""The responses to reads that follow a stream: sessions of frames, server-sent events, and JSON bodies one after
another, each as parts that are read from arbitrary chunks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..base.errors import WireloomError
from .errors import ServerError, error_of
from .frames import FrameDecoder
from .json import read_batch_from_json
from .messages import ReadBatch
from .requests import Request, read_events, read_session, read_unary
from .sse import MAX_EVENT, BatchEvent, ErrorEvent, EventReader, PingEvent

POLL_SECONDS = 10
"""Seconds for which the server waits for the first record of a JSON body."""


class ResponsePart(NamedTuple):
    """A part of a response: the message ``content``, a ``ReadBatch``, or an error. ``offset`` and ``number``: those of
    its frame. ``reconnect_advised``: the server is about to end the session."""

    content: bytes = b""
    error: ServerError | None = None
    offset: int = 0
    number: int = 0
    reconnect_advised: bool = False


class Response(ABC):
    """A response that is being received. ``is_followed``: after its end, the next request continues a limited read."""

    is_followed = False

    def __init__(self, format: str) -> None:
        self._format = format

    @staticmethod
    @abstractmethod
    def request(stream: str, compression: str, format: str, **more: Any) -> Request:
        """Return the request for this kind of response; see ``read_session``."""

    @abstractmethod
    def feed(self, chunk: bytes | bytearray | memoryview) -> Iterator[ResponsePart]:
        """Yield the parts that are complete with a chunk; an empty one is the end of the response. Raises
        ``WireloomError`` for anything else."""

    @abstractmethod
    def finish(self) -> None:
        """End the response. Raises ``WireloomError`` if it was cut."""


class SessionResponse(Response):
    """Frames of a session."""

    def __init__(self, format: str) -> None:
        super().__init__(format)
        self._decoder = FrameDecoder()

    @staticmethod
    def request(stream: str, compression: str, format: str, **more: Any) -> Request:
        """See ``Response``."""
        return read_session(stream, compression=compression, **more)

    def feed(self, chunk: bytes | bytearray | memoryview) -> Iterator[ResponsePart]:
        """See ``Response``."""
        for frame in self._decoder.feed(chunk):
            if frame.terminal is not None:
                yield ResponsePart(error=error_of(frame.terminal))
            else:
                yield ResponsePart(frame.content(), None, frame.offset, frame.index, frame.reconnect_advised)

    def finish(self) -> None:
        """See ``Response``."""
        self._decoder.finish()


class EventsResponse(Response):
    """Server-sent events."""

    def __init__(self, format: str) -> None:
        super().__init__(format)
        self._reader = EventReader(format)

    @staticmethod
    def request(stream: str, compression: str, format: str, **more: Any) -> Request:
        """See ``Response``."""
        return read_events(stream, format=format, **more)

    def feed(self, chunk: bytes | bytearray | memoryview) -> Iterator[ResponsePart]:
        """See ``Response``."""
        for event in self._reader.feed(chunk):
            if isinstance(event, BatchEvent):
                yield ResponsePart(event.batch.to_bytes())
            elif isinstance(event, PingEvent):
                yield ResponsePart(ReadBatch(tail=event.tail).to_bytes())
            elif isinstance(event, ErrorEvent):
                yield ResponsePart(error=event.error)

    def finish(self) -> None:
        """See ``Response``."""
        if not self._reader.ended:
            raise WireloomError("the events end without the last one", reason="truncated")


class JsonResponse(Response):
    """A batch as JSON. Each request returns one."""

    def __init__(self, format: str) -> None:
        super().__init__(format)
        self._body = bytearray()

    @staticmethod
    def request(stream: str, compression: str, format: str, **more: Any) -> Request:
        """See ``Response``."""
        limits = ("count", "bytes", "until", "wait")
        if all(more.get(each) is None for each in limits):
            more["wait"] = POLL_SECONDS
        return read_unary(stream, content="json", format=format, **more)

    def feed(self, chunk: bytes | bytearray | memoryview) -> Iterator[ResponsePart]:
        """See ``Response``."""
        self._body += chunk
        if len(self._body) > MAX_EVENT:
            raise WireloomError(f"a body of more than {MAX_EVENT} bytes", reason="limit")
        if not chunk:
            batch = read_batch_from_json(self._body, self._format)
            self.is_followed = bool(batch.records)
            yield ResponsePart(batch.to_bytes())

    def finish(self) -> None:
        """See ``Response``."""


RESPONSES: Mapping[str, type[Response]] = {"session": SessionResponse, "events": EventsResponse, "json": JsonResponse}
