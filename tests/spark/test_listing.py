"""How often a read lists its folders."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom.spark.read.split_planning import LAST

from .driver import planned, read
from .stream_driver import Query

LISTED: list[str] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("os.scandir", "os.listdir"):
        LISTED.append(str(arguments[0]))


@contextmanager
def listings(folder: Path) -> Iterator[Counter[str]]:
    """Count how often each folder below one is listed, by its relative path."""
    if not LISTED:
        sys.addaudithook(_hook)
    LISTED[:] = ["."]
    found: Counter[str] = Counter()
    yield found
    for each in LISTED[1:]:
        if each.startswith(str(folder)):
            found[each[len(str(folder)) :].strip("/")] += 1


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Return logs of two days, with one row each."""
    for day in (1, 2):
        (tmp_path / "in" / f"day={day}").mkdir(parents=True)
        wireloom.write("cobs_log", [{"payload": b"x"}], tmp_path / "in" / f"day={day}" / "a.log")
    return tmp_path / "in"


ONCE = {"": 1, "day=1": 1, "day=2": 1}


@pytest.mark.parametrize(
    "options",
    [{}, {"columns": "payload,day"}, {"columns": "payload"}, {"partitionColumns": "off"}, {"schema": "payload BINARY"}],
)
def test_a_batch_read_lists_folders_once(logs: Path, options: dict[str, str]) -> None:
    with listings(logs) as found:
        assert read("cobs_log", path=logs, **options).num_rows == 2
    assert found == ONCE


def test_tasks_are_sent_no_listing(logs: Path) -> None:
    reader, partitions, _ = planned("cobs_log", path=logs)
    assert reader.options.listed_files is None
    assert sum(len(each.slices) for each in partitions) == 2


def test_what_was_listed_is_what_is_read(logs: Path) -> None:
    """Holes, sizes and splits are those of the listing."""
    with (logs / "day=1" / "b.log").open("wb") as file:
        file.truncate(1 << 20)
    _, partitions, _ = planned("cobs_log", path=logs, maxPartitionBytes="256k", openCostInBytes="0", minPartitions="1")
    slices = [each for partition in partitions for each in partition.slices if each.input.size == 1 << 20]
    assert [(each.begin, each.end, each.input.sparse) for each in slices] == [
        (begin << 18, LAST if begin == 3 else begin + 1 << 18, True) for begin in range(4)
    ]


def test_a_batch_of_a_stream_lists_folders_once(logs: Path) -> None:
    query = Query("cobs_log", "payload BINARY, day INT", path=logs)
    for number in range(2):
        with listings(logs) as found:
            assert query.plan()
        assert found == ONCE
        wireloom.write("cobs_log", [{"payload": b"y"}], logs / "day=1" / f"{number}.log")
