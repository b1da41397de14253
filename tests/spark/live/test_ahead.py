"""Partitions of many batches, which a thread of Spark's process makes ahead: whole, cut short, and damaged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import wireloom
from pyspark.errors import PySparkException

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FORMAT = "edgemq_segment"
ROWS = 6000


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of a dozen batches."""
    path = tmp_path_factory.mktemp("ahead") / "a.wal"
    rows = {"fmt": [1] * ROWS, "tenant": range(ROWS), "ts_millis": [0] * ROWS, "payload": [b"x" * 2500] * ROWS}
    wireloom.write(FORMAT, rows, path)
    return path


def test_all_rows_come_in_their_order(spark: SparkSession, log: Path) -> None:
    frame = spark.read.format(FORMAT).load(str(log))
    for _ in range(2):
        assert [row.tenant for row in frame.select("tenant").collect()] == list(range(ROWS))


def test_a_limit_ends_the_task(spark: SparkSession, log: Path) -> None:
    frame = spark.read.format(FORMAT).load(str(log))
    for rows in (1, ROWS // 2):
        assert [row.tenant for row in frame.limit(rows).select("tenant").collect()] == list(range(rows))


def test_an_error_behind_many_batches_is_one_message(spark: SparkSession, log: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.wal"
    content = bytearray(log.read_bytes())
    content[-100] ^= 1
    damaged.write_bytes(content)
    frame = spark.read.format(FORMAT).option("mode", "FAILFAST").load(str(damaged))
    with pytest.raises(PySparkException) as raised:
        frame.collect()
    told = str(raised.value).splitlines()
    assert [line for line in told if f"{damaged} at byte" in line and "the checksum does not hold" in line]
    assert len([line for line in told if line.strip().startswith("File ")]) <= 2
