"""The processor time of a process that reads a small file by a spec that was compiled before, compared with a built-in
format."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .measure import Figure

ROOT = Path(__file__).parents[2]
TURNS = 5
MOST = 60
INPUTS = {"pcapng": "pcapng/little.pcapng", "mcap": "mcap/plain.mcap"}
PROGRAM = """
import sys, wireloom
format = wireloom.load_spec(sys.argv[1]) if sys.argv[1].endswith(".ksy") else sys.argv[1]
wireloom.read(format, sys.argv[2])
"""


def milliseconds(format: str | Path, path: Path, cache: str) -> float:
    """Return the processor time of such a process, imports included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", PROGRAM, str(format), str(path)]
    subprocess.run(command, check=True, env={**os.environ, "WIRELOOM_CACHE": cache})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def figures(turns: int = TURNS) -> Iterator[Figure]:
    """Yield the differences of medians of runs that alternate."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in INPUTS.items():
            spec, path = ROOT / "specs" / f"{name}.ksy", ROOT / "tests" / "vectors" / data
            milliseconds(spec, path, folder)
            runs = [
                [milliseconds(spec, path, "off"), milliseconds(spec, path, folder), milliseconds(name, path, "off")]
                for _ in range(turns)
            ]
            compiled, cached, built_in = (statistics.median(each) for each in zip(*runs, strict=True))
            note = f"processor time, medians: {cached:.0f} ms, compiled {compiled:.0f}, built in {built_in:.0f}"
            title = f"{name}.ksy from the cache, first read: more than the built-in format"
            yield Figure(title, round(cached - built_in), "ms", most=MOST, note=note)
