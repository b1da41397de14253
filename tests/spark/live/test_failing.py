"""A run whose Java dies, and settings of the session."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException
from wireloom.spark.ingest import ingest

from ...waiting import SECONDS
from ..logs import log, logs, records
from .test_pipeline import start

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def children(process: int) -> list[int]:
    """Return the child processes of a process on Linux, in order."""
    return [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def test_a_java_that_is_killed(spark: SparkSession, tmp_path: Path) -> None:
    # More batches than it can commit before this test notices the first one.
    held = logs(tmp_path / "in", 20)
    commits = tmp_path / "table" / "_wireloom" / "commits"
    process = start(tmp_path, "--batch-files", "1")
    while process.poll() is None and not (commits.exists() and any(commits.iterdir())):
        time.sleep(0.01)
    for each in children(process.pid):
        if Path(f"/proc/{each}/comm").read_text().strip() == "java":
            os.kill(each, signal.SIGKILL)
    said, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 1, said
    # Not only the last line: the thread of accumulators reports its lost connection in several writes at the same time.
    assert (
        "wireloom: error: Spark's Java process or server has ended or cannot be reached, perhaps because it "
        "was killed when memory ran out; committed data is kept: run the same command again\n"
    ) in said
    assert records(tmp_path)
    inputs, table, quarantine = (str(tmp_path / each) for each in ("in", "table", "quarantine"))
    ingest(spark, "cobs_log", inputs, table, quarantine=quarantine)
    assert records(tmp_path) == held


def test_settings_of_the_session(spark: SparkSession, tmp_path: Path) -> None:
    """Tasks receive them; ``test_batch_read`` checks the message that names the missing file."""
    setting = "spark.sql.files.ignoreCorruptFiles"
    log(tmp_path / "a.log", "one", "two", damaged=b"\x05!\0")

    def count(**options: str) -> int:
        return len(spark.read.format("cobs_log").options(mode="failfast", **options).load(str(tmp_path)).collect())

    with pytest.raises(PySparkException, match=r"a\.log"):
        count()
    spark.conf.set(setting, "true")
    try:
        assert count() <= 2
        with pytest.raises(PySparkException, match=r"a\.log"):
            count(ignoreCorruptFiles="false")
        assert ingest(spark, "cobs_log", str(tmp_path), str(tmp_path / "_table"), mode="failfast").rows <= 2
    finally:
        spark.conf.unset(setting)
