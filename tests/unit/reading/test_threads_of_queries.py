"""Threads in everything that reads: the dataset, Polars, DuckDB and the commands take ``threads`` and end them."""

from __future__ import annotations

import _thread
import gc
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
import wireloom.duckdb
import wireloom.polars
from click.testing import CliRunner
from wireloom import WireloomError, engine
from wireloom.command import main
from wireloom.reading import parts, small_file_loading
from wireloom.reading.parallel import ParallelScan
from wireloom.reading.parts import ScanPart

from .samples import word_log

pytestmark = pytest.mark.skipif(not engine.available, reason="only the engine lets threads read at the same time")
NAME = "word_stuffed_log"
ROWS = 3000


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a log that is read in byte ranges, a small one, and one that ends inside a record."""
    monkeypatch.setattr(parts, "RANGE", 10_000)
    monkeypatch.setattr(small_file_loading, "SMALL", 5_000)
    monkeypatch.setattr(parts, "WORTH", 0)
    content = word_log([b"%d " % number * 9 for number in range(ROWS)])
    for name, piece in (("a", content), ("b", word_log([b"small"] * 9)), ("c", content[:60_001])):
        (tmp_path / f"{name}.log").write_bytes(piece)
    return tmp_path


def running() -> list[str]:
    return [each.name for each in threading.enumerate() if each.name.startswith("wireloom-scan-")]


def test_a_dataset(logs: Path) -> None:
    one, several = (wireloom.dataset(NAME, logs, threads=threads) for threads in (1, 3))
    assert several.to_table().equals(one.to_table())
    assert several.head(5).num_rows == 5
    gc.collect()
    assert not running()


def test_polars(logs: Path) -> None:
    polars = pytest.importorskip("polars")
    one, several = (wireloom.polars.scan_word_stuffed_log(logs, threads=threads) for threads in (1, 3))
    assert several.collect().equals(one.collect())
    chosen = polars.col("generation") > 2000
    assert several.filter(chosen).collect().equals(one.filter(chosen).collect())
    assert several.head(5).collect().equals(one.head(5).collect())
    gc.collect()
    assert not running()


def test_duckdb(logs: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        wireloom.duckdb.register(connection, "one", NAME, logs, threads=1)
        several = wireloom.duckdb.register(connection, "several", NAME, logs, threads=3, mode="failfast")
        assert connection.sql("select * from several limit 5").fetchall() == (
            connection.sql("select * from one limit 5").fetchall()
        )
        with pytest.raises(duckdb.Error, match="truncated"):
            connection.sql("select count(generation) from several").fetchall()
        assert {each.path for each in several.failures} == {str(logs / "c.log")}
    gc.collect()
    assert not running()


@pytest.mark.parametrize(
    "command",
    [
        ["decode", "--to", "ndjson", "--report", "{report}"],
        ["decode", "--to", "ndjson", "--mode", "failfast"],
        ["verify", "--json"],
        ["count"],
        ["stat"],
        ["extract"],
    ],
    ids=" ".join,
)
def test_commands(command: list[str], logs: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    found = []
    for threads in ("1", "3"):
        report = tmp_path_factory.mktemp("report") / "report.json"
        name, *options = (each.format(report=report) for each in command)
        result = CliRunner().invoke(main, [name, NAME, str(logs), *options, "--threads", threads])
        found.append((result.exit_code, result.stdout, result.stderr, report.exists() and report.read_text()))
    assert found[0] == found[1]
    assert not running()


class Interrupting:
    """The scanner of a part that interrupts the main thread, and then makes no batch until it is told to."""

    def __init__(self) -> None:
        self.goes_on = threading.Event()

    def __iter__(self) -> Iterator[Any]:
        _thread.interrupt_main()
        self.goes_on.wait()
        yield pa.record_batch({"a": [1]})

    def __enter__(self) -> Interrupting:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def snapshot(self) -> list[Any]:
        return []


def test_an_interrupt_while_the_consumer_waits() -> None:
    scanner = Interrupting()
    parallel = ParallelScan(iter([ScanPart([])] * 3), lambda _: scanner, 2, 100)
    with pytest.raises(KeyboardInterrupt):
        next(parallel.parts())
    scanner.goes_on.set()
    parallel.close()
    # A thread whose start was interrupted is not waited for.
    while running():
        threading.Event().wait(0.01)


@pytest.mark.parametrize("error", [KeyboardInterrupt, WireloomError("stop"), ValueError])
def test_an_error_of_the_caller_ends_the_threads(error: Any, logs: Path) -> None:
    def progress(_: int, __: int | None) -> None:
        raise error

    with pytest.raises(error if isinstance(error, type) else type(error)):
        wireloom.read(NAME, logs, threads=3, progress=progress)
    assert not running()
