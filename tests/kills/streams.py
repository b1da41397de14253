"""``python -m tests.kills.streams --kills N``: kills programs that write to a stream of S2; each record is in it
exactly once.

They append records whose contents follow from their numbers, and record in a file how far they were before each append,
as docs/live.md recommends for programs that can be killed. With ``--writers`` several of them share the stream, each
with a name; one is killed at a time. With ``--servers`` the server is killed instead, while another program follows the
stream. With ``--spark`` they are queries of Spark that copy a stream, and are killed with all their processes. The
server is the stand-in of the tests, or ``s2 lite`` if it is named.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import click
import wireloom.s2 as s2

from .. import s2_server
from ..java import QUICK_SPARK
from ..ports import free_ports
from ..waiting import SECONDS
from . import nursery

STREAM = "killed"
LEAST, MOST = 0.01, 0.3
"""Seconds after which a program is killed."""
BATCH = 1500
"""Maximum number of records of an append: more than S2 accepts at once."""
SPARK_BATCH, SPARK_PART = 400, 100
"""A program that still runs after this time hangs."""

COPY = f"""
import sys
from wireloom.spark.session import local_session

basin, endpoint, checkpoint, writer = sys.argv[1:]
spark = local_session("kills", cores=2 if writer else 1)
server = {{"basin": basin, "endpoint": endpoint}}
source = spark.readStream.format("s2_stream").options(**server, maxRecordsPerTrigger={SPARK_BATCH})
source = source.option("maxRecordsPerPartition", {SPARK_PART} if writer else {SPARK_BATCH})
rows = source.option("stream", "source").load()
copy = rows.select("body").writeStream.format("s2_stream").options(**server, stream="{STREAM}")
copy = copy.option("writer", writer) if writer else copy
copy.option("checkpointLocation", checkpoint).trigger(availableNow=True).start().awaitTermination()
"""


def body(number: int) -> bytes:
    """Return the content of the record with a number, of varying size."""
    return b"%d" % number * (1 + number % 50)


def records(begin: int, end: int) -> list[s2.AppendRecord]:
    return [s2.AppendRecord(body=body(number)) for number in range(begin, end)]


def append(endpoint: str, state: str, total: int, token: str, writer: str | None = None) -> None:
    """Continue where the previous program stopped."""
    # The server of processes has the environment of the test that was the first to need it.
    os.environ["S2_ACCESS_TOKEN"] = token
    path = Path(state)
    place, number = map(int, path.read_text().split()) if path.exists() else (0, 0)
    appender = s2.Appender(s2_server.BASIN, STREAM, place, endpoint=endpoint, writer=writer, window=BATCH * 100)
    while number < total:
        number += appender.append(records(number, min(total, number + random.randint(1, 2 * BATCH))))
        path.with_suffix(".new").write_text(f"{appender.next_seq_num} {number}")
        path.with_suffix(".new").replace(path)


def run_appenders(
    endpoint: str, folder: Path, kills: int, total: int, randomness: random.Random, writers: int = 0
) -> int:
    """Kill appenders until that many were running; return how many were. The last ones are not killed."""
    processes = [_appender(endpoint, folder, total, name) for name in names(writers)]
    killed = 0
    for number in range(kills + 1):
        chosen = randomness.randrange(len(processes))
        for place, process in enumerate(processes):
            if number == kills or place == chosen:
                process.join(randomness.uniform(LEAST, MOST) if number < kills else SECONDS)
                process.kill()
                process.join(SECONDS)
                killed += process.exitcode == -signal.SIGKILL
                assert process.exitcode in (0, -signal.SIGKILL), f"an appender ended with {process.exitcode}"
                if number < kills:
                    processes[place] = _appender(endpoint, folder, total, names(writers)[place])
    return killed


def names(writers: int) -> list[str | None]:
    """Return the names of writers; a single one has none."""
    return [f"w{number}" for number in range(writers)] or [None]


def _appender(endpoint: str, folder: Path, total: int, name: str | None) -> BaseProcess:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([nursery.__name__, __name__])
    arguments = (endpoint, str(folder / f"state-{name}"), total, os.environ.get("S2_ACCESS_TOKEN", ""), name)
    process = context.Process(target=append, args=arguments)
    process.start()
    return process


def run_servers(
    endpoint: str, folder: Path, kills: int, total: int, randomness: random.Random, writers: int = 0, *, lite: bool
) -> int:
    """Kill the server while programs append and another one follows; return how often. What is followed has to be
    right, too."""
    server = ServerProcess(folder, int(endpoint.rpartition(":")[2]), lite=lite)
    processes = [_appender(endpoint, folder, total, name) for name in names(writers)]
    expected = total * len(processes)
    found: list[dict[str, Any]] = []
    with s2.tail(s2_server.BASIN, STREAM, 0, columns=["headers", "body", "command"], endpoint=endpoint) as reading:
        while len(found) < expected:
            found += [row for row in next(reading).to_pylist() if row["command"] is None]
            if server.kills < kills and len(found) > expected * (server.kills + 1) / (kills + 1):
                server.kill()
                time.sleep(randomness.uniform(LEAST, MOST))
                server.start()
    for process in processes:
        process.join(SECONDS)
        assert process.exitcode == 0, f"an appender ended with {process.exitcode}"
    problem = judged(endpoint, total, writers) or _wrong(found, total, writers)
    killed = server.kills
    server.kill()
    assert not problem, problem
    return killed


class ServerProcess:
    """A server with its data in a folder, S2's own or the stand-in. ``kills``: how often it was killed."""

    def __init__(self, folder: Path, port: int, *, lite: bool) -> None:
        (folder / "data").mkdir()
        self._command = [sys.executable, "-m", "tests.kills.s2_process", "--stream", STREAM]
        if lite:
            basin = {
                "name": s2_server.BASIN,
                "config": {"create_stream_on_append": True, "create_stream_on_read": True},
            }
            (folder / "resources.json").write_text(json.dumps({"basins": [basin]}))
            self._command = ["s2", "lite", "--no-dashboard", "--init-file", str(folder / "resources.json")]
        self._command += ["--port", str(port), "--local-root", str(folder / "data")]
        self._port = port
        self.kills = 0
        self.start()

    def start(self) -> None:
        """Start it, and wait until it accepts connections."""
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", self._port)) == 0:
                    return
            time.sleep(0.05)

    def kill(self) -> None:
        """Kill it."""
        self._process.kill()
        self._process.wait()
        self.kills += 1


