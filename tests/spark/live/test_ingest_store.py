"""The pipeline with all data in an object store, on a server on this machine."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
import wireloom
from wireloom import UnsupportedError, WireloomError
from wireloom.input.inputs import Location
from wireloom.input.s3 import filesystem
from wireloom.spark.folders import folder
from wireloom.spark.ingest import ingest, numbered_lock, store_lock
from wireloom.spark.ingest.lock import locked
from wireloom.spark.ingest_stream import ingest_stream

from ...storage_server import BUCKET, Store
from ...waiting import SECONDS
from ..conftest import ROWS, Sample
from ..driver import read as source_rows

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.fixture
def place(object_store: Store, samples: dict[str, Sample], tmp_path: Path) -> str:
    """Return a separate prefix with an intact log and a damaged one."""
    content = samples["cobs_log"].file.read_bytes()
    for name, more in (("a", b""), ("b", b"\x05bad\x00")):
        object_store.put(f"{tmp_path.name}/in/{name}.log", content + more)
    return f"s3://{BUCKET}/{tmp_path.name}"


def read(address: str, store: Store) -> Any:
    files = filesystem(Location(endpoint=store.endpoint), BUCKET)
    return pyarrow.dataset.dataset(address.partition("://")[2], filesystem=files, format="parquet", partitioning="hive")


def options(store: Store) -> dict[str, str]:
    return {"endpoint": store.endpoint, "region": "us-east-1"}


def test_batches(spark: SparkSession, object_store: Store, place: str) -> None:
    def run(**more: Any) -> Any:
        return ingest(
            spark,
            "cobs_log",
            f"{place}/in",
            f"{place}/table",
            quarantine=f"{place}/bad",
            metrics=f"{place}/metrics",
            options=options(object_store),
            columns=["payload", "_path"],
            **more,
        )

    summary = run()
    assert (summary.rows, summary.damaged, summary.quarantined) == (2 * ROWS, 1, 1)
    table = read(f"{place}/table", object_store).to_table()
    assert table.num_rows == 2 * ROWS
    assert set(table["_path"].to_pylist()) == {f"{place}/in/{name}.log" for name in "ab"}
    [bad] = read(f"{place}/bad", object_store).to_table().to_pylist()
    assert (bad["_path"], bad["_length"], bad["_error"].partition(":")[0]) == (f"{place}/in/b.log", 5, "stuffing")
    prefix = place.partition("://")[2].partition("/")[2]
    [told] = object_store.keys(f"{prefix}/metrics/")
    assert json.loads(object_store.get(told).splitlines()[0])["rows"] == 2 * ROWS

    assert run().rows == 0, "done files are done"
    assert run(existing="overwrite").rows == 2 * ROWS
    assert read(f"{place}/table", object_store).to_table().num_rows == 2 * ROWS
    left = [each for each in object_store.keys(f"{prefix}/table/_wireloom") if "/commits/" not in each]
    assert left == [], "neither a lock nor what was staged"


def test_partitions(spark: SparkSession, object_store: Store, place: str, samples: dict[str, Sample]) -> None:
    sample = samples["edgemq_segment"]
    table = f"{place}/lake/events"
    summary = ingest(
        spark, "edgemq_segment", str(sample.file), table, partition_by=["fmt"], options=options(object_store)
    )
    assert summary.rows == ROWS
    found = read(table, object_store)
    assert {each.split("/")[-2] for each in found.files} == {"fmt=0", "fmt=1", "fmt=2"}
    rows = found.to_table().sort_by("ts")
    assert rows["payload"].to_pylist() == sample.table["payload"].to_pylist()
    assert rows["fmt"].to_pylist() == sample.table["fmt"].to_pylist()
    with pytest.raises(WireloomError, match="a different schema: it has no column _offset"):
        ingest(
            spark,
            "edgemq_segment",
            str(sample.folder),
            table,
            partition_by=["fmt"],
            columns=["_offset"],
            options=options(object_store),
        )


def test_a_delta_table(spark: SparkSession, store_apart: Store, samples: dict[str, Sample], tmp_path: Path) -> None:
    deltalake = pytest.importorskip("deltalake", reason="the package deltalake is not installed")
    table = f"s3://{BUCKET}/{tmp_path.name}/delta"
    options = {"endpoint": store_apart.endpoint, "region": "us-east-1"}
    for _ in range(2):
        ingest(spark, "cobs_log", str(samples["cobs_log"].file), table, to="delta", options=options)
    access = {"AWS_ENDPOINT_URL": store_apart.endpoint, "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1"}
    found = deltalake.DeltaTable(table, storage_options=access)
    assert found.version() == 0
    assert [each["num_records"] for each in pa.table(found.get_add_actions(flatten=True)).to_pylist()] == [ROWS]


@pytest.mark.parametrize("mode", ["permissive", "dropmalformed"])
def test_an_object_that_is_not_what_was_written(
    mode: str, spark: SparkSession, object_store: Store, place: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Its rows are valid, and nevertheless the metrics report that it is another object."""
    key = place.partition("://")[2].partition("/")[2]
    content = object_store.get(f"{key}/in/a.log")
    address = object_store.put(f"{key}/other.log", content, sha256=hashlib.sha256(content + b"!").hexdigest())
    object_store.put(f"{key}/same.log", content, sha256=hashlib.sha256(content).hexdigest())
    given = {**options(object_store), "verifySha256": "true", "pathGlobFilter": "{other,same}.log"}
    places = {"quarantine": f"{place}/bad", "metrics": f"{place}/metrics"}
    summary = ingest(spark, "cobs_log", place, f"{place}-table", mode=mode, options=given, **places)
    assert summary.rows == 2 * ROWS
    [told] = object_store.keys(f"{key}/metrics/")
    batch, *files = (json.loads(line) for line in object_store.get(told).splitlines())
    assert batch["reasons"] == {"digest": 1}
    assert {each["path"]: (each["reasons"], "SHA-256" in (each["error"] or "")) for each in files} == {
        address: ({"digest": 1}, True),
        address.replace("other", "same"): ({}, False),
    }
    [bad] = read(f"{place}/bad", object_store).to_table().to_pylist()
    assert bad["_path"] == address
    assert bad["_error"].startswith("digest: the SHA-256 of the stored bytes is")
    rows = source_rows("cobs_log", path=address, mode=mode, **{**given, "pathGlobFilter": "*"})
    assert rows.num_rows == ROWS
    assert "the SHA-256 of the stored bytes" in caplog.text


