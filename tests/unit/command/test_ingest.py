"""``ingest`` as far as possible without Spark; the pipeline itself is tested with Spark."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from wireloom import Damage, FileReport, ReadReport
from wireloom.command import lines_of, main

pytest.importorskip("pyspark")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["edgemq_segmnt", "x", "--table", "t"], "did you mean 'edgemq_segment'?"),
        (["edgemq_segment", "/no/such/file", "--table", "t"], "/no/such/file"),
        (["edgemq_segment", "/no/such/file", "--table", "t", "--option", "verfy=no"], "did you mean 'verify'?"),
        (["edgemq_segment", "/no/such/file", "--table", "t", "--option", "maxFilesPerTrigger=1"], "only to streams"),
        (["edgemq_segment", "x"], "Missing option '--table'"),
        (["edgemq_segment", "x", "--table", "t", "--existing", "maybe"], "'append', 'adopt', 'overwrite', 'error'"),
        (["edgemq_segment", "x", "--table", "t", "--to", "orc"], "'parquet', 'delta', 'iceberg'"),
        (["edgemq_segment", "x", "--table", "t", "--stream"], "needs --checkpoint DIR"),
        (["edgemq_segment", "x", "--table", "t", "--every", "1 s"], "apply only with --stream"),
        (["edgemq_segment", "x", "--table", "t", "--stream", "--checkpoint", "c", "--batch-files", "1"], "maxFiles"),
    ],
)
def test_errors_come_before_spark_is_started(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["ingest", *arguments])
    assert result.exit_code == 2
    assert result.stderr.startswith("wireloom: error: ")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_what_a_person_is_told(tmp_path: Path) -> None:
    from wireloom.spark.ingest import IngestSummary

    good = FileReport("a", rows=5, bytes=1000, tail="clean")
    bad = FileReport("b", rows=1, bytes=500, damaged=[Damage(0, 9, "checksum"), Damage(20, 9, "checksum")])
    bad.tail, bad.tail_offset, bad.tail_size = "truncated", 490, 10
    lost = FileReport("c", error="the stream is damaged", damaged=[Damage(0, 0, "codec")])
    summary = IngestSummary("out", "bad", ReadReport("x", [good, bad, lost]), quarantined=4, seconds=2.0, partitions=3)
    assert lines_of(summary) == [
        "table       out: 6 rows",
        "read        3 files, 1,500 bytes in 3 tasks: 2.0 s, 0.0 MB/s",
        "damaged     4 ranges: checksum 2, truncated 1, codec 1",
        "ended early truncated 1",
        "failed      c: the stream is damaged",
        "quarantine  bad: 4 rows",
    ]
    again = IngestSummary(
        "out", "bad", ReadReport("x", []), 0, 2.0, 1, recovered=[{"rows": 5}], done_before=3, changed=["a", "b"]
    )
    assert lines_of(again)[2:5] == [
        "recovered   1 batch of an earlier run: 5 rows",
        "done before 3 files",
        "changed     a and 1 more: it changed after it was read; it is not read again",
    ]
    summary = IngestSummary("out", None, ReadReport("x", [bad]), quarantined=0, seconds=2.0, partitions=1)
    assert lines_of(summary)[-1].strip().startswith("add --quarantine OUT")
