"""How time and memory grow with 1, 10 and 100 times the size of an input, files, columns, tables, and levels of a spec.

Run as a program with the name of an axis and two folders, this module does the work of the first folder, in which that
of the second one finds everything imported, and prints the processor seconds and the bytes of memory of the second one.
"""

from __future__ import annotations

import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import wireloom

from .data import drain, segment

TIMES = (1, 10, 100)
TURNS = 3
MOST = 1.1
"""Largest exponent of what grows linearly."""
NONE = 0.1
"""Largest exponent of what does not grow."""
SMALL = 32 * 1024 * 1024
"""Memory below this number of bytes is that of buffers and of the allocator, and counts as this."""


@dataclass(frozen=True)
class Axis:
    """A work whose input grows."""

    title: str
    unit: str
    start: int
    """What one time is."""
    prepare: Callable[[Path, int], None]
    """Creates the input of that many units in a folder."""
    work: Callable[[Path], object]
    memory: float = MOST
    """Largest exponent of memory."""


ROWS = """
meta: {{id: {id}, endian: le, -wireloom: {{{tables}}}}}
seq:
{seq}
types:
{types}
"""


def _spec(folder: Path, tables: str, seq: list[str], types: list[str]) -> None:
    # Each spec has an identifier of its own, since what is compiled is kept.
    text = ROWS.format(id=f"grown_{folder.name}", tables=tables, seq="\n".join(seq), types="\n".join(types))
    (folder / "grown.ksy").write_text(text)


