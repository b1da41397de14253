"""``python -m tests.kills.streams --kills N``: kills programs that write to a stream of S2; each record is in it
exactly once.

They append records whose contents follow from their numbers, and record in a file how far they were before each append,
as docs/live.md recommends for programs that can be killed. With ``--spark`` they are queries of Spark that copy a
stream, and are killed with all their processes. The server is the stand-in of the tests, or ``s2 lite`` if it is named.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import click
import wireloom.s2 as s2

from .. import s2_server
from ..java import QUICK_SPARK
from ..waiting import SECONDS
from . import nursery

STREAM = "killed"
LEAST, MOST = 0.01, 0.3
"""Seconds after which a program is killed."""
BATCH = 1500
"""Maximum number of records of an append: more than S2 accepts at once."""
SPARK_BATCH = 400
"""A program that still runs after this time hangs."""

COPY = f"""
import sys
from wireloom.spark.session import local_session

basin, endpoint, checkpoint = sys.argv[1:]
spark = local_session("kills", cores=1)
server = {{"basin": basin, "endpoint": endpoint}}
source = spark.readStream.format("s2_stream").options(**server, maxRecordsPerTrigger={SPARK_BATCH})
rows = source.option("stream", "source").load()
writer = rows.select("body").writeStream.format("s2_stream").options(**server, stream="{STREAM}")
writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start().awaitTermination()
"""


def body(number: int) -> bytes:
    """Return the content of the record with a number, of varying size."""
    return b"%d" % number * (1 + number % 50)


def records(begin: int, end: int) -> list[s2.AppendRecord]:
    return [s2.AppendRecord(body=body(number)) for number in range(begin, end)]


def append(endpoint: str, state: str, total: int, token: str) -> None:
    """Continue where the previous program stopped."""
    # The server of processes has the environment of the test that was the first to need it.
    os.environ["S2_ACCESS_TOKEN"] = token
    path = Path(state)
    number = int(path.read_text()) if path.exists() else 0
    while number < total:
        appender = s2.Appender(s2_server.BASIN, STREAM, number, endpoint=endpoint)
        appender.append(records(number, min(total, number + random.randint(1, BATCH))))
        number = appender.next_seq_num
        path.with_suffix(".new").write_text(str(number))
        path.with_suffix(".new").replace(path)


def run_appenders(endpoint: str, folder: Path, kills: int, total: int, randomness: random.Random) -> int:
    """Kill appenders until that many were running; return how many were. The last one is not killed."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([nursery.__name__, __name__])
    token = os.environ["S2_ACCESS_TOKEN"]
    killed = 0
    for number in range(kills + 1):
        process = context.Process(target=append, args=(endpoint, str(folder / "state"), total, token))
        process.start()
        process.join(randomness.uniform(LEAST, MOST) if number < kills else SECONDS)
        process.kill()
        process.join(SECONDS)
        killed += process.exitcode == -signal.SIGKILL
        assert process.exitcode in (0, -signal.SIGKILL), f"an appender ended with {process.exitcode}"
    return killed


def run_queries(endpoint: str, folder: Path, kills: int, total: int, randomness: random.Random) -> int:
    """Kill queries that copy a stream, each after it has copied something; return how many there were."""
    if not s2.tail_of(s2_server.BASIN, "source", endpoint=endpoint).seq_num:
        s2.Appender(s2_server.BASIN, "source", endpoint=endpoint).append(records(0, total))
    program = [sys.executable, "-c", COPY, s2_server.BASIN, endpoint, str(folder / "checkpoint")]
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


def judged(endpoint: str, total: int) -> str:
    """Return what is wrong with the stream; empty if each record exists exactly once and in its place."""
    found = s2.read(s2_server.BASIN, STREAM, endpoint=endpoint, columns=["body"])["body"].to_pylist()
    if len(found) != total:
        return f"{len(found)} records of {total}"
    return next((f"record {n} is another one" for n, each in enumerate(found) if each != body(n)), "")


@click.command
@click.option("--kills", default=100, show_default=True)
@click.option("--total", default=50_000, show_default=True, help="Records of the stream.")
@click.option("--seed", default=1, show_default=True)
@click.option("--spark", is_flag=True, help="Queries of Spark instead of programs with an Appender.")
@click.option("--endpoint", help="Of another server, whose basin makes streams on append.")
def main(kills: int, total: int, seed: int, spark: bool, endpoint: str | None) -> None:
    """Exit code 1: a record is not there once."""
    run = run_queries if spark else run_appenders
    with s2_server.running() as server, tempfile.TemporaryDirectory() as folder:
        if endpoint is None:
            endpoint = server.endpoint
            for each in (STREAM, "source"):
                server.fill(each, 0)
        killed = run(endpoint, Path(folder), kills, total, random.Random(seed))
        problem = judged(endpoint, total)
        print(f"{killed} killed at work, {total:,} records: {problem or 'each is there once'}")
        sys.exit(bool(problem))


if __name__ == "__main__":
    main(prog_name="python -m tests.kills.streams")
