"""``kinesis_stream`` in a session of Spark: written, read in batch, and read as a stream while its shards split."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from ...kinesis_server import REGION, Streams

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_stream_is_written_and_read(spark: SparkSession, kinesis: Streams, tmp_path: Path) -> None:
    stream = kinesis.new()
    options = {"region": REGION, "endpointUrl": kinesis.endpoint}
    rows = spark.range(20).selectExpr("concat('key ', id % 4) AS partition_key", "string(id) AS data")
    rows.write.format("kinesis_stream").options(**options).mode("append").save(stream)
    assert spark.read.format("kinesis_stream").options(**options).load(stream).where("aggregated").count() == 20

    def run() -> list[int]:
        source = spark.readStream.format("kinesis_stream").options(**options, maxRecordsPerTrigger="7").load(stream)
        writer = source.selectExpr("int(string(data)) AS n").writeStream.format("parquet")
        writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.trigger(availableNow=True).start(str(tmp_path / "table")).awaitTermination()
        return sorted(pq.read_table(tmp_path / "table")["n"].to_pylist())

    assert run() == list(range(20))
    kinesis.split(stream)
    kinesis.put(stream, *((f"key {n}", b"%d" % n) for n in range(20, 30)))
    assert run() == list(range(30))


def test_a_stream_is_copied(spark: SparkSession, kinesis: Streams, tmp_path: Path) -> None:
    """``writeStream``, and reading without a limit."""
    here, there = kinesis.new(), kinesis.new(2)
    options = {"region": REGION, "endpointUrl": kinesis.endpoint}

    def run() -> None:
        source = spark.readStream.format("kinesis_stream").options(**options).load(here)
        writer = source.select("partition_key", "data").writeStream.format("kinesis_stream").options(**options)
        writer = writer.option("stream", there).option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.trigger(availableNow=True).start().awaitTermination()

    for step in range(2):
        kinesis.put(here, *((f"key {n}", b"%d" % (10 * step + n)) for n in range(10)))
        run()
    rows = spark.read.format("kinesis_stream").options(**options).load(there).collect()
    assert sorted((row.partition_key, int(row.data)) for row in rows) == sorted((f"key {n % 10}", n) for n in range(20))
    assert all(row.aggregated for row in rows)
