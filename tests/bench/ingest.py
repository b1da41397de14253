"""CPU time of an ingest, compared with that of rows that pass through Spark, and of ``wireloom decode`` without Spark.

The time of all processes is measured: this one, Java, and Spark's Python processes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from .measure import Comparison, Work, missing
from .spark import FORMAT, Stage, absence

TITLE = "ingest to Parquet, CPU time"
# The environment of the benchmarks has no programs of its own.
COMMAND = (sys.executable, "-c", "from wireloom.command.entry import main; main()")


def tree_seconds() -> float:
    """Return the CPU seconds of this process and all its descendants, including those that have ended."""
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
        subprocess.run([*COMMAND, "decode", FORMAT, str(stage.whole), "-o", str(decoded)], check=True)

    def work(name: str, run: object, prepare: object) -> Work:
        return Work(name, size, run, prepare, clock=tree_seconds)  # type: ignore[arg-type]

    try:
        mine = work("ingest", partial(ingested, "snappy"), clear)
        rows = work("rows through Spark", through_spark, clear)
        yield Comparison(TITLE, mine, rows, target=1 / 0.45, note="at most 0.45 of the time")
        mine = work("ingest with zstd", partial(ingested, "zstd"), clear)
        alone = work("wireloom decode", decode, lambda: decoded.unlink(missing_ok=True))
        yield Comparison(TITLE, mine, alone, target=1 / 1.3, note="at most 1.3 times")
        yield from queries(stage)
    finally:
        stage.close()


def queries(stage: Stage) -> Iterator[Comparison]:
    """The same questions to the log, to the log by functions in the tasks, and to a Parquet file."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from wireloom.spark import map_batches

    def by_tenant(batches: Any) -> Any:
        for batch in batches:
            yield pa.Table.from_batches([batch]).group_by("tenant").aggregate([([], "count_all")])

    def look_up(batches: Any) -> Any:
        return (batch.filter(pc.equal(batch["tenant"], 17)) for batch in batches)

    def count(batches: Any) -> Any:
        return (pa.table({"rows": [batch.num_rows]}) for batch in batches)

    def log(*columns: str) -> Any:
        reader = stage.session().read.format(FORMAT).option("columns", ",".join(columns or ("fmt,tenant,ts,payload",)))
        return reader.load(str(stage.whole))

    def parquet() -> Any:
        return stage.session().read.parquet(str(stage.parquet))

    asked: dict[str, tuple[Callable[[], object], ...]] = {
        "GROUP BY tenant": (
            lambda: map_batches(log("tenant"), by_tenant).groupBy("tenant").sum("count_all").collect(),
            lambda: log("tenant").groupBy("tenant").count().collect(),
            lambda: parquet().groupBy("tenant").count().collect(),
        ),
        "look-up": (
            lambda: map_batches(log(), look_up).groupBy().count().collect(),
            lambda: log().where("tenant = 17").groupBy().count().collect(),
            lambda: parquet().where("tenant = 17").groupBy().count().collect(),
        ),
        "count": (
            lambda: map_batches(log("_offset"), count).groupBy().sum("rows").collect(),
            lambda: log("_offset").count(),
            lambda: parquet().count(),
        ),
    }
    for name, (mapped, rows, table) in asked.items():
        title = f"Spark query, {name}, CPU time"
        mine = Work("map_batches", stage.size, mapped, clock=tree_seconds)
        yield Comparison(title, mine, Work("rows of the log", stage.size, rows, clock=tree_seconds))
        yield Comparison(title, mine, Work("Spark's Parquet reader", stage.size, table, clock=tree_seconds))
