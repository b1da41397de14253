"""Folders with unusual names: with blanks, commas, brackets and letters of other languages."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.dataset
import pytest
from wireloom import UnsupportedError, WireloomError
from wireloom.spark.ingest import ingest
from wireloom.spark.ingest_stream import ingest_stream

from ..logs import log, logs, records

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ODD = "my logs, [1] {2} 100%20 ü#?"


def test_ingest(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / ODD
    held = logs(place / "in", 2)
    for _ in range(2):
        ingest(spark, "cobs_log", str(place / "in"), str(place / "table"), quarantine=str(place / "quarantine"))
        assert records(place) == held
    (place / "elsewhere").mkdir()
    next((place / "table").glob("*.parquet")).rename(place / "elsewhere" / "rows.parquet")
    columns = ["payload", "_path"]
    with pytest.raises(WireloomError, match="it has no column _path"):
        ingest(spark, "cobs_log", str(place / "in"), str(place / "elsewhere"), columns=columns, existing="adopt")
    os.mkdir(place / "[a]")
    (place / "in").rename(place / "[a]" / "in")
    monkeypatch.chdir(place / "[a]")
    assert ingest(spark, "cobs_log", "in/*.log", str(place / "other")).rows == 100
    assert {path.name for path in tmp_path.iterdir()} == {ODD}


def test_ingest_stream(spark: SparkSession, tmp_path: Path) -> None:
    place = tmp_path / ODD
    held = logs(place / "in", 2)
    places = {each: str(place / each) for each in ("quarantine", "checkpoint")}
    for _ in range(2):
        ingest_stream(spark, "cobs_log", str(place / "in"), str(place / "table"), **places)
        assert records(place) == held
    assert {path.name for path in tmp_path.iterdir()} == {ODD}


@pytest.mark.parametrize("address", ["{}", "file:{}", "file://{}"])
def test_writing(address: str, spark: SparkSession, tmp_path: Path) -> None:
    place = address.format(tmp_path / "a folder, [1] ü")
    spark.createDataFrame([(b"x",)], "payload binary").write.format("cobs_log").mode("append").save(place)
    assert [each.payload for each in spark.read.format("cobs_log").load(place).collect()] == [b"x"]
    assert len(list((tmp_path / "a folder, [1] ü").iterdir())) == 1


def test_rows_that_were_written_elsewhere(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a task's machine that lacks the folder of the table."""
    from wireloom.spark.ingest import pipeline

    log(tmp_path / "in" / "a.log", "one", "two")
    monkeypatch.setattr(pipeline, "write_rows", lambda frame: frame.collect()[:0])
    with pytest.raises(WireloomError, match="2 rows were read, but not all of them were found"):
        ingest(spark, "cobs_log", str(tmp_path / "in"), str(tmp_path / "table"))
    monkeypatch.undo()
    assert ingest(spark, "cobs_log", str(tmp_path / "in"), str(tmp_path / "table")).rows == 2


def test_what_is_written_is_not_read(spark: SparkSession, tmp_path: Path) -> None:
    log(tmp_path / "in" / "a.log", "one")
    for table in ("in", "in/table", "in/deep/table"):
        with pytest.raises(WireloomError, match="where the next run would read it"):
            ingest(spark, "cobs_log", str(tmp_path / "in"), str(tmp_path / table))
    only = {"pathGlobFilter": "*.log"}
    for rows in (1, 0):
        assert ingest(spark, "cobs_log", f"{tmp_path}/in", f"{tmp_path}/in/table", options=only).rows == rows


def test_a_stream_does_not_read_what_a_batch_has_read(spark: SparkSession, tmp_path: Path) -> None:
    found = (spark, "cobs_log", str(tmp_path / "in"), str(tmp_path / "table"))
    checkpoint = str(tmp_path / "checkpoint")
    log(tmp_path / "in" / "a.log", "one")
    assert ingest_stream(*found, checkpoint=checkpoint).rows == 1
    log(tmp_path / "in" / "b.log", "two")
    assert ingest(*found).rows == 1
    with pytest.raises(
        WireloomError, match=r"already has the rows of .*b\.log, which this checkpoint does not include"
    ):
        ingest_stream(*found, checkpoint=checkpoint)
    (tmp_path / "in" / "b.log").rename(tmp_path / "b.log")
    log(tmp_path / "in" / "a.log", "three")
    assert ingest_stream(*found, checkpoint=checkpoint).rows == 1
    (tmp_path / "in" / "a.log").rename(tmp_path / "in" / "a.other")
    assert ingest_stream(*found, checkpoint=checkpoint, options={"pathGlobFilter": "*.log"}).rows == 0
    rows = pyarrow.dataset.dataset(tmp_path / "table", format="parquet").to_table()
    assert Counter(rows["payload"].to_pylist()) == Counter([b"one", b"two", b"three"])


def test_a_table_in_a_store_of_fsspec(spark: SparkSession, tmp_path: Path) -> None:
    """Only through fsspec: pyarrow does not know the scheme."""
    held = logs(tmp_path / "in", 2)
    base = f"local://{tmp_path}"
    for _ in range(2):
        ingest(spark, "cobs_log", str(tmp_path / "in"), f"{base}/table", quarantine=f"{base}/quarantine")
        assert records(tmp_path) == held
    log(tmp_path / "in" / "9.log", "more")
    assert ingest(spark, "cobs_log", str(tmp_path / "in"), f"{base}/table", quarantine=f"{base}/quarantine").rows == 1
    left = [each for each in (tmp_path / "table" / "_wireloom").rglob("*") if each.is_file()]
    assert [each.name for each in left if each.parent.name != "commits"] == ["lock-000000003"]
    with pytest.raises(UnsupportedError, match=r"kind delta cannot be at local://: name a local folder or one of"):
        ingest(spark, "cobs_log", str(tmp_path / "in"), f"{base}/other", to="delta")
