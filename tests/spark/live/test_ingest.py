"""The pipeline: a table of valid rows, a quarantine table of everything else, and a summary."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.dataset
import pytest
import wireloom
from wireloom import UnknownNameError, WireloomError
from wireloom.spark.ingest import IngestProgress, ingest

from ..conftest import ROWS, Sample

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

VECTORS = Path(__file__).parents[2] / "vectors" / "edgemq"

DAMAGED = [
    "crc_payload_flip",
    "len_corrupt_mid",
    "garbage_inserted",
    "trunc_payload",
    "trunc_header",
    "zstd_truncated",
    "zstd_bad_checksum",
    "not_zstd",
    "zero_tail",
    "plain_200",
]


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """Return files that are damaged in every way, and an intact one."""
    folder = tmp_path / "in" / "eu" / "i-1" / "7" / "segments"
    folder.mkdir(parents=True)
    for name in DAMAGED:
        shutil.copy(VECTORS / f"{name}.wal.zst", folder)
    return tmp_path / "in"


@pytest.mark.parametrize("recover", [False, True])
def test_everything_that_is_damaged_is_accounted_for(
    recover: bool, spark: SparkSession, damaged: Path, tmp_path: Path
) -> None:
    table, quarantine = str(tmp_path / "out" / "table"), str(tmp_path / "out" / "quarantine")
    told: list[IngestProgress] = []
    summary = ingest(
        spark,
        "edgemq_segment",
        str(damaged),
        table,
        quarantine=quarantine,
        recover=recover,
        partition_by=("region", "segment"),
        options={"minPartitions": "4", "openCostInBytes": "1k"},
        progress=told.append,
    )
    expected, report = wireloom.read_with_report("edgemq_segment", str(damaged), recover=recover, check_format=False)
    assert sorted((each.to_dict() for each in summary.report.files), key=lambda each: str(each["path"])) == sorted(
        (each.to_dict() for each in report.files), key=lambda each: str(each["path"])
    )
    assert summary.rows == expected.num_rows
    assert summary.damaged == summary.quarantined == sum(summary.reasons.values())
    assert summary.partitions > 1
    written = pyarrow.dataset.dataset(table, partitioning="hive").to_table()
    assert written.num_rows == expected.num_rows
    assert {"fmt", "tenant", "ts", "payload", "region", "segment"} == set(written.column_names)

    kept = pyarrow.dataset.dataset(quarantine).to_table().to_pylist()
    assert len(kept) == summary.quarantined
    places = {(row["_path"], row["_offset"]): row for row in kept}
    assert len(places) == len(kept)
    for each in report.files:
        for damage in each.damaged:
            row = places.pop((each.path, damage.offset))
            assert row["_error"].partition(":")[0] == damage.reason
            assert row["_length"] == damage.length
            if damage.reason == "checksum":
                assert len(row["_corrupt_record"]) == damage.length
        if each.lost_end is not None:
            row = places.pop((each.path, each.tail_offset))
            assert row["_error"].partition(":")[0] == each.lost_end
            assert row["_length"] == len(row["_corrupt_record"]) == each.tail_size
    assert not places
    [batch] = summary.batches
    assert (batch["damaged"], batch["reasons"]) == (summary.damaged, dict(sorted(summary.reasons.items())))
    assert told
    assert told[-1].rows <= summary.rows
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["quarantine", "table"]
    assert set(summary.to_dict()) >= {"rows", "bytes", "files", "damaged", "table", "quarantine", "seconds"}


def test_columns_and_existing_tables(spark: SparkSession, samples: dict[str, Sample], tmp_path: Path) -> None:
    table = str(tmp_path / "table")

    def run(existing: str) -> int:
        path = str(samples["word_stuffed_log"].file)
        ingest(spark, "word_stuffed_log", path, table, columns=("generation", "_offset"), existing=existing)
        found = pyarrow.dataset.dataset(table).to_table()
        assert found.column_names == ["generation", "_offset"]
        return int(found.num_rows)

    assert run("error") == ROWS
    with pytest.raises(WireloomError, match="already exists"):
        run("error")
    assert run("append") == ROWS, "the file is done"
    assert run("overwrite") == ROWS
    with pytest.raises(UnknownNameError, match="did you mean 'append'"):
        run("apend")
    with pytest.raises(WireloomError, match="need separate folders"):
        ingest(spark, "cobs_log", str(samples["cobs_log"].file), table, quarantine=f"{table}/bad")


def test_failfast(spark: SparkSession, tmp_path: Path) -> None:
    path = VECTORS / "crc_payload_flip.wal.zst"
    with pytest.raises(WireloomError) as raised:
        ingest(spark, "edgemq_segment", str(path), str(tmp_path / "table"), mode="failfast")
    assert str(raised.value) == (
        f"{path} at byte 1002, record 11, field crc32c: the checksum does not match (checksum); "
        "mode=permissive leaves it out, verify=false keeps it"
    )
    assert not list(tmp_path.glob("_wireloom*"))
    with pytest.raises(WireloomError, match="unknown column of edgemq_segment 'reg1on': did you mean 'region'"):
        ingest(spark, "edgemq_segment", str(path), str(tmp_path / "other"), partition_by=("reg1on",))
    with pytest.raises(WireloomError, match="no such file or folder"):
        ingest(spark, "edgemq_segment", str(tmp_path / "nothing"), str(tmp_path / "other"))


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text")
def test_a_file_is_read_once_whatever_its_name_and_again_if_it_was_empty(spark: SparkSession, tmp_path: Path) -> None:
    folder, table = tmp_path / "in", str(tmp_path / "table")
    folder.mkdir()
    wireloom.write("cobs_log", [{"payload": b"one"}], folder / "a.log")
    (folder / "a.log").rename(folder / os.fsdecode(b"\xff\xfe.log"))
    (folder / "empty.log").touch()
    assert ingest(spark, "cobs_log", str(folder), table).rows == 1
    assert ingest(spark, "cobs_log", str(folder), table).done_before == 2
    wireloom.write("cobs_log", [{"payload": b"two"}], folder / "empty.log")
    again = ingest(spark, "cobs_log", str(folder), table)
    assert (again.rows, again.done_before, again.changed) == (1, 1, [])
    again = ingest(spark, "cobs_log", str(folder), table)
    assert (again.rows, again.done_before, again.changed) == (0, 2, [])
    assert sorted(row.payload for row in spark.read.parquet(table).collect()) == [b"one", b"two"]


def test_failfast_and_a_file_that_is_cut_off(spark: SparkSession, tmp_path: Path) -> None:
    path = VECTORS / "trunc_payload.wal.zst"
    with pytest.raises(WireloomError, match=r"trunc_payload\.wal\.zst at byte \d+.*\(truncated\)"):
        ingest(spark, "edgemq_segment", str(path), str(tmp_path / "table"), mode="failfast")
    with pytest.raises(WireloomError, match="leave tail=growing out, or ingest as a stream"):
        ingest(spark, "edgemq_segment", str(path), str(tmp_path / "table"), options={"tail": "growing"})


def test_a_file_of_another_format_goes_to_the_quarantine(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "letter.txt").write_bytes(b"To whom it may concern. " * 30)
    places = {"table": str(tmp_path / "table"), "quarantine": str(tmp_path / "damaged")}
    with pytest.raises(WireloomError, match=r"letter\.txt: not in the format edgemq_segment\?"):
        ingest(spark, "edgemq_segment", str(tmp_path / "in"), **places, options={"checkFormat": "true"})
    summary = ingest(spark, "edgemq_segment", str(tmp_path / "in"), **places)
    assert (summary.rows, summary.quarantined) == (0, 1)
    assert summary.report.files[0].foreign


def test_a_quarantine_without_damage_is_an_empty_table(
    spark: SparkSession, samples: dict[str, Sample], tmp_path: Path
) -> None:
    summary = ingest(
        spark,
        "cobs_log",
        [str(samples["cobs_log"].file)],
        str(tmp_path / "table"),
        quarantine=str(tmp_path / "quarantine"),
    )
    assert summary.clean
    assert summary.quarantined == 0
    assert spark.read.parquet(str(tmp_path / "quarantine")).columns == [
        "_path",
        "_offset",
        "_length",
        "_error",
        "_corrupt_record",
    ]


def test_an_interrupt_leaves_no_table(spark: SparkSession, damaged: Path, tmp_path: Path) -> None:
    table = tmp_path / "out" / "table"
    table.parent.mkdir()

    def interrupt(progress: IngestProgress) -> None:
        raise KeyboardInterrupt

    options = {"minPartitions": "64", "openCostInBytes": "1k"}
    many = [str(damaged)] * 12
    with pytest.raises(KeyboardInterrupt):
        ingest(spark, "edgemq_segment", many, str(table), options=options, progress=interrupt)
    assert [each.name for each in table.parent.iterdir()] in ([], ["table"])
    assert not list(table.glob("*")), "neither rows nor what Spark keeps while it writes"
    assert ingest(spark, "edgemq_segment", str(damaged), str(table)).rows > 0
