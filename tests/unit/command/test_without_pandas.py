"""No command imports pandas, which pyarrow does by itself where it is installed, with the first value of Python that it
converts; nor do functions that convert none."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import wireloom
from wireloom import engine

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
    "mysql_binlog": "row.bin",
    "otlp_logs": "collector.bin",
    "otlp_spans": "collector.bin",
    "pcap": "big.pcap",
    "pcapng": "sections.pcapng",
    "prometheus_wal": "checkpoint",
    "tfrecord": "examples.tfrecord",
}
"""Files that the engine reads. Not among them: ``mcap``, which keeps looked-up values in Python, and ``tf_example``,
whose maps are grouped by pyarrow's ``Table.group_by``."""
READ = """
import sys, wireloom
table = wireloom.read(sys.argv[1], sys.argv[2])
assert table.num_rows
try:
    wireloom.write(sys.argv[1], table, "again")
except wireloom.WireloomError as error:
    assert "cannot be written" in str(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_imports_pandas(name: str, tmp_path: Path) -> None:
    wireloom.write("edgemq_segment", ROWS, tmp_path / "a.wal")
    (tmp_path / "a.ndjson").write_text('{"fmt":0,"tenant":1,"ts_millis":5,"payload":"61"}\n')
    command = [name.split()[0], "edgemq_segment", "a.ndjson" if name == "encode" else "a.wal", *COMMANDS[name]]
    check("from wireloom.command.entry import main; main()", command, tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(not engine.available, reason="generated classes make values of Python")
@pytest.mark.parametrize("name", VECTORS)
def test_reading_and_writing_arrow_data_imports_no_pandas(name: str, tmp_path: Path) -> None:
    check(READ, [name, str(HERE / name / VECTORS[name])], tmp_path)


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
