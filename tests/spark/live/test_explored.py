"""A format straight from a spec file: its code travels to Spark's workers with the tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import wireloom.spark
from wireloom.spark.ingest import ingest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPEC = """
meta: {id: readings, endian: le, -wireloom: {rows: readings}}
seq: [{id: readings, type: reading, repeat: eos}]
types: {reading: {seq: [{id: sensor, type: u2}, {id: value, type: f4}]}}
"""
DATA = bytes.fromhex("0100 0000803f 0200 0000003f 0300")


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "readings.ksy"
    path.write_text(SPEC)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "readings.bin").write_bytes(DATA)
    return path


def test_reading_and_writing(spark: SparkSession, spec: Path) -> None:
    wireloom.spark.register(spark, spec)
    found = spark.read.format("readings").load(str(spec.parent / "in"))
    assert sorted(tuple(row) for row in found.collect()) == [(1, 1.0), (2, 0.5)]
    found.write.format("readings").mode("append").save(str(spec.parent / "out"))
    again = wireloom.read(spec, str(spec.parent / "out"))
    assert sorted(again["sensor"].to_pylist()) == [1, 2]


def test_ingest(spark: SparkSession, spec: Path) -> None:
    summary = ingest(spark, str(spec), str(spec.parent / "in"), str(spec.parent / "table"))
    assert summary.rows == 2
    assert summary.report.files[0].tail == "truncated"


def test_an_installed_format_of_the_same_id_is_not_meant(spark: SparkSession, spec: Path) -> None:
    other = spec.with_name("other.ksy")
    other.write_text(SPEC.replace("id: readings, endian", "id: cobs_log, endian"))
    summary = ingest(spark, str(other), str(spec.parent / "in"), str(spec.parent / "table"))
    assert summary.rows == 2
    assert spark.read.parquet(str(spec.parent / "table")).columns == ["sensor", "value"]
