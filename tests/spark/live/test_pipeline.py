"""The pipeline with Spark: repeated, as a stream, killed, submitted."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
import wireloom
import wireloom.spark.job
from wireloom import WireloomError
from wireloom.spark.ingest import ingest
from wireloom.spark.ingest_stream import ingest_stream

from ...java import QUICK_SPARK
from ...waiting import SECONDS
from ..conftest import ROWS, Sample
from ..logs import log, logs, records

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KILLS = int(os.environ.get("WIRELOOM_SPARK_KILLS", "1"))
"""How often a run with Spark is killed before one may finish."""


def test_run_again(spark: SparkSession, tmp_path: Path) -> None:
    def run(**more: Any) -> Any:
        places = {each: str(tmp_path / each) for each in ("quarantine", "metrics")}
        return ingest(spark, "cobs_log", str(tmp_path / "in"), str(tmp_path / "table"), **places, **more)

    held = logs(tmp_path / "in")
    first = run(batch_files=4)
    assert [each["files"] for each in first.batches] == [4, 2]
    assert records(tmp_path) == held
    assert run().batches == []
    log(tmp_path / "in" / "later.log", "later")
    log(tmp_path / "in" / "0.log", "grown")
    again = run()
    assert (again.rows, again.done_before, again.changed) == (1, 6, [str(tmp_path / "in" / "0.log")])
    assert records(tmp_path) == held + Counter(["later"])
    told = [json.loads(line) for each in (tmp_path / "metrics").iterdir() for line in each.open()]
    assert sum(each["rows"] for each in told if each["kind"] == "file") == 301
    assert {each["batch"]: each["damaged"] for each in told if each["kind"] == "batch"} == {1: 2, 2: 1, 3: 0}

    with pytest.raises(WireloomError) as raised:
        run(columns=("_offset", "payload"), partition_by=("_path",))
    assert str(raised.value) == (
        f"{tmp_path / 'table'}: the table has a different schema: it is partitioned by nothing, not by _path; "
        "it has no column _offset (bigint); it has no column _path (string); "
        "name another table, choose columns that fit, or replace the table with overwrite"
    )
    assert run(existing="overwrite").rows == 302
    assert records(tmp_path) == held + Counter(["later", "grown"])


def test_a_table_of_somebody_else(spark: SparkSession, samples: dict[str, Sample], tmp_path: Path) -> None:
    path, table = str(samples["cobs_log"].file), str(tmp_path / "table")
    spark.createDataFrame([("x",)], "payload string").write.parquet(table)
    with pytest.raises(WireloomError, match="column payload is string in the table and binary in the rows"):
        ingest(spark, "cobs_log", path, table, existing="adopt")
    shutil.rmtree(table)
    spark.createDataFrame([(b"x",)], "payload binary").write.parquet(table)
    [other] = (each.name for each in Path(table).glob("part-*"))
    wanted = f"{table}: contains files that ingest did not write, such as {other}; name another folder, or "
    with pytest.raises(WireloomError, match=re.escape(wanted) + "have existing=adopt append to them"):
        ingest(spark, "cobs_log", path, table)
    with pytest.raises(WireloomError, match=re.escape(wanted) + "remove them, since overwrite would delete them"):
        ingest(spark, "cobs_log", path, table, existing="overwrite")
    assert pq.read_table(table).num_rows == 1
    ingest(spark, "cobs_log", path, table, existing="adopt")
    assert pq.read_table(table).num_rows == ROWS + 1
    assert ingest(spark, "cobs_log", path, table).done_before == 1


def test_the_quarantine_of_a_table_is_one_folder(spark: SparkSession, tmp_path: Path) -> None:
    def run(quarantine: str | None, table: str = "table", **more: Any) -> Any:
        place = None if quarantine is None else str(tmp_path / quarantine)
        return ingest(spark, "cobs_log", str(tmp_path / "in"), str(tmp_path / table), quarantine=place, **more)

    def kept(quarantine: str) -> int:
        return int(pq.read_table(tmp_path / quarantine).num_rows)

    logs(tmp_path / "in")
    assert run("quarantine").quarantined == run("quarantine", "second").quarantined == 3
    with pytest.raises(WireloomError) as raised:
        run("elsewhere")
    assert str(raised.value) == (
        f"{tmp_path / 'elsewhere'}: the damaged records of earlier runs are in {tmp_path / 'quarantine'}; "
        "name that quarantine, or move its folder here first"
    )
    assert not (tmp_path / "elsewhere").exists()
    run(None)
    # What another table has quarantined there is kept.
    assert run("quarantine", existing="overwrite").quarantined == 3
    assert kept("quarantine") == 6

    (tmp_path / "quarantine").rename(tmp_path / "moved")
    log(tmp_path / "in" / "later.log", damaged=b"\x05later\0")
    assert run("moved").quarantined == 1
    assert kept("moved") == 7
    # A copy of a table is a different table.
    shutil.copytree(tmp_path / "table", tmp_path / "copy")
    log(tmp_path / "in" / "latest.log", damaged=b"\x05latest\0")
    assert run("of_the_copy", "copy").quarantined == kept("of_the_copy") == 1

    with pytest.raises(WireloomError, match=r"contains files that ingest did not write, such as 0\.log; name"):
        run("in", "third", options={"pathGlobFilter": "*.log"})


def test_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    told: list[Any] = []

    def run(checkpoint: str = "checkpoint", **more: Any) -> Any:
        places = {each: str(tmp_path / each) for each in ("quarantine", "checkpoint", "metrics")}
        places["checkpoint"] = str(tmp_path / checkpoint)
        options = {"maxFilesPerTrigger": "4"}
        found = [spark, "cobs_log", str(tmp_path / "in"), str(tmp_path / "table")]
        return ingest_stream(*found, **places, options=options, told=told.append, **more)

    held = logs(tmp_path / "in")
    assert run().rows == 300
    assert [each["files"] for each in told] == [4, 2]
    assert records(tmp_path) == held
    shutil.copytree(tmp_path / "checkpoint", tmp_path / "older")
    shutil.rmtree(tmp_path / "older" / "offsets")
    (tmp_path / "older" / "offsets").mkdir()
    shutil.copy(tmp_path / "checkpoint" / "offsets" / "0", tmp_path / "older" / "offsets" / "0")
    for each in (".1.crc", "1"):
        (tmp_path / "older" / "commits" / each).unlink()
    with pytest.raises(WireloomError, match=r"ends with batch 0, but .*table has batch 1 of its query"):
        run("older")
    # Spark forgets that it has completed a batch, as if it had died just after wireloom's commit.
    (tmp_path / "checkpoint" / "commits" / "1").unlink()
    (tmp_path / "checkpoint" / "commits" / ".1.crc").unlink()
    log(tmp_path / "in" / "0.log", "grown")
    assert run().rows == 1
    assert records(tmp_path) == held + Counter(["grown"])
    with pytest.raises(WireloomError, match="which this checkpoint does not include"):
        run("another")
    with pytest.raises(WireloomError, match="name a new checkpoint"):
        run(existing="overwrite")
    log(tmp_path / "in" / "1.log", damaged=b"\x05!\0")
    with pytest.raises(WireloomError, match="mode=permissive"):
        run(mode="failfast")
    assert records(tmp_path) == held + Counter(["grown"])
    (tmp_path / "table").rename(tmp_path / "elsewhere")
    with pytest.raises(WireloomError, match="checkpoint of a query that wrote to another table"):
        run()
    assert not (tmp_path / "table").exists()
    # A ledger of the day before: that the checkpoint is newer is seen before its batches would be missing.
    (tmp_path / "elsewhere").rename(tmp_path / "table")
    commits = tmp_path / "table" / "_wireloom" / "commits"
    for each in max((tmp_path / "table").glob("part-*")), max(commits.iterdir()):
        each.unlink()
    with pytest.raises(WireloomError, match="the rows of batch 2 are not in"):
        run()


@pytest.mark.parametrize("stream", [False, True])
def test_a_batch_after_logs_were_rotated(stream: bool, spark: SparkSession, tmp_path: Path) -> None:
    """What was read is recognised under its new name, and what is not read is named."""

    def run(stream: bool) -> Any:
        places = [str(tmp_path / each) for each in ("in", "table")]
        if stream:
            return ingest_stream(spark, "cobs_log", *places, checkpoint=str(tmp_path / "checkpoint"))
        return ingest(spark, "cobs_log", *places)

    folder = tmp_path / "in"
    for name in ("app.log.1", "app.log", "other.log"):
        log(folder / name, f"{name} of the first day")
    held = Counter(f"{name} of the first day" for name in ("app.log.1", "app.log", "other.log"))
    assert run(stream).rows == 3
    assert run(False).changed == []
    assert records(tmp_path) == held
    (folder / "app.log.1").rename(folder / "app.log.2")
    (folder / "app.log").rename(folder / "app.log.1")
    log(folder / "app.log", "app.log of the first day, and more")
    log(folder / "other.log", "more")
    again = run(False)
    assert (again.rows, again.done_before) == (0, 4)
    assert again.changed == [str(folder / each) for each in ("app.log", "other.log")]
    log(folder / "app.log.2", "more")
    log(folder / "new.log", "new")
    again = run(False)
    assert again.rows == 1
    assert sorted(again.changed) == sorted(str(folder / each) for each in ("app.log", "app.log.2", "other.log"))
    assert records(tmp_path) == held + Counter(["new"])
    if stream:
        with pytest.raises(WireloomError, match=r"already has the rows of .*new\.log"):
            run(True)


def test_a_stream_is_written_once(spark: SparkSession, tmp_path: Path) -> None:
    held = logs(tmp_path / "in", 3)

    def run() -> int:
        stream = spark.readStream.format("cobs_log").option("maxFilesPerTrigger", 1).load(str(tmp_path / "in"))
        writer = stream.writeStream.format("cobs_log").option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer = writer.option("fileName", "seg-{sequence:04d}").option("compression", "gzip")
        writer.trigger(availableNow=True).start(str(tmp_path / "out")).awaitTermination()
        return wireloom.read("cobs_log", tmp_path / "out").num_rows

    assert run() == 150
    assert sorted(each.name for each in (tmp_path / "out").iterdir() if each.name != "_wireloom") == [
        f"seg-000{number}.cobs.gz" for number in range(3)
    ]
    (tmp_path / "checkpoint" / "commits" / "2").unlink()
    (tmp_path / "checkpoint" / "commits" / ".2.crc").unlink()
    assert run() == 150
    log(tmp_path / "in" / "9.log", "more")
    assert run() == 151
    assert sum(held.values()) == 151


# Processes -----------------------------------------------------------------------------------------------------------


def start(base: Path, *more: str, submit: bool = False) -> subprocess.Popen[str]:
    """Start an ingest in separate processes."""
    arguments = ["cobs_log", str(base / "in"), "--table", str(base / "table"), "--quarantine", str(base / "quarantine")]
    program = [str(Path(sys.executable).parent / "wireloom"), "ingest"]
    if submit:
        job = wireloom.spark.job.__file__
        program = [str(Path(sys.executable).parent / "spark-submit"), "--master", "local[1]", job]
    environment = {
        **os.environ,
        **QUICK_SPARK,
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }
    return subprocess.Popen(
        [*program, *arguments, *more],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def kill_when(process: subprocess.Popen[str], ready: Callable[[], bool], pause: float) -> None:
    """Kill all processes, including Java, some time after a given condition."""
    deadline = time.monotonic() + SECONDS
    while process.poll() is None and not ready() and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(pause)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


# A batch whose Java is killed is in ``test_failing``.
@pytest.mark.thorough
@pytest.mark.parametrize("stream", [False, True])
def test_killed(stream: bool, spark: SparkSession, tmp_path: Path) -> None:
    held = logs(tmp_path / "in", 6)
    chosen = random.Random(int(stream))
    more = ["--batch-files", "1"]
    if stream:
        more = ["--stream", "--checkpoint", str(tmp_path / "checkpoint"), "--option", "maxFilesPerTrigger=1"]
    commits = tmp_path / "table" / "_wireloom" / "commits"
    for _ in range(KILLS):
        before = len(list(commits.iterdir())) if commits.exists() else 0
        wanted = before + chosen.randint(1, 2)
        # A stream as Spark's users start it; the arguments are the same.
        process = start(tmp_path, *more, submit=stream)
        kill_when(
            process,
            lambda wanted=wanted: commits.exists() and len(list(commits.iterdir())) >= wanted,  # type: ignore[misc]
            chosen.uniform(0, 0.3),
        )
        assert not records(tmp_path) - held
        assert records(tmp_path), "it got as far as a commit"
    inputs, table, quarantine = (str(tmp_path / each) for each in ("in", "table", "quarantine"))
    if stream:
        checkpoint = str(tmp_path / "checkpoint")
        ingest_stream(spark, "cobs_log", inputs, table, quarantine=quarantine, checkpoint=checkpoint)
    else:
        ingest(spark, "cobs_log", inputs, table, quarantine=quarantine)
    assert records(tmp_path) == held


def test_the_job_for_a_cluster(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the session of the tests, which it must not stop here."""
    held = logs(tmp_path / "in", 2)
    stopped: list[Any] = []
    monkeypatch.setattr(type(spark), "stop", lambda session: stopped.append(session))
    places = ["--table", str(tmp_path / "table"), "--quarantine", str(tmp_path / "quarantine")]
    with pytest.raises(SystemExit) as ended:
        wireloom.spark.job.main(["cobs_log", str(tmp_path / "in"), *places])
    assert ended.value.code in (0, None)
    assert len(stopped) == 1
    assert records(tmp_path) == held
    with pytest.raises(SystemExit) as ended:
        wireloom.spark.job.main(["cobs_log", str(tmp_path / "nothing"), *places])
    assert ended.value.code == 2


PARTS = {
    ("ingest", "", "Scheduled runs"): 9,
    ("ingest", "Scheduled runs", "When something fails"): 5,
    ("ingest", "Monitoring", ""): 5,
    ("spark", "", "On a cluster"): 8,
}
"""Parts of pages, from a heading up to another one, and the number of their blocks."""


@pytest.mark.parametrize(("page", "begin", "end"), PARTS)
def test_the_page(page: str, begin: str, end: str, spark: SparkSession, tmp_path: Path) -> None:
    from ...docs.blocks import Page, part

    run = Page(part(page, begin, end), tmp_path)
    run.namespace |= {"spark": spark, "path": str(tmp_path / "sample.log")}
    assert run.run() == PARTS[page, begin, end]