def _file(folder: Path, size: int) -> None:
    block = segment(1_000_000)
    with open(folder / "grown.wal", "wb") as file:
        for _ in range(max(1, size // len(block))):
            file.write(block)


def _compressed(folder: Path, size: int) -> None:
    import zstandard

    _file(folder, size)
    raw = folder / "grown.wal"
    with open(raw, "rb") as source, open(folder / "grown.wal.zst", "wb") as target:
        zstandard.ZstdCompressor().copy_stream(source, target)
    raw.unlink()


def _damaged(folder: Path, count: int) -> None:
    """A log in which every tenth record has a wrong byte."""
    from .data import frames

    ten = bytearray(frames(10 * 221))
    ten[-1] ^= 1
    (folder / "grown.wal").write_bytes(bytes(ten) * count)


def _files(folder: Path, count: int) -> None:
    content = segment(20_000)
    for number in range(count):
        (folder / f"{number:06}.wal").write_bytes(content)


def _columns(folder: Path, count: int) -> None:
    fields = [f"      - {{id: f{number}, type: u4}}" for number in range(count)]
    _spec(folder, "rows: items", ["  - {id: items, type: item, repeat: eos}"], ["  item:", "    seq:", *fields])
    (folder / "grown.bin").write_bytes(bytes(4 * count) * 1000)


def _tables(folder: Path, count: int) -> None:
    tables = ", ".join(f"t{number}: {{rows: items.body.as<item{number}>}}" for number in range(count))
    cases = ", ".join(f"{number}: item{number}" for number in range(count))
    types = ["  entry:", "    seq:", "      - {id: kind, type: u4}"]
    types.append(f"      - {{id: body, size: 8, type: {{switch-on: kind, cases: {{{cases}}}}}}}")
    for number in range(count):
        types += [f"  item{number}:", f"    seq: [{{id: a{number}, type: u4}}, {{id: b{number}, type: u4}}]"]
    _spec(folder, f"tables: {{{tables}}}", ["  - {id: items, type: entry, repeat: eos}"], types)
    (folder / "grown.bin").write_bytes(bytes(12) * 1000)


def _levels(folder: Path, count: int) -> None:
    # The root is a level too, and a spec has at most 100.
    types, count = [], min(count, 99)
    for number in range(count):
        inner = f"{{id: inner, type: level{number + 1}}}, " if number + 1 < count else ""
        types += [f"  level{number}:", f"    seq: [{inner}{{id: value, type: u4}}]"]
    _spec(folder, "rows: items, columns: [value]", ["  - {id: items, type: level0, repeat: eos}"], types)


def _scan(folder: Path) -> None:
    drain("edgemq_segment", str(folder))


def _read(folder: Path) -> object:
    return wireloom.read("edgemq_segment", str(folder))


def _objects(folder: Path) -> object:
    from wireloom.formats.edgemq_segment.parser import EdgemqSegment

    return EdgemqSegment.from_bytes((folder / "grown.wal").read_bytes())


def _write(folder: Path) -> None:
    with wireloom.scan("edgemq_segment", str(folder)) as batches:
        wireloom.write("edgemq_segment", batches, os.devnull, codec="none")


def _compile(folder: Path) -> object:
    format = wireloom.load_spec(folder / "grown.ksy")
    return wireloom.read(format, folder / "grown.bin")


def _schema(folder: Path) -> object:
    return wireloom.schema(wireloom.load_spec(folder / "grown.ksy"))


AXES = {
    "scan": Axis("size of a file, scan", "bytes", 10_000_000, _file, _scan, memory=NONE),
    "scan-zstd": Axis("size of a file in zstd, scan", "bytes", 10_000_000, _compressed, _scan, memory=NONE),
    "write": Axis("size of a file, written again by batches", "bytes", 10_000_000, _file, _write, memory=NONE),
    "read": Axis("size of a file, read", "bytes", 4_000_000, _file, _read),
    "objects": Axis("size of a file, objects", "bytes", 1_000_000, _file, _objects),
    "damage": Axis("damaged records, one in ten, scan", "records", 500, _damaged, _scan),
    "files": Axis("files of 20 KB, scan", "files", 20, _files, _scan),
    "columns": Axis("columns, load_spec and read of 1,000 rows", "columns", 10, _columns, _compile),
    "tables": Axis("tables, load_spec and read of one", "tables", 3, _tables, _compile),
    "levels": Axis("nested types, load_spec and schema", "levels", 1, _levels, _schema),
}


def growth() -> Iterator[dict[str, Any]]:
    """Yield what each axis takes as JSON values: seconds, bytes, and the exponents that were fitted."""
    for name, axis in AXES.items():
        measured = [_measured(name, axis, times) for times in TIMES]
        seconds, memory = ([*each] for each in zip(*measured, strict=True))
        yield {
            "title": axis.title,
            "unit": axis.unit,
            "counts": [axis.start * times for times in TIMES],
            "seconds": seconds,
            "memory": memory,
            "exponent": exponent(seconds),
            "memory_exponent": exponent([max(SMALL, each) for each in memory]),
            "most": MOST,
            "most_memory": axis.memory,
        }


def exponent(values: list[float]) -> float:
    """Return the exponent of growth between the last two values, in which what is always there counts least."""
    return math.log(values[-1] / values[-2]) / math.log(TIMES[-1] / TIMES[-2])


def _measured(name: str, axis: Axis, times: int) -> tuple[float, float]:
    """Return the least seconds and the median of the bytes of some processes."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder, each) for each in ("first", "second")]
        for place, count in zip(places, (axis.start, axis.start * times), strict=True):
            place.mkdir()
            axis.prepare(place, count)
        for _ in range(TURNS):
            command = [sys.executable, "-m", "tests.bench.growth", name, *map(str, places)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"{axis.title}, {times} times: {done.stderr[-2000:]}")
            found.append([float(each) for each in done.stdout.split()])
    seconds, memory = zip(*found, strict=True)
    return min(seconds), statistics.median(memory)


def _status(key: str) -> int:
    [found] = re.findall(rf"^{key}:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(found) * 1024


def main(name: str, first: str, second: str) -> None:
    """Do the work of both folders, and print what the second one took."""
    work = AXES[name].work
    work(Path(first))
    # The most memory that the process had is forgotten.
    Path("/proc/self/clear_refs").write_text("5")
    before, begin = _status("VmRSS"), time.process_time()
    kept = work(Path(second))
    print(time.process_time() - begin, max(0, _status("VmHWM") - before))
    del kept


if __name__ == "__main__":
    main(*sys.argv[1:])
