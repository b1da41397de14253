"""The files that a task of an ingest writes, without Spark."""

from __future__ import annotations

import errno
import io
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
import pytest
from wireloom import UnknownNameError, UnsupportedError, WireloomError
from wireloom.spark.folders import folder
from wireloom.spark.ingest import table_files
from wireloom.spark.ingest.table_files import OPEN_FILES, FileLayout, WrittenFile, write_table_files

SCHEMA = pa.schema([("kind", pa.string()), ("number", pa.int64()), ("payload", pa.binary())])


def batch(first: int, rows: int, kinds: int = 1, size: int = 20) -> pa.RecordBatch:
    numbers = range(first, first + rows)
    columns = [
        [f"k{each % kinds}" for each in numbers],
        list(numbers),
        [b"%020d" % each * (size // 20) for each in numbers],
    ]
    return pa.RecordBatch.from_arrays(
        [pa.array(each, kind) for each, kind in zip(columns, SCHEMA.types, strict=True)], schema=SCHEMA
    )


def numbers(base: Path, files: list[WrittenFile]) -> list[int]:
    return [each for file in files for each in pq.read_table(base / file.name, partitioning=None)["number"].to_pylist()]


def test_names_are_those_of_one_try(tmp_path: Path) -> None:
    tries = [write_table_files([batch(0, 10)], SCHEMA, folder(str(tmp_path)), FileLayout()) for _ in range(2)]
    assert len({each.name for files in tries for each in files}) == 2
    assert [numbers(tmp_path, files) for files in tries] == [list(range(10))] * 2
    [[file], _] = tries
    assert (file.rows, file.bytes) == (10, (tmp_path / file.name).stat().st_size)
    assert file.statistics == {
        "numRecords": 10,
        "minValues": {"kind": "k0", "number": 0},
        "maxValues": {"kind": "k0", "number": 9},
        "nullCount": {"kind": 0, "number": 0},
    }
    assert write_table_files([], SCHEMA, folder(str(tmp_path)), FileLayout()) == []


def test_times_and_nulls_have_statistics(tmp_path: Path) -> None:
    times = [datetime(2026, 3, 1, 12, tzinfo=UTC), None, datetime(2026, 3, 1, 12, 0, 1, 500, UTC)]
    rows = pa.record_batch({"ts": pa.array(times, pa.timestamp("us", "UTC")), "x": pa.array([None] * 3, pa.int32())})
    [file] = write_table_files([rows], rows.schema, folder(str(tmp_path)), FileLayout())
    assert file.statistics["minValues"] == {"ts": "2026-03-01T12:00:00.000000Z"}
    assert file.statistics["maxValues"] == {"ts": "2026-03-01T12:00:01.000500Z"}
    assert file.statistics["nullCount"] == {"ts": 1, "x": 3}


def test_times_name_folders_as_in_spark(tmp_path: Path) -> None:
    times = [datetime(2026, 3, 1, 12, tzinfo=UTC), None, datetime(2026, 3, 1, 12, 0, 1, 500, UTC)]
    rows = pa.record_batch({"ts": pa.array(times, pa.timestamp("us", "UTC")), "x": pa.array([1, 2, 3], pa.int32())})
    files = write_table_files([rows], rows.schema, folder(str(tmp_path)), FileLayout(("ts",)))
    assert sorted(each.folder for each in files) == [
        "ts=2026-03-01 12%3A00%3A00",
        "ts=2026-03-01 12%3A00%3A01.0005",
        "ts=__HIVE_DEFAULT_PARTITION__",
    ]


PARTITIONS = 3 * OPEN_FILES


def test_more_partitions_than_open_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, most = set[str](), 0

    class Watched(table_files._FileWriter):
        def __init__(self, place: object, name: str, *rest: object) -> None:
            nonlocal most
            super().__init__(place, name, *rest)  # type: ignore[arg-type]
            opened.add(name)
            most = max(most, len(opened))

        def close(self, folder: str) -> WrittenFile:
            opened.discard(self._name)
            return super().close(folder)

    monkeypatch.setattr(table_files, "_FileWriter", Watched)
    files = write_table_files(
        [batch(first, 600, PARTITIONS) for first in range(0, 1800, 600)],
        SCHEMA,
        folder(str(tmp_path)),
        FileLayout(("kind",)),
    )
    assert most == OPEN_FILES
    assert not opened
    assert len(files) == PARTITIONS
    assert Counter(numbers(tmp_path, files)) == Counter(range(1800))
    for file in files[:5]:
        kind = file.folder.removeprefix("kind=")
        assert {f"k{each % PARTITIONS}" for each in numbers(tmp_path, [file])} == {kind}


def test_files_are_sorted_and_no_larger_than_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "GROUP_ROWS", 100)
    batches = [batch(first, 50) for first in range(950, -1, -50)]
    place = folder(str(tmp_path))
    files = write_table_files(batches, SCHEMA, place, FileLayout(sort_by=("number",)))
    assert len(files) == 10
    assert all(numbers(tmp_path, [each]) == sorted(numbers(tmp_path, [each])) for each in files)
    files = write_table_files(batches, SCHEMA, place, FileLayout(file_bytes=2000, compression="none"))
    assert len(files) == 10
    assert Counter(numbers(tmp_path, files)) == Counter(range(1000))


def test_compression_and_dictionaries(tmp_path: Path) -> None:
    def column(layout: FileLayout, number: int) -> pq.ColumnChunkMetaData:
        [file] = write_table_files([batch(0, 100)], SCHEMA, folder(str(tmp_path)), layout)
        return pq.read_metadata(tmp_path / file.name).row_group(0).column(number)

    assert [column(FileLayout(), each).has_dictionary_page for each in range(3)] == [True, True, False]
    chosen = FileLayout(compression="zstd", dictionary=("payload",))
    assert [column(chosen, each).has_dictionary_page for each in range(3)] == [False, False, True]
    assert column(chosen, 0).compression == "ZSTD"


def test_a_task_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def rows() -> Iterator[pa.RecordBatch]:
        yield batch(0, 300_000)
        assert list(tmp_path.iterdir())
        raise WireloomError("no more")

    with pytest.raises(WireloomError, match="no more"):
        write_table_files(rows(), SCHEMA, folder(str(tmp_path)), FileLayout())
    assert not list(tmp_path.iterdir())
    with pytest.raises(WireloomError, match="rows cannot be written"):
        write_table_files([batch(0, 1)], SCHEMA, folder(str(tmp_path / "gone")), FileLayout())


@pytest.mark.parametrize(
    ("layout", "error", "message"),
    [
        (FileLayout(sort_by=("numer",)), UnknownNameError, "column for sort_by 'numer': did you mean 'number'"),
        (FileLayout(dictionary=("x",)), UnknownNameError, "unknown column for dictionary 'x'"),
        (FileLayout(("kind",), ("kind",)), WireloomError, "'kind', which is a partition column"),
        (FileLayout(("payload",)), UnsupportedError, "'payload', a binary: folders are named by text"),
        (FileLayout(("kind", "number"), (), 1), UnsupportedError, "choose at least one other column"),
    ],
)
def test_layouts_that_do_not_fit(layout: FileLayout, error: type[Exception], message: str) -> None:
    schema = SCHEMA if layout.partition_by != ("kind", "number") else SCHEMA.remove(2)
    with pytest.raises(error, match=message):
        layout.check_columns(schema)


class FullFiles:
    """A file system that has room for so many bytes."""

    def __init__(self, room: int) -> None:
        self._inner, self.room = pyarrow.fs.LocalFileSystem(), room

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def open_output_stream(self, path: str) -> pa.NativeFile:
        files = self

        class File(io.FileIO):
            def write(self, data: Any, /) -> int:
                files.room -= len(data)
                if files.room < 0:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                return super().write(data)

        return pa.PythonFile(File(path, "wb"), mode="w")


@pytest.mark.parametrize("partitions", [(), ("kind",)])
@pytest.mark.parametrize("file_bytes", [1, 1 << 20])
@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_a_full_disk(
    partitions: tuple[str, ...], file_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever in the files there is no more room: in the first bytes, in rows, or in what closing a file writes."""
    monkeypatch.setattr(table_files, "GROUP_ROWS", 40)
    layout = FileLayout(partitions, file_bytes=file_bytes)
    rows = [batch(each * 50, 50, kinds=2, size=100) for each in range(3)]
    place = tmp_path / "whole"
    place.mkdir()
    needed = sum(each.bytes for each in write_table_files(rows, SCHEMA, folder(str(place)), layout))
    place = tmp_path / "full"
    place.mkdir()
    for room in {*range(0, needed, 97), needed - 1}:
        with pytest.raises(WireloomError, match="No space left on device") as error:
            write_table_files(rows, SCHEMA, replace(folder(str(place)), store=FullFiles(room)), layout)
        assert str(place) in str(error.value)
        assert list(place.iterdir()) == []
