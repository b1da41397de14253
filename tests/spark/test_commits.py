"""Every record exactly once, at whatever step of the protocol a process dies; without Spark."""

from __future__ import annotations

import fcntl
import os
import random
import shutil
import signal
import time
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow.dataset
import pytest
from wireloom import WireloomError
from wireloom.base.errors import NothingThereError
from wireloom.spark.folders import Folder, folder
from wireloom.spark.ingest import ledger
from wireloom.spark.ingest.lock import locked
from wireloom.spark.ingest.tables import open_tables
from wireloom.spark.ingest_files import committed_files

from ..examples import PROFILE, strided
from . import pipeline
from .pipeline import Killed, asked, check, dying, expected, make_inputs, run, visible

KILL_SECONDS = float(os.environ.get("WIRELOOM_KILL_SECONDS", "6" if PROFILE == "thorough" else "1"))
"""How long processes are killed at random; can be increased."""

WHEN = ("before", "halfway", "after")
"""When a process dies in a step."""


def steps(base: Path, stream: str | None = None) -> int:
    """Return the number of steps of an undisturbed run."""
    make_inputs(base / "in", 4)
    with dying(0, "before", lasting=False) as taken:
        run(base, stream=stream)
    check(base)
    return len(taken)


@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize("stream", [None, "q"])
def test_a_death_at_every_step(stream: str | None, when: str, tmp_path: Path) -> None:
    # Except in `make thorough`, the three ways to die alternate. Batches of a stream differ in the content of their
    # records, not in the steps.
    total = steps(tmp_path / "whole", stream)
    for step in strided(range(1, total + 1, 1 if stream is None else 3), 3, WHEN.index(when)):
        base = tmp_path / f"{step}"
        make_inputs(base / "in", 4)
        with dying(step, when), pytest.raises(Killed):
            run(base, stream=stream)
        assert not visible(base) - expected(base), "nothing is there twice, ever"
        with open_tables(asked(base, metrics=False)):
            # Recovered: whole batches of two files, never a part of one.
            assert visible(base).total() % 6 == 0
        run(base, stream=stream)
        check(base)


@pytest.mark.parametrize("there", [False, True])
def test_a_first_batch_that_fails_leaves_no_new_folder(tmp_path: Path, there: bool) -> None:
    make_inputs(tmp_path / "in", 2)
    if there:
        (tmp_path / "table").mkdir()
        (tmp_path / "quarantine").mkdir()

    def fail(*_: Any) -> None:
        raise WireloomError("no room")

    with pytest.raises(WireloomError, match="no room"):
        run(tmp_path, pause=fail)
    # The first file that is not written by a task is that of the quarantine.
    with patch.object(Folder, "created", fail), pytest.raises(WireloomError, match="no room"):
        run(tmp_path)
    assert [(tmp_path / each).exists() for each in ("table", "quarantine")] == [there, there]
    run(tmp_path)
    check(tmp_path)


