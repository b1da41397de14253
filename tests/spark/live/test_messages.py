"""Messages in Spark: files of every kind, columns of blobs, SQL, streams."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
import wireloom
from wireloom import UnknownNameError, UnsupportedError, WireloomError

from ...waiting import SECONDS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

KPL, SESSION, MESSAGES = "kpl_aggregated_record", "s2_session", "s2_messages"
LARGEST = 2**64 - 1
USERS = [
    {"partition_key": f"key-{n % 3}", "explicit_hash_key": str(n) if n % 2 else None, "data": bytes([n]) * n,
     "tags": [{"key": "t", "value": None}] if n == 4 else []}
    for n in range(7)
]  # fmt: skip
RECORDS = [
    {"seq_num": n, "timestamp": LARGEST - n, "headers": [{"name": b"n", "value": bytes([n])}], "body": b"b" * n}
    for n in range(5)
]
ACK = {name: {"seq_num": n, "timestamp": LARGEST} for n, name in enumerate(("start", "end", "tail"))}


def partial() -> bytes:
    """Return an aggregate whose third record names a key that does not exist."""
    record = b"\x1a\x05\x08\x00\x1a\x01a"
    message = b"\x0a\x01k" + record + record + b"\x1a\x05\x08\x09\x1a\x01c"
    return b"\xf3\x89\x9a\xc2" + message + hashlib.md5(message, usedforsecurity=False).digest()


@pytest.fixture(scope="module")
def blobs() -> list[bytes | None]:
    whole = wireloom.to_wire(USERS, KPL, shards="one")[0].as_py()
    return [whole, None, b"no aggregate", partial(), b"", wireloom.to_wire(USERS[:1], KPL)[0].as_py()]


@pytest.fixture
def events(spark: SparkSession, blobs: list[bytes | None]) -> DataFrame:
    """Return records of a stream: a shard's number, the blob, and a nested column that is kept."""
    table = pa.table(
        {
            "id": range(len(blobs)),
            "data": pa.array(blobs, pa.binary()),
            "arrival": [{"shard": f"shard-{n}"} for n in range(len(blobs))],
        }
    )
    return spark.createDataFrame(table)


def flat(blobs: list[bytes | None], **options: Any) -> list[dict[str, Any]]:
    table = pa.table({"id": range(len(blobs)), "data": pa.array(blobs, pa.binary())})
    return wireloom.explode(table, "data", KPL, **options).to_pylist()


def as_dicts(rows: list[Any]) -> list[dict[str, Any]]:
    return [row.asDict(recursive=True) for row in rows]


# Columns of blobs ----------------------------------------------------------------------------------------------------


def test_a_column_of_blobs_becomes_arrays_of_structs(events: DataFrame, blobs: list[bytes | None]) -> None:
    from wireloom.spark.functions import from_wire

    found = events.select("id", from_wire("data", KPL).alias("rows")).orderBy("id").collect()
    expected = wireloom.from_wire(pa.array(blobs, pa.binary()), KPL).to_pylist()
    assert [row["rows"] for row in as_dicts(found)] == expected
    chosen = events.select(from_wire(events["data"], KPL, columns=["data", "_error"]).alias("rows"))
    assert chosen.schema["rows"].dataType.elementType.names == ["data", "_error"]
    errors = [row["_error"] for each in chosen.collect() for row in each["rows"] or () if row["_error"]]
    assert [each.split(":")[0] for each in errors] == ["index"]


def test_flat_rows_keep_the_columns_around_the_blobs(events: DataFrame, blobs: list[bytes | None]) -> None:
    from wireloom.spark.functions import explode_wire

    rows = explode_wire(events, "data", KPL)
    assert rows.columns[:3] == ["id", "arrival", "partition_key"]
    found = as_dicts(rows.orderBy("id", "sub_sequence_number").collect())
    assert all(row.pop("arrival") == {"shard": f"shard-{row['id']}"} for row in found)
    assert found == flat(blobs)
    some = explode_wire(events, "data", KPL, columns=["aggregated"], keep=["id", "data"])
    assert some.columns == ["id", "data", "aggregated"]
    assert some.where("id = 2").collect()[0].asDict() == {"id": 2, "data": b"no aggregate", "aggregated": False}
    assert explode_wire(events, "data", KPL, keep=[]).count() == len(found)


def test_failfast_is_an_error_of_the_query(events: DataFrame) -> None:
    from wireloom.spark.functions import explode_wire, from_wire

    for query in (
        events.select(from_wire("data", KPL, mode="failfast")),
        explode_wire(events, "data", KPL, mode="failfast"),
    ):
        # Its number depends on how Spark cuts the rows into batches.
        with pytest.raises(Exception, match=r"DamagedInputError.*blob \d+: row 2"):
            query.collect()


