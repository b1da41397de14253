"""Archives sent to a cluster (``--py-files``): a user's format, wireloom, its engine."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from wireloom.command import main

from .cluster import package_files

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


ENGINE = """
import wireloom, wireloom.engine
table, report = wireloom.read_with_report("cobs_log", b"\\x02a\\x00")
print(".zip" in wireloom.__file__, wireloom.engine.available, report.engine, table["payload"].to_pylist())
"""


@pytest.mark.parametrize("engine", ["as it is", "broken", pytest.param("none", marks=pytest.mark.thorough)])
def test_wireloom_in_an_archive(engine: str, tmp_path: Path) -> None:
    """Its engine is loaded too; if that fails, this is reported, and rows are read without it."""
    packed, temporary = tmp_path / "wireloom.zip", tmp_path / "temporary"
    temporary.mkdir()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, path in package_files().items():
            if path.suffix != ".so" or engine == "as it is":
                archive.write(path, name)
            elif engine == "broken":
                archive.writestr(name, path.read_bytes()[:99])
    told = subprocess.run(
        [sys.executable, "-W", "always", "-c", ENGINE],
        env={**os.environ, "PYTHONPATH": str(packed), "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=True,
    )
    expected = {"as it is": "True True columns", "broken": "True False objects", "none": "True False objects"}
    assert told.stdout.strip() == expected[engine] + " [b'a']"
    assert ("the engine cannot be loaded" in told.stderr) == (engine == "broken")
    assert list(temporary.iterdir()) == []
