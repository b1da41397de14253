"""Streams of S2 as tables and streams of Spark: every record exactly once, also after a restart, and no silent loss."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
import wireloom.s2 as s2
from pyspark.errors import AnalysisException, PythonException, StreamingQueryException

from ...s2_server import BASIN, TOKEN, Fault, Server

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery


def options(server: Server, **more: Any) -> dict[str, Any]:
    return {"basin": BASIN, "endpoint": server.endpoint, **more}


def read(spark: SparkSession, server: Server, **more: Any) -> DataFrame:
    return spark.read.format("s2_stream").options(**options(server, **more)).load()


def run(spark: SparkSession, server: Server, folder: Path, **more: Any) -> StreamingQuery:
    """Start a query that reads what exists, and ends."""
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


def table(folder: Path) -> list[tuple[str, int]]:
    rows = pq.read_table(folder / "table", columns=["_stream", "seq_num"]).to_pylist()
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
    with pytest.raises(PythonException, match=r"records 2 to 4 of .* no longer exist.*failOnDataLoss=false") as caught:
        read(spark, s2_server, stream="orders/1", start="2").collect()
    assert TOKEN not in str(caught.value)
    assert read(spark, s2_server, stream="orders/1", start="2", failOnDataLoss="false").count() == 17


def test_a_stream_goes_on_after_a_restart(spark: SparkSession, s2_server: Server, tmp_path: Path) -> None:
    s2_server.fill("orders/1", 30).first = 10
    s2_server.fill("orders/2", 4)
    query = run(spark, s2_server, tmp_path, streamPrefix="orders/", maxRecordsPerTrigger="9")
    assert [each["numInputRows"] for each in query.recentProgress if each["numInputRows"]] == [9, 9, 6]
    expected = [*(("orders/1", number) for number in range(10, 30)), *(("orders/2", number) for number in range(4))]
    assert table(tmp_path) == expected
    s2_server.fill("orders/2", 2)
    s2_server.fill("orders/3", 5).first = 3
    s2_server.faults.extend([Fault(cut_after=30), Fault(drain_after=0)])
    run(spark, s2_server, tmp_path, streamPrefix="orders/")
    expected += [("orders/2", 4), ("orders/2", 5), ("orders/3", 3), ("orders/3", 4)]
    assert table(tmp_path) == expected


def test_lost_data(spark: SparkSession, s2_server: Server, tmp_path: Path) -> None:
    stream = s2_server.fill("orders", 3)
    run(spark, s2_server, tmp_path, stream="orders")
    s2_server.fill("orders", 7)
    stream.first = 5
    with pytest.raises(StreamingQueryException, match="records 3 to 4 of s2://wireloom-tests/orders no longer exist"):
        run(spark, s2_server, tmp_path, stream="orders")
    run(spark, s2_server, tmp_path, stream="orders", failOnDataLoss="false")
    assert table(tmp_path) == [("orders", number) for number in (0, 1, 2, 5, 6, 7, 8, 9)]
    del s2_server.streams["orders"]
    s2_server.fill("orders", 2)
    with pytest.raises(StreamingQueryException, match="ends at 2, before record 10, which is the next one"):
        run(spark, s2_server, tmp_path, stream="orders")
    run(spark, s2_server, tmp_path, stream="orders", failOnDataLoss="false")
    assert table(tmp_path)[:4] == [("orders", number) for number in (0, 0, 1, 1)]


# Writing --------------------------------------------------------------------------------------------------------------


def bodies(server: Server, stream: str) -> list[bytes]:
    return [each.body for each in server.streams[stream].records]


def test_rows_are_appended(spark: SparkSession, s2_server: Server) -> None:
    s2_server.fill("out", 2)
    rows = spark.range(0, 2500, 1, 1).selectExpr(
        "string(id) as body",
        "timestamp_millis(1790000000000 + id) as timestamp",
        "array(struct('n' as name, binary('v') as value)) as headers",
    )
    # The acknowledgement of the first batch is lost, and the batch is not appended again.
    s2_server.append_faults.append(Fault(lose_ack=True))
    to = options(s2_server, stream="out")
    rows.write.format("s2_stream").options(**to).mode("append").save()
    records = s2_server.streams["out"].records[2:]
    assert [each.body for each in records] == [b"%d" % number for number in range(2500)]
    assert records[7].timestamp == 1790000000007
    assert records[7].headers == [s2.Header(name=b"n", value=b"v")]
    many = spark.range(0, 10, 1, 2).selectExpr("string(id) as body")
    with pytest.raises(PythonException, match=r"use coalesce\(1\), .partition. in option stream, or"):
        many.write.format("s2_stream").options(**to).mode("append").save()
    s2_server.fill("parts/0", 0)
    s2_server.fill("parts/1", 3)
    placed = options(s2_server, stream="parts/{partition}")
    many.write.format("s2_stream").options(**placed).mode("append").save()
    assert bodies(s2_server, "parts/1")[3:] == [b"5", b"6", b"7", b"8", b"9"]
    with pytest.raises(AnalysisException, match="unknown column that s2_stream can write 'seq_num'"):
        read(spark, s2_server, stream="out").write.format("s2_stream").options(**to).mode("append").save()
    with pytest.raises(AnalysisException, match="records of a stream cannot be replaced"):
        rows.write.format("s2_stream").options(**to).mode("overwrite").save()


def test_fencing(spark: SparkSession, s2_server: Server) -> None:
    s2_server.fill("out", 1).append([s2.command_record(s2.Fence("mine"))])
    rows = spark.range(0, 3, 1, 1).selectExpr("string(id) as body")
    other = options(s2_server, stream="out", fencingToken="theirs")
    with pytest.raises(PythonException, match="the fencing token does not match that of the stream"):
        rows.write.format("s2_stream").options(**other).mode("append").save()
    mine = options(s2_server, stream="out", fencingToken="mine")
    rows.write.format("s2_stream").options(**mine).mode("append").save()
    assert bodies(s2_server, "out")[2:] == [b"0", b"1", b"2"]


def test_a_batch_that_is_run_again_appends_nothing_twice(
    spark: SparkSession, s2_server: Server, tmp_path: Path
) -> None:
    s2_server.fill("in", 2500)
    s2_server.fill("out", 1)
    to = options(s2_server, stream="out")

    def copy() -> None:
        query = (
            spark.readStream.format("s2_stream")
            .options(**options(s2_server, stream="in"))
            .load()
            .select("headers", "body")
            .writeStream.format("s2_stream")
            .options(**to)
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()

    # The second of three appends is refused.
    s2_server.append_faults.extend([Fault(), Fault(status=400)])
    with pytest.raises(StreamingQueryException, match="answered 400"):
        copy()
    assert len(s2_server.streams["out"].records) == 1001
    copy()
    s2_server.fill("in", 5)
    copy()
    assert bodies(s2_server, "out")[1:] == bodies(s2_server, "in")
    # As if the last batch had not been committed.
    for each in (tmp_path / "checkpoint" / "commits").glob("*1*"):
        each.unlink()
    copy()
    assert bodies(s2_server, "out")[1:] == bodies(s2_server, "in")
    assert len(list((tmp_path / "checkpoint" / "s2_stream").glob("*/out/*"))) == 2


def by_partition(server: Server, stream: str) -> dict[bytes, list[bytes]]:
    """Return the bodies of each writer's records, in order."""
    found: dict[bytes, list[bytes]] = {}
    for each in server.streams[stream].records:
        if s2.operation_of(each) is None:
            found.setdefault(each.headers[-1].value, []).append(each.body)
    return found