def test_what_is_asked_for_is_checked_at_once(events: DataFrame) -> None:
    from wireloom.spark.functions import explode_wire, from_wire, to_wire

    with pytest.raises(UnknownNameError, match="'kpl_aggregated_record'"):
        from_wire("data", "kpl_agregated_record")
    with pytest.raises(UnknownNameError, match="'partition_key'"):
        from_wire("data", KPL, columns=["partition_kay"])
    with pytest.raises(UnknownNameError, match="'hash_range'"):
        from_wire("data", KPL, hash_rang="0-1")
    with pytest.raises(WireloomError, match="hash_range"):
        from_wire("data", KPL, hash_range="1")
    with pytest.raises(UnsupportedError, match=r"wireloom\.read"):
        from_wire("data", SESSION)
    with pytest.raises(UnknownNameError, match="unsigned64"):
        from_wire("data", MESSAGES, unsigned64="int")
    with pytest.raises(UnknownNameError, match="'data'"):
        explode_wire(events, "dat", KPL)
    with pytest.raises(WireloomError, match="both have a column 'data'"):
        explode_wire(events, "data", KPL, keep=["data"])
    with pytest.raises(UnknownNameError, match="'single'"):
        to_wire("rows", KPL, singel="plain")
    with pytest.raises(WireloomError, match="decode it first"):
        explode_wire(events.selectExpr("id", "base64(data) AS data"), "data", KPL)
    with pytest.raises(UnknownNameError, match="'id'"):
        explode_wire(events.drop("arrival"), "data", KPL, partition_key="di")
    with pytest.raises(WireloomError, match="refers to a column"):
        from_wire("data", KPL, hash_range="range")


def test_options_of_the_format_are_taken(events: DataFrame, blobs: list[bytes | None]) -> None:
    from wireloom.spark.functions import explode_wire

    half = f"0-{2**127 - 1}"
    found = explode_wire(events.drop("arrival"), "data", KPL, hash_range=half)
    assert as_dicts(found.orderBy("id", "sub_sequence_number").collect()) == flat(blobs, hash_range=half)


def test_columns_beside_the_blobs(spark: SparkSession, sql: SparkSession) -> None:
    from wireloom.spark.functions import explode_wire

    halves = [f"0-{2**127 - 1}", f"{2**127}-{2**128 - 1}"]
    blobs = [*wireloom.to_wire(USERS, KPL, shards=halves).to_pylist(), b"plain", None]
    # The aggregate of the first record is the first: key-0 is in the upper half.
    ranges = [halves[1], halves[0], None, halves[0]]
    keys = [None, None, "outer", "unseen"]
    table = pa.table({"partition_key": keys, "data_": pa.array(blobs, pa.binary()), "range": ranges})
    frame = spark.createDataFrame(table)
    options: dict[str, Any] = {"hash_range": "range", "partition_key": "partition_key"}
    columns = ["partition_key", "data"]
    expected = wireloom.explode(table, "data_", KPL, columns=columns, keep=[], **options).to_pylist()
    rows = explode_wire(frame, "data_", KPL, columns=columns, keep=[], **options)
    assert as_dicts(rows.orderBy("data").collect()) == sorted(expected, key=lambda row: row["data"])
    assert {"partition_key": "outer", "data": b"plain"} in expected
    assert len(expected) == len(USERS) + 1
    assert explode_wire(frame, "data_", KPL, columns=columns, **options).columns == ["range", "partition_key", "data"]
    frame.createOrReplaceTempView("shards")
    query = (
        "SELECT partition_key, data FROM explode_wire(TABLE(shards), 'data_', 'kpl_aggregated_record',"
        " columns => 'partition_key, data', hash_range => 'range', partition_key => 'partition_key') ORDER BY data"
    )
    assert as_dicts(sql.sql(query).collect()) == sorted(expected, key=lambda row: row["data"])
    with pytest.raises(Exception, match="decode it first"):
        sql.sql("SELECT * FROM explode_wire(TABLE(shards), 'range', 'kpl_aggregated_record', columns => 'data')")


def test_arrays_of_structs_become_blobs_again(events: DataFrame, blobs: list[bytes | None]) -> None:
    from wireloom.spark.functions import from_wire, to_wire

    whole = events.where("id in (0, 1, 5)").orderBy("id")
    found = (
        whole.select(from_wire("data", KPL).alias("rows"))
        .select(to_wire("rows", KPL, shards="one").alias("blob"))
        .collect()
    )
    assert [None if row.blob is None else bytes(row.blob) for row in found] == [blobs[0], None, blobs[5]]
    several = whole.select(from_wire("data", KPL).alias("rows")).select(to_wire("rows", KPL).alias("blob"))
    with pytest.raises(Exception, match="its 7 rows make 6 messages: an aggregate holds rows of one shard"):
        several.collect()


