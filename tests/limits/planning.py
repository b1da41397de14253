"""``python -m tests.limits.planning``: the cost of planning in the driver, for a listing of files that do not exist.

The simulated store lists any number of objects. A batch read is planned up to the partitions in the form in which they
are sent to the tasks, and a stream up to its second batch. The output is JSON: CPU seconds of each step, and the
megabytes by which the maximum memory exceeds that of planning a single file.
"""

from __future__ import annotations

import json
import pickle
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import click
import pyarrow as pa
import pyarrow.fs as arrow_fs
from pyspark import cloudpickle
from pyspark.sql.datasource import CaseInsensitiveDict
from wireloom.input import s3
from wireloom.spark import sources
from wireloom.spark.read.split_planning import LAST

ADDRESS = "s3://bucket/logs"
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
HOSTS = 97


class Listing(arrow_fs.FileSystemHandler):
    """A store of many objects of the same size, in folders by day and host, without content."""

    def __init__(self, files: int, size: int, ending: str) -> None:
        self.files, self.size, self.ending = files, size, ending
        self.opened = 0

    def get_file_info(self, paths: list[str]) -> list[arrow_fs.FileInfo]:
        return [arrow_fs.FileInfo(path, arrow_fs.FileType.Directory) for path in paths]

    def get_file_info_selector(self, selector: arrow_fs.FileSelector) -> list[arrow_fs.FileInfo]:
        return [
            arrow_fs.FileInfo(
                f"{selector.base_dir}/day=2026-01-{number % 28 + 1:02}/host-{number % HOSTS}/{number:09}{self.ending}",
                arrow_fs.FileType.File,
                size=self.size,
                mtime=BEGIN + timedelta(milliseconds=number),
            )
            for number in range(self.files)
        ]

    def open_input_file(self, path: str) -> pa.PythonFile:
        self.opened += 1
        return pa.PythonFile(pa.BufferReader(b"\x02a\0" * 100), "r")


# No other operations of a store are used.
for missing in arrow_fs.FileSystemHandler.__abstractmethods__ - set(vars(Listing)):
    setattr(Listing, missing, lambda *_: NotImplemented)
Listing.get_type_name = lambda _: "listing"
Listing.__abstractmethods__ = frozenset()


def resident() -> float:
    """Return the largest resident size of this process so far, in megabytes."""
    [peak] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(peak.split()[1]) * 1024 / 1e6


def measure(format: str, files: int, size: int, ending: str) -> dict[str, Any]:
    """Plan a batch and a stream; return the figures."""
    store = Listing(files, size, ending)
    found: dict[str, Any] = {"files": files, "seconds": {}}
    last, before = time.process_time(), resident()

    def done(step: str) -> None:
        nonlocal last
        now = time.process_time()
        found["seconds"][step] = round(now - last, 2)
        found["megabytes"] = round(resident() - before)
        last = now

    with mock.patch.object(s3, "filesystem", return_value=arrow_fs.PyFileSystem(store)):
        [kind] = [each for each in sources() if each.name() == format]
        source = kind(CaseInsensitiveDict({"path": ADDRESS}))
        schema = source.schema()
        done("listing")
        sent = cloudpickle.dumps(source)
        found["source bytes"] = len(sent)
        partitions = pickle.loads(sent).reader(schema=schema).partitions()
        found["partitions"] = len(partitions)
        done("partitions")
        parts = [cloudpickle.dumps(each) for each in partitions]
        found["partition bytes"] = sum(map(len, parts))
        done("sending")
        # Every byte is in one slice.
        slices = [piece for each in parts for piece in pickle.loads(each).slices]
        read: Counter[str] = Counter()
        for piece in slices:
            read[piece.input.path] += (size if piece.end in (None, LAST) else piece.end) - piece.begin
        assert len(read) == files
        assert set(read.values()) == {size}
        found["opened"] = store.opened
        del partitions, parts, slices, read, source
        done("checking")
        stream = kind(CaseInsensitiveDict({"path": ADDRESS})).streamReader(schema=schema)
        start = stream.initialOffset()
        stream.prepareForTriggerAvailableNow()
        done("listing of a stream")
        for batch in ("first batch", "second batch"):
            end = stream.latestOffset(start, stream.getDefaultReadLimit())
            found["offset bytes"] = len(json.dumps(end))
            stream.partitions(start, end)
            start = end
            done(batch)
        found["read"] = end["files"]
    return found


@click.command
@click.option("--format", "name", default="edgemq_segment", show_default=True)
@click.option("--files", default=1_000_000, show_default=True)
@click.option("--terabytes", default=10.0, show_default=True)
@click.option("--ending", default=".wal.zst", show_default=True)
def main(name: str, files: int, terabytes: float, ending: str) -> None:
    """Print the cost of planning."""
    measure(name, 1, 100, ending)
    print(json.dumps(measure(name, files, int(terabytes * 1e12) // files, ending), indent=2))


if __name__ == "__main__":
    main()