def test_many_partitions_write_to_one_stream(spark: SparkSession, s2_server: Server) -> None:
    s2_server.fill("out", 0)
    rows = spark.range(0, 6000, 1, 3).selectExpr("string(id) as body")
    # Tasks that fail are run again.
    s2_server.append_faults.extend([Fault(), Fault(lose_ack=True), Fault(), Fault(late=0.2), Fault(status=503)])
    to = options(s2_server, stream="out", writer="job")
    rows.write.format("s2_stream").options(**to).mode("append").save()
    wanted = {b"job/%d" % n: [b"%d" % each for each in range(n * 2000, n * 2000 + 2000)] for n in range(3)}
    assert by_partition(s2_server, "out") == wanted
    s2_server.fill("any", 0)
    to = options(s2_server, stream="any", matchSeqNum="false")
    rows.write.format("s2_stream").options(**to).mode("append").save()
    assert sorted(bodies(s2_server, "any")) == sorted(b"%d" % number for number in range(6000))
    both = options(s2_server, stream="out", writer="job", fencingToken="mine")
    with pytest.raises(AnalysisException, match="give option fencingToken or writer"):
        rows.write.format("s2_stream").options(**both).mode("append").save()


def test_a_batch_of_many_partitions_that_is_run_again(spark: SparkSession, s2_server: Server, tmp_path: Path) -> None:
    s2_server.fill("in", 4500)
    s2_server.fill("out", 0)
    to = options(s2_server, stream="out", writer="copy")

    def copy() -> None:
        query = (
            spark.readStream.format("s2_stream")
            .options(**options(s2_server, stream="in", maxRecordsPerPartition="1500"))
            .load()
            .select("body")
            .writeStream.format("s2_stream")
            .options(**to)
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()

    s2_server.append_faults.extend([Fault(), Fault(), Fault(), Fault(status=400)])
    with pytest.raises(StreamingQueryException, match="answered 400"):
        copy()
    copy()
    s2_server.fill("in", 3000)
    copy()
    for each in (tmp_path / "checkpoint" / "commits").glob("*1*"):
        each.unlink()
    copy()
    found = by_partition(s2_server, "out")
    assert {name: len(each) for name, each in found.items()} == {b"copy/0": 3000, b"copy/1": 3000, b"copy/2": 1500}
    assert sorted(each for several in found.values() for each in several) == sorted(bodies(s2_server, "in"))
