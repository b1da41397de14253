"""Commands on small inputs that decompress to much, or claim much: bounded memory, and an end."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from .children import MEGABYTE, measured, needs_engine, needs_proc
from .test_bombs import zeros

pytestmark = [needs_proc, needs_engine]
ZEROS = {"verify": "1", "extract": "0", "decode": "0"}
"""The exit codes for a file of zeros, which is not considered one of another format."""
RUN = """
# The libraries that commands load later are not memory that an input takes.
import concurrent.futures.thread
import hashlib
import html
import os
import shlex
import sys
import pyarrow.parquet
import wireloom
from wireloom.command.entry import main
wireloom.read("cobs_log", b"")
BEFORE = resident()
shown = os.dup(1)
# What the commands write is not looked at, only what they take.
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
codes = []
for line in sys.argv[1:]:
    sys.argv = ["wireloom", *shlex.split(line)]
    try:
        main()
        codes.append(0)
    except SystemExit as end:
        codes.append(end.code)
sys.stdout.flush()
os.dup2(shown, 1)
print(*codes)
"""
COMMANDS = (
    ("verify", (), "2"),
    ("extract", (), "2"),
    ("decode", ("-o", "rows.parquet"), "2"),
    ("inspect", (), "0"),
    ("inspect", ("--html", "page.html"), "0"),
    ("inspect", ("--record", "3000000"), "2"),
)
"""Each command with its options and its exit code."""


def bomb(tmp_path: Path) -> Path:
    path = tmp_path / "zeros.wal.zst"
    path.write_bytes(zeros("zstd", 120))
    return path


def claim(tmp_path: Path) -> Path:
    path = tmp_path / "claim.wal"
    path.write_bytes(b"\xff" * 4 + bytes(100))
    return path


def endless(tmp_path: Path) -> Path:
    """Return one frame that seems endless for 200 MB. A reader that kept it would grow by more than 400 MB."""
    path = tmp_path / "endless.log"
    with path.open("wb") as file:
        file.truncate(200 * MEGABYTE)
        file.seek(0)
        for _ in range(170):
            file.write(b"x" * MEGABYTE)
    return path


def delimiters(tmp_path: Path) -> Path:
    path = tmp_path / "delimiters.log"
    path.write_bytes(b"\xfe\xfd" * 4_000_000)
    return path


@pytest.mark.parametrize(
    ("make", "name", "megabytes"),
    [
        (bomb, "edgemq_segment", 100),
        (claim, "edgemq_segment", 100),
        (endless, "word_stuffed_log", 270),
        (delimiters, "word_stuffed_log", 150),
    ],
    ids=lambda each: getattr(each, "__name__", None),
)
def test_commands(make: Callable[[Path], Path], name: str, megabytes: int, tmp_path: Path) -> None:
    """One process runs all commands."""
    path = make(tmp_path)
    lines, codes = [], []
    for command, options, code in COMMANDS:
        placed = [str(tmp_path / each) if "." in each else each for each in options]
        lines.append(shlex.join([command, name, str(path), *placed]))
        # Neither zeros nor one frame without an end show that a file is of another format; delimiters alone are clean.
        judged = {bomb: ZEROS, endless: ZEROS, delimiters: {**ZEROS, "verify": "0"}}
        codes.append(judged.get(make, {}).get(command, code))
    words, grown = measured(RUN, *lines)
    assert words == codes
    assert grown < megabytes * MEGABYTE
