"""The command as a process: signals, closed pipes, a terminal, exit codes, what is left behind."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest
from wireloom.writing import write

from ...waiting import SECONDS

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-c", "from wireloom.command import main; main()"]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "a.log"
    write("cobs_log", pa.table({"payload": [b"x" * 100] * 20_000}), path)
    return path


def start(*arguments: str, **options: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*COMMAND, *arguments], **options)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["interrupt", "terminate"]
)
def test_a_signal_leaves_nothing(number: signal.Signals, code: int, log: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.ndjson"
    # Standard input stays open, so that the command cannot end before the signal.
    process = start("decode", "cobs_log", "-", "-o", str(out), stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(log.read_bytes())
    process.stdin.flush()
    deadline = time.monotonic() + SECONDS
    while not os.listdir(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert [each for each in os.listdir(tmp_path) if each.endswith(".tmp")]
    process.send_signal(number)
    _, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == code
    assert os.listdir(tmp_path) == []
    assert b"Traceback" not in errors


@pytest.mark.parametrize(("to", "number", "code"), [("parquet", signal.SIGINT, 130), ("arrow", signal.SIGTERM, 143)])
def test_a_signal_while_the_reader_of_the_output_has_stalled(
    to: str, number: signal.Signals, code: int, tmp_path: Path
) -> None:
    log = tmp_path / "a.log"
    write("cobs_log", pa.table({"payload": [os.urandom(1000)] * 200 + [os.urandom(1_000_000)]}), log)
    process = start("decode", "cobs_log", str(log), "--to", to, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    # The pipe holds less than what is written.
    assert process.stdout.read(1)
    process.send_signal(number)
    assert process.wait(timeout=SECONDS) == code
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()


def test_an_interrupted_encode_leaves_what_was_there(tmp_path: Path) -> None:
    out = tmp_path / "a.log"
    out.write_bytes(b"before")
    process = start("encode", "cobs_log", "-", "-o", str(out), stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    # More than a block, so that writing has begun; standard input stays open.
    process.stdin.write(b'{"payload": "%s"}\n' % (b"00ff" * 100) * 15_000)
    process.stdin.flush()
    deadline = time.monotonic() + SECONDS
    while len(os.listdir(tmp_path)) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(os.listdir(tmp_path)) == 2
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert os.listdir(tmp_path) == ["a.log"]
    assert out.read_bytes() == b"before"
    assert errors.strip() == b"wireloom: interrupted"


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_closed_pipe_is_quiet(log: Path, unbuffered: str) -> None:
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    # What is buffered is written at the end, whichever command it is.
    for arguments in (("decode", "cobs_log"), *([] if unbuffered else [("extract", "cobs_log")])):
        process = start(*arguments, str(log), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        assert process.stdout is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait() == 141


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["verify", "cobs_log", "{log}"], 0),
        (["verify", "cobs_log", "{log}.cut"], 1),
        (["verify", "cobs_log", "{log}.missing"], 2),
        (["nonsense"], 2),
    ],
)
def test_exit_codes(arguments: list[str], code: int, log: Path) -> None:
    log.with_name(f"{log.name}.cut").write_bytes(log.read_bytes() + b"\x05cut")
    process = start(*(each.format(log=log) for each in arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    _, errors = process.communicate()
    assert process.returncode == code
    assert errors.startswith(b"wireloom: error: ") is (code == 2)


def said(terminal: int) -> bytes:
    """Return what a process writes to a terminal until it ends."""
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(terminal)
    return shown


def test_decode_ends_with_what_it_has_written(log: Path, tmp_path: Path) -> None:
    """After notes and warnings."""
    damaged, output = tmp_path / "damaged.log", tmp_path / "out.parquet"
    damaged.write_bytes(log.read_bytes() + b"\x05bad\0")
    ours, theirs = pty.openpty()
    process = start("decode", "cobs_log", str(damaged), "-o", str(output), stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    *_, warning, last = said(ours).decode().splitlines()
    assert process.wait() == 0
    assert "1 damaged range" in warning
    assert last == f"wireloom: {output}: 20,000 rows, {output.stat().st_size:,} bytes"


def test_a_bar_on_a_terminal_only(log: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    process = start("verify", "cobs_log", str(log), stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown = said(ours)
    output, _ = process.communicate()
    assert b"verify cobs_log" in shown
    assert b"rows" in shown
    assert re.search(rb"\d+(?:\.\d+)?/\d+(?:\.\d+)? [kM]?B", shown), "how much of how much"
    assert output.startswith(f"{log}: clean; 20,000 rows".encode())
    assert b"\x1b" not in output


def test_binary_output_is_not_for_a_terminal(log: Path) -> None:
    ours, theirs = pty.openpty()
    process = start("decode", "cobs_log", str(log), "--to", "parquet", stdout=theirs, stderr=subprocess.PIPE)
    _, errors = process.communicate()
    os.close(theirs)
    os.close(ours)
    assert process.returncode == 2
    assert b"parquet cannot be printed on a terminal: add -o FILE" in errors


def test_verify_reads_what_is_there_beside_what_is_not(log: Path) -> None:
    process = start("verify", "cobs_log", str(log), f"{log}.missing", "--json", stdout=subprocess.PIPE)
    output, _ = process.communicate()
    assert process.returncode == 2
    there, missing = json.loads(output)["files"]
    assert (there["rows"], there["tail"]) == (20_000, "clean")
    assert missing["path"] == f"{log}.missing"
    assert "no such file" in missing["error"]


def test_encode_knows_how_much_there_is(log: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.ndjson"
    rows.write_bytes(b'{"payload": "00ff"}\n' * 20_000)
    ours, theirs = pty.openpty()
    process = start("encode", "cobs_log", str(rows), "-o", str(tmp_path / "b.log"), stderr=theirs)
    os.close(theirs)
    shown = said(ours)
    assert process.wait() == 0
    assert b"400.0/400.0 kB" in shown
