"""The page about clusters, on a cluster of a master and two workers, one of which is killed while it writes.

``WIRELOOM_CLUSTER=all`` (``make cluster``) also sends wireloom itself with ``--py-files``.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tarfile
import time
import venv
import zipfile
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pyarrow.dataset
import pytest
import wireloom
from click.testing import CliRunner
from wireloom.command import main

from ..docs.blocks import Page, part
from ..waiting import SECONDS
from . import cluster as clusters

WAYS = ("archives", "py-files") if os.environ.get("WIRELOOM_CLUSTER") == "all" else ("archives",)
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.executor.memory": "512m",
    "spark.driver.memory": "512m",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
}
FILES, ROWS = 40, 250
"""A job that takes longer hangs, however busy the machine is."""

# Python runs this when it starts, in each process that has the environment of the test. A task that opens the file in
# an ingest records its number, and waits until a worker has been killed.
HOLD = """
import os, sys, time
from pathlib import Path

lake = Path({lake!r})

def hold(event, arguments):
    if event != "open" or not str(arguments[0]).endswith("held.bin") or not (lake / "events" / "_wireloom").exists():
        return
    if "worker-" in os.getcwd() and not (lake / "killed").exists():
        (lake / "held").with_suffix(".new").write_text(str(os.getpid()))
        (lake / "held").with_suffix(".new").rename(lake / "held")
        while not (lake / "killed").exists():
            time.sleep(0.05)

sys.addaudithook(hold)
"""


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("way", WAYS)
def test_the_page(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake, inputs = tmp_path / "lake", tmp_path / "doors"
    lake.mkdir()
    # The processes that tests start otherwise preload modules by PYTHONPATH.
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setenv("PIP_NO_BUILD_ISOLATION", "false")
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, ["new", "door_log"]).exit_code == 0
    held = written(inputs, tmp_path / "door_log" / "specs" / "door_log.ksy")
    pack_environment(tmp_path, way, HOLD.format(lake=str(lake)))
    with clusters.running(tmp_path) as cluster:
        text = part("spark", "On a cluster", "Ingest as a job")
        [made, packed, submitted] = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        assert made.startswith("python -m venv environment\n")
        [program] = re.findall(r"^```python\n# doors.py\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        (tmp_path / "doors.py").write_text(program)
        environment = {**Page(text, tmp_path).environment, "PYTHONPATH": ""}
        subprocess.run(packed, shell=True, cwd=tmp_path, env=environment, check=True)
        settings = " ".join(f"--conf {name}={value}" for name, value in SETTINGS.items())
        submitted = submitted.replace("spark://master:7077", f"{cluster.address} {settings}")
        submitted = submitted.replace("/logs/doors /lake", f"{inputs} {lake}")
        if way == "py-files":
            submitted = submitted.replace("formats.zip", "formats.zip,wireloom.zip", 2).replace(
                "PYTHONPATH=formats.zip,wireloom.zip", "PYTHONPATH=formats.zip:wireloom.zip"
            )
        with (tmp_path / "log").open("w") as log:
            job = subprocess.Popen(
                submitted,
                shell=True,
                cwd=tmp_path,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        try:
            end = time.monotonic() + SECONDS
            while not (lake / "held").exists() and job.poll() is None and time.monotonic() < end:
                time.sleep(0.05)
            assert (lake / "held").exists(), (tmp_path / "log").read_text()[-5000:]
            cluster.kill_worker_of(int((lake / "held").read_text()))
            (lake / "killed").touch()
            printed, _ = job.communicate(timeout=SECONDS)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(job.pid, signal.SIGKILL)
    assert job.returncode == 0, (tmp_path / "log").read_text()[-5000:]
    rows = FILES * ROWS
    assert printed.splitlines() == [f"[Row(kind='opened', count={rows})]", str(rows)]
    for table in ("streamed", "events"):
        notes = pyarrow.dataset.dataset(lake / table, format="parquet").to_table(["note"])["note"].to_pylist()
        assert Counter(notes) == held
    assert pyarrow.dataset.dataset(lake / "damaged", format="parquet").count_rows() == 1


def written(folder: Path, spec: Path) -> Counter[str]:
    """Write logs that are large enough for two tasks, one of them damaged; return their content."""
    folder.mkdir()
    door_log = wireloom.load_spec(spec)
    held: Counter[str] = Counter()
    for number in range(FILES):
        notes = [f"{number}-{each} {'x' * 50}" for each in range(ROWS)]
        rows = [{"kind": "opened", "at": 1_790_000_000_000, "note": each} for each in notes]
        name = "held" if number == 0 else str(number)
        wireloom.write(door_log, rows, folder / f"{name}.bin")
        held.update(notes)
    with (folder / "1.bin").open("ab") as file:
        file.write(b"\x09\0 damaged")
    return held


def pack_environment(folder: Path, way: str, start: str) -> None:
    """Create the environment of the page and its archive, without what would have to be fetched and copied: the
    dependencies are those of the tests' environment, in place."""
    made = folder / "environment"
    venv.create(made, symlinks=True)
    [site] = made.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(f"{Path(pyarrow.__file__).parents[1]}\n")
    # Not as sitecustomize, of which some distributions have their own.
    (site / "hold_task.py").write_text(start)
    (site / "hold_task.pth").write_text("import hold_task\n")
    files = clusters.package_files()
    if way == "py-files":
        with zipfile.ZipFile(folder / "wireloom.zip", "w") as archive:
            for name, path in files.items():
                archive.write(path, name)
    with tarfile.open(folder / "environment.tar.gz", "w:gz", compresslevel=1) as packed:
        for name, path in files.items() if way == "archives" else ():
            target = site / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
        packed.add(made, ".")
