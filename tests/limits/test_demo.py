"""The main task, from sample logs to SQL, at a hundredth of its size."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from wireloom.demo.__main__ import demo

from ..java import QUICK_SPARK
from ..waiting import SECONDS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def check(folder: Path, output: str) -> None:
    """Check what was printed, and the tables in a folder."""
    for shown in ("wireloom ingest edgemq_segment", "Events per tenant and hour", "In quarantine", "What to try next"):
        assert shown in output
    tables = folder / "tables"
    events = pq.read_table(tables / "events")
    assert {"fmt", "tenant", "ts", "payload", "region"} <= set(events.column_names)
    assert {"event", "user"} <= set(json.loads(events["payload"][0].as_py()))
    quarantined = pq.read_table(tables / "events-quarantine").to_pylist()
    assert quarantined
    assert all(row["_path"] and row["_error"] and row["_corrupt_record"] for row in quarantined)
    assert pq.read_table(tables / "journal-quarantine").num_rows > 0


def test_the_demonstration_runs_to_its_end(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the session of the suite, which goes on."""
    monkeypatch.setattr(type(spark), "stop", lambda _: None)
    result = CliRunner().invoke(demo, ["--scale", "0.01", "--folder", str(tmp_path / "demo")], catch_exceptions=False)
    assert (result.exit_code, result.stderr) == (0, "")
    check(tmp_path / "demo", result.stdout)


@pytest.mark.thorough
@pytest.mark.usefixtures("fork_server")
def test_the_demonstration_prints_no_messages_of_others(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "wireloom.demo", "--scale", "0.01", "--folder", str(tmp_path / "demo")]
    environment = {**os.environ, **QUICK_SPARK}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=SECONDS)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-2000:]
    check(tmp_path / "demo", done.stdout)
