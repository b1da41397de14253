"""What becomes of a run whose Java dies, and of files that are gone when they are to be read."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException
from wireloom.spark.ingest import ingest

from ..logs import log, logs, records
from .test_pipeline import start

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def children(process: int) -> list[int]:
    """Of a process on Linux, in order."""
    return [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def test_a_java_that_is_killed(spark: SparkSession, tmp_path: Path) -> None:
    held = logs(tmp_path / "in", 6)
    commits = tmp_path / "table" / "_wireloom" / "commits"
    process = start(tmp_path, "--batch-files", "1")
    while process.poll() is None and not (commits.exists() and any(commits.iterdir())):
        time.sleep(0.01)
    for each in children(process.pid):
        if Path(f"/proc/{each}/comm").read_text().strip() == "java":
            os.kill(each, signal.SIGKILL)
    said, _ = process.communicate(timeout=300)
    assert process.returncode == 1, said
    *_, last = said.splitlines()
    assert last == (
        "wireloom: error: Spark's Java process or server has ended, or is not reached any more, perhaps since it was "
        "killed for want of memory; what was committed stays committed: run the same command again"
    )
    assert records(tmp_path)
    inputs, table, quarantine = (str(tmp_path / each) for each in ("in", "table", "quarantine"))
    ingest(spark, "cobs_log", inputs, table, quarantine=quarantine)
    assert records(tmp_path) == held


@pytest.mark.parametrize("setting", ["spark.sql.files.ignoreMissingFiles", "spark.sql.files.ignoreCorruptFiles"])
def test_files_that_are_gone(setting: str, spark: SparkSession, tmp_path: Path) -> None:
    def frame(**options: str) -> int:
        """The rows of two files, of which one is removed between planning and reading."""
        for name in ("a", "b"):
            (tmp_path / f"{name}.log").unlink(missing_ok=True)
            log(tmp_path / f"{name}.log", "one", "two")
        found = spark.read.format("cobs_log").options(**options).load(str(tmp_path))
        # The data frame keeps what was planned.
        found._jdf.queryExecution().executedPlan()
        (tmp_path / "b.log").unlink()
        return len(found.collect())

    with pytest.raises(PySparkException, match=r"b\.log"):
        frame()
    spark.conf.set(setting, "true")
    try:
        assert frame() == 2
        if "Missing" in setting:
            with pytest.raises(PySparkException, match=r"b\.log"):
                frame(ignoreMissingFiles="false")
    finally:
        spark.conf.unset(setting)
