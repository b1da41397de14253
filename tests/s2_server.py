"""An S2 server for tests, on this machine only: it speaks S2's protocol, keeps streams in memory and fails on
request."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import accumulate
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import wireloom.s2 as s2

BASIN = "wireloom-tests"
TOKEN = "a-token-that-must-not-show"
FOLLOW_STEP = 0.02
HEARTBEAT = 0.15
UNARY_WAIT = 0.3


@dataclass
class Fault:
    """A failure of the next session or append. ``status``: that of its refusal, with ``code``. ``cut_after``: the
    connection breaks after so many bytes of frames. ``drain_after``: a terminal message follows so many frames.
    ``advise_after``: frames from this one on advise to reconnect. ``silent``: nothing is sent, not even a heartbeat.
    ``idle``: the session is broken off after so many seconds without a batch. ``page``: the answer is a page of HTML.
    ``lose_ack``: the batch is appended, and the connection breaks before that is said. ``late``: the connection breaks,
    and the batch is appended so many seconds later, if its conditions hold then."""

    status: int = 0
    code: str = "unavailable"
    cut_after: int | None = None
    drain_after: int | None = None
    advise_after: int | None = None
    silent: bool = False
    lose_ack: bool = False
    idle: float | None = None
    page: bool = False
    late: float | None = None


@dataclass
class Stream:
    """A stream. ``first``: records before it have been removed. ``requires_timestamps``: records must have some."""

    records: list[s2.SequencedRecord] = field(default_factory=list)
    first: int = 0
    token: str = ""
    requires_timestamps: bool = False

    @property
    def tail(self) -> s2.StreamPosition:
        """Return the position of its end."""
        last = self.records[-1] if self.records else None
        return s2.StreamPosition(seq_num=len(self.records), timestamp=last.timestamp if last else 0)

    def append(self, records: list[s2.AppendRecord]) -> None:
        """Append records, including commands."""
        for each in records:
            stamp = max(self.tail.timestamp, each.timestamp if each.timestamp is not None else int(time.time() * 1000))
            command = s2.command_of(each)
            number = len(self.records)
            self.records.append(
                s2.SequencedRecord(seq_num=number, timestamp=stamp, headers=each.headers, body=each.body)
            )
            if isinstance(command, s2.Fence):
                self.token = command.token
            elif isinstance(command, s2.Trim):
                self.first = max(self.first, min(command.seq_num, number))


class Server:
    """A running server. ``requests``: method and target of each request so far; ``faults``, ``append_faults``: the
    faults of the next reads of records, and of the next appended batches, in order; ``appends``: the frames of append
    sessions so far; ``batch``: number of records of a frame that is read."""

    def __init__(self) -> None:
        self.streams: dict[str, Stream] = {}
        self.faults: deque[Fault] = deque()
        self.append_faults: deque[Fault] = deque()
        self.requests: list[tuple[str, str]] = []
        self.appends: list[s2.Frame] = []
        self.connections = 0
        self.batch = 1000
        self.basin = BASIN
        self.lock = threading.RLock()
        self.closing = False
        self.endpoint = ""

    def fill(self, name: str, count: int, *, size: int = 8, timestamp: int = 1_790_000_000_000) -> Stream:
        """Append that many records to a stream: their bodies begin with their numbers."""
        with self.lock:
            stream = self.streams.setdefault(name, Stream())
            begin = len(stream.records)
            stream.append(
                [
                    s2.AppendRecord(timestamp=timestamp + number, body=(b"%d" % number).ljust(size, b"."))
                    for number in range(begin, begin + count)
                ]
            )
            return stream

    def reset(self) -> None:
        """Forget everything."""
        with self.lock:
            self.streams, self.requests, self.appends, self.batch = {}, [], [], 1000
            self.faults.clear()
            self.append_faults = deque()
            self.connections = 0
            self.basin = BASIN

    def sessions(self) -> list[str]:
        """Return the targets of the read sessions so far."""
        return [target for method, target in self.requests if method == "GET" and "/records?" in target]


class _CutError(Exception):
    """The connection must break."""


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: _Http

    def setup(self) -> None:
        super().setup()
        self.server.state.connections += 1

    def log_message(self, format: str, *arguments: Any) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        self._guarded(self._get)

    def do_POST(self) -> None:
        self._guarded(self._append)

    def _guarded(self, work: Any) -> None:
        state = self.server.state
        state.requests.append((self.command, self.path))
        is_session = self.headers.get("Transfer-Encoding") == "chunked"
        body = b"" if is_session else self.rfile.read(int(self.headers.get("Content-Length") or 0))
        # What is left of a session's body is not read.
        self.close_connection = is_session or self.close_connection
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self._error(403, "permission_denied", "wrong token")
        if self.headers.get("S2-Basin") != self.server.state.basin:
            return self._error(404, "basin_not_found", "no such basin")
        try:
            work(state, body)
        except (_CutError, BrokenPipeError, ConnectionResetError, TimeoutError):
            self.close_connection = True
            self.connection.close()

    def _get(self, state: Server, _body: bytes) -> None:
        parts = urlsplit(self.path)
        query = dict(parse_qsl(parts.query))
        if parts.path == "/v1/streams":
            names = sorted(each for each in state.streams if each.startswith(query.get("prefix", "")))
            names = [each for each in names if each > query.get("start_after", "")]
            page = [{"name": each, "created_at": "2026-01-01T00:00:00Z", "deleted_at": None} for each in names[:2]]
            return self._answer(200, json.dumps({"streams": page, "has_more": len(names) > 2}).encode())
        stream = self._stream(state, parts.path)
        if stream is None:
            return self._error(404, "stream_not_found", "no such stream")
        if parts.path.endswith("/tail"):
            with state.lock:
                tail = stream.tail
            return self._answer(200, s2.tail_to_json(tail).encode())
        return self._read(state, stream, query)

    def _stream(self, state: Server, path: str) -> Stream | None:
        return state.streams.get(unquote(path.split("/")[3]))

    # Reading ----------------------------------------------------------------------------------------------------------

    def _read(self, state: Server, stream: Stream, query: dict[str, str]) -> None:
        fault = state.faults.popleft() if state.faults else Fault()
        if fault.page:
            return self._answer(200, b"<html>Log in</html>", "text/html; charset=utf-8")
        if fault.status:
            return self._error(fault.status, fault.code, "as it was told")
        with state.lock:
            tail = stream.tail
            begin = self._begin(stream, query)
        bounded = any(name in query for name in ("count", "bytes", "until"))
        events = self.headers.get("Accept") == "text/event-stream"
        unary = self.headers.get("Content-Type") != "s2s/proto" and not events
        beyond = begin is None or begin > tail.seq_num
        if beyond and "clamp" in query:
            begin, beyond = tail.seq_num, False
        assert begin is not None or beyond
        waits = unary and int(query.get("wait", 0))
        if waits and begin == tail.seq_num:
            until_then = time.monotonic() + min(waits, UNARY_WAIT)
            while len(stream.records) == begin and time.monotonic() < until_then:
                time.sleep(FOLLOW_STEP)
        if beyond or (begin == tail.seq_num and (bounded or unary) and not waits):
            return self._answer(416, s2.tail_to_json(tail).encode())
        assert begin is not None
        until = int(query.get("until", 1 << 64))
        left = int(query["count"]) if "count" in query else None
        room = int(query.get("bytes", 1 << 64))
        if unary:
            found = self._from(stream, begin, min(left or 1000, state.batch))
            found = [each for each in found if each.timestamp < until]
            batch = s2.ReadBatch(records=found)
            if self.headers.get("Accept") == "application/json":
                body = s2.read_batch_to_json(batch, self.headers.get("S2-Format", "raw")).encode()
                return self._answer(200, body)
            return self._answer(200, batch.to_bytes(), "application/protobuf")
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if events else "s2s/proto")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        kind = _Events if events else _Frames
        how = self.headers.get("S2-Format", "raw") if events else self.headers.get("Accept-Encoding", "none")
        out = kind(self.wfile, self.connection, fault, how)
        deadline = time.monotonic() + int(query["wait"]) if "wait" in query else None
        following, heard, beaten = begin, time.monotonic(), False
        while not state.closing:
            with state.lock:
                found = self._from(stream, following, min(state.batch, left if left is not None else 1000))
                tail = stream.tail
            if found:
                sizes = accumulate(s2.metered_size(each) for each in found)
                allowed = [
                    each for each, size in zip(found, sizes, strict=True) if each.timestamp < until and size <= room
                ]
                if allowed:
                    out.send(s2.ReadBatch(records=allowed, tail=tail if beaten else None))
                    following, heard = allowed[-1].seq_num + 1, time.monotonic()
                    left = left - len(allowed) if left is not None else None
                    room -= sum(s2.metered_size(each) for each in allowed)
                if len(allowed) < len(found) or left == 0:
                    break
                continue
            following = max(following, tail.seq_num)
            if bounded:
                break
            if not beaten or time.monotonic() - heard > HEARTBEAT:
                out.send(s2.ReadBatch(tail=tail))
                heard, beaten = time.monotonic(), True
            if deadline is not None and time.monotonic() > deadline:
                break
            time.sleep(FOLLOW_STEP)
        out.done()
        self.wfile.write(b"0\r\n\r\n")
        return None

    def _begin(self, stream: Stream, query: dict[str, str]) -> int | None:
        if "seq_num" in query:
            return int(query["seq_num"])
        if "tail_offset" in query:
            return max(0, len(stream.records) - int(query["tail_offset"]))
        stamp = int(query["timestamp"])
        return next((each.seq_num for each in stream.records[stream.first :] if each.timestamp >= stamp), None)

    @staticmethod
    def _from(stream: Stream, begin: int, count: int) -> list[s2.SequencedRecord]:
        begin = max(begin, stream.first)
        return stream.records[begin : begin + count]

    # Appending --------------------------------------------------------------------------------------------------------

    def _append(self, state: Server, body: bytes) -> None:
        stream = self._stream(state, urlsplit(self.path).path)
        if stream is None:
            return self._error(404, "stream_not_found", "no such stream")
        if self.headers.get("Content-Type") == "s2s/proto":
            return self._append_session(state, stream)
        fault = state.append_faults.popleft() if state.append_faults else Fault()
        if fault.status:
            return self._error(fault.status, fault.code, "as it was told")
        answer = self._appended(state, stream, s2.AppendInput.from_bytes(body), fault)
        if isinstance(answer, s2.ServerError):
            return self._answer(answer.status, s2.error_to_json(answer).encode())
        return self._answer(200, answer.to_bytes(), "application/protobuf")

    def _appended(
        self, state: Server, stream: Stream, batch: s2.AppendInput, fault: Fault
    ) -> s2.AppendAck | s2.ServerError:
        if fault.late is not None:
            again = threading.Timer(fault.late, self._appended, (state, stream, batch, Fault()))
            again.daemon = True
            again.start()
            raise _CutError
        try:
            s2.check_append(batch)
        except s2.ValidationError as error:
            return s2.ServerError(422, "invalid", str(error))
        if stream.requires_timestamps and any(each.timestamp is None for each in batch.records):
            return s2.ServerError(422, "invalid", "record timestamp was required but was missing")
        with state.lock:
            begin = stream.tail
            if batch.fencing_token is not None and batch.fencing_token != stream.token:
                return s2.ServerError(412, expected_fencing_token=stream.token)
            if batch.match_seq_num is not None and batch.match_seq_num != begin.seq_num:
                return s2.ServerError(412, expected_seq_num=begin.seq_num)
            stream.append(batch.records)
            end = stream.tail
        if fault.lose_ack:
            raise _CutError
        return s2.AppendAck(start=begin, end=end, tail=end)

    def _append_session(self, state: Server, stream: Stream) -> None:
        decoder, out = s2.FrameDecoder(), None
        for chunk in self._chunks():
            self.connection.settimeout(None)
            for frame in decoder.feed(chunk):
                state.appends.append(frame)
                fault = state.append_faults.popleft() if state.append_faults else Fault()
                if fault.page and out is None:
                    return self._answer(200, b"<html>Log in</html>", "text/html; charset=utf-8")
                if fault.status and out is None:
                    return self._error(fault.status, fault.code, "as it was told")
                out = out or self._begin_session(fault)
                answer: Any = s2.ServerError(fault.status, fault.code, "as it was told")
                if not fault.status:
                    answer = self._appended(state, stream, s2.AppendInput.from_bytes(frame.content()), fault)
                if isinstance(answer, s2.ServerError):
                    out.end(answer)
                    return self.wfile.flush()
                out.send(answer, advised=fault.advise_after is not None)
                self.connection.settimeout(fault.idle)
        decoder.finish()
        if out is None:
            self._begin_session(Fault())
        self.wfile.write(b"0\r\n\r\n")
        self.close_connection = False
        return None

    def _begin_session(self, fault: Fault) -> _Frames:
        self.send_response(200)
        self.send_header("Content-Type", "s2s/proto")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        return _Frames(self.wfile, self.connection, fault, "none")

    def _chunks(self) -> Iterator[bytes]:
        """Yield the chunks of the request's body. An end without the last one is a broken connection."""
        while size := int(self.rfile.readline() or b"-1", 16):
            if size < 0:
                raise _CutError
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    # Answers ----------------------------------------------------------------------------------------------------------

    def _error(self, status: int, code: str, message: str) -> None:
        self._answer(status, json.dumps({"code": code, "message": message}).encode())

    def _answer(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Frames:
    """Frames of a session, with its faults."""

    def __init__(self, file: Any, connection: socket.socket, fault: Fault, compression: str) -> None:
        self._file, self._connection, self._fault, self._compression = file, connection, fault, compression
        self._sent = self._bytes = 0

    def send(self, batch: Any, *, advised: bool = False) -> None:
        fault = self._fault
        if fault.silent:
            # Until the client closes the connection.
            while self._connection.recv(1024):
                pass
            raise _CutError
        if fault.drain_after is not None and self._sent >= fault.drain_after:
            self.end(s2.ServerError(503, "server_draining", "going"))
            raise _CutError
        advised = advised or (fault.advise_after is not None and self._sent >= fault.advise_after)
        data = self._encoded(batch, advised)
        if fault.cut_after is not None and self._bytes + len(data) > fault.cut_after:
            self._chunk(data[: fault.cut_after - self._bytes])
            raise _CutError
        self._chunk(data)
        self._sent += 1
        self._bytes += len(data)

    def _encoded(self, batch: Any, advised: bool) -> bytes:
        return s2.encode_frame(batch.to_bytes(), self._compression, reconnect_advised=advised)

    def _terminal(self, error: s2.ServerError) -> bytes:
        return s2.encode_terminal(error.terminal())

    def done(self) -> None:
        """End the session regularly."""

    def end(self, error: s2.ServerError) -> None:
        """Send a terminal message."""
        self._chunk(self._terminal(error))
        self._file.write(b"0\r\n\r\n")

    def _chunk(self, data: bytes) -> None:
        if data:
            self._file.write(b"%x\r\n%s\r\n" % (len(data), data))
            self._file.flush()


class _Events(_Frames):
    """Server-sent events of a session, with its faults."""

    def _encoded(self, batch: s2.ReadBatch, advised: bool) -> bytes:
        event: Any = s2.PingEvent(int(time.time() * 1000), batch.tail)
        if batch.records:
            event = s2.BatchEvent(batch, s2.LastEventId(batch.records[-1].seq_num, 0, 0))
        return s2.event_to_text(event, self._compression).encode()

    def _terminal(self, error: s2.ServerError) -> bytes:
        return s2.event_to_text(s2.ErrorEvent(error)).encode()

    def done(self) -> None:
        self._chunk(s2.event_to_text(s2.DoneEvent()).encode())


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Do nothing: clients may leave sessions at any time."""

    def __init__(self, state: Server, port: int) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.state = state


@contextmanager
def running(port: int = 0, streams: dict[str, Stream] | None = None) -> Iterator[Server]:
    """Run a server, with its token in the environment, during the block."""
    before = os.environ.get("S2_ACCESS_TOKEN")
    os.environ["S2_ACCESS_TOKEN"] = TOKEN
    state = Server()
    state.streams = streams or {}
    http = _Http(state, port)
    state.endpoint = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.closing = True
        http.shutdown()
        http.server_close()
        thread.join()
        if before is None:
            os.environ.pop("S2_ACCESS_TOKEN", None)
        else:
            os.environ["S2_ACCESS_TOKEN"] = before
