"""What tasks leave for the driver survives tasks that fail, are run again, or run twice at the same time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom.spark.folders import folder
from wireloom.spark.read.task_reports import TaskReports, merge_reports

from .driver import planned

VECTORS = Path(__file__).parent.parent / "vectors"


def found(side: str) -> TaskReports:
    findings = TaskReports(folder(side))
    findings.refresh()
    return findings


def side_folder(tmp_path: Path) -> str:
    folder = tmp_path / "side"
    folder.mkdir()
    return str(folder)


def test_one_file_of_each_kind_per_task(tmp_path: Path) -> None:
    side = side_folder(tmp_path)
    path = VECTORS / "edgemq" / "crc_payload_flip.wal.zst"
    reader, partitions, _ = planned("edgemq_segment", path=path, reportFolder=side)
    for _ in range(2):
        assert sum(batch.num_rows for batch in reader.read(partitions[0])) == 19
    assert sorted(each.name for each in Path(side).iterdir()) == ["damaged-000000.parquet", "report-000000.json"]
    left = found(side)
    assert left.partitions == 1
    [report] = merge_reports(left.reports)
    expected = wireloom.read_with_report("edgemq_segment", path)[1].files[0]
    assert report.to_dict() == expected.to_dict()
    [records] = left.records()
    assert records.num_rows == 1
    assert records["_offset"].to_pylist() == [1002]


def test_a_task_that_fails_leaves_nothing(tmp_path: Path) -> None:
    side = side_folder(tmp_path)
    path = VECTORS / "edgemq" / "crc_payload_flip.wal.zst"
    reader, partitions, _ = planned("edgemq_segment", path=path, reportFolder=side)
    rows = reader.read(partitions[0])
    next(rows)
    rows.close()
    assert found(side).partitions == 0
    assert list(Path(side).iterdir()) == []


@pytest.mark.parametrize("largest", [700, 5000])
def test_the_slices_of_a_file_make_one_report(largest: int, tmp_path: Path) -> None:
    import gzip

    side = side_folder(tmp_path)
    path = tmp_path / "damaged.log"
    path.write_bytes(gzip.decompress((VECTORS / "word_stuffing" / "chunk_damaged.bin.gz").read_bytes()))
    options: dict[str, Any] = {"path": path, "maxPartitionBytes": largest, "openCostInBytes": 0, "reportFolder": side}
    reader, partitions, _ = planned("word_stuffed_log", **options)
    assert len(partitions) > 1
    rows = sum(batch.num_rows for partition in partitions for batch in reader.read(partition))
    [report] = merge_reports(found(side).reports)
    expected = wireloom.read_with_report("word_stuffed_log", path)[1].files[0]
    assert report.rows == rows == expected.rows
    assert report.damaged == expected.damaged
    assert (report.tail, report.tail_offset) == (expected.tail, expected.tail_offset)
