"""A server of HTTP/2 without TLS for tests, which passes each request on to a server of HTTP/1.1, as the machines in
front of services do. Connections of HTTP/1.1 are passed on as they are."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    RequestReceived,
    SettingsAcknowledged,
    StreamEnded,
    StreamReset,
    WindowUpdated,
)
from h2.exceptions import ProtocolError


class _Client:
    """One connection of a client. ``goes_after``: number of requests after which the server ends it."""

    def __init__(
        self, connected: socket.socket, target: tuple[str, int], goes_after: int | None, connections: list[int]
    ) -> None:
        self._socket, self._target, self._goes_after = connected, target, goes_after
        self._state = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        self._connections = connections
        self._changed = threading.Condition()
        self._passed: dict[int, socket.socket] = {}
        self._ended = set[int]()
        self._requests = 0

    def run(self) -> None:
        if self._socket.recv(3, socket.MSG_PEEK) != b"PRI":
            passed = socket.create_connection(self._target)
            threading.Thread(target=_pass_on, args=(passed, self._socket), daemon=True).start()
            return _pass_on(self._socket, passed)
        self._connections.append(len(self._connections))
        with self._changed:
            self._state.initiate_connection()
            self._flush()
        with suppress(OSError, ProtocolError):
            while data := self._socket.recv(1 << 16):
                with self._changed:
                    for event in self._state.receive_data(data):
                        self._happened(event)
                    self._flush()
                    self._changed.notify_all()
        self._socket.close()
        for each in self._passed.values():
            each.close()
        return None

    def _flush(self) -> None:
        self._socket.sendall(self._state.data_to_send())

    def _happened(self, event: Any) -> None:
        if isinstance(event, RequestReceived):
            passed = socket.create_connection(self._target)
            self._passed[event.stream_id] = passed
            headers = dict(event.headers)
            head = [f"{headers[':method']} {headers[':path']} HTTP/1.1", f"Host: {headers[':authority']}"]
            head += [f"{name}: {value}" for name, value in headers.items() if not name.startswith(":")]
            if headers[":method"] == "POST":
                head.append("Transfer-Encoding: chunked")
            passed.sendall("\r\n".join([*head, "", ""]).encode())
            threading.Thread(target=self._answer, args=(event.stream_id, passed), daemon=True).start()
        elif isinstance(event, DataReceived):
            self._state.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            if not event.data:
                return
            with suppress(OSError):
                self._passed[event.stream_id].sendall(b"%x\r\n%s\r\n" % (len(event.data), event.data))
        elif isinstance(event, StreamEnded):
            self._ended.add(event.stream_id)
            with suppress(OSError):
                self._passed[event.stream_id].sendall(b"0\r\n\r\n")
        elif isinstance(event, StreamReset):
            self._passed[event.stream_id].close()
        elif not isinstance(event, ConnectionTerminated | SettingsAcknowledged | WindowUpdated):
            return

    def _answer(self, stream: int, passed: socket.socket) -> None:
        answer = HTTPResponse(passed)
        try:
            answer.begin()
            with self._changed:
                self._state.send_headers(stream, [(":status", str(answer.status))])
                self._flush()
            while data := answer.read1(1 << 14):
                with self._changed:
                    self._changed.wait_for(lambda: self._state.local_flow_control_window(stream) >= len(data))
                    self._state.send_data(stream, data)
                    self._flush()
            with self._changed:
                self._state.end_stream(stream)
                if stream not in self._ended:
                    # A server may say that it needs no more of the request (RFC 9113, 8.1), as `s2 lite` does.
                    self._state.reset_stream(stream, ErrorCodes.NO_ERROR)
                self._requests += 1
                if self._requests == self._goes_after:
                    self._state.close_connection()
                self._flush()
        except (OSError, HTTPException, ProtocolError):
            with suppress(OSError, ProtocolError), self._changed:
                self._state.reset_stream(stream)
                self._flush()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@contextmanager
def in_front_of(endpoint: str, goes_after: int | None = None) -> Iterator[tuple[str, list[int]]]:
    """Run a server in front of another one during the block; yield its address, and a list with its connections of
    HTTP/2 so far."""
    parts = urlsplit(endpoint)
    connections: list[int] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connected, _ = server.accept()
                    target = (str(parts.hostname), int(parts.port or 0))
                    client = _Client(connected, target, goes_after, connections)
                    threading.Thread(target=client.run, daemon=True).start()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", connections
        server.shutdown(socket.SHUT_RDWR)
    thread.join()