@pytest.mark.parametrize("anew", [False, True])
def test_a_folder_that_another_ingest_takes_away(anew: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, really = folder(str(tmp_path / "table")), fcntl.flock

    def flock(held: int, how: int) -> None:
        (tmp_path / "table").rmdir()
        if anew:
            table.make()
        really(held, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    table.make()
    with pytest.raises(WireloomError, match="removed the folder: run it again"), locked(table):
        pass


def test_tasks_that_are_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on another machine, after theirs was lost when their files were written."""
    really, lost = pipeline._read, []

    def read(*task: Any) -> Any:
        lost.extend(really(*task))
        return really(*task)

    monkeypatch.setattr(pipeline, "_read", read)
    make_inputs(tmp_path / "in", 4)
    run(tmp_path)
    assert len(lost) >= 4
    check(tmp_path)


@pytest.mark.parametrize("existing", ["append", "overwrite"])
def test_whoever_asks_for_files_gets_whole_batches(existing: str, tmp_path: Path) -> None:
    for step in strided(range(1, steps(tmp_path / "whole") + 20), 7):
        base = tmp_path / f"{step}"
        make_inputs(base / "in", 2)
        run(base)
        old = good(base)
        make_inputs(base / "in", 6)
        with dying(step, "halfway"), suppress(Killed):
            run(base, batch=2 if existing == "append" else 6, existing=existing)
        files = committed_files(str(base / "table"))
        rows = pyarrow.dataset.dataset(files, format="parquet").to_table(["record"])["record"].to_pylist()
        new = good(base)
        assert len(rows) == len(set(rows))
        assert set(rows) in [{*old}, {*new}, {*new[: len(new) * 4 // 6]}]
    with pytest.raises(NothingThereError):
        committed_files(str(tmp_path / "nothing"))


def good(base: Path) -> list[str]:
    """Return the undamaged records of the input, file by file."""
    lines = [line for each in sorted((base / "in").iterdir()) for line in each.read_text().splitlines()]
    return [each for each in lines if not each.startswith("!")]


@pytest.mark.parametrize("when", WHEN[::2])
def test_a_death_while_the_last_one_is_made_good(when: str, tmp_path: Path) -> None:
    total = steps(tmp_path / "whole")
    chosen = random.Random(7)
    for step in strided(range(1, total + 1), 6, WHEN.index(when)):
        base = tmp_path / f"{step}"
        make_inputs(base / "in", 4)
        with dying(step, when), pytest.raises(Killed):
            run(base)
        for _ in range(3):
            with dying(chosen.randint(1, 8), when), pytest.raises(Killed):
                run(base)
            assert not visible(base) - expected(base)
        run(base)
        check(base)


def test_a_failure_at_every_step_loses_nothing(tmp_path: Path) -> None:
    """Like a death, but the process survives and cleans up: what is committed must survive that."""
    for step in strided(range(1, steps(tmp_path / "whole") + 1), 4):
        base = tmp_path / f"{step}"
        make_inputs(base / "in", 4)
        try:
            with dying(step, "before", lambda: WireloomError("no space left"), lasting=False):
                run(base)
        except WireloomError:
            pass
        run(base)
        check(base)


def test_a_death_while_a_table_is_replaced(tmp_path: Path) -> None:
    for step in strided(range(1, steps(tmp_path / "whole") + 20), 5):
        base = tmp_path / f"{step}"
        make_inputs(base / "in", 2)
        run(base)
        before = expected(base)
        make_inputs(base / "in", 4)
        with dying(step, "before"), suppress(Killed):
            run(base, batch=4, existing="overwrite")
        with open_tables(asked(base, metrics=False)):
            assert visible(base) in (before, expected(base)), "the old table or the new one"
        run(base)
        assert visible(base) == expected(base)


def test_killed_at_random(tmp_path: Path) -> None:
    """Real processes and signals: each is killed at some point, until the last one finishes."""
    chosen = random.Random(11)
    deadline = time.monotonic() + KILL_SECONDS
    rounds = kills = 0
    while time.monotonic() < deadline or not kills:
        base = tmp_path / f"{rounds}"
        make_inputs(base / "in", 6)
        began = time.monotonic()
        longest = 0.25
        while True:
            child = os.fork()
            if child == 0:
                try:
                    run(base)
                    os._exit(0)
                except BaseException:
                    os._exit(1)
            time.sleep(chosen.uniform(0, longest))
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            if os.WIFEXITED(status):
                assert os.WEXITSTATUS(status) == 0
                break
            kills += 1
            assert not visible(base) - expected(base)
            # On a busy machine a process may need more time to get anywhere.
            longest = 0.25 + (time.monotonic() - began) / 5
        check(base)
        rounds += 1
    assert rounds


def test_what_is_done_is_left_alone(tmp_path: Path) -> None:
    make_inputs(tmp_path / "in", 3)
    run(tmp_path)
    before = {each: each.stat().st_mtime_ns for each in tmp_path.rglob("*") if each.is_file()}
    run(tmp_path)
    assert {each: each.stat().st_mtime_ns for each in tmp_path.rglob("*") if each.is_file()} == before
    make_inputs(tmp_path / "in", 5)
    run(tmp_path)
    check(tmp_path)


def test_records_are_summed_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger.compact_ledger, "__defaults__", (3,))
    for files in (2, 5, 9):
        make_inputs(tmp_path / "in", files)
        run(tmp_path, batch=1)
        check(tmp_path)
    home = tmp_path / "table" / "_wireloom"
    assert (home / "ledger.parquet").exists()
    assert len(list((home / "commits").iterdir() if (home / "commits").exists() else [])) < 3
    (home / "ledger.parquet").write_bytes(b"PAR1")
    with pytest.raises(WireloomError, match="the ledger is damaged"):
        run(tmp_path)


def test_one_at_a_time(tmp_path: Path) -> None:
    make_inputs(tmp_path / "in", 1)
    with open_tables(asked(tmp_path)), pytest.raises(WireloomError, match="another ingest"):
        run(tmp_path)
    run(tmp_path)
    check(tmp_path)


def test_tables_may_share_a_quarantine(tmp_path: Path) -> None:
    with open_tables(asked(tmp_path, "a", metrics=False)) as tables:
        attempt = tables.attempt()
        (tmp_path / "quarantine" / "_wireloom" / "staging" / attempt.name).mkdir(parents=True)
        with open_tables(asked(tmp_path, "b", metrics=False)):
            pass
        assert (tmp_path / "quarantine" / "_wireloom" / "staging" / attempt.name).is_dir()


@pytest.mark.parametrize("content", [b"{", b"{}", b"[]", b'{"version": 99}', b'{"version": 1, "name": 3}'])
def test_records_that_cannot_be_understood(content: bytes, tmp_path: Path) -> None:
    make_inputs(tmp_path / "in", 1)
    pending = tmp_path / "table" / "_wireloom" / "pending"
    pending.mkdir(parents=True)
    (pending / "000000001.json").write_bytes(content)
    with pytest.raises(WireloomError, match=r"newer wireloom|not a record of a commit"):
        run(tmp_path)


def days_of(base: Path, other: bool = False) -> list[Path]:
    """Return copies of a table, its quarantine and its ledger after each of six runs, one of which finds damage only,
    and one nothing at all."""
    copies = []
    for day in range(1, 7):
        inputs = make_inputs(base / "in", day)
        for name, content in (("0002", "!only damage"), ("0003", ""), *([("0000", "other 0")] if other else [])):
            if (inputs / f"{name}.txt").exists():
                (inputs / f"{name}.txt").write_text(content)
        run(base)
        check(base)
        copies.append(base / f"day{day}")
        for each in ("table", "quarantine"):
            shutil.copytree(base / each, copies[-1] / each)
    return copies


@pytest.mark.parametrize("snapshots", [pytest.param(2, marks=pytest.mark.thorough), 3, 100])
def test_a_ledger_of_another_day_or_table(snapshots: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A part of the folder is of one day and the rest of another. Either that is refused, or each record is there once.
    monkeypatch.setattr(ledger.compact_ledger, "__defaults__", (snapshots,))
    days, others = days_of(tmp_path / "one"), days_of(tmp_path / "two", other=True)
    base, refused = tmp_path / "one", 0
    cases = list(product(days, [*days, *others], ("", "commits", "ledger.parquet", "-commits")))
    for table, log, part in strided(cases, 5, snapshots % 5):
        for each in ("table", "quarantine"):
            shutil.rmtree(base / each)
            shutil.copytree(table / each, base / each)
        mine, theirs = base / "table" / "_wireloom" / part, log / "table" / "_wireloom" / part
        if part.startswith("-"):
            mine = base / "table" / "_wireloom" / part[1:]
            theirs = tmp_path / "nothing"
        if mine.is_dir():
            shutil.rmtree(mine)
        elif mine.exists():
            mine.unlink()
        if theirs.is_dir():
            shutil.copytree(theirs, mine)
        elif theirs.exists():
            shutil.copy(theirs, mine)
        state = f"{table.name}, {part or 'all'} of {log.parent.name}/{log.name}"
        try:
            run(base)
        except WireloomError as raised:
            error = str(raised)
        else:
            error = ""
        if error:
            refused += 1
            assert table != log or part.startswith("-"), state
            assert "restore" in error, state
        else:
            # Who has looked at damaged records may delete them, so only their repetition is an error.
            assert not visible(base) - expected(base), state
            assert not {each for each in expected(base) - visible(base) if not each.startswith("!")}, state
    assert refused > 20


def test_a_table_whose_oldest_files_were_removed(tmp_path: Path) -> None:
    # Retention: whoever removes old partitions has no other table.
    make_inputs(tmp_path / "in", 4)
    run(tmp_path)
    for each in (tmp_path / "table").rglob("part-000000001-*"):
        each.unlink()
    make_inputs(tmp_path / "in", 5)
    run(tmp_path)
