"""The writer without Spark: tasks, commit, abort."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from wireloom.errors import UnknownNameError, WireloomError
from wireloom.spark.writer import FormatWriter

from .conftest import NAMES, ROWS, Sample
from .driver import read, schema_of, sent, source


def writer_of(name: str, table: pa.Table, path: Path, overwrite: bool = False, **options: Any) -> FormatWriter:
    schema = source(name, path=path).schema()
    assert schema.names == table.column_names
    made: FormatWriter = sent(source(name, path=path, **options).writer(schema, overwrite))
    return made


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_round_trip(name: str, samples: dict[str, Sample], tmp_path: Path) -> None:
    # As Spark hands them over: without unsigned integers, times in microseconds.
    table = read(name, path=samples[name].file)
    writer = writer_of(name, table, tmp_path / "out")
    messages = [
        writer.write(iter(part.to_batches())) for part in (table.slice(0, 200), table.slice(200), table.slice(0, 0))
    ]
    assert names(tmp_path / "out") == ["_temporary-wireloom"]
    writer.commit([*messages, None])
    assert len(names(tmp_path / "out")) == 2
    ending = {"edgemq_segment": ".wal.zst", "word_stuffed_log": ".wsl", "cobs_log": ".cobs"}[name]
    assert all(each.startswith("part-00000-") and each.endswith(ending) for each in names(tmp_path / "out"))
    back = wireloom.read(name, [tmp_path / "out" / str(message.name) for message in messages[:2]], mode="failfast")
    assert back.to_pylist() == samples[name].table.to_pylist()


def test_nothing_shows_before_the_commit(samples: dict[str, Sample], tmp_path: Path) -> None:
    table = samples["cobs_log"].table
    writer = writer_of("cobs_log", table, tmp_path)
    writer.write(iter(table.to_batches()))
    with pytest.raises(WireloomError, match="holds no files"):
        wireloom.read("cobs_log", tmp_path)
    writer.abort([None])
    assert names(tmp_path) == []


def test_append_and_overwrite(samples: dict[str, Sample], tmp_path: Path) -> None:
    table = samples["cobs_log"].table

    def write(overwrite: bool) -> None:
        writer = writer_of("cobs_log", table, tmp_path / "out", overwrite)
        writer.commit([writer.write(iter(table.to_batches()))])

    write(False)
    write(False)
    assert wireloom.read("cobs_log", tmp_path / "out").num_rows == 2 * ROWS
    write(True)
    assert wireloom.read("cobs_log", tmp_path / "out").num_rows == ROWS
    assert len(names(tmp_path / "out")) == 1


def test_a_failed_overwrite_changes_nothing(samples: dict[str, Sample], tmp_path: Path) -> None:
    table = samples["cobs_log"].table
    first = writer_of("cobs_log", table, tmp_path)
    first.commit([first.write(iter(table.to_batches()))])
    before = names(tmp_path)
    second = writer_of("cobs_log", table, tmp_path, overwrite=True)
    nulls = pa.table({"payload": pa.array([None], pa.binary())})
    with pytest.raises(WireloomError, match="null"):
        second.write(iter(nulls.to_batches()))
    second.abort([None])
    assert names(tmp_path) == before


def test_two_jobs_at_once_do_not_disturb_each_other(samples: dict[str, Sample], tmp_path: Path) -> None:
    table = samples["cobs_log"].table
    writers = [writer_of("cobs_log", table, tmp_path) for _ in range(2)]
    messages = [each.write(iter(table.to_batches())) for each in writers]
    writers[0].commit([messages[0]])
    writers[1].commit([messages[1]])
    assert wireloom.read("cobs_log", tmp_path).num_rows == 2 * ROWS
    assert len(names(tmp_path)) == 2


def test_options(samples: dict[str, Sample], tmp_path: Path) -> None:
    table = samples["edgemq_segment"].table
    writer = writer_of("edgemq_segment", table, tmp_path, codec="gzip", stride="rules")
    writer.commit([writer.write(iter(table.to_batches()))])
    [name] = names(tmp_path)
    assert name.endswith(".wal.gz")
    _, report = wireloom.read_with_report("edgemq_segment", tmp_path)
    assert report.files[0].options == {"stride": "rules"}


def test_what_cannot_be_written(samples: dict[str, Sample], tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'payload'"):
        source("cobs_log", path=tmp_path).writer(schema_of("payloads BINARY"), False)
    with pytest.raises(UnknownNameError, match="did you mean 'codec'"):
        source("cobs_log", path=tmp_path, codecs="x").writer(schema_of("payload BINARY"), False)
    with pytest.raises(WireloomError, match="cannot be written without the column payload"):
        source("word_stuffed_log", path=tmp_path).writer(schema_of("generation LONG"), False)
    with pytest.raises(WireloomError, match="no folder to write to"):
        source("cobs_log").writer(schema_of("payload BINARY"), False)
    with pytest.raises(WireloomError, match="is a file"):
        source("cobs_log", path=samples["cobs_log"].file).writer(schema_of("payload BINARY"), False)
    with pytest.raises(WireloomError, match="cannot write to ftp"):
        source("cobs_log", path="ftp://x/y").writer(schema_of("payload BINARY"), False)
