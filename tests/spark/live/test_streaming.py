"""Streaming reads in Spark itself: triggers, checkpoints, progress, restarts after a kill."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
import wireloom
from pyspark.errors import AnalysisException, StreamingQueryException

from ...docs.blocks import Page
from ...storage_server import Store
from ...waiting import SECONDS
from ..rotating import compress, rotate
from ..stream_driver import age, write

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

DAMAGED = Path(__file__).parents[2] / "vectors" / "edgemq" / "crc_payload_flip.wal.zst"


def log(path: Path, *payloads: str) -> Path:
    """Append records to a log."""
    write("cobs_log", path, *payloads)
    return path


def started(
    spark: SparkSession, folder: Path | str, out: Path, name: str = "cobs_log", **options: Any
) -> StreamingQuery:
    """Start a query that reads everything that exists now, and ends."""
    trigger = options.pop("trigger", {"availableNow": True})
    reader = spark.readStream.format(name).options(**{key: str(value) for key, value in options.items()})
    return (
        reader.load(str(folder))
        .writeStream.format("parquet")
        .option("checkpointLocation", str(out / "checkpoint"))
        .option("path", str(out / "table"))
        .trigger(**trigger)
        .start()
    )


def offset(progress: Any) -> dict[str, Any]:
    """Return what the source reports with each batch."""
    shown = progress["sources"][0]["latestOffset"]
    found: dict[str, Any] = json.loads(shown) if isinstance(shown, str) else shown
    return found


def table(out: Path) -> Counter[tuple[Any, ...]]:
    """Return the rows of the sink, as any reader of Parquet sees them."""
    return Counter(tuple(row.values()) for row in pq.read_table(out / "table").to_pylist())


def committed(spark: SparkSession, out: Path) -> Counter[tuple[Any, ...]]:
    """Return the rows of the batches that a query has completed, while it goes on."""
    return Counter(tuple(row) for row in spark.read.parquet(str(out / "table")).collect())


def payloads(*names: str) -> Counter[tuple[Any, ...]]:
    return Counter((each.encode(),) for each in names)


def test_available_now_reads_everything_once(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(5):
        age(log(folder / f"{number}.log", f"{number}a", f"{number}b"), -number)
    query = started(spark, folder, tmp_path, maxFilesPerTrigger=2)
    query.awaitTermination()
    told = [each for each in query.recentProgress if each["numInputRows"]]
    assert [each["numInputRows"] for each in told] == [4, 4, 2]
    shown = offset(told[0])
    assert (shown["files"], shown["waitingFiles"]) == (2, 3)
    log(folder / "0.log", "0c")
    log(folder / "5.log", "5a")
    started(spark, folder, tmp_path, maxFilesPerTrigger=2).awaitTermination()
    assert table(tmp_path) == payloads(*(f"{number}{part}" for number in range(5) for part in "ab"), "0c", "5a")


def test_a_query_that_is_killed_goes_on_where_it_was(spark: SparkSession, tmp_path: Path) -> None:
    """The process dies after the work of a batch and before Spark records it; meanwhile the folder changes."""
    folder = tmp_path / "in"
    folder.mkdir()
    kept: dict[int, list[bytes]] = {}
    expected: list[str] = []
    deaths = [1, 2, 2]

    def keep(frame: DataFrame, number: int) -> None:
        rows = [row["payload"] for row in frame.collect()]
        assert kept.setdefault(number, rows) == rows, "a batch that is run again reads the same"
        if deaths and number == deaths[0]:
            raise RuntimeError(f"killed in batch {deaths.pop(0)}")

    for life in range(len(deaths) + 1):
        for number in range(2):
            texts = [f"{life} {number} {part}" for part in "ab"]
            age(log(folder / f"{(life + number) % 3}.log", *texts), -life)
            expected += texts
        query = (
            spark.readStream.format("cobs_log")
            .option("maxFilesPerTrigger", 1)
            .load(str(folder))
            .writeStream.foreachBatch(keep)
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        if deaths:
            with pytest.raises(StreamingQueryException, match="killed in batch"):
                query.awaitTermination()
        else:
            query.awaitTermination()
    assert not deaths
    assert Counter(row for rows in kept.values() for row in rows) == Counter(each.encode() for each in expected)


def test_a_log_is_followed(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    query = started(spark, folder, tmp_path, trigger={"processingTime": "100 milliseconds"})
    try:
        names = [f"{number}" for number in range(3)]
        for name in names:
            log(folder / "a.log", name)
            query.processAllAvailable()
        deadline = time.monotonic() + SECONDS
        while committed(spark, tmp_path) != payloads(*names):
            assert time.monotonic() < deadline
            time.sleep(0.2)
    finally:
        query.stop()


def test_a_rotated_log_is_followed(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    log(folder / "app.log", "one", "two")
    started(spark, folder, tmp_path).awaitTermination()
    path = log(folder / "app.log", "three").rename(folder / "app.log.1")
    log(folder / "app.log", "four", "five", "six", "seven")
    started(spark, folder, tmp_path).awaitTermination()
    log(path, "late")
    started(spark, folder, tmp_path).awaitTermination()
    assert table(tmp_path) == payloads("one", "two", "three", "four", "five", "six", "seven", "late")
    (folder / "app.log").write_bytes(b"")
    with pytest.raises(StreamingQueryException, match=r"in/app\.log: the file had \d+ bytes when it was read, and b"):
        started(spark, folder, tmp_path).awaitTermination()


def test_damage_is_counted_in_the_progress(spark: SparkSession, tmp_path: Path) -> None:
    """A batch's progress includes the numbers of those before it; the damage of the last one is in the folder."""
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(2):
        (folder / f"{number}.wal.zst").write_bytes(DAMAGED.read_bytes())
    options = {"columns": "tenant", "maxFilesPerTrigger": 1, "reportFolder": tmp_path / "reports"}
    query = started(spark, folder, tmp_path, "edgemq_segment", **options)
    query.awaitTermination()
    assert sum(table(tmp_path).values()) == 38
    told = [offset(each) for each in query.recentProgress]
    assert [(each["rows"], each["damaged"]) for each in told if "rows" in each] == [(19, 1)]
    reports = [json.loads(path.read_text()) for path in sorted((tmp_path / "reports").glob("batch-*/*.json"))]
    assert [len(file["damaged"]) for report in reports for file in report] == [1, 1]


