"""Requested columns, without Spark: names that collide, parts of structs, times in the names of folders."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import wireloom
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)
from wireloom import UnknownNameError, WireloomError
from wireloom.append import AppendWriter

from .conftest import ROWS, Sample
from .driver import planned, read, source
from .stream_driver import Query


@pytest.mark.parametrize("name", ["tenant", "Tenant", "_error", "region", ""])
def test_the_corrupt_record_takes_no_other_columns_name(name: str, samples: dict[str, Sample]) -> None:
    path = samples["edgemq_segment"].file
    with pytest.raises(WireloomError, match="expected a name that no other column of edgemq_segment has"):
        source("edgemq_segment", path=path, columnNameOfCorruptRecord=name).schema()


def test_a_column_is_read_once(samples: dict[str, Sample]) -> None:
    path = samples["edgemq_segment"].file
    with pytest.raises(WireloomError, match="column 'TENANT' is requested twice"):
        planned("edgemq_segment", "tenant LONG, TENANT LONG", path=path)
    with pytest.raises(WireloomError, match="column 'tenant' is requested twice"):
        planned("edgemq_segment", path=path, columns="tenant,tenant")


def test_no_columns_are_no_rows(samples: dict[str, Sample]) -> None:
    """Batches without columns have no rows that Spark could count."""
    path = samples["edgemq_segment"].file
    for schema, options in ((StructType([]), {}), (None, {"columns": ""})):
        with pytest.raises(WireloomError, match="there are no columns to read: name at least one"):
            planned("edgemq_segment", schema, path=path, **options)
    assert read("edgemq_segment", "_offset LONG", path=path).num_rows == ROWS


def test_parts_of_structs_in_any_case_of_letters(tmp_path: Path) -> None:
    tags = [{"key": "a", "value": "1"}, {"key": "b", "value": None}]
    wireloom.write("kpl_aggregated_record", [{"partition_key": "p", "data": b"x", "tags": tags}], tmp_path / "a.kpl")

    def tags_as(**kinds: Any) -> Any:
        part = StructType([StructField(name, kind) for name, kind in kinds.items()])
        schema = StructType([StructField("tags", ArrayType(part))])
        return read("kpl_aggregated_record", schema, path=tmp_path)["tags"].to_pylist()

    assert tags_as(VALUE=BinaryType(), Key=StringType()) == [[{"VALUE": b"1", "Key": "a"}, {"VALUE": None, "Key": "b"}]]
    with pytest.raises(UnknownNameError, match="unknown part of column tags 'valu': did you mean 'value'"):
        tags_as(key=StringType(), valu=StringType())


def test_parts_of_metadata(tmp_path: Path) -> None:
    wireloom.write("cobs_log", [{"payload": b"x"}], tmp_path / "a.log")

    def metadata_as(column: str, **kinds: Any) -> Any:
        part = StructType([StructField(name, kind) for name, kind in kinds.items()])
        return read("cobs_log", StructType([StructField(column, part)]), path=tmp_path)[column].to_pylist()

    assert metadata_as("_Metadata", FILE_NAME=StringType(), file_size=LongType()) == [
        {"FILE_NAME": "a.log", "file_size": (tmp_path / "a.log").stat().st_size}
    ]
    with pytest.raises(UnknownNameError, match="unknown part of column _metadata 'file_nam': did you mean 'file_name'"):
        metadata_as("_metadata", file_nam=StringType())


def test_times_in_the_names_of_folders(tmp_path: Path) -> None:
    for number, name in enumerate(
        ["2026-03-01 10%3A00%3A00", "2026-03-01T10:00:00+02:00", "__HIVE_DEFAULT_PARTITION__"]
    ):
        (tmp_path / f"at={name}").mkdir()
        wireloom.write("cobs_log", [{"payload": b"%d" % number}], tmp_path / f"at={name}" / "a.log")
    schema = StructType([StructField("payload", BinaryType()), StructField("at", TimestampType())])
    rows = read("cobs_log", schema, path=tmp_path).to_pylist()
    assert {row["payload"]: row["at"] and row["at"].replace(tzinfo=None) for row in rows} == {
        b"0": datetime(2026, 3, 1, 10),
        b"1": datetime(2026, 3, 1, 8),
        b"2": None,
    }


def test_keys_of_folders_in_any_case_of_letters(tmp_path: Path) -> None:
    for folder in ("Day=1", "day=2"):
        (tmp_path / folder).mkdir()
        wireloom.write("cobs_log", [{"payload": folder.encode()}], tmp_path / folder / "a.log")
    assert read("cobs_log", path=tmp_path).to_pylist() == [
        {"payload": b"Day=1", "Day": 1},
        {"payload": b"day=2", "Day": 2},
    ]


def test_addresses_as_hadoop_spells_them(tmp_path: Path) -> None:
    place = tmp_path / "a folder" / "day=1"
    place.mkdir(parents=True)
    wireloom.write("cobs_log", [{"payload": b"x"}], place / "a.log")
    plain = str(tmp_path / "a folder")
    spelled = [
        f"file:{plain}",
        f"file://{plain}",
        f"file://{plain}".replace(" ", "%20"),
        f"file:{plain}/{{day=1,day=2}}",
    ]
    for path in spelled:
        assert read("cobs_log", path=path, basePath=f"file:{plain}").to_pylist() == [{"payload": b"x", "day": 1}]
        query = Query("cobs_log", "payload BINARY", path=path, tail="false")
        assert query.plan()


@pytest.mark.parametrize(("option", "value"), [("codec", "gzipp"), ("stride", "layouts"), ("hash_range", "x")])
def test_values_are_checked_before_any_task_begins(option: str, value: str, samples: dict[str, Sample]) -> None:
    with pytest.raises(UnknownNameError):
        source("edgemq_segment", path=samples["edgemq_segment"].file, **{option: value}).schema()


def test_codecs_in_any_case_of_letters(samples: dict[str, Sample]) -> None:
    assert read("edgemq_segment", "_offset LONG", path=samples["edgemq_segment"].file, codec="ZSTD").num_rows == ROWS


def test_metadata_is_what_files_of_spark_have(tmp_path: Path) -> None:
    payloads = [{"payload": bytes([65 + each]) * 400_000} for each in range(6)]
    for name in ("a.log", "b c.log"):
        wireloom.write("cobs_log", payloads, tmp_path / name)
    options: dict[str, Any] = {
        "path": tmp_path,
        "columns": "_metadata,_offset",
        "maxPartitionBytes": "1m",
        "openCostInBytes": "1k",
    }
    found = read("cobs_log", **options).to_pylist()
    size = (tmp_path / "a.log").stat().st_size
    assert len(found) == 12
    for row in found:
        file = row["_metadata"]
        path = Path(file["file_path"])
        modified = datetime.fromtimestamp(path.stat().st_mtime_ns // 1000 / 1e6, UTC)
        assert abs(file.pop("file_modification_time") - modified) < timedelta(microseconds=2)
        start, length = file["file_block_start"], file["file_block_length"]
        assert start <= row["_offset"] < start + length <= size
        assert (path.parent, file["file_name"], file["file_size"]) == (tmp_path, path.name, size)
    starts = {(each["_metadata"]["file_name"], each["_metadata"]["file_block_start"]) for each in found}
    assert len(starts) > 2, "files were split"


def test_parts_of_metadata_of_small_files_together(tmp_path: Path) -> None:
    for each in range(3):
        wireloom.write("cobs_log", [{"payload": b"x"}] * (each + 1), tmp_path / f"{each}.log.gz")
    part = StructType([StructField("file_NAME", StringType()), StructField("file_size", LongType())])
    table = read("cobs_log", StructType([StructField("_Metadata", part)]), path=tmp_path)
    sizes = {f"{each}.log.gz": (tmp_path / f"{each}.log.gz").stat().st_size for each in range(3)}
    rows = [each["_Metadata"] for each in table.to_pylist()]
    assert sorted(each["file_NAME"] for each in rows) == ["0.log.gz"] + ["1.log.gz"] * 2 + ["2.log.gz"] * 3
    assert {each["file_NAME"]: each["file_size"] for each in rows} == sizes


def test_metadata_of_a_file_that_grows(tmp_path: Path) -> None:
    with AppendWriter(tmp_path / "a.log", "cobs_log") as log:
        log.append(payload=b"one")
        log.flush()
        query = Query("cobs_log", path=tmp_path, columns="_metadata,_offset")
        first = query.next()
        log.append(payload=b"two")
        log.flush()
        second = query.next()
    assert first is not None
    assert second is not None
    [old], [new] = first.to_pylist(), second.to_pylist()
    blocks = [(each["_metadata"]["file_block_start"], each["_metadata"]["file_block_length"]) for each in (old, new)]
    assert blocks == [(0, 4), (4, 5)], "a delimiter belongs to what comes after it"
    assert (new["_metadata"]["file_size"], new["_offset"]) == (10, 4)