def run_queries(
    endpoint: str, folder: Path, kills: int, total: int, randomness: random.Random, writers: int = 0
) -> int:
    """Kill queries that copy a stream, each after it has copied something; return how many there were."""
    if not s2.tail_of(s2_server.BASIN, "source", endpoint=endpoint).seq_num:
        s2.Appender(s2_server.BASIN, "source", endpoint=endpoint).append(records(0, total))
    program = [sys.executable, "-c", COPY, s2_server.BASIN, endpoint, str(folder / "checkpoint")]
    program.append("copy" if writers else "")
    environment = {**os.environ, **QUICK_SPARK, "PYSPARK_PYTHON": sys.executable}
    killed = 0
    for number in range(kills + 1):
        before = s2.tail_of(s2_server.BASIN, STREAM, endpoint=endpoint).seq_num
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(program, env=environment, stdout=log, stderr=log, start_new_session=True)
        end = time.monotonic() + SECONDS
        while process.poll() is None and time.monotonic() < end:
            time.sleep(randomness.uniform(LEAST, MOST))
            if number < kills and s2.tail_of(s2_server.BASIN, STREAM, endpoint=endpoint).seq_num > before:
                break
        killed += process.poll() is None
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        assert process.wait() in (0, -signal.SIGKILL), (folder / "log").read_text()[-3000:]
    return killed


def judged(endpoint: str, total: int, writers: int = 0, *, ordered: bool = True) -> str:
    """Return what is wrong with the stream; empty if each record exists exactly once, and those of a writer in order:
    partitions of a query have no order."""
    found = s2.read(s2_server.BASIN, STREAM, endpoint=endpoint, columns=["headers", "body", "command"]).to_pylist()
    rows = [row for row in found if row["command"] is None]
    if writers and not ordered:
        is_right = sorted(row["body"] for row in rows) == sorted(map(body, range(total)))
        return "" if is_right else f"{len(rows)} records of {total}, or other ones"
    return _wrong(rows, total, writers)


def _wrong(rows: list[dict[str, Any]], total: int, writers: int) -> str:
    for name in names(writers):
        headers = [] if name is None else [{"name": b"wireloom-writer", "value": name.encode()}]
        found = [row["body"] for row in rows if row["headers"] == headers]
        if len(found) != total:
            return f"{len(found)} records of {total}{f' of {name}' if name else ''}"
        wrong = next((n for n, each in enumerate(found) if each != body(n)), None)
        if wrong is not None:
            return f"record {wrong}{f' of {name}' if name else ''} is another one"
    return ""


@click.command
@click.option("--kills", default=100, show_default=True)
@click.option("--total", default=50_000, show_default=True, help="Records of the stream.")
@click.option("--seed", default=1, show_default=True)
@click.option("--writers", default=0, help="Programs, or partitions, that share the stream by names.")
@click.option("--spark", is_flag=True, help="Queries of Spark instead of programs with an Appender.")
@click.option("--servers", is_flag=True, help="Kill the server instead of the programs.")
@click.option("--lite", is_flag=True, help="With --servers: S2's own server, s2 lite.")
@click.option("--endpoint", help="Of another server, whose basin makes streams on append.")
def main(
    kills: int, total: int, seed: int, writers: int, spark: bool, servers: bool, lite: bool, endpoint: str | None
) -> None:
    """Exit code 1: a record is not there once."""
    randomness, problem = random.Random(seed), ""
    with s2_server.running() as server, tempfile.TemporaryDirectory() as folder:
        if servers:
            here = f"http://127.0.0.1:{free_ports(1)[0]}"
            killed = run_servers(here, Path(folder), kills, total, randomness, writers, lite=lite)
        else:
            if endpoint is None:
                endpoint = server.endpoint
                for each in (STREAM, "source"):
                    server.fill(each, 0)
            killed = (run_queries if spark else run_appenders)(
                endpoint, Path(folder), kills, total, randomness, writers
            )
            problem = judged(endpoint, total, writers, ordered=not spark)
        count = total if spark else total * len(names(writers))
        print(f"{killed} killed at work, {count:,} records: {problem or 'each is there once'}")
        sys.exit(bool(problem))


if __name__ == "__main__":
    main(prog_name="python -m tests.kills.streams")
