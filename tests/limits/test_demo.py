"""The main task, from sample logs to SQL, at a hundredth of its size."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from ..java import QUICK_SPARK
from ..waiting import SECONDS


@pytest.mark.usefixtures("fork_server")
def test_the_demonstration_runs_to_its_end(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "wireloom.demo", "--scale", "0.01", "--folder", str(tmp_path / "demo")]
    environment = {**os.environ, **QUICK_SPARK}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=SECONDS)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stderr == "", "neither warnings nor messages of others"
    for shown in ("wireloom ingest edgemq_segment", "Events per tenant and hour", "In quarantine", "What to try next"):
        assert shown in done.stdout
    tables = tmp_path / "demo" / "tables"
    events = pq.read_table(tables / "events")
    assert {"fmt", "tenant", "ts", "payload", "region"} <= set(events.column_names)
    assert {"event", "user"} <= set(json.loads(events["payload"][0].as_py()))
    quarantined = pq.read_table(tables / "events-quarantine").to_pylist()
    assert quarantined
    assert all(row["_path"] and row["_error"] and row["_corrupt_record"] for row in quarantined)
    assert pq.read_table(tables / "journal-quarantine").num_rows > 0
