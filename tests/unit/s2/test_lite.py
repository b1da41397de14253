"""S2's own server, `s2 lite` of the crate s2-cli, if it is installed: it behaves like the stand-in."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
import wireloom.s2 as s2

from ...ports import free_ports
from ...waiting import SECONDS

BASIN = "wireloom-tests"
PROGRAM = shutil.which("s2")

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="s2 is not installed: cargo install s2-cli")


@pytest.fixture(scope="module")
def lite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a server on this machine; yield its address."""
    resources = tmp_path_factory.mktemp("lite") / "resources.json"
    resources.write_text(json.dumps({"basins": [{"name": BASIN, "config": {"create_stream_on_append": True}}]}))
    [port] = free_ports(1)
    command = [str(PROGRAM), "lite", "--port", str(port), "--no-dashboard", "--init-file", str(resources)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
        process.terminate()


def records(count: int, begin: int = 0) -> list[s2.AppendRecord]:
    header = s2.Header(name=b"n", value=b"\xff")
    return [s2.AppendRecord(body=b"%d" % number, headers=[header]) for number in range(begin, begin + count)]


def test_what_was_appended_is_read(lite: str, tmp_path: Path) -> None:
    assert s2.Appender(BASIN, "a/1", endpoint=lite).append(records(2500)) == 2500
    s2.Appender(BASIN, "a/1", 0, endpoint=lite).append(records(2600))
    table = s2.read(BASIN, "a/1", endpoint=lite)
    assert table["seq_num"].to_pylist() == list(range(2600))
    assert table["body"].to_pylist() == [b"%d" % number for number in range(2600)]
    assert table["headers"][7].as_py() == [{"name": b"n", "value": b"\xff"}]
    assert s2.tail_of(BASIN, "a/1", endpoint=lite).seq_num == 2600
    s2.Appender(BASIN, "a/2", endpoint=lite).append(records(1))
    s2.Appender(BASIN, "b", endpoint=lite).append(records(1))
    assert s2.streams_of(BASIN, "a/", endpoint=lite) == ["a/1", "a/2"]
    stamp = table["timestamp"][0].as_py()
    assert s2.read(BASIN, "a/1", timestamp=stamp, end=3, endpoint=lite).num_rows == 3
    assert s2.read(BASIN, "a/1", timestamp=stamp + 10**9, endpoint=lite).num_rows == 0
    with s2.tail(BASIN, "a/1", tail_offset=2, wait=0, endpoint=lite) as reading:
        assert pa.Table.from_batches(list(reading))["body"].to_pylist() == [b"2598", b"2599"]


def test_commands_and_conditions(lite: str) -> None:
    appender = s2.Appender(BASIN, "c", endpoint=lite)
    appender.append([*records(10), s2.command_record(s2.Fence("mine"))])
    with pytest.raises(s2.S2Error, match="the fencing token does not match"):
        s2.Appender(BASIN, "c", endpoint=lite, fencing_token="theirs").append(records(1))
    with pytest.raises(s2.S2Error, match="the next record gets the number 11"):
        s2.Appender(BASIN, "c", 20, endpoint=lite).append(records(1))
    s2.Appender(BASIN, "c", endpoint=lite, fencing_token="mine").append([s2.command_record(s2.Trim(4))])
    # Trimming happens some time later.
    until = time.monotonic() + SECONDS
    while time.monotonic() < until and s2.read(BASIN, "c", endpoint=lite).num_rows == 12:
        time.sleep(0.1)
    table = s2.read(BASIN, "c", endpoint=lite, columns=["seq_num", "command"])
    assert table["seq_num"].to_pylist() == list(range(4, 12))
    assert table["command"].to_pylist()[-2:] == ["fence", "trim"]
    with pytest.raises(s2.LostRecordsError, match="records 1 to 3"):
        s2.read(BASIN, "c", 1, endpoint=lite)
    with s2.scan(BASIN, "c", 1, end=3, lost="report", endpoint=lite) as reading:
        assert (list(reading), reading.gaps) == ([], [s2.Gap(1, 3)])


@pytest.mark.parametrize("compression", ["none", "zstd", "gzip"])
def test_sessions(lite: str, compression: str) -> None:
    for name in ("w1", "w2", "w1"):
        appender = s2.Appender(BASIN, f"s/{compression}", 0, writer=name, compression=compression, endpoint=lite)
        assert appender.append(records(3500)) == 3500
    s2.Appender(BASIN, f"s/{compression}", match_seq_num=False, compression=compression, endpoint=lite).append(
        records(1)
    )
    rows = s2.read(BASIN, f"s/{compression}", endpoint=lite, columns=["headers", "body", "command"]).to_pylist()
    assert sum(row["command"] == "fence" for row in rows) == 3
    bodies = [row["body"] for row in rows if row["headers"][-1]["value"] == b"w1"]
    assert bodies == [each.body for each in records(3500)]
    assert len(rows) == 2 * 3500 + 3 + 1
