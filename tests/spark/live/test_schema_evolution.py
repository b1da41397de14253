"""Specs that gain, lose or change columns between two runs into the same table."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.dataset
import pytest
import wireloom
from wireloom import WireloomError
from wireloom.input.inputs import Location
from wireloom.input.s3 import filesystem
from wireloom.spark.ingest import ingest
from wireloom.spark.ingest_stream import ingest_stream

from ...storage_server import BUCKET, Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPEC = """
meta: {{id: readings, endian: le, -wireloom: {{rows: readings}}}}
seq:
  - {{id: readings, type: reading, repeat: eos}}
types:
  reading:
    seq: [{fields}]
"""
KIND, VALUE = "{id: kind, type: u1}", "{id: value, type: u4}"
NOTE, WIDE, FLOAT = "{id: note, type: u2, if: kind == 1}", "{id: value, type: u8}", "{id: value, type: f8}"
FIRST = ("first", (KIND, VALUE))
NOTED = ("noted", (KIND, VALUE, NOTE))


class Place:
    """Inputs of several versions of a spec, and a table."""

    def __init__(self, base: Path, spark: SparkSession, to: str = "parquet", store: Store | None = None) -> None:
        self.base, self.spark, self.to, self.store = base, spark, to, store

    def spec(self, version: tuple[str, Iterable[str]]) -> Any:
        name, fields = version
        path = self.base / f"{name}.ksy"
        path.write_text(SPEC.format(fields=", ".join(fields)))
        return wireloom.load_spec(path)

    def add(self, name: str, content: bytes) -> None:
        (self.base / "in").mkdir(exist_ok=True)
        (self.base / "in" / name).write_bytes(content)

    def run(self, version: tuple[str, Iterable[str]], evolution: str = "refuse", **more: Any) -> Any:
        given: Any = {"quarantine": str(self.base / "bad"), "to": self.to, "schema_evolution": evolution, **more}
        table = str(self.base / "lake" / "table")
        return ingest(self.spark, self.spec(version), str(self.base / "in"), table, **given)

    def rows(self) -> list[dict[str, Any]]:
        if self.store is None:
            system, names = None, [str(each) for each in (self.base / "lake" / "table").rglob("part-*.parquet")]
        else:
            system = filesystem(Location(endpoint=self.store.endpoint, region="us-east-1"), BUCKET)
            names = [f"{BUCKET}/{each}" for each in self.store.keys(f"{self.base.name}/lake/table/part-")]
        files = sorted(names)
        schema = pyarrow.dataset.dataset(files[-1], filesystem=system).schema
        every = pyarrow.dataset.dataset(files, schema=schema, filesystem=system)
        found: list[dict[str, Any]] = every.to_table().to_pylist()
        return found

    def table(self) -> Any:
        """Return the table as readers of its kind see it."""
        if self.to == "delta":
            from deltalake import DeltaTable

            if self.store is None:
                return DeltaTable(self.base / "lake" / "table").to_pyarrow_table()
            address = f"s3://{BUCKET}/{self.base.name}/lake/table"
            access = {"AWS_ENDPOINT_URL": self.store.endpoint, "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1"}
            return DeltaTable(address, storage_options=access).to_pyarrow_table()
        if self.to == "iceberg":
            from pyiceberg.catalog import load_catalog

            return load_catalog().load_table("lake.table").scan().to_arrow()
        return pyarrow.Table.from_pylist(self.rows())

    def bad(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (
            pyarrow.dataset.dataset(self.base / "bad", format="parquet").to_table().to_pylist()
        )
        return found


def own_catalog(folder: Path, monkeypatch: pytest.MonkeyPatch, **more: str) -> None:
    """Create a catalog of Iceberg for one test; ``more``: further properties."""
    catalog = pytest.importorskip("pyiceberg.catalog", reason="the package pyiceberg is not installed")
    for name, value in {"type": "sql", "uri": f"sqlite:///{folder / 'catalog'}", **more}.items():
        monkeypatch.setenv(f"PYICEBERG_CATALOG__DEFAULT__{name.upper()}", value)
    monkeypatch.setattr("pyiceberg.catalog._ENV_CONFIG", type(catalog._ENV_CONFIG)())


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path) -> Place:
    """Return a table with one row of the first version, and an input file of the version with notes."""
    found = Place(tmp_path, spark)
    found.add("1.bin", struct.pack("<BI", 0, 10))
    assert found.run(FIRST).rows == 1
    found.add("2.bin", struct.pack("<BIHBI", 1, 11, 7, 0, 12))
    return found


def test_refuse_says_what_differs_and_what_to_do(place: Place) -> None:
    with pytest.raises(WireloomError) as raised:
        place.run(NOTED)
    assert str(raised.value) == (
        f"{place.base}/lake/table: the table has a different schema: it has no column note (int); name another table, "
        "choose columns that fit, or replace the table with overwrite, or have schema_evolution add columns, or "
        "quarantine the records that do not fit"
    )
    assert place.run(FIRST, mode="dropmalformed").done_before == 1


def test_add(place: Place) -> None:
    assert place.run(NOTED, "add").rows == 2
    assert place.rows() == [
        {"kind": 0, "value": 10, "note": None},
        {"kind": 1, "value": 11, "note": 7},
        {"kind": 0, "value": 12, "note": None},
    ]
    table = place.spark.read.option("mergeSchema", "true").parquet(str(place.base / "lake" / "table"))
    assert {tuple(each) for each in table.collect()} == {(0, 10, None), (1, 11, 7), (0, 12, None)}
    # The column is kept, even if the first version is read again.
    place.add("3.bin", struct.pack("<BI", 0, 13))
    assert place.run(FIRST, "add").rows == 1
    assert place.rows()[-1] == {"kind": 0, "value": 13, "note": None}
    assert place.run(NOTED, "refuse").rows == 0
    place.add("4.bin", struct.pack("<BQ", 0, 14))
    with pytest.raises(WireloomError, match=r"column value is bigint in the table and decimal\(20,0\) in the rows"):
        place.run(("wide", (KIND, WIDE)), "add")
    with pytest.raises(WireloomError, match=r"is partitioned by nothing, not by kind; name another table"):
        place.run(NOTED, "add", partition_by=["kind"])


def test_quarantine(place: Place) -> None:
    summary = place.run(NOTED, "quarantine")
    assert (summary.rows, summary.set_aside, summary.quarantined, summary.damaged) == (1, 1, 1, 0)
    assert place.rows() == [{"kind": 0, "value": 10}, {"kind": 0, "value": 12}]
    [bad] = place.bad()
    assert bad == {
        "_path": str(place.base / "in" / "2.bin"),
        "_offset": 0,
        "_length": None,
        "_error": "schema: the table cannot hold the value of note (int32)",
        "_corrupt_record": b'{"kind": 1, "value": 11, "note": 7}',
    }
    [batch] = summary.batches
    assert (batch["rows"], batch["setAside"], batch["quarantined"]) == (1, 1, 1)
    # The bytes can be read by Spark's from_json.
    place.spark.read.parquet(str(place.base / "bad")).createOrReplaceTempView("bad")
    [row] = place.spark.sql(
        "SELECT from_json(string(_corrupt_record), 'kind int, value bigint, note int') AS row FROM bad"
    ).collect()
    assert tuple(row.row) == (1, 11, 7)


def test_quarantine_of_other_types(place: Place) -> None:
    place.run(NOTED, "quarantine")
    place.add("3.bin", struct.pack("<BQBQ", 0, 1 << 63, 0, (1 << 63) - 1))
    assert place.run(("wide", (KIND, WIDE)), "quarantine").set_aside == 1
    assert place.rows()[-1] == {"kind": 0, "value": (1 << 63) - 1}
    place.add("4.bin", struct.pack("<BdBdBd", 0, 2.0, 0, 2.5, 0, float("nan")))
    assert place.run(("float", (KIND, FLOAT)), "quarantine").set_aside == 2
    assert place.rows()[-1] == {"kind": 0, "value": 2}
    place.add("5.bin", b"\x00")
    assert place.run(("short", (KIND,)), "quarantine").rows == 1
    assert place.rows()[-1] == {"kind": 0, "value": None}
    place.add("6.bin", b"\x00ab\0\x00\0")
    assert place.run(("text", (KIND, "{id: value, type: strz, encoding: UTF-8}")), "quarantine").set_aside == 2
    held = [each["_corrupt_record"] for each in place.bad()]
    assert b'{"kind": 0, "value": NaN}' in held
    assert b'{"kind": 0, "value": 9223372036854775808}' in held
    assert b'{"kind": 0, "value": "ab"}' in held


def test_quarantine_needs_one(place: Place) -> None:
    with pytest.raises(WireloomError, match="needs a quarantine for the records"):
        place.run(NOTED, "quarantine", quarantine=None)


def test_delta(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(tmp_path, spark, "delta")
    place.add("1.bin", struct.pack("<BI", 0, 10))
    place.run(FIRST)
    place.add("2.bin", struct.pack("<BIHBI", 1, 11, 7, 0, 12))
    place.run(NOTED, "add")
    rows = [(0, 10, None), (0, 12, None), (1, 11, 7)]
    assert sorted(tuple(each.values()) for each in place.table().to_pylist()) == rows
    place.add("3.bin", struct.pack("<BI", 0, 13))
    place.run(FIRST, "add")
    assert place.table().num_rows == 4


@pytest.mark.parametrize("by", [(), ("kind",)])
def test_iceberg(by: tuple[str, ...], spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_catalog(tmp_path, monkeypatch)
    place = Place(tmp_path, spark, "iceberg")
    place.add("1.bin", struct.pack("<BI", 0, 10))
    place.run(FIRST, partition_by=by)
    place.add("2.bin", struct.pack("<BIHBI", 1, 11, 7, 0, 12))
    place.run(NOTED, "add", partition_by=by)
    place.add("3.bin", struct.pack("<BI", 0, 13))
    place.run(FIRST, "add", partition_by=by)
    found = place.table().to_pylist()
    assert sorted(tuple(each.values()) for each in found) == [(0, 10, None), (0, 12, None), (0, 13, None), (1, 11, 7)]


@pytest.mark.parametrize("to", ["parquet", pytest.param("delta", marks=pytest.mark.thorough), "iceberg"])
def test_streams(to: str, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_catalog(tmp_path, monkeypatch)
    place = Place(tmp_path, spark, to)

    def run(version: Any, evolution: str) -> Any:
        given: Any = {"quarantine": str(tmp_path / "bad"), "checkpoint": str(tmp_path / "checkpoint"), "to": to}
        given |= {"schema_evolution": evolution}
        table = str(tmp_path / "lake" / "table")
        return ingest_stream(spark, place.spec(version), str(tmp_path / "in"), table, **given)

    place.add("1.bin", struct.pack("<BI", 0, 10))
    assert run(FIRST, "refuse").rows == 1
    place.add("2.bin", struct.pack("<BIHBI", 1, 11, 7, 0, 12))
    with pytest.raises(WireloomError, match=r"it has no column note \(int\)"):
        run(NOTED, "refuse")
    summary = run(NOTED, "quarantine")
    assert (summary.rows, summary.set_aside) == (1, 1)
    place.add("3.bin", struct.pack("<BIH", 1, 13, 9))
    assert run(NOTED, "add").rows == 1
    # The column is kept, even if the first version is read again.
    place.add("4.bin", struct.pack("<BI", 0, 14))
    assert run(FIRST, "add").rows == 1
    assert sorted(tuple(each.values()) for each in place.table().to_pylist()) == [
        (0, 10, None),
        (0, 12, None),
        (0, 14, None),
        (1, 13, 9),
    ]


@pytest.mark.parametrize(
    "to", ["delta", *(pytest.param(each, marks=pytest.mark.thorough) for each in ("parquet", "iceberg"))]
)
def test_streams_on_an_object_store(
    to: str, spark: SparkSession, store_apart: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_catalog(tmp_path, monkeypatch, s3__endpoint=store_apart.endpoint, s3__region="us-east-1")
    place, base = Place(tmp_path, spark, to, store_apart), f"s3://{BUCKET}/{tmp_path.name}"
    options = {"endpoint": store_apart.endpoint, "region": "us-east-1"}

    def run(version: Any, evolution: str) -> Any:
        given: Any = {"quarantine": f"{base}/bad", "options": options, "schema_evolution": evolution, "to": to}
        checkpoint, table = str(tmp_path / "checkpoint"), f"{base}/lake/table"
        return ingest_stream(spark, place.spec(version), f"{base}/in", table, checkpoint=checkpoint, **given)

    def add(name: str, content: bytes) -> None:
        store_apart.put(f"{tmp_path.name}/in/{name}", content)

    add("1.bin", struct.pack("<BI", 0, 10))
    assert run(FIRST, "refuse").rows == 1
    add("2.bin", struct.pack("<BIHBI", 1, 11, 7, 0, 12))
    with pytest.raises(WireloomError, match=r"it has no column note \(int\)"):
        run(NOTED, "refuse")
    summary = run(NOTED, "quarantine")
    assert (summary.rows, summary.set_aside) == (1, 1)
    add("3.bin", struct.pack("<BIH", 1, 13, 9))
    assert run(NOTED, "add").rows == 1
    # The column is kept, even if the first version is read again.
    add("4.bin", struct.pack("<BI", 0, 14))
    assert run(FIRST, "add").rows == 1
    assert sorted(tuple(each.values()) for each in place.table().to_pylist()) == [
        (0, 10, None),
        (0, 12, None),
        (0, 14, None),
        (1, 13, 9),
    ]


def test_an_object_store(spark: SparkSession, object_store: Store, tmp_path: Path) -> None:
    place, base = Place(tmp_path, spark), f"s3://{BUCKET}/{tmp_path.name}"
    options = {"endpoint": object_store.endpoint, "region": "us-east-1"}

    def run(version: Any, evolution: str) -> Any:
        given: Any = {"quarantine": f"{base}/bad", "options": options, "schema_evolution": evolution}
        return ingest(spark, place.spec(version), f"{base}/in", f"{base}/table", **given)

    object_store.put(f"{tmp_path.name}/in/1.bin", struct.pack("<BI", 0, 10))
    run(FIRST, "refuse")
    object_store.put(f"{tmp_path.name}/in/2.bin", struct.pack("<BIHBI", 1, 11, 7, 0, 12))
    assert run(NOTED, "quarantine").set_aside == 1
    object_store.put(f"{tmp_path.name}/in/3.bin", struct.pack("<BIH", 1, 13, 9))
    assert run(NOTED, "add").rows == 1
    files = filesystem(Location(endpoint=object_store.endpoint, region="us-east-1"), BUCKET)
    place_of_rows = f"{BUCKET}/{tmp_path.name}"
    rows = pyarrow.dataset.dataset(f"{place_of_rows}/table", filesystem=files, format="parquet").to_table(["value"])
    assert sorted(rows["value"].to_pylist()) == [10, 12, 13]
    [bad] = pyarrow.dataset.dataset(f"{place_of_rows}/bad", filesystem=files, format="parquet").to_table().to_pylist()
    assert bad["_error"].startswith("schema:")
