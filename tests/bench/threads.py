"""Folders of files: one process with threads, compared with as many processes that read a part each."""

from __future__ import annotations

import multiprocessing
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import wireloom
import zstandard
from wireloom.base.threads import processors

from . import data
from .measure import Comparison, Work, missing
from .record_logs import kafka_segment

FILES = 8


def read(format: str, paths: list[str], threads: int | None) -> int:
    """Return the number of rows, without keeping them."""
    with wireloom.scan(format, paths, threads=threads) as scanner:
        return sum(each.num_rows for each in scanner)


def in_processes(pool: ProcessPoolExecutor, format: str, paths: list[str]) -> int:
    """Return the same, read by a process per processor, each a part of the files."""
    count = processors()
    return sum(pool.map(partial(read, format, threads=1), [paths[at::count] for at in range(count)]))


def comparisons(size: int) -> Iterator[Comparison]:
    """Yield a comparison for each folder. Files are in the page cache."""
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
