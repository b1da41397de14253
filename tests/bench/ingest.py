"""CPU time of an ingest beside that of rows that go through Spark, and of ``wireloom decode`` without Spark.

What is measured is the time of all processes: this one, Java, and Spark's Python processes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from .measure import Comparison, Work, missing
from .spark import FORMAT, Stage, absence

TITLE = "ingest to Parquet, CPU time"


def tree_seconds() -> float:
    """CPU seconds of this process and all below it, those that have ended included."""
    children: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for each in Path("/proc").iterdir():
        if each.name.isdecimal():
            try:
                fields = (each / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(each.name))
            ticks[int(each.name)] = sum(map(int, fields[11:15]))
    found, waiting = 0, [os.getpid()]
    while waiting:
        process = waiting.pop()
        found += ticks.get(process, 0)
        waiting += children.get(process, [])
    return found / os.sysconf("SC_CLK_TCK")


def comparisons(size: int) -> Iterator[Comparison]:
    absent = missing("pyspark") or absence()
    if absent:
        nothing = Work("ingest", 1, lambda: None)
        yield Comparison(TITLE, nothing, nothing, absent=absent)
        return
    stage = Stage(size)
    table = stage.folder / "table"
    decoded = stage.folder / "decoded.parquet"
    clear = partial(shutil.rmtree, table, ignore_errors=True)

    def ingested(compression: str) -> None:
        from wireloom.spark.ingest import ingest

        ingest(stage.session(), FORMAT, str(stage.whole), str(table), compression=compression)

    def through_spark() -> None:
        stage.source(stage.whole).write.parquet(str(table))

    def decode() -> None:
        program = str(Path(sys.executable).parent / "wireloom")
        subprocess.run([program, "decode", FORMAT, str(stage.whole), "-o", str(decoded)], check=True)

    def work(name: str, run: object, prepare: object) -> Work:
        return Work(name, size, run, prepare, clock=tree_seconds)  # type: ignore[arg-type]

    try:
        mine = work("ingest", partial(ingested, "snappy"), clear)
        rows = work("rows through Spark", through_spark, clear)
        yield Comparison(TITLE, mine, rows, target=1 / 0.45, note="at most 0.45 of the time")
        mine = work("ingest with zstd", partial(ingested, "zstd"), clear)
        alone = work("wireloom decode", decode, lambda: decoded.unlink(missing_ok=True))
        yield Comparison(TITLE, mine, alone, target=1 / 1.3, note="at most 1.3 times")
    finally:
        stage.close()
