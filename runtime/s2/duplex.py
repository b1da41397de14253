"""HTTP requests whose body is sent while the response is received: over HTTP/2 if the server speaks it, otherwise over
HTTP/1.1. One thread does both."""

from __future__ import annotations

import os
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from urllib.parse import SplitResult, urlsplit

from ..base.errors import TemporaryError
from ..base.extras import require
from .client import CONNECT_SECONDS, CONNECTIONS, Client, proxy_of, refuse_page, unreachable, whole
from .endpoint import authorization
from .http_versions import PROTOCOLS, HttpError, Protocol
from .requests import Request

RECEIVED = 1 << 18
"""Maximum number of bytes that are received at a time."""
END_SECONDS = 5.0
"""Seconds to wait for the end of a response whose content is complete."""
_NOT_YET = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)

_idle: dict[tuple[int, str], list[_Connection]] = {}
"""Connections without a request, of a process and a server; a forked process must not use those of its parent."""
_spoken: dict[str, str] = {}
"""The version of HTTP of servers without TLS, which does not negotiate it."""


class Exchange:
    """A request, which has been sent except for its body, and its response.

    ``status``: the HTTP status, ``None`` before it was received. Has to be closed, or used as a context manager.
    """

    def __init__(self, client: Client, request: Request) -> None:
        require("h11", "s2", "Appending to S2")
        self._base = client.endpoint.base
        self._connection = _connected(self._base)
        headers = {**request.headers, **authorization(client.endpoint)}
        self._connection.protocol.begin(request.method, urlsplit(self._base), request.target, headers)

    @property
    def status(self) -> int | None:
        """Return the HTTP status of the response, ``None`` before it was received."""
        return self._connection.protocol.status

    @property
    def is_over(self) -> bool:
        """Return whether the response was received to its end."""
        return self._connection.protocol.is_over

    def send(self, data: bytes) -> None:
        """Send a part of the body, or keep it until the server accepts it. Raises ``TemporaryError``."""
        self._connection.protocol.send(data)
        self._connection.step(0.0)

    def end(self) -> bool:
        """End the body; return true."""
        self._connection.protocol.end()
        return True

    def receive(self, silence: float) -> bytes:
        """Return the next bytes of the response's body, empty at its end. Raises ``TemporaryError`` if the connection
        breaks, or no byte is sent or received for ``silence`` seconds."""
        protocol = self._connection.protocol
        self._wait(lambda: protocol.has_body or protocol.is_over, silence)
        return protocol.taken()

    def look(self) -> None:
        """Receive what is there of the response, without waiting. Raises ``TemporaryError``."""
        protocol = self._connection.protocol
        while not (protocol.has_body or protocol.is_over) and self._connection.step(0.0):
            pass

    def taken(self) -> bytes:
        """Return the bytes of the response's body that were received and not returned yet."""
        return self._connection.protocol.taken()

    def answered(self, silence: float) -> int | None:
        """Return the HTTP status of the response. Raises ``TemporaryError``, and ``WireloomError`` for a page."""
        protocol = self._connection.protocol
        self._wait(lambda: protocol.status is not None or protocol.is_over, silence)
        if protocol.status == 200:
            refuse_page(self._base, protocol.content_type)
        return protocol.status

    def _wait(self, is_there: Callable[[], bool], silence: float) -> None:
        until = time.monotonic() + silence
        while not is_there():
            if self._connection.step(until - time.monotonic()):
                until = time.monotonic() + silence
            elif time.monotonic() >= until:
                raise self.silent(silence)

    def silent(self, seconds: float) -> TemporaryError:
        """Return the error for a server that has sent nothing for so many seconds."""
        return TemporaryError(f"{self._base}: nothing was received for {seconds:.0f} seconds")

    def rest(self, silence: float) -> bytes:
        """Return the rest of the response's body. Raises the errors of ``whole``."""
        return whole(iter(lambda: self.receive(silence), b""))

    def __enter__(self) -> Exchange:
        return self

    def __exit__(self, kind: object, *_error: object) -> None:
        """Keep the connection for another request if the response was received to its end, otherwise close it."""
        connection, kept = self._connection, _idle.setdefault((os.getpid(), self._base), [])
        if kind is None and len(kept) < CONNECTIONS:
            until = time.monotonic() + END_SECONDS
            with suppress(TemporaryError):
                while self.receive(END_SECONDS) and time.monotonic() < until:
                    pass
                if connection.protocol.is_over and connection.protocol.next_request():
                    kept.append(connection)
                    return
        connection.close()


