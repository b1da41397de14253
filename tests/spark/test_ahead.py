"""The thread that makes batches while Spark takes those before them."""

from __future__ import annotations

import gc
import threading
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
import wireloom
from wireloom.errors import WireloomError
from wireloom.spark.ahead import ALONE, DEPTH, ahead
from wireloom.spark.options import read_options
from wireloom.spark.reader import FormatReader, Partition
from wireloom.spark.schema import known_columns, targets

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PATIENCE = 30.0


def threads() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name == "wireloom-ahead"]


class Source:
    """Counts up, and tells how far it is, where it runs, and whether it was closed."""

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
            return self.moved.wait_for(lambda: self.made >= made, PATIENCE)


@pytest.mark.parametrize("items", range(12))
def test_everything_comes_in_its_order(items: int) -> None:
    source = Source(items)
    assert list(ahead(iter(source))) == list(range(items))
    assert source.closed
    assert not threads()
    assert source.where == [number >= ALONE for number in range(items)]


def test_without_a_caller_it_is_a_bounded_number_ahead() -> None:
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
    # A generator that was never asked for anything has nothing to close.
    assert source.closed == (taken > 0)
    assert source.made <= taken + DEPTH


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
    assert cleared.wait(PATIENCE)
    for thread in threads():
        thread.join(PATIENCE)
    assert not threads()
