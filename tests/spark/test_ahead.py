"""The thread that reads batches while Spark takes those before them."""

from __future__ import annotations

import gc
import threading
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from wireloom import WireloomError
from wireloom.spark.read.reader import ALONE, DEPTH, ahead

from ..waiting import SECONDS
from .conftest import LONG_ROWS
from .driver import planned


def threads() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name == "wireloom-ahead"]


class Source:
    """Counts up, and records how far it is, in which thread it runs, and whether it was closed."""

    def __init__(self, items: int, error: Exception | None = None) -> None:
        self.items = items
        self.error = error
        self.made = 0
        self.moved = threading.Condition()
        self.where: list[bool] = []
        self.closed = False

    def __iter__(self) -> Generator[int]:
        try:
            for number in range(self.items):
                with self.moved:
                    self.made += 1
                    self.where.append(threading.current_thread() in threads())
                    self.moved.notify_all()
                yield number
            if self.error is not None:
                raise self.error
        finally:
            self.closed = True

    def wait_for(self, made: int) -> bool:
        with self.moved:
            return self.moved.wait_for(lambda: self.made >= made, SECONDS)


@pytest.mark.parametrize("items", range(12))
def test_everything_comes_in_its_order(items: int) -> None:
    source = Source(items)
    assert list(ahead(iter(source))) == list(range(items))
    assert source.closed
    assert not threads()
    assert source.where == [number >= ALONE for number in range(items)]


def test_it_is_no_more_than_a_few_ahead() -> None:
    source = Source(100)
    items = ahead(iter(source))
    for number in range(50):
        assert next(items) == number
        if number >= ALONE:
            assert source.wait_for(number + 1 + DEPTH)
            assert source.made == number + 1 + DEPTH
    items.close()


@pytest.mark.parametrize("items", range(8))
def test_what_comes_before_an_error_comes_out_first(items: int) -> None:
    source = Source(items, WireloomError("broken", path="/log", offset=7))
    found = []

    def take() -> None:
        found.extend(ahead(iter(source)))  # `extend` keeps what came before an error

    with pytest.raises(WireloomError, match="broken"):
        take()
    assert found == list(range(items))
    assert not threads()


@pytest.mark.parametrize("taken", range(8))
def test_an_early_end_closes_the_source_and_leaves_no_thread(taken: int) -> None:
    source = Source(1000)
    items = ahead(iter(source))
    for number in range(taken):
        assert next(items) == number
    items.close()
    assert not threads()
    # A generator that was never started has nothing to close.
    assert source.closed == (taken > 0)
    assert source.made <= taken + DEPTH


def test_an_interrupt_while_the_thread_starts_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    really = threading.Thread.start

    def start(thread: threading.Thread) -> None:
        # It runs, and its starter is not notified.
        really(thread)
        raise KeyboardInterrupt

    source = Source(1000)
    items = ahead(iter(source))
    assert [next(items) for _ in range(ALONE)] == list(range(ALONE))
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", start)
        with pytest.raises(KeyboardInterrupt):
            next(items)
    for thread in threads():
        thread.join(SECONDS)
    assert not threads()
    assert source.closed
    assert source.made == ALONE


def test_nothing_is_left_of_one_that_is_forgotten() -> None:
    source = Source(1000)
    items: Iterator[int] = ahead(iter(source))
    assert [next(items) for _ in range(5)] == list(range(5))
    del items
    gc.collect()
    assert source.closed
    assert not threads()


def test_it_may_be_cleared_away_by_its_own_thread() -> None:
    held: list[Iterator[int]] = []
    cleared = threading.Event()

    def forgetful() -> Generator[int]:
        try:
            for number in range(10):
                if number == ALONE + 1:
                    held.clear()
                yield number
        finally:
            cleared.set()

    held.append(ahead(forgetful()))
    for _ in range(ALONE + 1):
        next(held[0]) if held else None
    assert cleared.wait(SECONDS)
    for thread in threads():
        thread.join(SECONDS)
    assert not threads()


# Readers --------------------------------------------------------------------------------------------------------------

FORMAT = "edgemq_segment"
BATCH = 500


@pytest.mark.parametrize("reports", [False, True])
def test_all_rows_of_a_partition_come_in_their_order(reports: bool, long_segment: Path, tmp_path: Path) -> None:
    more = {"reportFolder": tmp_path} if reports else {}
    reader, partitions, _ = planned(FORMAT, "tenant LONG", path=long_segment, batchRows=BATCH, **more)
    found = []
    for partition in partitions:
        for batch in reader.read(partition):
            found += batch.column("tenant").to_pylist()
    assert found == list(range(LONG_ROWS))
    assert not threads()


@pytest.mark.parametrize("reports", [False, True])
def test_a_limit_leaves_no_thread_and_no_report(reports: bool, long_segment: Path, tmp_path: Path) -> None:
    more = {"reportFolder": tmp_path} if reports else {}
    reader, partitions, _ = planned(FORMAT, path=long_segment, batchRows=BATCH, **more)
    batches = reader.read(partitions[0])
    for _ in range(6):
        assert next(batches).num_rows
    assert threads()
    batches.close()
    assert not threads()
    assert list(tmp_path.iterdir()) == []


def test_reports_are_written_after_the_last_batch(long_segment: Path, tmp_path: Path) -> None:
    reader, partitions, _ = planned(FORMAT, path=long_segment, batchRows=BATCH, reportFolder=tmp_path)
    batches = reader.read(partitions[0])
    rows = 0
    while rows < LONG_ROWS:
        rows += next(batches).num_rows
        assert list(tmp_path.glob("report-*")) == []
    assert list(batches) == []
    assert len(list(tmp_path.glob("report-*"))) == 1


def test_an_error_is_one_message_without_the_way_it_took(long_segment: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.wal"
    content = bytearray(long_segment.read_bytes())
    content[-100] ^= 1
    damaged.write_bytes(content)
    reader, partitions, _ = planned(FORMAT, path=damaged, batchRows=BATCH, mode="failfast")
    found = []

    def take() -> None:
        for batch in reader.read(partitions[0]):
            found.append(batch.num_rows)

    with pytest.raises(WireloomError, match="checksum") as raised:
        take()
    assert LONG_ROWS - BATCH <= sum(found) < LONG_ROWS
    assert raised.value.__cause__ is None
    assert [each.name for each in raised.traceback][-1] == "__exit__"
    assert not threads()