class _Connection:
    """A connection with the state of its protocol."""

    def __init__(self, base: str, connected: socket.socket, protocol: Protocol) -> None:
        self._base, self._socket, self.protocol = base, connected, protocol
        self._out = bytearray()
        self._broken: Exception | None = None

    def step(self, seconds: float) -> bool:
        """Send and receive what is possible now, after waiting up to this time until anything is. Return whether
        anything was. Raises ``TemporaryError`` if the connection is broken."""
        from urllib3.util.wait import wait_for_socket

        self._out += self.protocol.to_send()
        sends = bool(self._out) and self._broken is None
        pending = isinstance(self._socket, ssl.SSLSocket) and self._socket.pending()
        if seconds > 0 and not pending:
            wait_for_socket(self._socket, read=True, write=sends, timeout=seconds)
        sent = received = 0
        try:
            if sends:
                # The server may have answered before it closed the connection.
                try:
                    sent = self._socket.send(memoryview(self._out)[: 1 << 20])
                    del self._out[:sent]
                except _NOT_YET:
                    pass
                except OSError as error:
                    self._broken = error
            with suppress(*_NOT_YET):
                data = self._socket.recv(RECEIVED)
                received = len(data)
                self.protocol.received(data)
        except OSError as error:
            raise TemporaryError(f"{self._base}: {self._broken or error}") from None
        except HttpError as error:
            raise TemporaryError(f"{self._base}: {error}") from None
        return bool(sent or received)

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


def _connected(base: str) -> _Connection:
    """Return a connection that has no request."""
    kept = _idle.get((os.getpid(), base), [])
    while kept:
        connection = kept.pop()
        with suppress(TemporaryError):
            # The server may have closed it meanwhile.
            connection.step(0.0)
            if connection.protocol.is_open:
                return connection
        connection.close()
    parts = urlsplit(base)
    versions = [name for name in PROTOCOLS if find_spec(PROTOCOLS[name].library)]
    connected, negotiated = _connect(base, parts, versions)
    if parts.scheme == "https":
        return _Connection(base, connected, PROTOCOLS[negotiated or "http/1.1"]())
    version = _spoken.get(base, versions[0])
    connection = _Connection(base, connected, PROTOCOLS[version]())
    if base in _spoken or version == "http/1.1":
        return connection
    try:
        while not connection.protocol.is_confirmed:
            if not connection.step(CONNECT_SECONDS):
                connection.protocol.is_refused = True
                break
        else:
            _spoken[base] = version
            return connection
    except TemporaryError:
        pass
    connection.close()
    if connection.protocol.is_refused:
        _spoken[base] = "http/1.1"
    return _Connection(base, _connect(base, parts, versions)[0], PROTOCOLS["http/1.1"]())


def _connect(base: str, parts: SplitResult, versions: list[str]) -> tuple[socket.socket, str | None]:
    """Return a socket, and the version of HTTP that was negotiated. Raises the error of ``unreachable``."""
    from http.client import HTTPConnection, HTTPException

    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    proxy = proxy_of(base)
    through = urlsplit(proxy) if proxy else parts
    opened = HTTPConnection(through.hostname or "", through.port or port, timeout=CONNECT_SECONDS)
    if proxy:
        opened.set_tunnel(host, port)
    try:
        opened.connect()
        connected: socket.socket = opened.sock
        negotiated = None
        if parts.scheme == "https":
            context = ssl.create_default_context()
            context.set_alpn_protocols(versions)
            secured = context.wrap_socket(connected, server_hostname=host)
            connected, negotiated = secured, secured.selected_alpn_protocol()
    except (OSError, HTTPException) as error:
        opened.close()
        raise unreachable(base, str(getattr(error, "strerror", None) or error or type(error).__name__)) from None
    connected.setblocking(False)
    return connected, negotiated