def test_a_loss_names_the_file(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    path = log(folder / "a.log", "one", "two")
    started(spark, folder, tmp_path).awaitTermination()
    path.write_bytes(b"\0")
    with pytest.raises(StreamingQueryException, match=r"in/a\.log: the file had \d+ bytes when it was read, and b"):
        started(spark, folder, tmp_path).awaitTermination()
    started(spark, folder, tmp_path, failOnDataLoss="false").awaitTermination()
    assert table(tmp_path) == payloads("one", "two")
    with pytest.raises(AnalysisException, match="unknown option 'maxfilespertriger': did you mean"):
        started(spark, folder, tmp_path, maxFilesPerTriger="1")


def test_the_page(spark: SparkSession, tmp_path: Path) -> None:
    """Its blocks run in order."""
    page = Page((Path(__file__).parents[3] / "docs" / "streaming.md").read_text(), tmp_path)
    page.namespace["spark"] = spark
    assert page.run() == 2


def test_a_prefix_of_an_object_store(spark: SparkSession, object_store: Store, tmp_path: Path) -> None:
    log(tmp_path / "a.log", "one", "two")
    content = (tmp_path / "a.log").read_bytes()
    key = f"{tmp_path.name}/in"
    address = object_store.put(f"{key}/a.log", content).rpartition("/")[0]
    place = {"endpoint": object_store.endpoint, "region": "us-east-1"}
    query = started(spark, address, tmp_path, maxFilesPerTrigger=1, **place)
    query.awaitTermination()
    for name in ("b.log", "_c.log", "sub/d.log"):
        object_store.put(f"{key}/{name}", content)
    query = started(spark, address, tmp_path, maxFilesPerTrigger=1, **place)
    query.awaitTermination()
    assert [each["numInputRows"] for each in query.recentProgress if each["numInputRows"]] == [2, 2]
    assert table(tmp_path) == payloads(*["one", "two"] * 3)
    object_store.put(f"{key}/a.log", content[:-1])
    with pytest.raises(StreamingQueryException, match=r"a\.log: the file had \d+ bytes when it was read, and became"):
        started(spark, address, tmp_path, **place).awaitTermination()


@pytest.mark.parametrize(("name", "file"), [("prometheus_wal", "snappy"), ("etcd_wal", "large.wal")])
def test_write_ahead_logs_that_grow(spark: SparkSession, tmp_path: Path, name: str, file: str) -> None:
    """Each entry exactly once, although the last one of a file is incomplete when it is read; etcd's files are
    preallocated."""
    path = Path(__file__).parents[2] / "vectors" / name / file
    content = path.read_bytes()
    (tmp_path / "in").mkdir()
    log = tmp_path / "in" / "wal"
    log.write_bytes(b"\0" * (len(content) + 9000 if name == "etcd_wal" else 0))
    trigger = {"processingTime": "100 milliseconds"}
    query = started(spark, log.parent, tmp_path / "out", name, trigger=trigger, tail="growing")
    try:
        third = len(content) // 3
        with log.open("r+b") as file:
            for part in (content[:third], content[third : 2 * third], content[2 * third :]):
                file.write(part)
                file.flush()
                query.processAllAvailable()
    finally:
        query.stop()
    column = "ref" if name == "prometheus_wal" else "index"
    found = pq.read_table(tmp_path / "out" / "table", columns=[column])[column].to_pylist()
    expected = wireloom.read(name, path, columns=[column])[column].to_pylist()
    assert sorted(map(int, found)) == sorted(expected)


def test_a_log_that_is_renamed_and_compressed_between_runs(spark: SparkSession, tmp_path: Path) -> None:
    """No file matches the pattern while it is read on."""
    folder = tmp_path / "in"
    folder.mkdir()
    texts = ["one", "two", "three"]
    for number, text in enumerate(texts):
        name = "app.log" if number < 2 else "app.log.1"
        log(folder / name, text)
        if number == 1:
            rotate(folder / name, "app.log.1")
        if number == 2:
            compress(folder / name, "app.log.1.gz")
        started(spark, f"{folder}/*.log", tmp_path, maxBytesPerTrigger=1).awaitTermination()
        assert table(tmp_path) == Counter((each.encode(),) for each in texts[: number + 1])
    log(folder / "app.log", "four", "five")
    query = started(spark, f"{folder}/*.log", tmp_path, maxBytesPerTrigger=1)
    query.awaitTermination()
    assert table(tmp_path) == Counter((each.encode(),) for each in [*texts, "four", "five"])
    assert offset(query.lastProgress)["lostFiles"] == 0
