"""Sessions over both versions of HTTP: the same records, whatever happens."""

from __future__ import annotations

import random
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import wireloom
import wireloom.s2 as s2
from wireloom.s2 import duplex

from ... import tls
from ...s2_server import BASIN, Fault, Server
from .test_appending import FAULTS, bodies, records


@pytest.fixture(autouse=True)
def no_connections() -> Iterator[None]:
    """Forget connections and what servers speak."""
    yield
    for kept in duplex._idle.values():
        for each in kept:
            each.close()
    duplex._idle.clear()
    duplex._spoken.clear()


@pytest.fixture
def front(s2_server: Server, request: pytest.FixtureRequest) -> Iterator[tuple[str, list[int]]]:
    """Run a server of HTTP/2 in front of the stand-in."""
    pytest.importorskip("h2")
    from ...s2_http2 import in_front_of

    with in_front_of(s2_server.endpoint, getattr(request, "param", None)) as found:
        yield found


def test_http2(s2_server: Server, front: tuple[str, list[int]]) -> None:
    endpoint, connections = front
    s2_server.fill("out", 0)
    wanted = records(6000, size=300)
    appender = s2.Appender(BASIN, "out", endpoint=endpoint, next_seq_num=0, window=400_000)
    appender.append(wanted[:5000])
    appender.append(wanted[5000:])
    assert bodies(s2_server) == [each.body for each in wanted]
    assert duplex._spoken == {endpoint: "h2"}
    assert len(connections) == 1
    with pytest.raises(s2.S2Error, match="stream_not_found"):
        s2.Appender(BASIN, "none", 0, endpoint=endpoint).append(records(5000, 500))


@pytest.mark.parametrize("front", [1], indirect=True)
def test_a_connection_that_the_server_ends(s2_server: Server, front: tuple[str, list[int]]) -> None:
    endpoint, connections = front
    s2_server.fill("out", 0)
    appender = s2.Appender(BASIN, "out", 0, endpoint=endpoint)
    for each in records(3):
        appender.append([each])
    assert bodies(s2_server) == [b"0", b"1", b"2"]
    assert len(connections) == 3


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_faults_over_http2(
    s2_server: Server, front: tuple[str, list[int]], monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr("wireloom.base.retries.FIRST_PAUSE", 0.001)
    s2_server.fill("out", 0)
    s2_server.append_faults.extend(random.Random(seed).choices(FAULTS, k=20))
    for writer in (None, "w"):
        s2.Appender(BASIN, "out", writer=writer, window=200_000).append(records(5000, size=60))
    found = [each.body for each in s2_server.streams["out"].records if s2.operation_of(each) is None]
    assert found == 2 * [each.body for each in records(5000, size=60)]


def test_http1_where_the_server_speaks_nothing_else(s2_server: Server) -> None:
    s2_server.fill("out", 0)
    appender = s2.Appender(BASIN, "out")
    for each in records(3):
        appender.append([each])
    assert bodies(s2_server) == [b"0", b"1", b"2"]
    assert set(duplex._spoken.values()) <= {"http/1.1"}


@pytest.mark.parametrize("answer", [b"", b"\x00" * 50, b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", b"SSH-2.0\r\n"])
def test_a_server_of_something_else(s2_server: Server, answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connected, _ = server.accept()
                    connected.sendall(answer)
                    connected.recv(1)
                    connected.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        endpoint = f"http://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(wireloom.WireloomError, match=rf"appending to s2://{BASIN}/out: {endpoint}: "):
            s2.Appender(BASIN, "out", 0, endpoint=endpoint, patience=0.2).append(records(1))
        server.shutdown(socket.SHUT_RDWR)
    thread.join()


def test_a_server_that_is_silent(s2_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wireloom.s2.appending.ANSWER_SECONDS", 0.2)
    s2_server.fill("out", 0)
    s2_server.append_faults.extend([Fault(silent=True)] * 3)
    with pytest.raises(wireloom.base.errors.TemporaryError, match="nothing was received for 0 seconds"):
        s2.Appender(BASIN, "out", patience=0).append(records(1))


@pytest.mark.slow
@pytest.mark.parametrize("versions", [["h2", "http/1.1"], ["http/1.1"]])
def test_tls(
    s2_server: Server,
    front: tuple[str, list[int]],
    versions: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    made = tls.certificate(tmp_path)
    s2_server.fill("out", 0)
    wanted = records(20_000, size=400)
    with tls.in_front_of(front[0], made, versions) as endpoint:
        with pytest.raises(wireloom.TemporaryError, match="certificate verify failed"):
            s2.Appender(BASIN, "out", 0, endpoint=endpoint, patience=0).append(wanted)
        monkeypatch.setenv("SSL_CERT_FILE", str(made))
        appender = s2.Appender(BASIN, "out", 0, endpoint=endpoint, compression="none")
        appender.append(wanted[:10_000])
        appender.append(wanted[10_000:])
    assert bodies(s2_server) == [each.body for each in wanted]
    assert len(front[1]) == (1 if "h2" in versions else 0)
