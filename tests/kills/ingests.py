"""``python -m tests.kills.ingests --kills N``: kills ingests, and counts every record in table and quarantine.

The whole tree of processes is killed, or only Java, at a random moment after it has begun to write. Between the kills
files are added, some of them damaged, and in streams files grow. Finally an undisturbed run completes the table. Exit
code 1: a record does not exist exactly once.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from typing import Any

import click
import pyarrow.dataset
import pyarrow.fs
from wireloom.input.inputs import Location
from wireloom.input.s3 import filesystem

from ..java import QUICK_SPARK
from ..spark.logs import log
from ..storage_server import BUCKET, running_apart
from ..waiting import SECONDS

KINDS = ("parquet", "delta", "iceberg")
MODES = ("batch", "stream")
LONGEST = 8.0
"""Maximum number of seconds after its first write within which a run is killed."""
START_SECONDS = 120.0
"""Maximum number of seconds within which a run must write something."""


class Subject:
    """One table, and the expected content of it and of its quarantine."""

    def __init__(self, base: Path, kind: str, stream: bool, endpoint: str | None) -> None:
        self.base, self.kind, self.stream, self.endpoint = base, kind, stream, endpoint
        self.held: Counter[str] = Counter()
        self._files = 0
        self._store: Any = (
            filesystem(Location(endpoint=endpoint, region="us-east-1"), BUCKET)
            if endpoint
            else pyarrow.fs.LocalFileSystem()
        )

    @property
    def name(self) -> str:
        """Return the name for the report."""
        return f"{self.kind}, {'stream' if self.stream else 'batch'}, {'store' if self.endpoint else 'folder'}"

    def place(self, name: str) -> str:
        """Return the address of a folder."""
        return f"s3://{BUCKET}/{self.base.name}/{name}" if self.endpoint else str(self.base / name)

    def _path(self, name: str) -> str:
        return self.place(name).removeprefix("s3://")

    def add(self, randomness: random.Random) -> None:
        """Add some files, and let one grow if the table is that of a stream."""
        for _ in range(3):
            self._append(self._files, randomness)
            self._files += 1
        if self.stream:
            self._append(randomness.randrange(self._files), randomness)

    def _append(self, number: int, randomness: random.Random) -> None:
        begin = sum(self.held.values())
        names = [f"{number}-{begin + each}" for each in range(randomness.randint(1, 3000))]
        bad = f"!{number}-{begin}" if randomness.random() < 0.5 else ""
        damaged = bytes([len(bad) + 20]) + bad.encode() + b"\0" if bad else b""
        log(self.base / "in" / f"{number}.log", *names, damaged=damaged)
        self.held.update([*names, *([bad] if bad else [])])

    def start(self) -> subprocess.Popen[bytes]:
        """Start an ingest in separate processes."""
        program = [str(Path(sys.executable).parent / "wireloom"), "ingest", "cobs_log", str(self.base / "in")]
        program += ["--table", self.place("lake/table"), "--quarantine", self.place("quarantine"), "--to", self.kind]
        if self.endpoint:
            program += ["--endpoint", self.endpoint, "--region", "us-east-1"]
        if self.stream:
            program += ["--stream", "--checkpoint", str(self.base / "checkpoint"), "--option", "maxFilesPerTrigger=1"]
        else:
            program += ["--batch-files", "1"]
        environment = {**os.environ, **QUICK_SPARK, "PYSPARK_PYTHON": sys.executable, **self._catalog()}
        return subprocess.Popen(
            program, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
        )

    def _catalog(self) -> dict[str, str]:
        start = "PYICEBERG_CATALOG__DEFAULT__"
        found = {f"{start}TYPE": "sql", f"{start}URI": f"sqlite:///{self.base / 'catalog'}"}
        return {**found, **{f"{start}{name.upper()}": value for name, value in self._iceberg_store().items()}}

    def _iceberg_store(self) -> dict[str, str]:
        return {} if self.endpoint is None else {"s3.endpoint": self.endpoint, "s3.region": "us-east-1"}

    def traces(self) -> list[str]:
        """Return the files of attempts and commits: they change when a run begins to write."""
        names = []
        for each in ("staging", "pending", "commits"):
            selector = pyarrow.fs.FileSelector(f"{self._path('lake/table')}/_wireloom/{each}", allow_not_found=True)
            names += [found.path for found in self._store.get_file_info(selector)]
        return names

    def found(self) -> Counter[str]:
        """Return the content of table and quarantine, as readers of their kinds see it."""
        payloads = [each.decode() for each in self._table()]
        broken = self._parquet("quarantine", "_corrupt_record")
        return Counter([*payloads, *(each.strip(b"\0")[1:].decode() for each in broken)])

    def _table(self) -> list[bytes]:
        if self.kind == "delta":
            from deltalake import DeltaTable

            access = {"AWS_ENDPOINT_URL": self.endpoint, "AWS_REGION": "us-east-1", "AWS_ALLOW_HTTP": "true"}
            options = {name: str(value) for name, value in access.items()} if self.endpoint else None
            return list(
                DeltaTable(self.place("lake/table"), storage_options=options).to_pyarrow_table()["payload"].to_pylist()
            )
        if self.kind == "iceberg":
            from pyiceberg.catalog import load_catalog

            options = {"type": "sql", "uri": f"sqlite:///{self.base / 'catalog'}", **self._iceberg_store()}
            return list(
                load_catalog("default", **options).load_table("lake.table").scan().to_arrow()["payload"].to_pylist()
            )
        return self._parquet("lake/table", "payload")

    def _parquet(self, name: str, column: str) -> list[bytes]:
        rows = pyarrow.dataset.dataset(self._path(name), filesystem=self._store, format="parquet")
        return list(rows.to_table([column])[column].to_pylist()) if rows.files else []


def kill(process: subprocess.Popen[bytes], java_only: bool) -> bool:
    """Kill a run, all of it or only its Java; return whether it was still running."""
    alive = process.poll() is None
    if alive and java_only:
        for each in Path("/proc").glob("[0-9]*/stat"):
            try:
                head, _, rest = each.read_text().rpartition(")")
            except OSError:
                continue
            if head.endswith("(java") and int(rest.split()[3]) == process.pid:
                os.kill(int(each.parent.name), signal.SIGKILL)
        process.communicate(timeout=SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return alive


def run(subject: Subject, kills: int, randomness: random.Random, longest: float = LONGEST) -> tuple[int, str]:
    """Kill at most that many runs; return how many were running, and what is wrong at the end."""
    done = 0
    for _ in range(kills):
        subject.add(randomness)
        before = subject.traces()
        process = subject.start()
        latest = time.monotonic() + START_SECONDS
        while process.poll() is None and time.monotonic() < latest and subject.traces() == before:
            time.sleep(0.1)
        # Most failures occur within less time than a task takes.
        deadline = time.monotonic() + longest * randomness.random() ** 2
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        done += kill(process, randomness.random() < 0.4)
    process = subject.start()
    _, errors = process.communicate(timeout=SECONDS)
    if process.returncode:
        return done, errors.decode(errors="replace")[-500:]
    found = subject.found()
    if found == subject.held:
        return done, ""
    return (
        done,
        f"missing {list((subject.held - found).items())[:3]}, too many {list((found - subject.held).items())[:3]}",
    )


@click.command()
@click.option("--kills", default=100, show_default=True, help="Runs that are killed, over all kinds of tables.")
@click.option("--each", default=5, show_default=True, help="Kills of one table, before it is completed.")
@click.option("--seed", default=1, show_default=True)
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="All of them by default.")
@click.option("--mode", "modes", multiple=True, type=click.Choice(MODES), help="Both by default.")
def main(kills: int, each: int, seed: int, kinds: tuple[str, ...], modes: tuple[str, ...]) -> None:
    """Kill ingests into all kinds of tables, on a disk and in an object store, batch and stream."""
    os.environ.setdefault("AWS_ACCESS_KEY_ID", "test")
    os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "test")
    randomness, done, wrong = random.Random(seed), 0, 0
    with tempfile.TemporaryDirectory() as folder, running_apart() as store:
        chosen = [
            (kind, mode == "stream", at)
            for at in (None, store.endpoint)
            for mode in modes or MODES
            for kind in kinds or KINDS
        ]
        for number, (kind, stream, at) in enumerate(cycle(chosen)):
            if done >= kills or number >= kills:
                break
            subject = Subject(Path(folder) / f"{number}", kind, stream, at)
            count, error = run(subject, min(each, kills - done), randomness)
            done += count
            wrong += bool(error)
            print(
                f"{subject.name}: {count} killed, {sum(subject.held.values()):,} records; {error or 'all there once'}",
                flush=True,
            )
    print(f"{done} ingests were killed; {wrong} tables are wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(prog_name="python -m tests.kills.ingests")
