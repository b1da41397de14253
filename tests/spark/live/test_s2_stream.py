"""Streams of S2 as tables and streams of Spark: every record once, also after a restart, and no silent loss."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import wireloom.s2 as s2
from pyspark.errors import PythonException, StreamingQueryException

from ...s2_server import BASIN, TOKEN, Fault, Server

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery


def options(server: Server, **more: Any) -> dict[str, Any]:
    return {"basin": BASIN, "endpoint": server.endpoint, **more}


def read(spark: SparkSession, server: Server, **more: Any) -> DataFrame:
    return spark.read.format("s2_stream").options(**options(server, **more)).load()


def run(spark: SparkSession, server: Server, folder: Path, **more: Any) -> StreamingQuery:
    """Reads what is there, and ends."""
    query = (
        spark.readStream.format("s2_stream")
        .options(**options(server, **more))
        .load()
        .writeStream.format("parquet")
        .option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start(str(folder / "table"))
    )
    query.awaitTermination()
    return query


def table(spark: SparkSession, folder: Path) -> list[tuple[str, int]]:
    rows = spark.read.parquet(str(folder / "table")).collect()
    return sorted((row["_stream"], int(row["seq_num"])) for row in rows)


def test_a_table(spark: SparkSession, s2_server: Server) -> None:
    stream = s2_server.fill("orders/1", 20, timestamp=1_790_000_000_000)
    stream.append([s2.command_record(s2.Trim(5)), s2.AppendRecord(headers=[s2.Header(name=b"n", value=b"v")])])
    s2_server.fill("orders/2", 3)
    s2_server.faults.extend([Fault(), Fault(), Fault(cut_after=100)])
    found = read(spark, s2_server, streamPrefix="orders/", unsigned64="long")
    assert found.columns == ["seq_num", "timestamp", "headers", "body", "command", "_stream"]
    rows = found.orderBy("_stream", "seq_num").collect()
    assert [(row["_stream"], row["seq_num"]) for row in rows] == [
        *(("orders/1", number) for number in range(5, 22)),
        *(("orders/2", number) for number in range(3)),
    ]
    assert rows[0].asDict() | {"body": b""} == {
        "seq_num": 5,
        "timestamp": 1_790_000_000_005,
        "headers": [],
        "body": b"",
        "command": None,
        "_stream": "orders/1",
    }
    assert rows[15]["command"] == "trim"
    assert [(each["name"], each["value"]) for each in rows[16]["headers"]] == [(b"n", b"v")]
    begin = read(spark, s2_server, stream="orders/1", start="7", end="2026-09-21T14:13:20.010Z", columns="seq_num")
    assert [int(row[0]) for row in begin.collect()] == [7, 8, 9]
    parts = read(spark, s2_server, stream="orders/1", maxRecordsPerPartition="6").select("_stream")
    assert (parts.rdd.getNumPartitions(), parts.count()) == (3, 17)
    with pytest.raises(PythonException, match=r"records 2 to 4 of .* are gone.*failOnDataLoss=false") as caught:
        read(spark, s2_server, stream="orders/1", start="2").collect()
    assert TOKEN not in str(caught.value)
    assert read(spark, s2_server, stream="orders/1", start="2", failOnDataLoss="false").count() == 17


def test_a_stream_goes_on_after_a_restart(spark: SparkSession, s2_server: Server, tmp_path: Path) -> None:
    s2_server.fill("orders/1", 30).first = 10
    s2_server.fill("orders/2", 4)
    query = run(spark, s2_server, tmp_path, streamPrefix="orders/", maxRecordsPerTrigger="9")
    assert [each["numInputRows"] for each in query.recentProgress if each["numInputRows"]] == [9, 9, 6]
    expected = [*(("orders/1", number) for number in range(10, 30)), *(("orders/2", number) for number in range(4))]
    assert table(spark, tmp_path) == expected
    s2_server.fill("orders/2", 2)
    s2_server.fill("orders/3", 5).first = 3
    s2_server.faults.extend([Fault(cut_after=30), Fault(drain_after=0)])
    run(spark, s2_server, tmp_path, streamPrefix="orders/")
    expected += [("orders/2", 4), ("orders/2", 5), ("orders/3", 3), ("orders/3", 4)]
    assert table(spark, tmp_path) == expected


def test_lost_data(spark: SparkSession, s2_server: Server, tmp_path: Path) -> None:
    stream = s2_server.fill("orders", 3)
    run(spark, s2_server, tmp_path, stream="orders")
    s2_server.fill("orders", 7)
    stream.first = 5
    with pytest.raises(StreamingQueryException, match="records 3 to 4 of s2://wireloom-tests/orders are gone"):
        run(spark, s2_server, tmp_path, stream="orders")
    run(spark, s2_server, tmp_path, stream="orders", failOnDataLoss="false")
    assert table(spark, tmp_path) == [("orders", number) for number in (0, 1, 2, 5, 6, 7, 8, 9)]
    del s2_server.streams["orders"]
    s2_server.fill("orders", 2)
    with pytest.raises(StreamingQueryException, match="ends at 2, before record 10, which is the next one"):
        run(spark, s2_server, tmp_path, stream="orders")
    run(spark, s2_server, tmp_path, stream="orders", failOnDataLoss="false")
    assert table(spark, tmp_path)[:4] == [("orders", number) for number in (0, 0, 1, 1)]
