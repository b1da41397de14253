"""Tables that are more than a folder of Parquet files: Delta Lake and Iceberg."""

from __future__ import annotations

import shutil
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from wireloom import UnsupportedError, WireloomError
from wireloom.spark.folders import folder
from wireloom.spark.ingest import ingest
from wireloom.spark.ingest.catalogs import catalog_of
from wireloom.spark.ingest.iceberg import IcebergCatalog
from wireloom.spark.ingest.ledger import TableSchema
from wireloom.spark.read.partition_columns import NULL

from ..logs import log, logs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_delta(spark: SparkSession, tmp_path: Path) -> None:
    from deltalake import DeltaTable

    folder = tmp_path / "in" / "prod" / "eu-west-1" / "i-7" / "1" / "segments"
    folder.mkdir(parents=True)
    vectors = Path(__file__).parents[2] / "vectors" / "edgemq"
    shutil.copy(vectors / "crc_payload_flip.wal.zst", folder / "seg-00000001.wal.zst")

    def run(**more: Any) -> Any:
        found = ingest(
            spark, "edgemq_segment", str(tmp_path / "in"), table, to="delta", partition_by=("region",), **more
        )
        return found.rows, DeltaTable(table)

    table = str(tmp_path / "table")
    rows, there = run()
    assert rows == 19
    assert there.metadata().partition_columns == ["region"]
    assert there.count() == 19
    assert run()[0] == 0
    shutil.copy(vectors / "crc_payload_flip.wal.zst", folder / "seg-00000002.wal.zst")
    assert run()[1].count() == 38
    record = next((tmp_path / "table" / "_wireloom" / "commits").iterdir())
    record.rename(record.parent.parent / record.name)
    (tmp_path / "table" / "_wireloom" / "pending").mkdir()
    (record.parent.parent / record.name).rename(tmp_path / "table" / "_wireloom" / "pending" / record.name)
    assert run()[1].count() == 38, "carried out again, and added once"
    assert run(existing="overwrite")[1].count() == 38
    shutil.rmtree(tmp_path / "table" / "_wireloom")
    shutil.copy(vectors / "crc_payload_flip.wal.zst", folder / "seg-00000003.wal.zst")
    with pytest.raises(WireloomError, match=r"its ledger .* is missing"):
        run()
    assert DeltaTable(table).count() == 38
    assert run(existing="overwrite")[1].count() == 57


def test_delta_with_values_that_folders_spell_otherwise(spark: SparkSession, tmp_path: Path) -> None:
    from deltalake import DeltaTable

    columns, place = ["payload", "kind"], tmp_path / "my lake" / "t [1] ü"
    for each, payload in (("a b,ü%2F", "one"), ("c %25 #?", "two")):
        log(tmp_path / "in" / f"kind={each}" / "a.log", payload)
        ingest(spark, "cobs_log", str(tmp_path / "in"), str(place), to="delta", columns=columns, partition_by=["kind"])
    rows = DeltaTable(str(place)).to_pyarrow_table().to_pylist()
    assert {row["kind"]: row["payload"] for row in rows} == {"a b,ü/": b"one", "c % #?": b"two"}


@pytest.fixture
def iceberg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that loads tables of pyiceberg's default catalog, in a database."""
    from pyiceberg.catalog import load_catalog

    monkeypatch.setenv("PYICEBERG_CATALOG__DEFAULT__TYPE", "sql")
    monkeypatch.setenv("PYICEBERG_CATALOG__DEFAULT__URI", f"sqlite:///{tmp_path / 'catalog'}")
    monkeypatch.setattr("pyiceberg.catalog._ENV_CONFIG", type(sys.modules["pyiceberg.catalog"]._ENV_CONFIG)())
    return lambda name: load_catalog().load_table(name)


def test_iceberg(spark: SparkSession, tmp_path: Path, iceberg: Any, caplog: pytest.LogCaptureFixture) -> None:
    logs(tmp_path / "in", 2)
    table = tmp_path / "lake" / "events"

    def run(**more: Any) -> int:
        ingest(spark, "cobs_log", str(tmp_path / "in"), str(table), to="iceberg", **more)
        rows: int = iceberg("lake.events").scan().to_arrow().num_rows
        return rows

    assert run() == 100
    assert not caplog.records, "nothing to warn of"
    assert run() == 100
    log(tmp_path / "in" / "9.log", "more")
    assert run() == 101
    assert run(existing="overwrite") == 101
    with pytest.raises(UnsupportedError, match="partitioned by nothing, not by _path"):
        run(existing="overwrite", partition_by=("_path",))


