"""Folders of files, and large files: one process with threads, compared with as many processes that read a part each,
and with the time that Python's global lock leaves to threads."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import wireloom
import zstandard
from wireloom.base.threads import processors
from wireloom.codecs.zstd import ZstdDecoder
from wireloom.engine import _engine
from wireloom.input.inputs import LocalStream

from . import data
from .measure import Comparison, Work, missing
from .record_logs import kafka_segment, tfrecords

FILES = 8


def read(format: str, paths: list[str], threads: int | None, **options: Any) -> int:
    """Return the number of rows, without keeping them."""
    with wireloom.scan(format, paths, threads=threads, **options) as scanner:
        return sum(each.num_rows for each in scanner)


def in_processes(pool: ProcessPoolExecutor, format: str, paths: list[str]) -> int:
    """Return the same, read by a process per processor, each a part of the files."""
    count = processors()
    return sum(pool.map(partial(read, format, threads=1), [paths[at::count] for at in range(count)]))


def read_range(format: str, path: str, byte_range: tuple[int, int]) -> int:
    """Return the number of rows of a byte range."""
    return read(format, [path], 1, byte_range=byte_range, recover=True)


def ranges_in_processes(pool: ProcessPoolExecutor, format: str, path: str) -> int:
    """Return the number of rows of a file, of which each process reads an equal range."""
    size, count = Path(path).stat().st_size, processors()
    ranges = pairwise([*(size * at // count for at in range(count)), size])
    return sum(pool.map(partial(read_range, format, path), ranges))


class Released:
    """Measures the processor time of this thread in the calls that release Python's global lock."""

    CALLS = ((_engine, "fill_arena"), (LocalStream, "readinto"), (ZstdDecoder, "readinto"))

    def __init__(self) -> None:
        self._seconds = 0.0

    def during(self, run: Callable[[], Any]) -> None:
        """Call a function and measure these calls."""
        before = [getattr(owner, name) for owner, name in self.CALLS]
        for (owner, name), call in zip(self.CALLS, before, strict=True):
            setattr(owner, name, self._measured(call))
        try:
            run()
        finally:
            for (owner, name), call in zip(self.CALLS, before, strict=True):
                setattr(owner, name, call)

    def _measured(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def measured(*arguments: Any, **named: Any) -> Any:
            begin = time.thread_time()
            try:
                return call(*arguments, **named)
            finally:
                self._seconds += time.thread_time() - begin

        return measured

    def locked(self) -> float:
        """Return the processor time of this thread in everything else, in seconds."""
        return time.thread_time() - self._seconds


def locked(title: str, format: str, paths: list[str], stored: int) -> Comparison:
    """Return the comparison of the processor time in which a scan holds Python's global lock with all of it: the number
    of threads that the lock lets run at the same time."""
    released, scan = Released(), partial(read, format, paths, 1, prefetch=False)
    return Comparison(
        f"{title}: processor time with Python's global lock beside all",
        Work("with the lock", stored, partial(released.during, scan), clock=released.locked),
        Work("all", stored, scan, clock=time.thread_time),
    )


def comparisons(size: int) -> Iterator[Comparison]:
    """Yield comparisons for each folder, and for large files. Files are in the page cache."""
    each = size // FILES
    segment = data.segment(each)
    contents = {
        ("EdgeMQ, zstd", "edgemq_segment", ".wal.zst"): zstandard.compress(segment),
        ("EdgeMQ, raw", "edgemq_segment", ".wal"): segment,
        ("word-stuffed logs", "word_stuffed_log", ".log"): data.stuffed_log(each),
    }
    if missing("aiokafka", "cramjam") is None:
        contents["Kafka, zstd", "kafka_log", ".log"] = kafka_segment(each, 4)
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(processors(), multiprocessing.get_context("spawn")) as pool,
    ):
        for number, ((title, format, suffix), content) in enumerate(contents.items()):
            place = Path(folder, str(number))
            place.mkdir()
            paths = [str(place / f"{at}{suffix}") for at in range(FILES)]
            for path in paths:
                Path(path).write_bytes(content)
            stored = FILES * len(content)
            in_processes(pool, format, paths)
            yield Comparison(
                f"{FILES} files of {title}: threads beside processes",
                Work("threads", stored, partial(read, format, paths, None)),
                Work(f"{processors()} processes", stored, partial(in_processes, pool, format, paths)),
                target=0.9,
            )
            yield Comparison(
                f"{FILES} files of {title}: threads beside one thread",
                Work("threads", stored, partial(read, format, paths, None)),
                Work("one thread", stored, partial(read, format, paths, 1)),
            )
            yield locked(f"{FILES} files of {title}", format, paths, stored)
        for number, (title, format, content) in enumerate(
            (
                ("word-stuffed log", "word_stuffed_log", data.stuffed_log(size)),
                ("TFRecord", "tfrecord", tfrecords(size)),
            )
        ):
            path = str(Path(folder, f"large-{number}"))
            Path(path).write_bytes(content)
            ranges_in_processes(pool, format, path)
            yield Comparison(
                f"a large {title} file: threads beside processes",
                Work("threads", size, partial(read, format, [path], processors())),
                Work(f"{processors()} processes", size, partial(ranges_in_processes, pool, format, path)),
                target=0.9,
            )
            yield Comparison(
                f"a large {title} file: threads beside one thread",
                Work("threads", size, partial(read, format, [path], processors())),
                Work("one thread", size, partial(read, format, [path], 1)),
            )
