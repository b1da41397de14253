"""Quarantine, reports and metrics agree about damage; without Spark."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import wireloom
from wireloom import FileReport, ReadReport
from wireloom.reading import damage_log
from wireloom.reading.row_resync import CONTENT
from wireloom.spark.folders import folder
from wireloom.spark.ingest.prometheus import file_metrics, totals
from wireloom.spark.ingest.tables import write_quarantine
from wireloom.spark.read.task_reports import TaskReports, merge_reports

from .driver import planned
from .logs import log

VECTORS = Path(__file__).parent.parent / "vectors"
SEGMENTS = sorted(each.name for each in (VECTORS / "edgemq").glob("*.wal*") if not each.name.startswith("bomb"))
"""All except one of 1 GiB, which takes too long to be read in every mode."""


def ingested(
    name: str, path: Path, where: Path, **options: Any
) -> tuple[FileReport, list[dict[str, Any]], Mapping[str, Any]]:
    """Return the report of a file, its rows in quarantine, and the metrics of a batch of it; they must agree."""
    side = where / "side"
    side.mkdir(parents=True)
    reader, partitions, _ = planned(name, path=path, reportFolder=side, **options)
    rows = sum(batch.num_rows for each in partitions for batch in reader.read(each))
    findings = TaskReports(folder(str(side)))
    findings.refresh()
    report = ReadReport(name, merge_reports(findings.reports))
    told = totals([file_metrics(each, None) for each in report.files])
    count = write_quarantine(folder(str(where)), "quarantine.parquet", findings, report)
    kept = pq.read_table(where / "quarantine.parquet").to_pylist()
    assert told["rows"] == rows
    assert told["damaged"] == count == len(kept)
    assert told["reasons"] == Counter(row["_error"].partition(":")[0] for row in kept)
    assert all(": " in row["_error"] for row in kept)
    return report.files[0], kept, told


@pytest.mark.parametrize("recover", ["false", "true"])
@pytest.mark.parametrize("mode", ["permissive", "dropmalformed"])
@pytest.mark.parametrize("name", SEGMENTS)
def test_segments(name: str, mode: str, recover: str, tmp_path: Path) -> None:
    path = VECTORS / "edgemq" / name
    report, kept, _ = ingested("edgemq_segment", path, tmp_path, mode=mode, recover=recover)
    how: dict[str, Any] = {"mode": mode, "recover": recover == "true", "check_format": False}
    expected = wireloom.read_with_report("edgemq_segment", path, **how)[1]
    assert report.to_dict() == expected.files[0].to_dict()
    for row in kept:
        if row["_error"].startswith("codec"):
            continue
        assert (row["_corrupt_record"] is None) == (mode == "dropmalformed")
        if mode == "permissive" and row["_length"] is not None:
            assert len(row["_corrupt_record"]) == min(row["_length"], CONTENT)


@pytest.mark.parametrize("stored", ["plain", "gzip"])
def test_a_cut_record_is_kept_with_its_bytes(stored: str, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    log(path, "one", "two")
    # The end begins with the delimiter before the record.
    end = path.stat().st_size - 1
    content = path.read_bytes() + b"\x06thr"
    path.write_bytes(content if stored == "plain" else gzip.compress(content))
    _, [row], told = ingested("cobs_log", path, tmp_path / "out")
    assert row == {
        "_path": str(path),
        "_offset": end,
        "_length": 5,
        "_error": "truncated: the input ends inside the record",
        "_corrupt_record": b"\0\x06thr",
    }
    assert told["reasons"] == {"truncated": 1}


def test_an_end_that_cannot_be_read_on(tmp_path: Path) -> None:
    path = VECTORS / "edgemq" / "zero_tail.wal.zst"
    report, [row], _ = ingested("edgemq_segment", path, tmp_path)
    assert row["_error"] == "length: a length or a count is wrong; the rest of the file could not be read"
    assert (row["_offset"], row["_length"]) == (report.tail_offset, 4096)
    assert row["_corrupt_record"] == bytes(4096)


def test_a_single_message_that_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "message"
    wireloom.write("s2_messages", [{"seq_num": 7, "timestamp": 1, "headers": [], "body": b"x" * 50}], path)
    cut = path.read_bytes()[:-3]
    path.write_bytes(cut)
    report, [row], told = ingested("s2_messages", path, tmp_path / "out")
    assert (report.rows, report.damaged, report.tail) == (0, [], "truncated")
    assert (row["_offset"], row["_length"], row["_corrupt_record"]) == (0, len(cut), cut)
    assert told["reasons"] == {"truncated": 1}


def test_messages_that_are_cut(tmp_path: Path) -> None:
    from wireloom import s2
    from wireloom.formats.s2_messages.parser import S2Messages

    records = [S2Messages.SequencedRecord(seq_num=7, body=b"x")]
    whole = s2.encode_frame(S2Messages.ReadBatch(records=records).to_bytes())
    path = tmp_path / "session"
    path.write_bytes(whole * 2 + whole[:5])
    report, [row], told = ingested("s2_session", path, tmp_path / "out")
    assert report.rows == 2
    assert (row["_offset"], row["_length"], row["_corrupt_record"]) == (2 * len(whole), 5, whole[:5])
    assert told["reasons"] == {"truncated": 1}


def test_ranges_that_are_not_listed_have_reasons_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(damage_log, "MOST_LISTED", 3)
    path = tmp_path / "a.log"
    for number in range(5):
        log(path, f"{number}", damaged=b"\x05!%d\0" % number)
    report, kept, told = ingested("cobs_log", path, tmp_path / "out")
    assert (len(report.damaged), report.unlisted, told["damaged"]) == (3, 2, 5)
    assert told["reasons"] == {"stuffing": 5}
    assert all(row["_corrupt_record"] for row in kept)


def test_values_that_do_not_decode(tmp_path: Path) -> None:
    blocks = [{"count": 1, "data": data, "schema": '"long"'} for data in (b"\2", b"\2\2", b"\6")]
    wireloom.write("avro_blocks", blocks, tmp_path / "a.avro")
    report, [row], told = ingested("avro_blocks", tmp_path / "a.avro", tmp_path, table="rows")
    assert report.rows == told["rows"] == 2
    assert row["_error"].startswith("message: 1 bytes follow")
    assert row["_corrupt_record"].startswith(b"\2\4\2\2")
