"""Files that are many, change while they are read, never arrive, or have no space to be written."""

from __future__ import annotations

import fcntl
import functools
import gzip
import os
import resource
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
import wireloom
import zstandard
from wireloom import WireloomError

from ..unit.reading.samples import cobs_log, frame, frames, payloads
from ..waiting import SECONDS

COMMAND = [sys.executable, "-c", "from wireloom.command.entry import main; main()"]
LARGEST = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}));"
"""Limits the size of files that the rest of a program writes."""


@functools.cache
def large() -> bytes:
    """Return a segment of 30,000 rows, more than is read ahead."""
    return frames(payloads(30_000, largest=1600))


@pytest.mark.parametrize("name", ["edgemq_segment", "kpl_aggregated_record"])
def test_many_files_of_no_bytes(name: str, tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number:03}").touch()
    before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    table, report = wireloom.read_with_report(name, tmp_path)
    assert len(report.files) == 300
    # In Kinesis an empty record is one that was not aggregated.
    whole = name == "kpl_aggregated_record"
    assert table.num_rows == 300 * whole
    assert report.clean
    assert not before or len(os.listdir("/proc/self/fd")) <= before + 2


@pytest.mark.parametrize("prefetch", [False, True])
@pytest.mark.parametrize("compressed", [False, True])
def test_a_file_that_shrinks_while_it_is_read(prefetch: bool, compressed: bool, tmp_path: Path) -> None:
    content = large()
    path = tmp_path / "shrinking.wal"
    path.write_bytes(zstandard.ZstdCompressor(level=1).compress(content) if compressed else content)
    with wireloom.scan("edgemq_segment", path, batch_rows=100, prefetch=prefetch, columns=["tenant"]) as scanner:
        rows = next(scanner).num_rows
        os.truncate(path, path.stat().st_size // 10)
        numbers = [number for batch in scanner for number in batch["tenant"].to_pylist()]
    [file] = scanner.report.files
    # What had been read ahead is returned too.
    assert numbers == list(range(rows, rows + len(numbers)))
    assert file.tail == "truncated"
    assert file.error


@pytest.mark.parametrize("lost", [1, 2])
@pytest.mark.parametrize("compressed", [False, True])
def test_a_file_that_loses_its_last_byte_while_it_is_read(lost: int, compressed: bool, tmp_path: Path) -> None:
    content = large()
    path = tmp_path / "shrinking.wal"
    # Zeros after the last member are not part of it, but still part of the file.
    path.write_bytes(gzip.compress(content, 1) + bytes(5) if compressed else content)
    size = path.stat().st_size
    with wireloom.scan("edgemq_segment", path, batch_rows=100, prefetch=False, columns=["tenant"]) as scanner:
        rows = next(scanner).num_rows
        os.truncate(path, size - lost)
        rows += sum(batch.num_rows for batch in scanner)
    [file] = scanner.report.files
    assert (rows, file.tail) == (30_000 - (not compressed), "truncated")
    assert file.error == f"the input ended at stored byte {size - lost}, but it had {size} bytes when it was opened"


@pytest.mark.parametrize("prefetch", [False, True])
def test_a_file_that_grows_while_it_is_read(prefetch: bool, tmp_path: Path) -> None:
    path = tmp_path / "growing.wal"
    content = frames(payloads(30_000, largest=600))
    path.write_bytes(content)
    with wireloom.scan("edgemq_segment", path, batch_rows=100, prefetch=prefetch, columns=["tenant"]) as scanner:
        rows = next(scanner).num_rows
        with path.open("ab") as file:
            file.write(frame(b"later", tenant=30_000) * 10)
        rows += sum(batch.num_rows for batch in scanner)
    assert 30_000 <= rows <= 30_010
    [report] = scanner.report.files
    # File systems show a part of what is appended if it extends into another page of memory.
    assert not report.damaged
    assert report.tail == "clean" or (report.tail == "truncated" and report.tail_offset >= len(content))


LOG = cobs_log([b"x" * 1000] * 100)[:-7]
SEGMENT = frames(payloads(5000))


# For compressed input, a thread reads ahead, and it is this thread that waits for the pipe.
@pytest.mark.parametrize(
    ("command", "name", "begun"),
    [
        ("decode", "cobs_log", LOG),
        ("decode", "edgemq_segment", zstandard.ZstdCompressor().compress(SEGMENT)[:-1000]),
        ("verify", "edgemq_segment", gzip.compress(SEGMENT)[:-1000]),
    ],
    ids=["raw", "zstd", "gzip"],  # not the bytes: the name of a test is in the environment of processes that it starts
)
def test_a_pipe_that_stalls_is_left_at_an_interrupt(command: str, name: str, begun: bytes, tmp_path: Path) -> None:
    out = ["-o", str(tmp_path / "out.ndjson")] if command == "decode" else []
    process = subprocess.Popen(
        [*COMMAND, command, name, "-", *out],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(begun)
    process.stdin.flush()
    _wait_until_it_reads(process)
    process.send_signal(signal.SIGINT)
    # Standard input stays open: only the interrupt ends the command.
    process.wait(timeout=SECONDS)
    assert process.stderr is not None
    errors = process.stderr.read()
    process.stdin.close()
    assert process.returncode == 130
    assert errors.strip() == b"wireloom: interrupted"
    assert os.listdir(tmp_path) == []


def _wait_until_it_reads(process: subprocess.Popen[bytes]) -> None:
    """Wait until the process has read everything in the pipe; then, where the system shows it, until it waits for
    more."""
    assert process.stdin is not None
    deadline = time.monotonic() + SECONDS
    while struct.unpack("i", fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4))) != (0,):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline:
        threads = list(Path(f"/proc/{process.pid}/task").glob("*/wchan"))
        if not threads or any("pipe" in each.read_text() for each in threads):
            return
        time.sleep(0.05)


