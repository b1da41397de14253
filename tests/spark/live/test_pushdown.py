"""Filters that Spark leaves to the reader: with its setting on and off, the same rows."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyspark.sql.datasource import EqualTo, Filter, GreaterThan, In, IsNotNull, IsNull, Not
from pyspark.sql.types import StructType
from wireloom.spark import filter_setting
from wireloom.spark.reader import FormatReader

from ..conftest import ROWS, Sample
from ..driver import sent, source

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SETTING = "spark.sql.python.filterPushdown.enabled"


def reader_of(path: Any, *filters: Filter, **options: Any) -> tuple[Any, list[Filter], StructType]:
    found = source("edgemq_segment", path=path, **options)
    schema = found.schema()
    reader: Any = found.reader(schema)
    return reader, list(reader.pushFilters(list(filters))), schema


def rows_of(reader: Any) -> pa.Table:
    partitions = list(reader.partitions())
    reader, partitions = sent((reader, partitions))
    return pa.Table.from_batches([batch for each in partitions for batch in reader.read(each)])


@pytest.fixture
def enabled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filter_setting, "is_enabled", lambda choice: choice != "false")


def test_the_method_is_there_only_where_spark_asks_for_it(samples: dict[str, Sample]) -> None:
    found = source("cobs_log", path=samples["cobs_log"].file)
    assert type(found.reader(found.schema())) is FormatReader


@pytest.mark.usefixtures("enabled")
def test_rows_go_before_spark_sees_them(samples: dict[str, Sample]) -> None:
    sample = samples["edgemq_segment"]
    unhandled = EqualTo(("fmt",), 1.5)
    reader, rest, _ = reader_of(sample.file, IsNotNull(("fmt",)), EqualTo(("fmt",), 1), unhandled)
    assert rest == [unhandled]
    assert rows_of(reader).num_rows == ROWS // 3


@pytest.mark.usefixtures("enabled")
def test_files_are_passed_over_by_their_paths(samples: dict[str, Sample]) -> None:
    sample = samples["edgemq_segment"]
    columns = {"columns": "tenant,segment,_path"}
    reader, rest, _ = reader_of(sample.folder, EqualTo(("segment",), "seg-00000001"), **columns)
    slices = [piece for each in reader.partitions() for piece in each.slices]
    assert [piece.input.name for piece in slices] == ["seg-00000001.wal.zst"]
    assert not rest
    assert rows_of(reader).num_rows == ROWS
    reader, _, _ = reader_of(sample.folder, Not(In(("_path",), (str(sample.file),))), IsNull(("tenant",)), **columns)
    assert len([piece for each in reader.partitions() for piece in each.slices]) == 2
    reader, _, _ = reader_of(sample.folder, EqualTo(("segment",), "none"), **columns)
    assert reader.partitions() == []


@pytest.mark.usefixtures("enabled")
def test_files_are_passed_over_by_their_folders(samples: dict[str, Sample], tmp_path: Path) -> None:
    for day in (1, 2, 3):
        (tmp_path / f"day={day}").mkdir()
        shutil.copy(samples["edgemq_segment"].file, tmp_path / f"day={day}" / "x.wal.zst")
    # Nobody opens what is passed over.
    (tmp_path / "day=1" / "x.wal.zst").write_bytes(b"no segment")
    reader, rest, schema = reader_of(tmp_path, GreaterThan(("day",), 1), mode="failfast")
    assert not rest
    assert schema["day"].dataType.simpleString() == "int"
    assert rows_of(reader)["day"].unique().to_pylist() == [2, 3]


@pytest.mark.usefixtures("enabled")
def test_ingest_sees_every_file(samples: dict[str, Sample], tmp_path: Path) -> None:
    reader, _, _ = reader_of(
        samples["edgemq_segment"].folder,
        EqualTo(("segment",), "seg-00000001"),
        columns="segment",
        reportFolder=tmp_path,
    )
    assert rows_of(reader).num_rows == ROWS
    told = "".join(each.read_text() for each in tmp_path.glob("report-*.json"))
    assert all(f"seg-0000000{number}" in told for number in range(3))


# In Spark -------------------------------------------------------------------------------------------------------------


@contextmanager
def setting(spark: SparkSession, value: bool) -> Iterator[None]:
    spark.conf.set(SETTING, str(value).lower())
    try:
        yield
    finally:
        spark.conf.unset(SETTING)


CONDITIONS = (
    "fmt <=> 1 and tenant in (4294967295, 4294967294, 7)",
    "not (fmt = 1) and ts_millis < 1790000000005",
    "ts >= timestamp'2026-09-21T14:13:20.100Z' and ts_millis in (1790000000101, 1790000000201)",
    "region = 'eu-west-1' and segment like 'seg-0000000%' and segment <> 'seg-00000001'",
    "segment = 'nothing' or fmt is null",
    "_offset < 1000 and payload = X'fe' and tenant % 2 = 0",
)


def test_the_same_rows_on_and_off(spark: SparkSession, samples: dict[str, Sample]) -> None:
    names = "fmt,tenant,ts,ts_millis,payload,region,segment,_offset"
    folder = str(samples["edgemq_segment"].folder)

    def load(choice: str = "auto") -> DataFrame:
        reader = spark.read.format("edgemq_segment").option("columns", names).option("pushFilters", choice)
        return reader.load(folder)

    with setting(spark, False):
        counts = load("true").selectExpr(*(f"count_if({each})" for each in CONDITIONS)).first()
        assert counts is not None
        assert load("true").where(CONDITIONS[3]).count() == counts[3] == 2 * ROWS
    assert list(counts) == [3, 9, 6, 2 * ROWS, 0, 3]
    with setting(spark, True):
        assert [load("true").where(each).count() for each in CONDITIONS] == list(counts)
        frame = load()
        # One data frame in several queries, and twice in one.
        assert [frame.where(CONDITIONS[0]).count(), frame.count()] == [counts[0], 3 * ROWS]
        assert frame.where(CONDITIONS[0]).union(frame).count() == counts[0] + 3 * ROWS
        with redirect_stdout(StringIO()) as told:
            load("true").where(CONDITIONS[5]).explain()
    # What Spark still has to look at.
    [left] = re.findall(r"Filter (.*)", told.getvalue())
    assert re.sub(r"#\d+L?", "", left) == "((tenant % 2) = 0)"
