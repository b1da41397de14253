"""Files of fixed blocks: tasks read parts of them, and streams read them while they grow."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import WireloomError

from .driver import planned, read
from .rotating import compress
from .stream_driver import Query

VECTORS = Path(__file__).parents[1] / "vectors"


def as_text(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return rows in an order that is the same for all ways of reading; all NaN are equal."""
    return sorted(map(str, rows))


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a log of some hundred records, some of which are larger than a task's part of it."""
    source = random.Random(3)
    path = tmp_path_factory.mktemp("leveldb") / "000003.log"
    sizes = (source.choice((20, 700, 9000, 70_000)) for _ in range(120))
    wireloom.write("leveldb_log", [{"data": source.randbytes(size)} for size in sizes], path)
    return path


@pytest.mark.parametrize("largest", [32_768, 50_000, 400_000])
def test_tasks_read_parts_of_a_file(log: Path, largest: int) -> None:
    options = {"path": log, "maxPartitionBytes": largest, "openCostInBytes": 0, "columns": "_offset,data"}
    assert len(planned("leveldb_log", **options)[1]) >= log.stat().st_size // largest
    whole = wireloom.read("leveldb_log", log, columns=["_offset", "data"]).to_pylist()
    assert as_text(read("leveldb_log", **options).to_pylist()) == as_text(whole)


@pytest.mark.parametrize(
    ("format", "file", "table"),
    [
        ("leveldb_log", "kinds.log", "changes"),
        ("leveldb_log", "compressed.log", "changes"),
        ("leveldb_log", "rocks.log", "records"),
        ("prometheus_wal", "zstd", "samples"),
        ("prometheus_wal", "large", "series"),
    ],
)
def test_parts_of_logs_that_others_wrote(format: str, file: str, table: str) -> None:
    path = VECTORS / format / file
    options = {"path": path, "table": table, "maxPartitionBytes": 32_768, "openCostInBytes": 0}
    assert len(planned(format, **options)[1]) > 1
    expected = read(format, path=path, table=table).to_pylist()
    assert as_text(read(format, **options).to_pylist()) == as_text(expected)


def test_labels_that_are_looked_up_take_one_task(tmp_path: Path) -> None:
    path = VECTORS / "prometheus_wal" / "zstd"
    options = {"path": path, "maxPartitionBytes": 32_768, "openCostInBytes": 0}
    assert len(planned("prometheus_wal", **options, columns="ref,labels")[1]) == 1
    with pytest.raises(WireloomError, match="tail=growing needs rows"):
        Query("prometheus_wal", path=tmp_path, tail="true", columns="ref,labels")


GROWING = [
    ("leveldb_log", "level.log", {"table": "records"}),
    ("leveldb_log", "compressed.log", {"table": "changes"}),
    ("prometheus_wal", "snappy", {"table": "samples"}),
    ("prometheus_wal", "large", {"table": "raw_records"}),
    ("etcd_wal", "large.wal", {}),
    ("etcd_wal", "segment1.wal", {"table": "records"}),
    ("kafka_log", "zstd.log", {}),
    ("kafka_log", "mixed.log", {}),
    ("tfrecord", "examples.tfrecord", {}),
    ("tfrecord", "raw.tfrecord", {}),
]


@pytest.mark.parametrize("allocated", [False, True], ids=["appended", "preallocated"])
@pytest.mark.parametrize(("format", "file", "options"), GROWING)
def test_each_record_comes_once_while_its_file_grows(
    format: str, file: str, options: dict[str, str], allocated: bool, tmp_path: Path
) -> None:
    """The file is cut anywhere between triggers, also where a record begins; the query is stopped occasionally. A
    writer that preallocates a file fills it with zeros first."""
    content = (VECTORS / format / file).read_bytes()
    path = tmp_path / "log"
    query = Query(format, path=tmp_path, tail="true", **options)
    expected = as_text(read(format, path=VECTORS / format / file, **options).to_pylist())
    source = random.Random(file)
    rows: list[dict[str, Any]] = []
    offsets = read(format, path=VECTORS / format / file, columns="_offset", **options)["_offset"].to_pylist()
    # In a log of Prometheus, zeros after a record are the rest of a page: its writer does not preallocate.
    between = {each for each in offsets if each and not (allocated and format == "prometheus_wal")}
    cuts = sorted([*source.sample(range(1, len(content)), 12), *source.sample(sorted(between), min(4, len(between)))])
    for number, size in enumerate([*cuts, len(content)]):
        path.write_bytes(content[:size].ljust(len(content) + 40_000 if allocated else 0, b"\0"))
        if number % 4 == 3:
            query.restart()
        while (found := query.next()) is not None:
            rows += found.to_pylist()
    assert as_text(rows) == expected


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
@pytest.mark.parametrize(("format", "file", "options"), GROWING)
def test_a_log_that_is_compressed_is_read_on(
    format: str, file: str, options: dict[str, str], codec: str, tmp_path: Path
) -> None:
    """At any position, within a block or where one begins."""
    content = (VECTORS / format / file).read_bytes()
    expected = as_text(read(format, path=VECTORS / format / file, **options).to_pylist())
    for number, size in enumerate([*random.Random(file).sample(range(1, len(content)), 3), 32_768]):
        folder = tmp_path / str(number)
        folder.mkdir()
        query = Query(format, path=folder, tail="true", **options)
        (folder / "app.log").write_bytes(content[:size])
        rows = [row for each in query.rest() for row in each.to_pylist()]
        (folder / "app.log").write_bytes(content)
        compress(folder / "app.log", "app.log.1.gz" if codec == "gzip" else "app.log.1.zst", codec)
        query.restart()
        rows += [row for each in query.rest() for row in each.to_pylist()]
        assert as_text(rows) == expected
        assert json.loads(query.offset)["lost"] == 0
