"""Quantities that are counted instead of timed: memory and reads."""

from __future__ import annotations

import random
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import wireloom
from wireloom.reading.binary_search import Log
from wireloom.reading.options import ScanOptions

from .measure import Figure

READ = """
import io, sys
from tests.bench.data import segment
import wireloom

class Repeated(io.RawIOBase):
    '''A segment again and again, as often as it goes into that many bytes.'''
    def __init__(self, block, size):
        self.block, self.left, self.at = memoryview(block), size - size % len(block), 0
    def readable(self):
        return True
    def readinto(self, buffer):
        count = min(len(buffer), len(self.block) - self.at, self.left)
        buffer[:count] = self.block[self.at : self.at + count]
        self.at = (self.at + count) % len(self.block)
        self.left -= count
        return count

size = int(sys.argv[1])
with wireloom.scan("edgemq_segment", Repeated(segment(16_000_000), size), codec="none") as scanner:
    rows = sum(batch.num_rows for batch in scanner)
assert scanner.report.clean and rows * 200 > size // 2
# Of this program alone: getrusage counts what the process was before it became this program, too.
with open("/proc/self/status") as status:
    [peak] = [int(line.split()[1]) for line in status if line.startswith("VmHWM")]
print(peak // 1024)
"""


def figures(size: int) -> Iterator[Figure]:
    """Yield the memory for an input of 32 times ``size``, and the reads of a search in a log of 10 GB."""
    large = 32 * size
    done = subprocess.run([sys.executable, "-c", READ, str(large)], capture_output=True, text=True, check=True)
    yield Figure(
        f"EdgeMQ raw → Arrow, {large / 1e9:.1f} GB: resident memory", int(done.stdout), "MiB", most=300,
        note="the process with Python, pyarrow and the 16 MB that the input repeats",
    )  # fmt: skip
    for format, title in SEARCHED.items():
        with tempfile.TemporaryDirectory() as folder:
            probes, largest, first = search(Path(folder) / "sparse.log", format, 10_000_000_000)
        title = f"sorted {title} of 10 GB with holes"
        note = f"the most of {SEARCHES} searches"
        yield Figure(
            f"{title}, first row with a key: places looked at", probes, "", most=34, note=f"a halving each; {note}"
        )
        yield Figure(
            f"{title}, first row with a key: read for one of them", largest, "bytes", most=64 * 1024, note=note
        )
        yield Figure(f"{title}, first row at or after a byte: read", first, "bytes", most=64 * 1024, note=note)


SEARCHED = {"word_stuffed_log": "word-stuffed log", "cobs_log": "COBS log"}
SEARCHES = 100


def search(path: Path, format: str, size: int) -> tuple[int, int, int]:
    """Return the maximum number of probes of a search by key, the maximum number of bytes read for one, and the maximum
    for the first row after some byte."""
    randomness = random.Random(3)
    key, position = 0, 0
    number = struct.Struct(">Q")
    with open(path, "wb") as file:
        file.truncate(size)
        while position < size - 1_000_000:
            keys = range(key, key + randomness.randint(1, 400))
            columns: dict[str, Any] = {
                "payload": pa.array([number.pack(each) + bytes(200) for each in keys], pa.binary())
            }
            if format == "word_stuffed_log":
                columns["generation"] = pa.array([1] * len(keys), pa.uint32())
            island = path.with_suffix(".island")
            wireloom.write(format, pa.table(columns), island)
            file.seek(position)
            delimiter = b"\xfe\xfd" if format == "word_stuffed_log" else b"\0"
            position += file.write(delimiter + island.read_bytes()) + randomness.randint(1, 100_000_000)
            key = keys.stop

    def key_of(row: dict[str, Any]) -> int:
        return int(number.unpack(row["payload"][:8])[0])

    probes = largest = first = 0
    for _ in range(SEARCHES):
        value = randomness.randrange(key)
        found = wireloom.search(format, path, value, key=key_of)
        assert found.row is not None
        assert key_of(found.row.values) == value
        probes, largest = max(probes, found.probes), max(largest, found.largest_read)
        log = Log(format, path, ScanOptions())
        log.first(randomness.randrange(size), size)
        first = max(first, log.bytes_read)
    return probes, largest, first