def test_kinds_and_unsigned_integers(spark: SparkSession) -> None:
    from wireloom.spark.functions import from_wire, to_wire

    ack = wireloom.to_wire([ACK], MESSAGES, message="append_ack")[0].as_py()
    frame = spark.createDataFrame(pa.table({"blob": [ack]}))
    rows = frame.select(from_wire("blob", MESSAGES, message="append_ack").alias("rows"))
    [row] = as_dicts(rows.collect())
    assert row["rows"] == [{name: {"seq_num": Decimal(n), "timestamp": Decimal(LARGEST)} for n, name in enumerate(ACK)}]
    again = rows.select(to_wire("rows", MESSAGES, message="append_ack").alias("blob"))
    assert bytes(again.collect()[0].blob) == ack
    small = frame.select(from_wire("blob", MESSAGES, message="append_ack", unsigned64="long", columns=["start"]))
    with pytest.raises(Exception, match="cannot be read as"):
        small.collect()


def test_nanoseconds_of_messages(spark: SparkSession) -> None:
    from wireloom.spark.functions import from_wire

    blob = wireloom.to_wire([{"time_unix_nano": 1_700_000_000_123_456_789}], "otlp_logs")[0].as_py()
    frame = spark.createDataFrame(pa.table({"blob": [blob]}))
    for form, wanted in (("micros", "1700000000123456"), ("long", "1700000000123456789")):
        rows = from_wire("blob", "otlp_logs", columns=["time"], nanoseconds=form)
        shown = frame.select(rows.alias("rows")).selectExpr("rows[0].time AS time")
        count = "unix_micros(time)" if form == "micros" else "time"
        assert shown.selectExpr(f"string({count}) AS digits").collect()[0].digits == wanted
    with pytest.raises(UnknownNameError, match="nanoseconds"):
        from_wire("blob", "otlp_logs", nanoseconds="micro")


# SQL -----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def sql(spark: SparkSession, events: DataFrame) -> Iterator[SparkSession]:
    import wireloom.spark

    wireloom.spark.register(spark)
    events.createOrReplaceTempView("events")
    yield spark
    spark.catalog.dropTempView("events")