@pytest.mark.parametrize(
    "to", ["ndjson", "parquet", *(pytest.param(each, marks=pytest.mark.thorough) for each in ("csv", "arrow"))]
)
def test_a_full_disk_while_decoding(to: str, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(cobs_log(payloads(8000)))
    (tmp_path / "out").mkdir()
    out = tmp_path / "out" / f"rows.{to}"
    out.write_bytes(b"before")
    program = LARGEST.format(size=100_000) + COMMAND[2]
    command = [sys.executable, "-c", program, "decode", "cobs_log", str(log), "-o", str(out), "--to", to]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    assert done.returncode == 2
    assert done.stderr == f"wireloom: error: {out}: cannot be written: File too large\n"
    assert os.listdir(out.parent) == [out.name]
    assert out.read_bytes() == b"before"


@pytest.mark.parametrize("name", ["a.wal", "a.wal.zst"])
def test_a_full_disk_while_encoding(name: str, tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    events = [{"fmt": 0, "tenant": 1, "ts_millis": 0, "payload": os.urandom(1000)}] * 10
    path = tmp_path / name
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, limits[1]))
    try:
        with pytest.raises(WireloomError, match="cannot be written: File too large") as caught:
            wireloom.write("edgemq_segment", events, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.path == str(path)
    assert os.listdir(tmp_path) == []


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full, a file that is always full")
@pytest.mark.parametrize("unbuffered", ["", pytest.param("1", marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    "arguments",
    [
        *(["decode", "cobs_log", "a.log", "--to", to] for to in ("ndjson", "parquet")),
        ["encode", "cobs_log", "rows.ndjson", "-o", "-"],
        ["formats"],
        *(
            pytest.param(each, marks=pytest.mark.thorough)
            for each in (
                ["decode", "cobs_log", "a.log", "--to", "table"],
                ["decode", "cobs_log", "a.log", "--to", "arrow"],
                ["decode", "cobs_log", "a.log", "--to", "csv"],
                ["extract", "cobs_log", "a.log"],
                ["verify", "cobs_log", "a.log", "--json"],
                ["inspect", "cobs_log", "a.log"],
                ["schema"],
                ["reference"],
            )
        ),
    ],
    ids=" ".join,
)
def test_standard_output_that_is_full(arguments: list[str], unbuffered: str, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(cobs_log(payloads(2000)))
    (tmp_path / "rows.ndjson").write_bytes(b'{"payload": "ab"}\n' * 20_000)
    with FULL.open("wb") as full:
        done = subprocess.run(
            [*COMMAND, *arguments],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
            timeout=SECONDS,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith(b"wireloom: error: ")
    assert b"No space left on device" in done.stderr
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["formats"], 2, "wireloom: error: Bad file descriptor\n"),
        (["decode", "cobs_log", "a.log", "--to", "parquet"], 2, "wireloom: error: Bad file descriptor\n"),
        (["decode", "cobs_log", "a.log", "-o", "rows.parquet"], 0, ""),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else "",
)
def test_standard_output_that_is_closed(arguments: list[str], code: int, error: str, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(cobs_log(payloads(20)))
    command = ["sh", "-c", 'exec "$@" >&-', "sh", *COMMAND, *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert (done.returncode, done.stderr) == (code, error)
