"""Writes without rows: a folder that would contain no file gets an empty one, as with Spark's own sources."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import codecs
from wireloom.base.errors import NothingThereError
from wireloom.spark.options import write_options

from .conftest import NAMES
from .driver import read, schema_of, sent, source
from .test_writer import names

COLUMNS = {
    "edgemq_segment": "fmt INT, tenant LONG, ts_millis LONG, payload BINARY",
    "word_stuffed_log": "generation LONG, payload BINARY",
    "cobs_log": "payload BINARY",
}


def write_nothing(name: str, columns: str, path: Path, overwrite: bool, tasks: int = 2, **options: Any) -> None:
    writer = sent(source(name, path=path, **options).writer(schema_of(columns), overwrite))
    writer.commit([*(writer.write(iter([])) for _ in range(tasks)), None])


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("tasks", [0, 2])
@pytest.mark.parametrize("codec", ["none", "zstd", "gzip", "xz", "lz4"])
@pytest.mark.parametrize("name", NAMES)
def test_a_new_folder(name: str, codec: str, tasks: int, overwrite: bool, tmp_path: Path) -> None:
    write_nothing(name, COLUMNS[name], tmp_path / "out", overwrite, tasks, codec=codec)
    [file] = names(tmp_path / "out")
    assert file.startswith("part-00000-000-")
    assert file.endswith(codecs.suffix_of(codec))
    assert read(name, path=tmp_path / "out").num_rows == 0
    table, report = wireloom.read_with_report(name, tmp_path / "out", mode="failfast")
    assert (table.num_rows, report.clean) == (0, True)


def test_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "day=1").mkdir()
    for name in ("old.cobs", "day=1/old.cobs"):
        wireloom.write("cobs_log", [{"payload": b"a"}], tmp_path / name)
    write_nothing("cobs_log", "payload BINARY", tmp_path, overwrite=False)
    assert names(tmp_path) == ["day=1", "old.cobs"], "rows are there already"
    (tmp_path / "old.cobs").unlink()
    write_nothing("cobs_log", "payload BINARY", tmp_path, overwrite=False)
    assert names(tmp_path) == ["day=1"], "and below"
    for _ in range(2):
        write_nothing("cobs_log", "payload BINARY", tmp_path, overwrite=True)
        [file] = names(tmp_path)
        assert (tmp_path / file).read_bytes() == b""


def test_hidden_files_are_none(tmp_path: Path) -> None:
    (tmp_path / "_SUCCESS").touch()
    write_nothing("cobs_log", "payload BINARY", tmp_path, overwrite=False)
    assert wireloom.read("cobs_log", tmp_path).num_rows == 0


def test_folders_by_values(tmp_path: Path) -> None:
    write_nothing("cobs_log", "payload BINARY, day STRING", tmp_path, overwrite=True, partitionBy="day")
    assert [each.name for each in tmp_path.iterdir()] == ["day=__HIVE_DEFAULT_PARTITION__"]
    assert read("cobs_log", path=tmp_path).schema.names == ["payload", "day"]
    assert read("cobs_log", "payload BINARY, day INT", path=tmp_path).num_rows == 0


@pytest.mark.parametrize(
    ("name", "columns", "count"),
    [
        ("kpl_aggregated_record", "partition_key STRING, data BINARY", 0),
        ("s2_messages", "seq_num LONG, body BINARY", 1),
        ("s2_session", "seq_num LONG, body BINARY", 1),
    ],
)
def test_messages(name: str, columns: str, count: int, tmp_path: Path) -> None:
    """No bytes are a plain record of Kinesis, and therefore a row."""
    write_nothing(name, columns, tmp_path / "out", overwrite=True)
    assert len(names(tmp_path / "out")) == count
    if count:
        assert wireloom.read(name, tmp_path / "out", mode="failfast").num_rows == 0
    else:
        with pytest.raises(NothingThereError, match="contains no files"):
            wireloom.read(name, tmp_path / "out")


def test_a_format_whose_files_begin_with_something(tmp_path: Path) -> None:
    from wireloom.spark.folders import folder
    from wireloom.spark.write.task_files import write_empty

    spec = tmp_path / "boxed.ksy"
    spec.write_text(
        "meta: {id: boxed, endian: be, -wireloom: {rows: rows, columns: [value]}}\n"
        "seq: [{id: version, type: u2}, {id: rows, type: row, repeat: eos}]\n"
        "types: {row: {seq: [{id: value, type: u1}]}}\n"
    )
    format = wireloom.load_spec(spec)
    place = folder(str(tmp_path / "out"))
    assert write_empty(format, place, write_options(format, {"path": place.address})) is None
    assert not (tmp_path / "out").exists(), "the version cannot be recorded"
    spec.write_text(spec.read_text().replace("type: u2}", "type: u2, valid: 7}"))
    format = wireloom.load_spec(spec)
    place.make()
    name = write_empty(format, place, write_options(format, {"path": place.address}))
    assert name is not None
    assert (tmp_path / "out" / name).read_bytes() == b"\0\7"
