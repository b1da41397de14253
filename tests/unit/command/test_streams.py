"""``wireloom decode`` of streams of a service."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from wireloom.command import main

from ...s2_server import BASIN, TOKEN, Fault, Server
from ...waiting import SECONDS

ORDERS = f"s2://{BASIN}/orders"
RUN = "from wireloom.command.entry import main; main()"


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == code, result.output
    assert TOKEN not in result.output
    return result


@pytest.mark.slow
def test_where_it_begins_and_ends(s2_server: Server) -> None:
    s2_server.fill("orders", 50)
    for begin, before, expected in (
        ("3", "5", ["3......", "4......"]),
        ("tail-2", "60", ["48......", "49......"]),
        ("2026-09-21T14:13:20.048Z", "50", ["48......", "49......"]),
        ("47", "2026-09-21T14:13:20.048Z", ["47......"]),
    ):
        result = run("decode", ORDERS, "--from", begin, "--before", before, "--bytes", "utf8", "--columns", "body")
        assert [json.loads(line)["body"].ljust(7, ".")[:7] for line in result.stdout.splitlines()] == [
            each[:7] for each in expected
        ]


@pytest.mark.slow
def test_files_and_names(s2_server: Server, tmp_path: Path) -> None:
    s2_server.fill("a b/\u00e9", 50).first = 20
    path = tmp_path / "out.parquet"
    result = run("decode", f"s2://{BASIN}/a%20b/%C3%A9", "-o", str(path), "--report", "-", "--from", "10")
    assert pq.read_table(path)["seq_num"].to_pylist() == list(range(20, 50))
    assert json.loads(result.stdout) == {
        "rows": 30,
        "next_seq_num": 50,
        "tail": {"seq_num": 50, "timestamp": 1790000000049},
        "gaps": [{"expected": 10, "found": 20}],
        "reconnections": 0,
    }
    assert "wireloom: warning: s2://wireloom-tests/a b/\u00e9: records 10 to 19 no longer exist" in result.stderr
    assert (
        "records 10 to 19"
        in run("decode", f"s2://{BASIN}/a b/\u00e9", "--from", "10", "--mode", "failfast", code=2).stderr
    )
    # Without a beginning, the existing records are returned.
    assert run("decode", f"s2://{BASIN}/a b/\u00e9").stderr == ""


@pytest.mark.slow
def test_reconnections_are_warnings(s2_server: Server) -> None:
    s2_server.fill("orders", 50)
    s2_server.faults.append(Fault(status=503))
    result = run("decode", ORDERS, "--columns", "seq_num")
    assert len(result.stdout.splitlines()) == 50
    assert "wireloom: warning: s2://wireloom-tests/orders: the server answered 503" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([ORDERS, "--from", "yesterday"], "expected a sequence number, a time such as"),
        ([ORDERS, "--before", "tail"], "--before must be a sequence number or a time"),
        ([ORDERS, "--recover"], "recover does not apply to a stream"),
        ([ORDERS, "file"], "leave these out"),
        ([f"s2://{BASIN}"], "not of the form s2://BASIN/STREAM"),
        (["tfrecord"], "Missing argument 'INPUT...'"),
        (["tfrecord", "file", "--follow"], "apply only to streams"),
    ],
)
def test_what_is_refused(s2_server: Server, arguments: list[str], message: str) -> None:
    assert message in run("decode", *arguments, code=2).stderr


@pytest.mark.slow
def test_following_passes_records_on_as_they_come_until_it_is_interrupted(s2_server: Server) -> None:
    s2_server.fill("orders", 3)
    command = [sys.executable, "-c", RUN, "decode", ORDERS, "--follow", "--columns", "seq_num", "--to", "csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert [process.stdout.readline() for _ in range(4)] == [b'"seq_num"\n', b"0\n", b"1\n", b"2\n"]
        s2_server.fill("orders", 1)
        assert process.stdout.readline() == b"3\n"
        process.send_signal(signal.SIGINT)
        assert (process.stdout.read(), process.stderr.read(), process.wait()) == (b"", b"", 0)


@pytest.mark.slow
def test_following_is_interrupted_twice_while_the_reader_of_its_output_has_stalled(s2_server: Server) -> None:
    s2_server.fill("orders", 20_000)
    command = [sys.executable, "-c", RUN, "decode", ORDERS, "--follow"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        # The pipe holds less than what is written.
        assert process.stdout.read(1)
        # Two that come at the same time are one.
        for _ in range(10 * SECONDS):
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.1)
                break
        assert process.poll() == 130
        assert b"Traceback" not in process.stderr.read()
