"""Files in folders named by the values of columns; without Spark."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    DateType,
    IntegerType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)
from wireloom import UnknownNameError, UnsupportedError, WireloomError
from wireloom.spark.write import partitions
from wireloom.spark.write.writer import FormatWriter

from .driver import read, sent, source

SCHEMA = StructType(
    [
        StructField("payload", BinaryType()),
        StructField("day", DateType()),
        StructField("host", StringType()),
        StructField("at", TimestampType()),
        StructField("shard", IntegerType()),
        StructField("spare", BooleanType()),
    ]
)
DAYS = [date(2026, 3, 1), date(2026, 3, 2), None]
HOSTS = ["a", "b/ü =?", "", None]


def rows(count: int = 24) -> pa.Table:
    return pa.table(
        {
            "payload": pa.array([b"%d" % each for each in range(count)], pa.binary()),
            "day": pa.array([DAYS[each % 3] for each in range(count)], pa.date32()),
            "host": pa.array([HOSTS[each % 4] for each in range(count)], pa.string()),
        }
    )


def writer(
    path: Path, by: str, columns: str = "payload,day,host", overwrite: bool = False, **more: Any
) -> FormatWriter:
    schema = StructType([SCHEMA[name] for name in columns.split(",")])
    made: FormatWriter = sent(source("cobs_log", path=path, partitionBy=by, **more).writer(schema, overwrite))
    return made


def write(path: Path, table: pa.Table, **more: Any) -> None:
    made = writer(path, "day,host", **more)
    parts = [made.write(iter(each.to_batches(5))) for each in (table.slice(0, 13), table.slice(13))]
    made.commit([*parts, None])


def found(path: Path) -> Counter[tuple[Any, ...]]:
    """Return the rows as a reader of the folder returns them."""
    schema = StructType([SCHEMA[name] for name in ("payload", "day", "host")])
    return Counter(tuple(row.values()) for row in read("cobs_log", schema, path=path).to_pylist())


def expected(table: pa.Table) -> Counter[tuple[Any, ...]]:
    """Return the expected rows: empty text is null, as in Spark and Hive."""
    return Counter((row["payload"], row["day"], row["host"] or None) for row in table.to_pylist())


def test_round_trip(tmp_path: Path) -> None:
    write(tmp_path / "out", rows())
    assert found(tmp_path / "out") == expected(rows())
    assert {each.name for each in (tmp_path / "out").iterdir()} == {
        "day=2026-03-01",
        "day=2026-03-02",
        "day=__HIVE_DEFAULT_PARTITION__",
    }
    assert {each.name for each in (tmp_path / "out" / "day=2026-03-01").iterdir()} == {
        "host=a",
        "host=b%2Fü %3D%3F",
        "host=__HIVE_DEFAULT_PARTITION__",
    }


def test_append_and_overwrite(tmp_path: Path) -> None:
    for _ in range(2):
        write(tmp_path / "out", rows(), fileName="seg-{sequence:04d}")
    assert found(tmp_path / "out") == expected(pa.concat_tables([rows()] * 2))
    (tmp_path / "out" / "old.cobs").write_bytes(b"")
    table = rows().slice(0, 2)
    write(tmp_path / "out", table, overwrite=True)
    assert found(tmp_path / "out") == expected(table)
    assert not (tmp_path / "out" / "old.cobs").exists()


def test_many_rows_are_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitions, "HELD_BYTES", 64)
    write(tmp_path / "out", rows(200))
    assert found(tmp_path / "out") == expected(rows(200))
    assert len(list((tmp_path / "out").rglob("*.cobs"))) > 12


@pytest.mark.parametrize(
    ("columns", "by", "kind", "said"),
    [
        ("payload,day", "dya", UnknownNameError, "unknown column of option partitionBy 'dya': did you mean 'day'"),
        ("payload,at", "at", UnsupportedError, "'at', of type timestamp.*: folders are named by text, whole numbers"),
        ("payload,day", "payload", UnsupportedError, "'payload', of type binary"),
        ("payload,day", "", UnknownNameError, "unknown column of cobs_log 'day'"),
        ("day,host", "day,host", WireloomError, "payload"),
    ],
)
def test_columns_that_do_not_do(columns: str, by: str, kind: type[WireloomError], said: str, tmp_path: Path) -> None:
    with pytest.raises(kind, match=said):
        writer(tmp_path / "out", by, columns)


def test_numbers_and_booleans(tmp_path: Path) -> None:
    made = writer(tmp_path / "out", "shard,spare", "payload,shard,spare")
    table = pa.table({"payload": [b"x", b"y"], "shard": pa.array([-7, 3], pa.int32()), "spare": [True, None]})
    made.commit([made.write(iter(table.to_batches()))])
    files = sorted(str(each.parent.relative_to(tmp_path / "out")) for each in (tmp_path / "out").rglob("*.cobs"))
    assert files == ["shard=-7/spare=true", "shard=3/spare=__HIVE_DEFAULT_PARTITION__"]
