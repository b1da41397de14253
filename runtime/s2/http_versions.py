"""The two versions of HTTP as state machines without input and output, each by its own library."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import SplitResult

if TYPE_CHECKING:
    import h11

WINDOW = 1 << 24
"""Number of bytes of a connection that a server of HTTP/2 may send without a confirmation."""


class HttpError(Exception):
    """The server violates the protocol, or has ended the request."""


class Protocol(ABC):
    """The state of a connection that carries one request at a time.

    ``library``: the package that it needs. ``status``: that of the response, ``None`` before it was received, and its
    ``content_type``;
    ``is_over``: whether the response was received to its end; ``is_open``: whether requests can be sent;
    ``is_confirmed``: whether the server has shown that it speaks this version; ``is_refused``: whether it has answered
    something else.
    """

    library: ClassVar[str]

    def __init__(self) -> None:
        self.status: int | None = None
        self.content_type = ""
        self.is_over = False
        self.is_open = True
        self.is_confirmed = self.is_refused = False
        self._body = bytearray()

    @abstractmethod
    def begin(self, method: str, address: SplitResult, target: str, headers: Mapping[str, str]) -> None:
        """Begin a request."""

    @abstractmethod
    def send(self, data: bytes) -> None:
        """Send a part of the request's body."""

    @abstractmethod
    def end(self) -> None:
        """End the request's body."""

    @abstractmethod
    def to_send(self) -> bytes:
        """Return the bytes to be sent now."""

    @abstractmethod
    def received(self, data: bytes) -> None:
        """Process received bytes, of which there are none at the end of the connection. Raises ``HttpError``."""

    @property
    def has_body(self) -> bool:
        """Return whether bytes of the response's body were received that were not taken."""
        return bool(self._body)

    def taken(self) -> bytes:
        """Return the bytes of the response's body that were received since the last call."""
        data = bytes(self._body)
        self._body.clear()
        return data

    def next_request(self) -> bool:
        """Prepare for the next request; return whether the connection can be used for one."""
        self.status, self.is_over = None, False
        return self.is_open


class Http2(Protocol):
    """HTTP/2, by the package h2."""

    library = "h2"

    def __init__(self) -> None:
        super().__init__()
        from h2.config import H2Configuration
        from h2.connection import H2Connection

        self._connection = H2Connection(H2Configuration(client_side=True))
        self._connection.initiate_connection()
        self._connection.increment_flow_control_window(WINDOW)
        self._stream = 0
        self._waiting: deque[memoryview] = deque()
        self._ends = self._has_ended = False

    def begin(self, method: str, address: SplitResult, target: str, headers: Mapping[str, str]) -> None:
        """See ``Protocol``."""
        self._stream = self._connection.get_next_available_stream_id()
        self._waiting.clear()
        self._ends = self._has_ended = False
        names = {":method": method, ":scheme": address.scheme, ":authority": address.netloc, ":path": target}
        names |= {name.lower(): value for name, value in headers.items()}
        self._connection.send_headers(self._stream, list(names.items()))

    def send(self, data: bytes) -> None:
        """See ``Protocol``."""
        self._waiting.append(memoryview(data))

    def end(self) -> None:
        """See ``Protocol``."""
        self._ends = True

    def to_send(self) -> bytes:
        """See ``Protocol``."""
        connection, waiting = self._connection, self._waiting
        if self._stream and not self._has_ended and not self.is_over:
            while waiting:
                room = min(connection.local_flow_control_window(self._stream), connection.max_outbound_frame_size)
                if room <= 0:
                    break
                data = waiting.popleft()
                connection.send_data(self._stream, bytes(data[:room]))
                if len(data) > room:
                    waiting.appendleft(data[room:])
            if self._ends and not waiting:
                connection.end_stream(self._stream)
                self._has_ended = True
        ready: bytes = connection.data_to_send()
        return ready

    def received(self, data: bytes) -> None:
        """See ``Protocol``."""
        from h2.exceptions import ProtocolError

        if not data:
            raise HttpError("the server has closed the connection")
        try:
            events = self._connection.receive_data(data)
        except ProtocolError as error:
            self.is_refused = not self.is_confirmed
            raise HttpError(f"the server violates HTTP/2 ({error})") from None
        for event in events:
            self._happened(event)

    def _happened(self, event: object) -> None:
        from h2 import events
        from h2.exceptions import ProtocolError

        self.is_confirmed = self.is_confirmed or isinstance(event, events.RemoteSettingsChanged)
        if isinstance(event, events.ConnectionTerminated):
            self.is_open = False
            # Requests up to the last one that the server accepted are completed.
            if not self._stream or (event.last_stream_id or 0) < self._stream:
                raise HttpError("the server has ended the connection")
        if getattr(event, "stream_id", None) != self._stream:
            return
        if isinstance(event, events.ResponseReceived):
            headers = dict(event.headers or ())
            self.status = int(headers[b":status"])
            self.content_type = headers.get(b"content-type", b"").decode("latin-1")
        elif isinstance(event, events.DataReceived):
            self._body += event.data or b""
            self._connection.acknowledge_received_data(event.flow_controlled_length or 0, self._stream)
        elif isinstance(event, events.StreamEnded):
            self.is_over = True
            # The server needs no more of the request, and may have said so already, by a reset in the same bytes.
            if not self._has_ended:
                with suppress(ProtocolError):
                    self._connection.reset_stream(self._stream)
        elif isinstance(event, events.StreamReset) and not self.is_over:
            raise HttpError(f"the server has reset the request (error {event.error_code})")


