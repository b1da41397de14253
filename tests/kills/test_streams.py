"""A few kills of programs that append to a stream of S2; ``make kills`` makes more, and kills queries of Spark."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ..ports import free_ports
from ..s2_server import Server
from .streams import STREAM, judged, run_appenders, run_servers

KILLS, TOTAL = 4, 6_000
WRITERS = 2


def test_each_record_is_there_once(s2_server: Server, tmp_path: Path) -> None:
    s2_server.fill(STREAM, 0)
    assert run_appenders(s2_server.endpoint, tmp_path, KILLS, TOTAL, random.Random(1))
    assert judged(s2_server.endpoint, TOTAL) == ""


def test_writers_that_share_a_stream(s2_server: Server, tmp_path: Path) -> None:
    s2_server.fill(STREAM, 0)
    assert run_appenders(s2_server.endpoint, tmp_path, KILLS, TOTAL // WRITERS, random.Random(1), WRITERS)
    assert judged(s2_server.endpoint, TOTAL // WRITERS, WRITERS) == ""


@pytest.mark.parametrize("writers", [0, WRITERS])
@pytest.mark.usefixtures("s2_server")
def test_a_server_that_is_killed(tmp_path: Path, writers: int) -> None:
    endpoint = f"http://127.0.0.1:{free_ports(1)[0]}"
    assert run_servers(endpoint, tmp_path, KILLS // 2, TOTAL, random.Random(1), writers, lite=False) == KILLS // 2
