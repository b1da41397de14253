"""``python -m tests.bench.s2_sink``: a server of HTTP/2 that acknowledges the batches of append sessions of S2, counts
their records, and drops them. It prints its port, and ends with its input."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import wireloom.s2 as s2
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, StreamEnded


def records_in(message: bytes) -> int:
    """Return the number of records of an append input, without decoding them."""
    count = at = 0
    while at < len(message) and message[at] == 0x0A:
        size = shift = 0
        more = True
        while more:
            at += 1
            size |= (message[at] & 0x7F) << shift
            shift, more = shift + 7, message[at] > 0x7F
        at += 1 + size
        count += 1
    return count


def _serve(connected: socket.socket) -> None:
    state = H2Connection(H2Configuration(client_side=False))
    state.initiate_connection()
    state.increment_flow_control_window(1 << 24)
    decoders: dict[int, s2.FrameDecoder] = {}
    tail = 0
    connected.sendall(state.data_to_send())
    with suppress(OSError):
        while data := connected.recv(1 << 18):
            for event in state.receive_data(data):
                if isinstance(event, RequestReceived):
                    is_session = dict(event.headers)[b":method"] == b"POST"
                    state.send_headers(event.stream_id, [(":status", "200")])
                    if is_session:
                        decoders[event.stream_id] = s2.FrameDecoder()
                    else:
                        position = s2.tail_to_json(s2.StreamPosition(seq_num=tail, timestamp=0))
                        state.send_data(event.stream_id, position.encode(), end_stream=True)
                elif isinstance(event, DataReceived):
                    state.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                    for frame in decoders[event.stream_id].feed(event.data):
                        start, tail = tail, tail + records_in(frame.content())
                        begin, end = (s2.StreamPosition(seq_num=each, timestamp=1) for each in (start, tail))
                        ack = s2.AppendAck(start=begin, end=end, tail=end)
                        state.send_data(event.stream_id, s2.encode_frame(ack.to_bytes()))
                elif isinstance(event, StreamEnded) and event.stream_id in decoders:
                    state.end_stream(event.stream_id)
            connected.sendall(state.data_to_send())


@contextmanager
def running() -> Iterator[str]:
    """Run the server in a process of its own; yield its address."""
    with subprocess.Popen(
        [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        process.terminate()


def main() -> None:
    """Serve until the input ends."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        print(server.getsockname()[1], flush=True)

        def accept() -> None:
            while True:
                threading.Thread(target=_serve, args=(server.accept()[0],), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        sys.stdin.read()


if __name__ == "__main__":
    main()
