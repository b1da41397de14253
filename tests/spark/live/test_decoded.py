"""Queries of tables whose columns are those of a schema in the files."""

from __future__ import annotations

from pathlib import Path

import fastavro
from pyspark.sql import SparkSession


def test_queries(spark: SparkSession, tmp_path: Path) -> None:
    fields = [{"name": "id", "type": "long"}, {"name": "value", "type": ["null", "int", "string"]}]
    with (tmp_path / "a.avro").open("wb") as file:
        rows = [{"id": number, "value": "x" if number % 2 else number} for number in range(300)]
        fastavro.writer(file, {"type": "record", "name": "R", "fields": fields}, rows)
    frame = spark.read.format("avro_blocks").option("table", "rows").load(str(tmp_path))
    assert dict(frame.dtypes) == {"id": "bigint", "value": "struct<member0:int,member1:string>"}
    assert frame.where("id >= 290 and value.member1 = 'x'").count() == 5