def test_a_commit_that_was_cut_off_is_carried_out(
    spark: SparkSession, object_store: Store, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wireloom.spark.write import commit_log

    def run() -> Any:
        return ingest(
            spark, "cobs_log", f"{place}/in", f"{place}/table", quarantine=f"{place}/bad", options=options(object_store)
        )

    def dead(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(commit_log, "_move_staged", dead)
    with pytest.raises(KeyboardInterrupt):
        run()
    monkeypatch.undo()
    summary = run()
    assert [each["rows"] for each in summary.recovered] == [2 * ROWS]
    assert read(f"{place}/table", object_store).to_table().num_rows == 2 * ROWS
    assert read(f"{place}/bad", object_store).to_table().num_rows == 1


def test_as_a_stream(spark: SparkSession, object_store: Store, place: str, tmp_path: Path) -> None:
    def run(checkpoint: str = str(tmp_path / "progress")) -> Any:
        return ingest_stream(
            spark,
            "cobs_log",
            f"{place}/in",
            f"{place}/table",
            checkpoint=checkpoint,
            quarantine=f"{place}/bad",
            options={**options(object_store), "maxFilesPerTrigger": "1"},
        )

    assert [each["rows"] for each in run().batches] == [ROWS, ROWS]
    object_store.put(place.partition("://")[2].partition("/")[2] + "/in/c.log", b"\x02c\x00")
    assert [each["rows"] for each in run().batches] == [1]
    assert read(f"{place}/table", object_store).to_table().num_rows == 2 * ROWS + 1
    assert read(f"{place}/bad", object_store).to_table().num_rows == 1
    with pytest.raises(UnsupportedError, match="Spark itself keeps the checkpoint"):
        run(f"{place}/progress")


def test_a_table_in_the_store_with_the_rest_on_disk(
    spark: SparkSession, object_store: Store, place: str, tmp_path: Path
) -> None:
    arguments = (spark, "cobs_log", f"{place}/in/a.log")
    ingest(*arguments, str(tmp_path / "table"), quarantine=f"{place}/bad", options=options(object_store))
    assert pq.read_table(tmp_path / "table").num_rows == ROWS
    assert read(f"{place}/bad", object_store).to_table().num_rows == 0


def test_one_at_a_time(object_store: Store, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = folder(f"{place}/table", Location(endpoint=object_store.endpoint))
    key = place.partition("://")[2].partition("/")[2] + "/table/_wireloom/lock"
    with locked(table) as check:
        check()
        with pytest.raises(WireloomError, match="another ingest writes to it"), locked(table):
            pass
        check()
    assert object_store.keys(key) == []

    object_store.put(key, b'{"owner": "elsewhere.1.1", "token": "x"}')
    with pytest.raises(WireloomError, match="its lock, which counts for nothing 300 seconds after"), locked(table):
        pass
    monkeypatch.setattr(numbered_lock, "LEASE", -1.0)
    with locked(table) as check:
        check()
        object_store.put(key, b'{"owner": "elsewhere.2.2", "token": "y"}')
        with pytest.raises(WireloomError, match="has taken over the table"):
            check()
    assert object_store.keys(key) == [key], "that of another one stays"


def test_a_dead_process_of_this_machine_holds_no_lock(object_store: Store, place: str) -> None:
    table = folder(f"{place}/table", Location(endpoint=object_store.endpoint))
    program = "from wireloom.spark.write.driver_process import driver_process; print(driver_process())"
    dead = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
    key = place.partition("://")[2].partition("/")[2] + "/table/_wireloom/lock"
    object_store.put(key, json.dumps({"owner": dead}).encode())
    with locked(table) as check:
        check()
    for content in (b"", b"[]", b'{"owner": 7}'):
        object_store.put(key, content)
        with pytest.raises(WireloomError, match="another ingest writes to it"), locked(table):
            pass


def test_only_one_of_many_gets_in(object_store: Store, place: str) -> None:
    table = folder(f"{place}/table", Location(endpoint=object_store.endpoint))
    inside, outside = [], []
    done = threading.Event()

    def enter() -> None:
        try:
            with locked(table):
                inside.append(1)
                done.wait(SECONDS)
        except WireloomError:
            outside.append(1)
            if len(outside) == 5:
                done.set()

    threads = [threading.Thread(target=enter) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert (len(inside), len(outside)) == (1, 5)


def test_a_store_without_conditional_writes_is_refused(
    object_store: Store, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = folder(f"{place}/table", Location(endpoint=object_store.endpoint))
    put = store_lock.StoreLock._put
    monkeypatch.setattr(store_lock.StoreLock, "_put", lambda self, **_: put(self))
    with pytest.raises(UnsupportedError, match="does not support conditional writes"), locked(table):
        pass


def test_the_command_takes_the_stores_options(object_store: Store, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner
    from wireloom.command import main
    from wireloom.spark import ingest as pipeline

    asked: dict[str, Any] = {}

    def done(*_: Any, **given: Any) -> Any:
        asked.update(given)
        raise wireloom.WireloomError("enough")

    monkeypatch.setattr(pipeline, "ingest", done)
    arguments = ["ingest", "cobs_log", f"{place}/in", "--table", f"{place}/table", "--endpoint", object_store.endpoint]
    result = CliRunner().invoke(main, [*arguments, "--region", "us-east-1", "--verify-sha256"])
    assert "enough" in result.output
    assert asked["options"] == {"endpoint": object_store.endpoint, "region": "us-east-1", "verifySha256": "true"}
