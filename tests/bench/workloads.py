"""``python -m tests.bench.workloads NAME [--seconds S] [--megabytes N]``: runs one path of the engine repeatedly, for a
profiler that observes this process."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import click
import pyarrow as pa
import wireloom

from ..writing import bytes_of
from . import data

Work = Callable[[], object]


def _reading(name: str, content: bytes) -> Work:
    return lambda: wireloom.read(name, content, codec="none")


def _writing(name: str, table: pa.Table) -> Work:
    # Growing memory would dominate the profile.
    nowhere = open(os.devnull, "wb")  # noqa: SIM115
    return lambda: wireloom.write(name, table, nowhere, codec="none")


def _cobs(size: int) -> bytes:
    return bytes_of("cobs_log", _records(size).select(["payload"]))


def _records(size: int) -> pa.Table:
    payloads = _payloads(size)
    return pa.table({"generation": pa.array([1] * len(payloads), pa.uint32()), "payload": payloads})


def _events(size: int) -> pa.Table:
    payloads = _payloads(size)
    count = len(payloads)
    return pa.table(
        {
            "fmt": pa.array([0] * count, pa.uint8()),
            "tenant": pa.array(range(count), pa.uint32()),
            "ts": pa.array(range(count), pa.timestamp("ms", "UTC")),
            "payload": payloads,
        }
    )


def _payloads(size: int) -> pa.Array:
    """Return random bytes that are not made by the engine, which is what is profiled."""
    randomness = random.Random(17)
    return pa.array([randomness.randbytes(200) for _ in range(size // 200)], pa.binary())


WORKLOADS: dict[str, Callable[[int], Work]] = {
    "EdgeMQ, 200 B payloads, read": lambda size: _reading("edgemq_segment", data.frames(size)),
    "word-stuffed, 200 B, read": lambda size: _reading("word_stuffed_log", data.stuffed_log(size)),
    "COBS, 200 B, read": lambda size: _reading("cobs_log", _cobs(size)),
    "EdgeMQ, 200 B payloads, encode": lambda size: _writing("edgemq_segment", _events(size)),
    "word-stuffed, 200 B, encode": lambda size: _writing("word_stuffed_log", _records(size)),
    "COBS, 200 B, encode": lambda size: _writing("cobs_log", _records(size).select(["payload"])),
}


@click.command()
@click.argument("name", type=click.Choice(list(WORKLOADS)))
@click.option("--seconds", default=0.0, help="How long; once at least.")
@click.option("--megabytes", default=64, help="Size of the input.")
@click.option("--control", type=click.Path(path_type=Path), help="A pipe of perf, which waits for the word to begin.")
def main(name: str, seconds: float, megabytes: int, control: Path | None) -> None:
    """Run the workload, and print the size of the input in bytes and the number of turns."""
    size = megabytes * 1_000_000
    work = WORKLOADS[name](size)
    if control is not None:
        work()
        say(control, "enable")
    turns, end = 0, time.monotonic() + seconds
    while not turns or time.monotonic() < end:
        work()
        turns += 1
    if control is not None:
        # Python takes some time to exit.
        say(control, "disable")
    print(size, turns)


def say(control: Path, word: str) -> None:
    """Send a command to perf, which takes a moment to react."""
    control.write_text(f"{word}\n")
    time.sleep(0.1)


if __name__ == "__main__":
    main()