@pytest.mark.parametrize("kind", ["delta", "iceberg"])
def test_a_table_is_not_written_as_another_kind(
    kind: str, spark: SparkSession, tmp_path: Path, iceberg: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that requests another kind is refused, and completes the interrupted commit as the original kind."""
    from deltalake import DeltaTable
    from wireloom.spark.write import commit_log

    log(tmp_path / "in" / "a.log", "one", "two")
    table = tmp_path / "lake" / "events"

    def run(**more: Any) -> Any:
        return ingest(spark, "cobs_log", str(tmp_path / "in"), str(table), **more)

    def dead(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(commit_log, "_move_staged", dead)
        with pytest.raises(KeyboardInterrupt):
            run(to=kind)
    for existing in ("append", "overwrite"):
        with pytest.raises(WireloomError, match=f"the table is of kind {kind}, not parquet; write to it as {kind}"):
            run(existing=existing)
    rows = DeltaTable(table).count() if kind == "delta" else iceberg("lake.events").scan().to_arrow().num_rows
    assert rows == 2
    assert run(to=kind).done_before == 1


def test_iceberg_in_a_folder_with_blanks(spark: SparkSession, tmp_path: Path, iceberg: Any) -> None:
    log(tmp_path / "in" / "a.log", "one")
    ingest(spark, "cobs_log", str(tmp_path / "in"), str(tmp_path / "my lake" / "t [1] ü"), to="iceberg")
    assert iceberg(("my lake", "t [1] ü")).scan().to_arrow().to_pylist() == [{"payload": b"one"}]


def test_iceberg_with_partitions(spark: SparkSession, tmp_path: Path, iceberg: Any) -> None:
    days = ["day=2026-03-01/shard=1", "day=2026-03-02/shard=1", f"day={NULL}/shard=2"]
    for number, each in enumerate(days):
        (tmp_path / "in" / each).mkdir(parents=True)
        log(tmp_path / "in" / each / "seg.log", f"event {number}")
    table = tmp_path / "lake" / "events"

    def run(by: tuple[str, ...] = ("day", "shard"), **more: Any) -> Any:
        options = {"partitionColumns": "infer"}
        ingest(
            spark, "cobs_log", str(tmp_path / "in"), str(table), to="iceberg", partition_by=by, options=options, **more
        )
        return iceberg("lake.events")

    there = run()
    assert [each.name for each in there.spec().fields] == ["day", "shard"]
    rows = sorted(there.scan().to_arrow().to_pylist(), key=lambda row: row["payload"])
    assert rows == [
        {"payload": b"event 0", "day": date(2026, 3, 1), "shard": 1},
        {"payload": b"event 1", "day": date(2026, 3, 2), "shard": 1},
        {"payload": b"event 2", "day": None, "shard": 2},
    ]
    wanted = there.scan(row_filter="day = '2026-03-02'")
    assert len(list(wanted.plan_files())) == 1
    assert [row["payload"] for row in wanted.to_arrow().to_pylist()] == [b"event 1"]

    log(tmp_path / "in" / days[0] / "more.log", "event 3")
    assert run().scan().to_arrow().num_rows == 4
    record = max((table / "_wireloom" / "commits").iterdir())
    (table / "_wireloom" / "pending").mkdir(exist_ok=True)
    record.rename(table / "_wireloom" / "pending" / record.name)
    assert run().scan().to_arrow().num_rows == 4, "carried out again, and added once"
    assert run(existing="overwrite").scan().to_arrow().num_rows == 4
    with pytest.raises(UnsupportedError, match="partitioned by day, shard, not by day"):
        run(("day",))


def test_iceberg_takes_no_partitions_that_folders_cannot_name(tmp_path: Path) -> None:
    shape = TableSchema((("payload", "binary"), ("ts", "timestamp")), ("ts",), "iceberg")
    with pytest.raises(UnsupportedError, match=r"'ts', a timestamp: partition by columns of text, .* kind delta"):
        IcebergCatalog().check(folder(str(tmp_path)), shape)


@pytest.mark.parametrize(("kind", "package"), [("delta", "deltalake"), ("iceberg", "pyiceberg")])
def test_packages_that_are_missing(kind: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UnsupportedError, match=rf"pip install 'wireloom\[{kind}\]'"):
        catalog_of(kind)
