"""Tables of Spark's catalog."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException, PySparkException

from ...storage_server import Store
from ..stream_driver import write

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NAMES = ("t", "u")


@pytest.fixture
def tables(spark: SparkSession) -> Iterator[None]:
    """Drop the tables ``t`` and ``u`` after the test."""
    yield
    for name in NAMES:
        spark.sql(f"DROP TABLE IF EXISTS {name}")


pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a log of two records."""
    (tmp_path / "in").mkdir()
    write("cobs_log", tmp_path / "in" / "a.log", "one", "two")
    return tmp_path / "in"


def texts(frame: DataFrame) -> list[str]:
    return sorted(bytes(row["payload"]).decode() for row in frame.select("payload").collect())


@pytest.mark.parametrize(
    "how", ["OPTIONS (path '{}')", "LOCATION '{}'", "LOCATION '{}/*.log'", "OPTIONS (PATH '{}', tail 'growing')"]
)
def test_a_table_is_made_and_read(how: str, spark: SparkSession, folder: Path) -> None:
    """Including what Spark and its users add to its description."""
    spark.sql(
        f"CREATE TABLE t USING cobs_log {how.format(folder)} COMMENT 'events' TBLPROPERTIES (team = 'x', mode = 1)"
    )
    assert texts(spark.table("t")) == texts(spark.sql("SELECT * FROM t")) == ["one", "two"]
    assert spark.sql("SELECT count(*) FROM t WHERE payload = X'6f6e65'").first() == (1,)
    write("cobs_log", folder / "b.log", "three")
    assert texts(spark.table("t")) == ["one", "three", "two"]
    spark.sql("DROP TABLE t")
    assert (folder / "a.log").exists()


def test_options_stay_with_the_table(spark: SparkSession, folder: Path) -> None:
    with (folder / "a.log").open("ab") as log:
        log.write(b"\x09broken\0")
    spark.sql(f"CREATE TABLE t USING cobs_log OPTIONS (path '{folder}', mode 'FAILFAST', columns 'payload,_offset')")
    assert spark.table("t").columns == ["payload", "_offset"]
    with pytest.raises(PySparkException, match=r"a\.log at byte 9"):
        spark.table("t").collect()
    assert texts(spark.read.option("mode", "DROPMALFORMED").table("t")) == ["one", "two"]
    assert spark.sql("SELECT count(*) FROM t WITH (mode = 'DROPMALFORMED')").first() == (2,)
    with pytest.raises(AnalysisException, match="unknown option 'mod': did you mean 'mode'"):
        spark.sql(f"CREATE TABLE u USING cobs_log OPTIONS (path '{folder}', mod 'FAILFAST')")


def test_create_table_of_the_catalog(spark: SparkSession, folder: Path) -> None:
    assert texts(spark.catalog.createTable("t", path=str(folder), source="cobs_log")) == ["one", "two"]
    assert texts(spark.table("t")) == ["one", "two"]
    spark.catalog.createTable("u", source="cobs_log", path=str(folder), columns="_offset")
    assert spark.table("u").columns == ["_offset"]


def test_a_table_with_a_list_of_columns(spark: SparkSession, folder: Path) -> None:
    spark.sql(f"CREATE TABLE t (payload BINARY, _offset BIGINT) USING cobs_log OPTIONS (path '{folder}')")
    with pytest.raises(AnalysisException, match=r"no path to read.*made by CREATE TABLE without a list of columns"):
        spark.table("t").collect()
    assert texts(spark.sql(f"SELECT payload FROM t WITH (path = '{folder}')")) == ["one", "two"]
    assert texts(spark.read.option("path", str(folder)).table("t")) == ["one", "two"]


def test_rows_are_inserted(spark: SparkSession, folder: Path) -> None:
    spark.sql(f"CREATE TABLE t USING cobs_log LOCATION '{folder}'")
    for values in ("VALUES (X'33')", "SELECT * FROM t"):
        with pytest.raises(AnalysisException, match=r"no folder to write to.*INSERT INTO t WITH \(path = "):
            spark.sql(f"INSERT INTO t {values}")
    spark.sql(f"INSERT INTO t WITH (path = '{folder}') VALUES (X'33'), (X'34')")
    assert texts(spark.table("t")) == ["3", "4", "one", "two"]
    spark.sql(f"INSERT INTO t WITH (path = '{folder}') SELECT * FROM t WHERE payload < X'34'")
    assert texts(spark.table("t")) == ["3", "3", "4", "one", "two"]
    spark.sql(f"INSERT OVERWRITE t WITH (path = '{folder}') VALUES (X'35')")
    assert texts(spark.table("t")) == ["5"]


def test_save_as_table(spark: SparkSession, folder: Path, tmp_path: Path) -> None:
    rows = spark.read.format("cobs_log").load(str(folder))
    target = str(tmp_path / "out")
    writer = rows.write.format("cobs_log").option("path", target)
    writer.mode("append").saveAsTable("t")
    assert texts(spark.read.option("path", target).table("t")) == ["one", "two"]
    spark.sql(f"CREATE OR REPLACE TABLE t USING cobs_log LOCATION '{target}'")
    assert texts(spark.table("t")) == ["one", "two"]
    writer.mode("append").saveAsTable("t")
    assert texts(spark.table("t")) == ["one", "one", "two", "two"]
    with pytest.raises(AnalysisException, match="no folder to write to"):
        rows.write.format("cobs_log").mode("append").saveAsTable("u")


def test_a_table_made_of_another_is_not_read_in_its_place(spark: SparkSession, folder: Path, tmp_path: Path) -> None:
    spark.sql(f"CREATE TABLE t USING cobs_log LOCATION '{folder}'")
    some = spark.table("t").where("payload = X'6f6e65'")
    with pytest.raises(AnalysisException, match=r"the columns carry the path of the table that they come from"):
        some.write.format("cobs_log").option("path", str(tmp_path / "out")).mode("append").saveAsTable("u")
    some.write.format("parquet").saveAsTable("u")
    assert texts(spark.table("u")) == ["one"]


def test_a_table_without_a_path(spark: SparkSession) -> None:
    with pytest.raises(AnalysisException, match="the table has no path: give it one as LOCATION"):
        spark.sql("CREATE TABLE t USING cobs_log")


def test_a_table_is_read_as_a_stream(spark: SparkSession, folder: Path, tmp_path: Path) -> None:
    spark.sql(f"CREATE TABLE t USING cobs_log LOCATION '{folder}'")
    query = (
        spark.readStream.table("t")
        .writeStream.format("parquet")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start(str(tmp_path / "out"))
    )
    query.awaitTermination()
    assert texts(spark.read.parquet(str(tmp_path / "out"))) == ["one", "two"]


def test_a_table_in_an_object_store(spark: SparkSession, object_store: Store, folder: Path, tmp_path: Path) -> None:
    address = object_store.put(f"{tmp_path.name}/a.log", (folder / "a.log").read_bytes())
    place = f"endpoint '{object_store.endpoint}', region 'us-east-1'"
    spark.sql(f"CREATE TABLE t USING cobs_log OPTIONS (path '{address.rpartition('/')[0]}', {place})")
    assert texts(spark.table("t")) == ["one", "two"]
