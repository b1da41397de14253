"""How much later the first answer of a new process arrives than with a source that does nothing.

Run as a program with the name of a source, this module is such a process, and prints its seconds.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from .data import segment
from .measure import Figure, missing
from .spark import FORMAT, absence, consume

TURNS = 5
MOST = 500


def first_query(name: str, path: str) -> float:
    """Return the seconds from a session that does not know a source to the end of its first query."""
    from wireloom.spark import register
    from wireloom.spark.session import start

    from . import spark_toys

    root = str(Path(__file__).parents[2])
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    session = start("wireloom bench", cores=1)
    session.sparkContext.setLogLevel("ERROR")
    begin = time.perf_counter()
    if name == FORMAT:
        register(session)
    else:
        session.dataSource.register(spark_toys.EmptySource)
    consume(session.read.format(name).load(path))
    seconds = time.perf_counter() - begin
    session.stop()
    return seconds


def in_a_process(name: str, path: Path) -> float:
    """Return the same as ``first_query`` for a new process with its own Java."""
    command = [sys.executable, "-m", "tests.bench.spark_start", name, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def figures(turns: int = TURNS) -> Iterator[Figure]:
    """Yield the median of the difference between the two, which are run alternately."""
    if missing("pyspark") or absence():
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.wal"
        path.write_bytes(segment(10_000))
        pairs = [(in_a_process(FORMAT, path), in_a_process("empty", path)) for _ in range(turns)]
    longer = statistics.median(ours - empty for ours, empty in pairs)
    ours, empty = (statistics.median(each) for each in zip(*pairs, strict=True))
    yield Figure(
        "Spark, first query of a new process: more than an empty source's", round(1000 * longer), "ms", most=MOST,
        note=f"medians {ours:.2f} s and {empty:.2f} s, registering included",
    )  # fmt: skip


if __name__ == "__main__":
    print(first_query(sys.argv[1], sys.argv[2]))
