"""The pipeline in a session of Spark Connect: a server on this machine, in separate processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.dataset
import pytest

from ..java import QUICK_SPARK
from .logs import log, logs, records

pytest.importorskip("grpc_status", reason="Spark Connect needs grpcio-status: pip install grpcio-status")

PROGRAM = """
import json, os, sys
from pathlib import Path
from pyspark.sql import SparkSession
from wireloom.command import main
from wireloom import WireloomError
from wireloom.spark import register
from wireloom.spark.ingest import ingest
from wireloom.spark.ingest_stream import ingest_stream

base = Path(sys.argv[1])
builder = SparkSession.builder.remote("local[1]").config("spark.sql.session.timeZone", "UTC")
for name, value in json.loads(sys.argv[2]).items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
register(spark)
places = {"quarantine": str(base / "quarantine"), "metrics": str(base / "metrics")}
seen = []
found = ingest(spark, "cobs_log", str(base / "in"), str(base / "table"), batch_files=2, progress=seen.append, **places)
again = ingest(spark, "cobs_log", str(base / "in"), str(base / "table"), **places)
told = {"rows": found.rows, "batches": len(found.batches), "done": again.done_before, "tasks": seen[-1].all_tasks}

def refused(action):
    try:
        action()
    except WireloomError as error:
        return f"{type(error).__name__}: {error}"

told["failfast"] = refused(
    lambda: ingest(spark, "cobs_log", str(base / "bad"), str(base / "other"), mode="failfast")
)
told["stream"] = refused(
    lambda: ingest_stream(spark, "cobs_log", str(base / "in"), str(base / "other"), checkpoint=str(base / "checkpoint"))
)
def interrupt(progress):
    raise KeyboardInterrupt

try:
    ingest(spark, "cobs_log", str(base / "in"), str(base / "stopped"), progress=interrupt)
except KeyboardInterrupt:
    told["interrupted"] = [str(each) for each in base.glob("stopped/*")]
try:
    main(["ingest", "cobs_log", str(base / "in"), "--table", str(base / "command")])
except SystemExit as ended:
    told["code"] = ended.code or 0
(base / "told.json").write_text(json.dumps(told))
spark.stop()
"""


@pytest.mark.usefixtures("fork_server")
def test_ingest(tmp_path: Path) -> None:
    held = logs(tmp_path / "in", 4)
    log(tmp_path / "bad" / "a.log", "x", damaged=b"\x05!\0")
    settings = {"spark.ui.enabled": "false"}
    environment = {**os.environ, **QUICK_SPARK, "PYSPARK_PYTHON": sys.executable, "SPARK_TESTING": "1"}
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "program.py"), str(tmp_path), json.dumps(settings)],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (tmp_path / "told.json").exists(), done.stderr
    told = json.loads((tmp_path / "told.json").read_text())
    assert records(tmp_path) == held
    assert (told["rows"], told["batches"], told["done"], told["code"]) == (200, 2, 4, 0)
    assert told["tasks"] >= 2
    assert told["failfast"].startswith(f"DamagedInputError: {tmp_path / 'bad' / 'a.log'} at byte ")
    assert told["stream"].startswith("UnsupportedError: a session of Spark Connect runs the batches of a stream in")
    assert told["interrupted"] == []
    assert pyarrow.dataset.dataset(tmp_path / "command", format="parquet").count_rows() == 200
