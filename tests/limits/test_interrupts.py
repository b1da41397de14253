"""An interrupt at any time: exit code 130, one line, and nothing left under the final name or beside it.

``WIRELOOM_INTERRUPTS`` is the number of interrupts per command. What Python itself prints if it is interrupted before
it has started is not wireloom's, so the clock begins when wireloom's code does.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import wireloom

from ..unit.reading.samples import cobs_log, payloads
from ..waiting import SECONDS

INTERRUPTS = int(os.environ.get("WIRELOOM_INTERRUPTS", "2"))

# The same as the installed script, but it reports when it is about to run.
PROGRAM = """
import os
from wireloom.command.entry import main
os.write(1, b"begun\\n")
main()
"""
LONGEST = 0.8
"""Seconds until the last interrupts: longer than a command takes on most machines."""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a log, and its rows as lines."""
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "a.log").write_bytes(cobs_log(payloads(60_000)))
    rows = b"".join(b'{"payload": "%s"}\n' % each.hex().encode() for each in payloads(30_000))
    (folder / "rows.ndjson").write_bytes(rows)
    return folder


COMMANDS = {
    "decode to lines": ("decode", "cobs_log", "a.log", "-o", "{out}/rows.ndjson"),
    "decode to Parquet": ("decode", "cobs_log", "a.log", "-o", "{out}/rows.parquet"),
    "encode": ("encode", "cobs_log", "rows.ndjson", "-o", "{out}/b.log.zst", "--codec", "zstd"),
    "verify": ("verify", "cobs_log", "a.log", "--json"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_an_interrupt_at_any_time(name: str, inputs: Path, tmp_path: Path) -> None:
    source = random.Random(name)
    for number in range(INTERRUPTS):
        out = tmp_path / str(number)
        out.mkdir()
        command = [sys.executable, "-c", PROGRAM, *(each.format(out=out) for each in COMMANDS[name])]
        process = subprocess.Popen(command, cwd=inputs, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        time.sleep(source.random() * LONGEST)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=SECONDS)
        left = os.listdir(out)
        if process.returncode == 130:
            assert errors.strip() == b"wireloom: interrupted"
            # A file with its final name was complete before the interrupt.
            assert all(_is_complete(out / each) for each in left)
        else:
            assert process.returncode == 0, errors
            assert len(left) == (name != "verify")


def test_an_interrupt_when_all_is_done(inputs: Path) -> None:
    program = f"""
import atexit, os
def last():
    os.write(1, b"ending\\n")
    os.read(0, 1)
atexit.register(last)
{PROGRAM}"""
    command = [sys.executable, "-c", program, "verify", "cobs_log", "a.log", "--json"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, cwd=inputs, **pipes)
    assert process.stdout is not None
    assert b"ending\n" in iter(process.stdout.readline, b"")
    process.send_signal(signal.SIGINT)
    # Its standard input ends, and so does the process.
    _, errors = process.communicate(timeout=SECONDS)
    assert (process.returncode, errors) == (0, b"")


def _is_complete(path: Path) -> bool:
    if path.suffix == ".tmp":
        return False
    if path.suffix == ".ndjson":
        return path.read_bytes().count(b"\n") == 60_000
    if path.suffix == ".parquet":
        import pyarrow.parquet

        return bool(pyarrow.parquet.read_table(path).num_rows == 60_000)
    return bool(wireloom.read("cobs_log", path).num_rows == 30_000)
