"""The pipeline in a session of Spark Connect: a client in a process of its own, and a server in that of the session of
the tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.dataset
import pytest

from ...ports import free_ports
from ...waiting import SECONDS
from ..logs import log, logs, records

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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
builder = SparkSession.builder.remote(sys.argv[2]).config("spark.sql.session.timeZone", "UTC")
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


@pytest.fixture
def address(spark: SparkSession) -> Iterator[str]:
    """Start a server, and return its address."""
    [port] = free_ports(1)
    settings = spark._jsc.sc().conf()
    settings.set("spark.connect.grpc.binding.address", "127.0.0.1")
    settings.set("spark.connect.grpc.binding.port", str(port))
    service = spark._jvm.org.apache.spark.sql.connect.service.SparkConnectService
    service.start(spark._jsc.sc())
    yield f"sc://127.0.0.1:{port}"
    service.stop(*(getattr(service, f"stop$default${number}")() for number in (1, 2)))


def test_ingest(address: str, tmp_path: Path) -> None:
    held = logs(tmp_path / "in", 4)
    log(tmp_path / "bad" / "a.log", "x", damaged=b"\x05!\0")
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "program.py"), str(tmp_path), address],
        env={**os.environ, "PYSPARK_PYTHON": sys.executable},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=SECONDS,
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
