"""Programs in separate processes, whose growth in memory is measured, and which are waited for."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from wireloom import engine

from ..waiting import SECONDS

MEGABYTE = 1_000_000

# VmHWM is of this program alone, whereas getrusage also counts the process before it became this program.
MEMORY = """
def resident(name="VmRSS"):
    with open("/proc/self/status") as status:
        [kilobytes] = [int(line.split()[1]) for line in status if line.startswith(name)]
    return kilobytes * 1024
"""
PEAK = """
print(resident("VmHWM") - BEFORE)
"""

needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
needs_engine = pytest.mark.skipif(not engine.available, reason="the object parser takes minutes")


def measured(program: str, *arguments: object) -> tuple[list[str], int]:
    """Run a program to its end. Return its output, in words, and by how many bytes its largest resident size exceeds
    ``BEFORE``.

    The program sets ``BEFORE = resident()`` after its imports, whose size depends on libraries, their threads and the
    kernel's page sizes.
    """
    lines, grown = measured_lines(program, *arguments)
    return [word for line in lines for word in line], grown


def measured_lines(program: str, *arguments: object) -> tuple[list[list[str]], int]:
    """As ``measured``, with a list of words for each line of the output."""
    command = [sys.executable, "-c", MEMORY + program + PEAK, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    *lines, grown = done.stdout.splitlines()
    return [each.split() for each in lines], int(grown)


READ = """
import shlex
import sys
import wireloom
wireloom.read("cobs_log", b"")
BEFORE = resident()
for line in sys.argv[1:]:
    name, path, *given = shlex.split(line)
    options = dict(each.split("=") for each in given)
    truths = {each: options.pop(each) == "yes" for each in ("recover", "check_format") if each in options}
    rows = 0
    with wireloom.scan(name, path, **truths, **options) as scanner:
        for batch in scanner:
            rows += batch.num_rows
    file = scanner.report.files[0]
    print(rows, file.bytes, file.tail, *(each.reason for each in file.damaged[:3]))
"""
"""A program that reads files, and prints rows, bytes, the tail, and the first reasons of damage of each."""


def measured_reads(*files: Sequence[object]) -> tuple[list[list[str]], int]:
    """Read files in one process, each given by a format, a path and options. Return the words about each, and by how
    many bytes the largest resident size exceeds that of a process that has read an empty input."""
    lines = [shlex.join(map(str, each)) for each in files]
    return measured_lines(READ, *lines)
