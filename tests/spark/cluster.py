"""A standalone cluster of Spark on this machine: a master and workers, each in its own process, on free ports of the
loopback interface."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyspark
import wireloom

from ..java import QUICK_JAVA
from ..waiting import SECONDS

SPARK_HOME = Path(pyspark.__file__).parent
ENVIRONMENT = {
    **QUICK_JAVA,
    "SPARK_HOME": str(SPARK_HOME),
    "SPARK_LOCAL_IP": "127.0.0.1",
    "SPARK_DAEMON_MEMORY": "256m",
    "SPARK_DAEMON_JAVA_OPTS": "-Dspark.master.rest.enabled=false",
}
"""What has not started within this time never will."""


@dataclass
class Cluster:
    """``address``: that of the master. ``workers``: their processes, by the folders in which they run executors."""

    address: str
    workers: dict[Path, subprocess.Popen[bytes]] = field(default_factory=dict)

    def kill_worker_of(self, process: int) -> None:
        """Kill the worker in whose folder a process runs, as if its machine had lost power."""
        place = Path(os.readlink(f"/proc/{process}/cwd"))
        [folder] = [each for each in self.workers if each in place.parents]
        for each in family_of(self.workers.pop(folder).pid):
            os.kill(each, signal.SIGKILL)


def family_of(process: int) -> list[int]:
    """Return a process and its descendants, which cannot start others: each is stopped before the next is searched
    for."""
    os.kill(process, signal.SIGSTOP)
    found = [process]
    for task in Path(f"/proc/{process}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += family_of(int(child))
    return found


def package_files() -> dict[str, Path]:
    """Return the files of wireloom as they are installed, by their paths in an archive of packages."""
    root = Path(wireloom.__file__).parents[1]
    packages = {"runtime": "wireloom", "codegen": "wireloom/codegen", "generated": "wireloom/formats"}
    return {
        f"{name}/{path.relative_to(root / top)}": path
        for top, name in packages.items()
        for path in (root / top).rglob("*")
        if path.suffix not in (".c", ".o", ".pyc") and path.is_file()
    }


@contextmanager
def running(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """Start a cluster whose logs and working folders are in ``folder``, and kill all of it at the end."""
    started: list[subprocess.Popen[bytes]] = []

    def start(name: str, kind: str, *arguments: str) -> tuple[subprocess.Popen[bytes], Path]:
        log = folder / f"{name}.log"
        command = [str(SPARK_HOME / "bin/spark-class"), f"org.apache.spark.deploy.{kind}", "--host", "127.0.0.1"]
        with log.open("wb") as file:
            process = subprocess.Popen(
                [*command, "-p", "0", "--webui-port", "0", *arguments],
                env={**os.environ, **ENVIRONMENT},
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        started.append(process)
        return process, log

    try:
        master, log = start("master", "master.Master")
        cluster = Cluster(_logged(log, master, r"Starting Spark master at (spark://\S+)"))
        waiting = []
        for number in range(workers):
            place = folder / f"worker-{number}"
            place.mkdir()
            arguments = ["-c", "1", "-m", "1g", "-d", str(place), cluster.address]
            process, log = start(place.name, "worker.Worker", *arguments)
            cluster.workers[place] = process
            waiting.append((log, process))
        for log, process in waiting:
            _logged(log, process, r"(Successfully registered) with master")
        yield cluster
    finally:
        for process in started:
            if process.poll() is None:
                for each in family_of(process.pid):
                    os.kill(each, signal.SIGKILL)
            process.wait()


def _logged(log: Path, process: subprocess.Popen[bytes], pattern: str) -> str:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and process.poll() is None:
        found = re.search(pattern, log.read_text())
        if found is not None:
            return found[1]
        time.sleep(0.1)
    raise AssertionError(f"{log.name} does not say {pattern}:\n{log.read_text()}")
