"""Four appenders of one log, killed at random and replaced; then the log is compared with what they acknowledged."""

from __future__ import annotations

import multiprocessing
import random
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import wireloom
from wireloom import FileReport
from wireloom.append import AppendWriter

from ..waiting import SECONDS
from . import nursery
from .appender import Life, acknowledged, live
from .subjects import SUBJECTS, Record, Subject, record_of

APPENDERS = 4
LARGEST_LOG = 100_000_000
"""Number of bytes after which a log is checked and another one begun."""
LEAST, MOST = 0.005, 0.15
"""Seconds between two kills from outside."""
TEARS = 40
"""In how many of 10,000 writes an appender is killed."""

COUNTS = ("kills", "logs", "acknowledged", "rows", "torn", "lost", "false damage", "false rows", "repeated")
"""The counts. ``torn``: records that a kill cut, as the reader reports them or, without a checksum, reads them."""
FAULTS = ("lost", "false damage", "false rows", "repeated")


@dataclass
class Result:
    """The result of the kills. ``broken``: the first sentences about faults."""

    name: str
    counts: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    @property
    def faults(self) -> int:
        """Return the number of faults."""
        return sum(self.counts[each] for each in FAULTS)

    def fault(self, kind: str, sentence: str) -> None:
        """Count one fault."""
        self.counts[kind] += 1
        if len(self.broken) < 20:
            self.broken.append(f"{kind}: {sentence}")


def run(name: str, kills: int, seed: int, folder: Path, *, locks: bool = True) -> Result:
    """Kill that many appenders of logs of a format. ``locks``: whether the file system has locks; without them frames
    that no kill tore may be reported, and records may be read twice, but none is lost."""
    result = Result(name)
    randomness = random.Random(f"{name} {seed} {locks}")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([nursery.__name__])
    while result.counts["kills"] < kills:
        path = folder / f"{name}-{result.counts['logs']}.log"
        lives, killed = _log(context, name, path, kills - result.counts["kills"], randomness, locks)
        result.counts["logs"] += 1
        result.counts["kills"] += len(killed)
        _judge(result, SUBJECTS[name], path, lives, killed, locks)
        for each in (path, *(life.acknowledged for life in lives)):
            each.unlink(missing_ok=True)
    return result


def _log(
    context: multiprocessing.context.ForkServerContext,
    name: str,
    path: Path,
    kills: int,
    randomness: random.Random,
    locks: bool,
) -> tuple[list[Life], set[int]]:
    """Let appenders write one log and kill them. Return their lives, and the numbers of those that were killed."""
    lives: list[Life] = []
    running: list[tuple[Life, ForkServerProcess]] = []
    killed: set[int] = set()

    def begin() -> None:
        life = Life(name, path, len(lives), randomness.randrange(2**32), TEARS, locks)
        process = context.Process(target=live, args=(life,))
        process.start()
        lives.append(life)
        running.append((life, process))

    def bury(index: int) -> None:
        life, process = running.pop(index)
        process.join(SECONDS)
        # An appender that is asked to end before it has begun is ended by the request.
        ends = (0, -signal.SIGKILL, -signal.SIGTERM)
        assert process.exitcode in ends, f"an appender ended with {process.exitcode}"
        if process.exitcode == -signal.SIGKILL:
            killed.add(life.number)

    path.touch()
    while len(killed) < kills and path.stat().st_size < LARGEST_LOG:
        while len(running) < APPENDERS:
            begin()
        time.sleep(randomness.uniform(LEAST, MOST))
        index = randomness.randrange(APPENDERS)
        running[index][1].kill()
        bury(index)
        for other in reversed(range(len(running))):
            if not running[other][1].is_alive():
                bury(other)
    for _, process in running:
        process.terminate()
    while running:
        bury(0)
    return lives, killed


def _judge(result: Result, subject: Subject, path: Path, lives: list[Life], killed: set[int], locks: bool) -> None:
    # A record torn by the last kill is completed, as by the next appender.
    with AppendWriter(path, subject.format) as writer:
        writer.begin()
    table, report = wireloom.read_with_report(subject.format, path, columns=["_offset", "payload"])
    found: Counter[Record] = Counter()
    odd: list[tuple[int, bytes]] = []
    for offset, column in zip(table["_offset"].to_pylist(), table["payload"].to_pylist(), strict=True):
        payload = subject.payload_of(column)
        record = record_of(payload)
        if record is None:
            odd.append((offset, column))
        else:
            found[record] += 1
    result.counts["rows"] += found.total()
    candidates = [Record(life, _first_missing(found, life)) for life in killed]
    for life in lives:
        accepted = acknowledged(life)
        result.counts["acknowledged"] += accepted
        for number in range(accepted):
            if not found[Record(life.number, number)]:
                result.fault("lost", f"{path.name}: record {number} of life {life.number}")
    if not locks:
        return
    for record, times in found.items():
        if times > 1:
            result.fault("repeated", f"{path.name}: {record}, {times} times")
    wires = [subject.wire(each) for each in candidates]
    columns = [subject.values(each)["payload"] for each in candidates]
    content = path.read_bytes()
    [file] = report.files
    parts = [
        (content[begin : begin + size].removeprefix(subject.format.delimiter), f"{size} bytes from byte {begin}")
        for begin, size in _damage(file)
    ]
    _blame(result, "false damage", wires, parts, path.name)
    if subject.checked:
        for offset, _ in odd:
            result.fault("false rows", f"{path.name}: at byte {offset}")
    else:
        _blame(result, "false rows", columns, [(column, f"at byte {offset}") for offset, column in odd], path.name)


def _blame(result: Result, kind: str, candidates: list[bytes], parts: list[tuple[bytes, str]], log: str) -> None:
    """Find for each part the record of which a kill left it; none is torn twice."""
    # A part of a few bytes may belong to any record: the longest parts choose first.
    for part, place in sorted(parts, key=lambda each: -len(each[0])):
        whole = next((each for each in candidates if part and len(part) < len(each) and each.startswith(part)), None)
        if whole is None:
            result.fault(kind, f"{log}: {place}")
        else:
            candidates.remove(whole)
            result.counts["torn"] += 1


def _damage(file: FileReport) -> list[tuple[int, int]]:
    assert file.tail == "clean", file
    return [(each.offset, each.length) for each in file.damaged]


def _first_missing(found: Counter[Record], life: int) -> int:
    """Return the number of the record that a life did not get into the log, which is the one that a kill has torn, if
    any."""
    number = 0
    while found[Record(life, number)]:
        number += 1
    return number