def test_where_pyspark_has_no_functions_of_arrow_arrays(events: DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    import wireloom.spark
    from pyspark.errors import PythonException
    from wireloom.spark import versions
    from wireloom.spark.functions import explode_wire, from_wire, to_wire

    monkeypatch.setattr(versions, "FUNCTIONS", (99, 1))
    refusal = r"from_wire and to_wire need PySpark 99\.1 or newer, and this is 4\.\S+: use explode_wire, or pip install"
    for function in (from_wire, to_wire):
        with pytest.raises(UnsupportedError, match=f"^{refusal}"):
            function("data", KPL)
    assert explode_wire(events, "data", KPL).count()
    spark = events.sparkSession
    wireloom.spark.register(spark)
    with pytest.raises(PythonException, match=refusal):
        spark.sql("SELECT from_wire_kpl_aggregated_record(X'') AS rows").collect()
    monkeypatch.undo()
    wireloom.spark.register(spark)


def test_sql_knows_the_functions(sql: SparkSession, blobs: list[bytes | None]) -> None:
    found = sql.sql(
        "SELECT id, user.* FROM events LATERAL VIEW inline(from_wire_kpl_aggregated_record(data)) user"
        " ORDER BY id, sub_sequence_number"
    )
    assert as_dicts(found.collect()) == flat(blobs)
    back = sql.sql(
        "SELECT to_wire_kpl_aggregated_record(from_wire_kpl_aggregated_record(data)) = data AS same FROM events"
        " WHERE id = 5"
    )
    assert back.collect()[0].same
    assert sql.sql("SELECT from_wire_s2_messages_append_ack(X'') AS rows").collect()[0].rows is not None


def test_sql_has_a_table_function_with_all_options(sql: SparkSession, blobs: list[bytes | None]) -> None:
    query = "SELECT * FROM explode_wire(TABLE(SELECT id, data FROM events), 'data', 'kpl_aggregated_record'{})"
    found = sql.sql(query.format("")).collect()
    assert sorted(as_dicts(found), key=lambda row: (row["id"], row["sub_sequence_number"] or 0)) == flat(blobs)
    some = sql.sql(query.format(", columns => 'partition_key,_error', hash_range => '0-1'"))
    assert some.columns == ["id", "partition_key", "_error"]
    with pytest.raises(Exception, match="no column 'dat'"):
        sql.sql("SELECT * FROM explode_wire(TABLE(events), 'dat', 'kpl_aggregated_record')").collect()


# Streams -------------------------------------------------------------------------------------------------------------


def test_streaming_queries(spark: SparkSession, events: DataFrame, blobs: list[bytes | None], tmp_path: Path) -> None:
    from wireloom.spark.functions import explode_wire, from_wire

    events.drop("arrival").write.parquet(str(tmp_path / "in"))
    stream = spark.readStream.schema("id long, data binary").parquet(str(tmp_path / "in"))
    rows = explode_wire(stream, "data", KPL)
    lists = stream.select("id", from_wire("data", KPL, columns=["data"]).alias("rows"))
    for name, frame in (("exploded", rows), ("listed", lists)):
        query = frame.writeStream.format("memory").queryName(name).trigger(availableNow=True).start()
        query.awaitTermination(SECONDS)
        assert query.exception() is None
    found = spark.table("exploded").orderBy("id", "sub_sequence_number").collect()
    assert as_dicts(found) == flat(blobs)
    assert spark.table("listed").count() == len(blobs)


@pytest.mark.parametrize("name", [KPL, SESSION])
def test_streams_are_read_and_written(name: str, spark: SparkSession, tmp_path: Path) -> None:
    rows = USERS if name == KPL else RECORDS
    (tmp_path / "in").mkdir()
    for life in range(2):
        for number in range(2):
            wireloom.write(
                name, rows, tmp_path / "in" / f"{life}{number}", **({"shards": "one"} if name == KPL else {})
            )
        stream = spark.readStream.format(name).option("maxFilesPerTrigger", 1).load(str(tmp_path / "in"))
        writer = stream.writeStream.format(name).option("checkpointLocation", str(tmp_path / "checkpoint"))
        query = writer.trigger(availableNow=True).start(str(tmp_path / "out"))
        query.awaitTermination(SECONDS)
        assert query.exception() is None
        table, report = wireloom.read_with_report(name, tmp_path / "out")
        assert report.clean
        column = "data" if name == KPL else "seq_num"
        assert sorted(table[column].to_pylist()) == sorted([row[column] for row in rows] * 2 * (life + 1))


# Files ---------------------------------------------------------------------------------------------------------------


def test_files_of_messages(spark: SparkSession, tmp_path: Path) -> None:
    for number in range(3):
        wireloom.write(SESSION, RECORDS, tmp_path / f"{number}.s2s.zst")
    frame = spark.read.format(SESSION).load(str(tmp_path))
    assert frame.count() == 15
    [first] = frame.where("seq_num = 3").limit(1).collect()
    assert first.timestamp == Decimal(LARGEST - 3)
    assert as_dicts([first])[0]["headers"] == [{"name": b"n", "value": b"\x03"}]
    users = tmp_path / "users"
    users.mkdir()
    (users / "a").write_bytes(wireloom.to_wire(USERS, KPL, shards="one")[0].as_py())
    found = as_dicts(spark.read.format(KPL).load(str(users)).orderBy("sub_sequence_number").collect())
    assert [row["data"] for row in found] == [row["data"] for row in USERS]


def test_files_of_another_kind_are_read_and_written(spark: SparkSession, tmp_path: Path) -> None:
    wireloom.write(SESSION, [ACK] * 3, tmp_path / "a.s2s", message="append_ack")
    frame = spark.read.format(SESSION).option("message", "append_ack").load(str(tmp_path / "a.s2s"))
    assert frame.columns == ["start", "end", "tail"]
    out = str(tmp_path / "out")
    frame.write.format(SESSION).option("message", "append_ack").option("codec", "gzip").mode("append").save(out)
    table = wireloom.read(SESSION, out, message="append_ack")
    assert table.to_pylist() == [ACK] * 3
    with pytest.raises(Exception, match="did you mean 'append_ack'"):
        spark.read.format(SESSION).option("message", "append_akc").load(out).schema  # noqa: B018
    with pytest.raises(Exception, match="did you mean 'message'"):
        spark.read.format(SESSION).option("mesage", "append_ack").load(out).schema  # noqa: B018


@pytest.mark.parametrize(
    ("page", "begin", "end", "blocks"), [("messages", "Columns of messages", "", 12), ("formats", "TFRecord", "S2", 2)]
)
def test_the_page_about_messages(
    page: str, begin: str, end: str, blocks: int, spark: SparkSession, tmp_path: Path
) -> None:
    from ...docs.blocks import Page, part

    run = Page(part(page, begin, end), tmp_path)
    run.namespace["spark"] = spark
    assert run.run() == blocks
