"""A format of one's own that goes to a cluster as an archive (``--py-files``): found, planned and read out of it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from wireloom.command import main

PROGRAM = """
import sys
from pyspark.sql.datasource import CaseInsensitiveDict
import wireloom.spark
[kind] = [each for each in wireloom.spark.sources() if each.name() == "door_log"]
assert ".whl" in sys.modules[kind.__module__].__file__
source = kind(CaseInsensitiveDict({"path": sys.argv[1]}))
reader = source.reader(schema=source.schema())
print(sum(batch.num_rows for each in reader.partitions() for batch in reader.read(each)))
"""


def test_a_wheel_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, ["new", "door_log"]).exit_code == 0
    project = tmp_path / "door_log"
    wheel = tmp_path / "door_log-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in (project / "src").rglob("*"):
            archive.write(path, path.relative_to(project / "src"))
        entry = "[wireloom.formats]\ndoor_log = wireloom_door_log.generated.door_log:FORMAT\n"
        archive.writestr("door_log-0.1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: door-log\nVersion: 0.1.0\n")
        archive.writestr("door_log-0.1.0.dist-info/entry_points.txt", entry)
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(project / "samples" / "clean.bin")],
        env={**os.environ, "PYTHONPATH": str(wheel)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.stdout.split() == ["3"], told.stderr
