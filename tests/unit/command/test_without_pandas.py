"""No command imports pandas, which pyarrow does by itself where it is installed, with the first value of Python that it
converts; nor do ``read`` and ``write``."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import wireloom

from ...vectors.cases import HERE

ROWS = [{"fmt": 0, "tenant": 1, "ts_millis": 5, "payload": b"a"}]
COMMANDS = {
    "decode": [],
    "decode to csv": ["--to", "csv"],
    "decode to a table": ["--to", "table"],
    "decode to parquet": ["-o", "rows.parquet"],
    "decode to arrow": ["-o", "rows.arrow"],
    "verify": [],
    "extract": [],
    "inspect": [],
    "dump": [],
    "encode": ["-o", "again.wal"],
}
VECTORS = {
    "avro_blocks": "null.avro",
    "bitcoin_blocks": "first.dat",
    "etcd_wal": "segment1.wal",
    "kafka_log": "zstd.log",
    "leveldb_log": "rocks.log",
    "mcap": "zstd.mcap",
    "mysql_binlog": "row.bin",
    "otlp_logs": "collector.bin",
    "otlp_metrics": "length.bin",
    "otlp_spans": "collector.bin",
    "pcap": "big.pcap",
    "pcapng": "sections.pcapng",
    "prometheus_wal": "checkpoint",
    "tf_example": "packed.bin",
    "tfrecord": "examples.tfrecord",
}
MADE: dict[str, list[dict[str, object]]] = {
    "cobs_log": [{"payload": b"a"}],
    "edgemq_segment": ROWS,
    "kpl_aggregated_record": [{"partition_key": "a", "data": b"b"}] * 2,
    **{name: [{"seq_num": each, "body": b"b"} for each in range(2)] for name in ("s2_messages", "s2_session")},
    "word_stuffed_log": [{"generation": 1, "payload": b"a"}],
}
READ = """
import sys, wireloom
from wireloom.command import main
from wireloom.format.registry import get
shapes, *files = sys.argv[1:]
for name, path in (each.split("=", 1) for each in files):
    format = get(name)
    for table in format.tables if format.option == "table" else [""]:
        print(name, table, file=sys.stderr)
        options = {"table": table} if table else {}
        rows = wireloom.read(name, path, **options)
        for data in (rows, rows.to_pylist()) if "ns" not in str(rows.schema) else (rows,):
            try:
                wireloom.write(name, data, "again", **options)
            except wireloom.WireloomError as error:
                assert "cannot be written" in str(error) or "cannot represent all" in str(error), error
        for to in shapes.split():
            try:
                main(["decode", name, path, "--to", to, *(["--table", table] if table else [])])
            except SystemExit as end:
                assert not end.code
"""
RUN = """
import shlex, sys
from wireloom.command import main
for line in sys.argv[1:]:
    main(shlex.split(line), standalone_mode=False)
"""


@pytest.mark.slow
def test_no_command_imports_pandas(tmp_path: Path) -> None:
    wireloom.write("edgemq_segment", ROWS, tmp_path / "a.wal")
    (tmp_path / "a.ndjson").write_text('{"fmt":0,"tenant":1,"ts_millis":5,"payload":"61"}\n')
    lines = []
    for name, options in COMMANDS.items():
        source = "a.ndjson" if name == "encode" else "a.wal"
        lines.append(shlex.join([name.split()[0], "edgemq_segment", source, *options]))
    check(RUN, lines, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("reader", "shapes"), [("", "ndjson csv table"), ("objects", "ndjson")])
def test_reading_and_writing_imports_no_pandas(
    reader: str, shapes: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIRELOOM_ENGINE", reader)
    for name, rows in MADE.items():
        wireloom.write(name, rows, tmp_path / name)
    files = {name: HERE / name / file for name, file in VECTORS.items()} | {name: tmp_path / name for name in MADE}
    assert sorted(files) == wireloom.formats()
    check(READ, [shapes, *(f"{name}={path}" for name, path in files.items())], tmp_path)


def check(code: str, arguments: list[str], tmp_path: Path) -> None:
    """Run Python code, and check that it imports no pandas."""
    (tmp_path / "pandas.py").write_text("import os\nos.write(2, b'pandas is imported')\nraise ImportError\n")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "pandas" in done.stderr) == (0, False), done.stderr
