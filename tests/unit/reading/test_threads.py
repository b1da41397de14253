"""Several inputs read by threads: rows, reports and errors are those of one thread."""

import gc
import os
import re
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from hypothesis import given
from hypothesis import strategies as st
from wireloom import WireloomError, engine
from wireloom.reading.parallel import ParallelScan
from wireloom.reading.parts import ScanPart

THREADS = "wireloom-scan-"
ROWS = 400
KINDS = ("small", "large", "empty", "damaged", "foreign", "cut", "zstd")


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file of each kind; large ones are not read together with others."""
    folder = tmp_path_factory.mktemp("samples")
    found = {}
    for kind in KINDS:
        rows = ROWS if kind in ("large", "damaged", "zstd") else 30
        path = folder / ("x.wal.zst" if kind == "zstd" else f"{kind}.wal")
        table = pa.table(
            {
                "fmt": pa.array([1] * rows, pa.uint8()),
                "tenant": pa.array(range(rows), pa.uint32()),
                "ts_millis": pa.array(range(rows), pa.uint64()),
                "payload": pa.array([Random(kind).randbytes(4000 if rows == ROWS else 100)] * rows),
            }
        )
        wireloom.write("edgemq_segment", table, path)
        data = bytearray(path.read_bytes())
        if kind == "damaged":
            for at in (5000, 200_000, 1_200_000):
                data[at] ^= 1
        elif kind == "cut":
            del data[-3:]
        path.write_bytes({"empty": b"", "foreign": b"PAR1 is not of this format. " * 9}.get(kind, bytes(data)))
        found[kind] = path
    return found


def outcome(paths: list[Path], **options: Any) -> Any:
    """Return the rows, the report and the error of a scan."""
    batches, error = [], None
    with wireloom.scan("edgemq_segment", paths, columns=["tenant", "_path"], **options) as scanner:
        try:
            batches += list(scanner)
        except WireloomError as failure:
            error = (type(failure), str(failure), failure.path, failure.offset, failure.reason)
    return pa.Table.from_batches(batches, scanner.schema).to_pydict(), scanner.report.to_dict(), scanner.begun, error


@given(
    kinds=st.lists(st.sampled_from(KINDS), min_size=2, max_size=9),
    threads=st.integers(2, 5),
    options=st.fixed_dictionaries(
        {},
        optional={
            "mode": st.just("failfast"),
            "check_format": st.just(False),
            "max_ahead": st.sampled_from([1, 1 << 30]),
            "batch_rows": st.sampled_from([7, 100]),
            "prefetch": st.booleans(),
        },
    ),
)
def test_rows_report_and_error_are_those_of_one_thread(
    samples: dict[str, Path], kinds: list[str], threads: int, options: dict[str, Any]
) -> None:
    paths = [samples[each] for each in kinds]
    rows, report, begun, error = outcome(paths, threads=threads, **options)
    expected = outcome(paths, threads=1, **options)
    if error is None or error == expected[3]:
        assert (rows, report, begun, error) == expected
    assert error == expected[3]
    assert not running()


def running() -> list[str]:
    """Return the names of the threads of scans."""
    return [each.name for each in threading.enumerate() if each.name.startswith(THREADS)]


@pytest.mark.skipif(not engine.available, reason="only the engine lets threads read at the same time")
def test_threads_end_where_the_consumer_stops(samples: dict[str, Path]) -> None:
    paths = [samples["large"]] * 6
    with wireloom.scan("edgemq_segment", paths, threads=3, batch_rows=10, max_ahead=1) as scanner:
        next(scanner)
        assert len(running()) == 3
    assert not running()
    files = scanner.report.files
    assert [each.path for each in files] == list(map(str, paths))
    assert {each.tail for each in files} == {"unread"}
    assert [each.rows for each in files] == [10, 0, 0, 0, 0, 0]
    assert scanner.begun == 1


@given(
    kinds=st.lists(st.sampled_from(KINDS), min_size=2, max_size=6),
    batches=st.integers(0, 40),
    together=st.booleans(),
)
def test_a_report_counts_what_was_handed_out(
    samples: dict[str, Path], kinds: list[str], batches: int, together: bool
) -> None:
    """Also if more has been read when the consumer stops."""
    paths, found = [samples[each] for each in kinds], []
    for threads in (1, 3):
        # Files that are read together begin with others in another batch.
        prefetch = {} if together else {"prefetch": False}
        with wireloom.scan(
            "edgemq_segment", paths, threads=threads, batch_rows=10, check_format=False, **prefetch
        ) as scanner:
            rows = [each.num_rows for each in islice(scanner, batches)]
        found.append((rows, scanner.report.to_dict(), scanner.begun, [each.path for each in scanner.foreign]))
    assert found[0] == found[1]


@pytest.mark.skipif(not engine.available, reason="only the engine lets threads read at the same time")
def test_threads_end_with_a_scanner_that_is_collected(samples: dict[str, Path]) -> None:
    scanner = wireloom.scan("edgemq_segment", [samples["large"]] * 4, threads=2, batch_rows=10, max_ahead=1)
    next(scanner)
    assert running()
    del scanner
    gc.collect()
    assert not running()


class Endless:
    """The scanner of a part without an end. ``made``: the bytes of its batches so far."""

    def __init__(self, size: int) -> None:
        self.made = 0
        self._batch = pa.record_batch({"a": pa.array([b"x" * (size - 8)])})

    def __iter__(self) -> Iterator[Any]:
        while True:
            self.made += self._batch.nbytes
            yield self._batch

    def __enter__(self) -> "Endless":
        return self

    def __exit__(self, *_: object) -> None:
        return

    def snapshot(self) -> list[Any]:
        return []


@pytest.mark.parametrize("size", [10, 1000, 5_000_000])
@pytest.mark.parametrize("most", [1, 100_000, 1_000_000])
def test_batches_of_any_size_read_ahead_have_at_most_these_bytes(most: int, size: int) -> None:
    """Beyond one batch of each part that a thread reads, and one that waits."""
    scanners: list[Endless] = []

    def scan(_: ScanPart) -> Endless:
        scanners.append(Endless(size))
        return scanners[-1]

    parallel = ParallelScan(iter([ScanPart([])] * 5), scan, 2, most)
    try:
        _, _, batches = next(parallel.parts())
        taken = sum(next(batches)[0].nbytes for _ in range(3))
        before = -1
        while before != (made := sum(each.made for each in scanners)):
            before = made
            threading.Event().wait(0.2)
        # Two threads have begun two parts. Each has made a batch for which there is no room, and there was room for one
        # when both asked at the same time.
        assert most - 2 * size <= made - taken <= max(most, 2 * size) + 3 * size
    finally:
        parallel.close()


def test_rows_read_ahead_are_limited(samples: dict[str, Path]) -> None:
    """A thread waits after a few batches that are not consumed."""
    paths = [samples["large"]] * 12
    with wireloom.scan("edgemq_segment", paths, threads=2, batch_rows=10, max_ahead=1) as scanner:
        next(scanner)
        deadline = threading.Event()
        deadline.wait(0.5)
        read, total = scanner.progress
        assert total is not None
        assert read < total / 3
        assert sum(each.num_rows for each in scanner) == ROWS * 12 - 10


def test_progress_is_told_by_the_consumers_thread(samples: dict[str, Path]) -> None:
    told: list[tuple[int, int | None, str]] = []

    def progress(done: int, total: int | None) -> None:
        told.append((done, total, threading.current_thread().name))

    paths = [samples["large"], samples["zstd"], samples["damaged"]]
    wireloom.read("edgemq_segment", paths, threads=2, progress=progress)
    size = sum(each.stat().st_size for each in paths)
    assert {name for _, _, name in told} == {threading.current_thread().name}
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)
    assert told[-1][:2] == (size, size)


def test_one_thread_where_more_gain_nothing(samples: dict[str, Path]) -> None:
    paths = [samples["large"]] * 3
    for options in ({"limit": 5}, {"threads": 1}, {}):
        with wireloom.scan("edgemq_segment", paths, **options) as scanner:
            next(scanner)
            assert not running()


@pytest.mark.skipif(not engine.available, reason="only the engine lets threads read at the same time")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked on this platform")
def test_a_scan_does_not_go_on_in_a_forked_process(samples: dict[str, Path]) -> None:
    scanner = wireloom.scan("edgemq_segment", [samples["large"]] * 3, threads=2, batch_rows=10, max_ahead=1)
    next(scanner)
    receiving, sending = os.pipe()
    if os.fork() == 0:
        try:
            list(scanner)
        except WireloomError as error:
            os.write(sending, str(error).encode())
        finally:
            os._exit(0)
    os.close(sending)
    with open(receiving, encoding="utf-8") as said:
        assert "before a fork" in said.read()
    os.wait()
    assert sum(each.num_rows for each in scanner) == ROWS * 3 - 10


def test_files_that_are_gone_are_an_error_in_their_order(samples: dict[str, Path], tmp_path: Path) -> None:
    gone = tmp_path / "gone.wal"
    gone.write_bytes(samples["large"].read_bytes())
    scanner = wireloom.scan("edgemq_segment", [samples["large"], gone, samples["large"]], threads=3)
    gone.unlink()
    rows: list[int] = []
    with pytest.raises(WireloomError, match=re.escape("gone.wal")):
        rows.extend(each.num_rows for each in scanner)
    assert sum(rows) == ROWS
    assert [each.tail for each in scanner.report.files] == ["clean", "unread", "unread"]