class Http1(Protocol):
    """HTTP/1.1, by the package h11."""

    library = "h11"

    def __init__(self) -> None:
        super().__init__()
        import h11

        self._connection = h11.Connection(our_role=h11.CLIENT)
        self._out = bytearray()

    def begin(self, method: str, address: SplitResult, target: str, headers: Mapping[str, str]) -> None:
        """See ``Protocol``."""
        from h11 import Request

        named = {"Host": address.netloc, **headers, "Transfer-Encoding": "chunked"}
        self._write(Request(method=method, target=target, headers=list(named.items())))

    def send(self, data: bytes) -> None:
        """See ``Protocol``."""
        from h11 import Data

        self._write(Data(data=data))

    def end(self) -> None:
        """See ``Protocol``."""
        from h11 import EndOfMessage

        self._write(EndOfMessage())

    def _write(self, event: h11.Request | h11.Data | h11.EndOfMessage) -> None:
        import h11

        if self._connection.our_state in (h11.IDLE, h11.SEND_BODY):
            self._out += self._connection.send(event)

    def to_send(self) -> bytes:
        """See ``Protocol``."""
        data = bytes(self._out)
        self._out.clear()
        return data

    def received(self, data: bytes) -> None:
        """See ``Protocol``."""
        import h11

        try:
            if not data and self._connection.their_state is h11.IDLE:
                raise HttpError("the server has closed the connection")
            self._connection.receive_data(data)
            while (event := self._connection.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
                if isinstance(event, h11.Response):
                    self.status = event.status_code
                    self.content_type = dict(event.headers).get(b"content-type", b"").decode("latin-1")
                elif isinstance(event, h11.Data):
                    self._body += event.data
                elif isinstance(event, h11.EndOfMessage):
                    self.is_over = True
                elif isinstance(event, h11.ConnectionClosed):
                    self.is_open = False
                    break
        except h11.RemoteProtocolError as error:
            raise HttpError(str(error)) from None

    def next_request(self) -> bool:
        """See ``Protocol``."""
        import h11

        if self._connection.our_state is not h11.DONE or self._connection.their_state is not h11.DONE:
            self.is_open = False
        else:
            self._connection.start_next_cycle()
        return super().next_request()


PROTOCOLS: Mapping[str, type[Protocol]] = {"h2": Http2, "http/1.1": Http1}
"""The versions by their names in TLS, the preferred one first."""
