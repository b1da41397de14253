"""Extents of a log of blocks that threads fill while the rows of earlier ones are used."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import engine
from wireloom.reading import block_extractor, extents_ahead

from ...examples import PROFILE, strided
from ..specs import format_of
from .test_fragments import SPEC, log_of

pytestmark = pytest.mark.skipif(not engine.available, reason="threads fill extents by the engine")

CHANCE = random.Random(5)
RECORDS = [CHANCE.randbytes(CHANCE.choice((0, 3, 20, 26, 40, 120))) for _ in range(400)]
LOG = log_of(RECORDS)


@pytest.fixture
def format() -> wireloom.Format:
    return format_of(SPEC)


@pytest.fixture(params=[1, 2, 3])
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the number of threads besides the caller's; extents have two blocks."""
    monkeypatch.setattr(block_extractor, "EXTENT", 64)
    monkeypatch.setattr(extents_ahead, "processors", lambda: request.param)
    return int(request.param) - 1


def noted(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Return a set to which the names of the threads that fill extents are added."""
    names: set[str] = set()
    before = block_extractor.BlockExtractor._fill

    def fill(*arguments: Any) -> Any:
        names.add(threading.current_thread().name)
        return before(*arguments)

    monkeypatch.setattr(block_extractor.BlockExtractor, "_fill", fill)
    return names


def outcome(format: wireloom.Format, log: bytes, **options: Any) -> Any:
    table, report = wireloom.read_with_report(format, log, check_format=False, **options)
    return table.to_pydict(), report.to_dict()["files"]


def test_rows_do_not_depend_on_threads(format: wireloom.Format, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    names = noted(monkeypatch)
    assert wireloom.read(format, LOG)["data"].to_pylist() == RECORDS
    assert (len(names) > 1) == (threads > 0)
    names.clear()
    assert wireloom.read(format, LOG, prefetch=False)["data"].to_pylist() == RECORDS
    assert len(names) == 1


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["permissive", "drop", "failfast"])
def test_damage_anywhere(format: wireloom.Format, threads: int, mode: str) -> None:
    """The same rows and the same report as in one extent."""
    columns = ["_offset", "data", "_error", "_corrupt_record"]
    whole_log = LOG if PROFILE == "thorough" else log_of(RECORDS[:80])
    for place in strided(range(5, len(whole_log), 631), 2):
        log = bytearray(whole_log)
        log[place] ^= 0x41
        found = whole = None
        for size in (64, 1 << 20):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(block_extractor, "EXTENT", size)
                try:
                    whole, found = outcome(format, bytes(log), mode=mode, columns=columns), whole
                except wireloom.WireloomError as error:
                    whole, found = str(error), whole
        assert found == whole


def test_batches_of_a_few_rows(format: wireloom.Format, threads: int) -> None:
    """The rest of an extent is read by the reader that began it."""
    batches = list(wireloom.scan(format, LOG, batch_rows=2))
    assert max(each.num_rows for each in batches) == 2
    assert [row for each in batches for row in each["data"].to_pylist()] == RECORDS


def test_a_scan_that_is_left_waits_for_its_threads(
    format: wireloom.Format, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After that they do not read the caller's bytes."""
    before: Callable[..., Any] = block_extractor.BlockExtractor._fill
    at_work: list[None] = []

    def fill(*arguments: Any) -> Any:
        at_work.append(None)
        time.sleep(0.01)
        at_work.pop()
        return before(*arguments)

    monkeypatch.setattr(block_extractor.BlockExtractor, "_fill", fill)
    with wireloom.scan(format, LOG, batch_rows=2) as scanner:
        next(scanner)
    assert not at_work


def test_an_error_in_a_thread_comes_after_the_rows_before_it(
    format: wireloom.Format, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before: Callable[..., Any] = block_extractor.BlockExtractor._fill

    def fill(extractor: Any, row_reader: Any, extent: Any) -> Any:
        if extent.offset == 512:
            raise MemoryError
        return before(extractor, row_reader, extent)

    monkeypatch.setattr(block_extractor.BlockExtractor, "_fill", fill)
    rows: list[bytes] = []
    scanner = wireloom.scan(format, LOG)
    with pytest.raises(MemoryError):
        rows.extend(row for batch in scanner for row in batch["data"].to_pylist())
    assert rows == RECORDS[: len(rows)]
    assert sum(map(len, rows)) > 300


def test_a_scan_goes_on_in_a_forked_process(format: wireloom.Format, threads: int) -> None:
    """It does not have the threads."""
    with wireloom.scan(format, LOG, batch_rows=1000) as scanner:
        rows = next(scanner)["data"].to_pylist()
        child = os.fork()
        if not child:
            code = 1
            try:
                rows += [row for batch in scanner for row in batch["data"].to_pylist()]
                code = rows != RECORDS
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


PROGRAM = """
import gc, sys, threading
import wireloom
from wireloom.reading import block_extractor, extents_ahead

block_extractor.EXTENT = 64
extents_ahead.processors = lambda: 2
format = wireloom.load_spec(sys.argv[1])
log = open(sys.argv[2], "rb").read()
"""


def run(tmp_path: Path, program: str) -> str:
    (tmp_path / "blocks.ksy").write_text(SPEC)
    (tmp_path / "some.log").write_bytes(LOG)
    command = [sys.executable, "-c", PROGRAM + program, str(tmp_path / "blocks.ksy"), str(tmp_path / "some.log")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.slow
def test_a_scan_that_is_collected_in_one_of_the_threads(tmp_path: Path) -> None:
    """The thread, which fills an extent of that scan, does not wait for itself."""
    found = run(
        tmp_path,
        """
import weakref
before = block_extractor.BlockExtractor._fill
begun, dropped, collected = threading.Event(), threading.Event(), threading.Event()
def fill(extractor, row_reader, extent):
    if threading.current_thread() is threading.main_thread():
        # The first extent that is filled here is not the last one: a thread takes another.
        begun.wait(60)
    elif extent.offset and not begun.is_set():
        begun.set()
        dropped.wait(60)
        gc.collect()
        collected.set()
    return before(extractor, row_reader, extent)
block_extractor.BlockExtractor._fill = fill
gc.disable()
class Holder:
    pass
holder = Holder()
holder.scanner, holder.itself = wireloom.scan(format, log), holder
weakref.finalize(holder, lambda: print(threading.current_thread() is not threading.main_thread()))
next(holder.scanner)
del holder
dropped.set()
print(collected.wait(60))
""",
    )
    assert found == "True\nTrue\n"


@pytest.mark.slow
def test_a_thread_that_reads_while_the_interpreter_ends(tmp_path: Path) -> None:
    """There is no other thread for it."""
    found = run(
        tmp_path,
        """
wireloom.read(format, log)
def read():
    threading.main_thread().join()
    print(wireloom.read(format, log).num_rows)
threading.Thread(target=read).start()
""",
    )
    assert found == f"{len(RECORDS)}\n"


def test_zeros_across_extents_are_one_range(format: wireloom.Format, threads: int) -> None:
    """Although the record that they are in is reported where it begins."""
    log = bytearray(log_of([b"first", b"x" * 4000, b"last"]))
    log[800:2400] = bytes(1600)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_extractor, "EXTENT", 512)
        rows, [report] = outcome(format, bytes(log))
        patch.setattr(block_extractor, "EXTENT", 1 << 20)
        assert outcome(format, bytes(log)) == (rows, [report])
    assert rows["data"] == [b"first", b"last"]
    [zeros] = [each for each in report["damaged"] if each[2] == "zeros"]
    assert zeros[0] == 800
    assert zeros[1] >= 1600 - 32
