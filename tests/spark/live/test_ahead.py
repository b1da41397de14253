"""Partitions of many batches, which a thread of Spark's process reads ahead: complete, cut short, and damaged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException

from ..conftest import LONG_ROWS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FORMAT = "edgemq_segment"


def test_all_rows_come_in_their_order(spark: SparkSession, long_segment: Path) -> None:
    frame = spark.read.format(FORMAT).load(str(long_segment))
    for _ in range(2):
        assert [row.tenant for row in frame.select("tenant").collect()] == list(range(LONG_ROWS))


def test_a_limit_ends_the_task(spark: SparkSession, long_segment: Path) -> None:
    frame = spark.read.format(FORMAT).load(str(long_segment))
    for rows in (1, LONG_ROWS // 2):
        assert [row.tenant for row in frame.limit(rows).select("tenant").collect()] == list(range(rows))


def test_an_error_after_many_batches_is_one_message(spark: SparkSession, long_segment: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.wal"
    content = bytearray(long_segment.read_bytes())
    content[-100] ^= 1
    damaged.write_bytes(content)
    frame = spark.read.format(FORMAT).option("mode", "FAILFAST").load(str(damaged))
    # A limit ends the reading before this point.
    assert [row.tenant for row in frame.limit(10).select("tenant").collect()] == list(range(10))
    with pytest.raises(PySparkException) as raised:
        frame.collect()
    told = str(raised.value).splitlines()
    assert [line for line in told if f"{damaged} at byte" in line and "the checksum does not match" in line]
    assert len([line for line in told if line.strip().startswith("File ")]) <= 2
