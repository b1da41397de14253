"""Programs in separate processes, whose memory is measured, and which are waited for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from wireloom import engine

MEGABYTE = 1_000_000
SECONDS = 100
"""Time limit for hostile inputs; all of them take a few seconds at most, on any machine."""

# For this program alone, since getrusage also counts the process before it became this program.
PEAK = """
with open("/proc/self/status") as status:
    [peak] = [int(line.split()[1]) for line in status if line.startswith("VmHWM")]
print(peak)
"""

needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
needs_engine = pytest.mark.skipif(not engine.available, reason="the object parser takes minutes")


def measured(program: str, *arguments: object) -> tuple[list[str], int]:
    """Run a program to its end. Return its output, in words, and its largest resident size in bytes."""
    command = [sys.executable, "-c", program + PEAK, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    *words, peak = done.stdout.split()
    return words, int(peak) * 1024


READ = """
import sys
import wireloom
name, path, options = sys.argv[1], sys.argv[2], dict(each.split("=") for each in sys.argv[3:])
truths = {each: options.pop(each) == "yes" for each in ("recover", "check_format") if each in options}
rows = 0
with wireloom.scan(name, path, **truths, **options) as scanner:
    for batch in scanner:
        rows += batch.num_rows
file = scanner.report.files[0]
print(rows, file.bytes, file.tail, *(each.reason for each in file.damaged[:3]))
"""
"""A program that reads a file, and prints rows, bytes, the tail, and the first reasons of damage."""
