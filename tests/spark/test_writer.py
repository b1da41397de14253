"""The writer without Spark: tasks, commit, abort."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from wireloom import UnknownNameError, WireloomError
from wireloom.spark.folders import folder
from wireloom.spark.options import write_options
from wireloom.spark.write import writer as writing
from wireloom.spark.write.commit_log import LOG_FOLDER, CommitLog, staging
from wireloom.spark.write.driver_process import driver_process, has_ended
from wireloom.spark.write.task_files import write_files
from wireloom.spark.write.writer import FormatStreamWriter, FormatWriter

from .conftest import NAMES, ROWS, Sample
from .driver import read, schema_of, sent, source
from .pipeline import Killed, dying


def writer_of(name: str, table: pa.Table, path: Path, overwrite: bool = False, **options: Any) -> FormatWriter:
    schema = source(name, path=path).schema()
    assert schema.names == table.column_names
    made: FormatWriter = sent(source(name, path=path, **options).writer(schema, overwrite))
    return made


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_round_trip(name: str, samples: dict[str, Sample], tmp_path: Path) -> None:
    # In Spark's types: without unsigned integers, with times in microseconds.
    table = read(name, path=samples[name].file)
    writer = writer_of(name, table, tmp_path / "out")
    messages = [
        writer.write(iter(part.to_batches())) for part in (table.slice(0, 200), table.slice(200), table.slice(0, 0))
    ]
    assert names(tmp_path / "out") == ["_wireloom"]
    writer.commit([*messages, None])
    assert len(names(tmp_path / "out")) == 2
    ending = {"edgemq_segment": ".wal.zst", "word_stuffed_log": ".wsl", "cobs_log": ".cobs"}[name]
    assert all(each.startswith("part-00000-") and each.endswith(ending) for each in names(tmp_path / "out"))
    back = wireloom.read(name, tmp_path / "out", mode="failfast")
    assert back.to_pylist() == samples[name].table.to_pylist()


def test_nothing_shows_before_the_commit(samples: dict[str, Sample], tmp_path: Path) -> None:
    table = samples["cobs_log"].table
    writer = writer_of("cobs_log", table, tmp_path)
    message = writer.write(iter(table.to_batches()))
    assert message.rows == ROWS
    with pytest.raises(WireloomError, match="contains no files"):
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
    with pytest.raises(WireloomError, match="cannot read or write carrier://"):
        source("cobs_log", path="carrier://x/y").writer(schema_of("payload BINARY"), False)


# Files ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_files_by_rows_and_size(name: str, samples: dict[str, Sample], tmp_path: Path) -> None:
    table = read(name, path=samples[name].file)

    def write(folder: str, **options: Any) -> list[int]:
        writer = writer_of(name, table, tmp_path / folder, codec="none", **options)
        writer.commit([writer.write(iter(table.to_batches(max_chunksize=130)))])
        assert wireloom.read(name, tmp_path / folder, mode="failfast").to_pylist() == samples[name].table.to_pylist()
        return [each.stat().st_size for each in sorted((tmp_path / folder).iterdir())]

    assert len(write("rows", maxRecordsPerFile=50)) == ROWS // 50
    [whole] = write("whole", maxFileBytes="1g")
    sizes = write("sized", maxFileBytes=whole // 5)
    assert 4 <= len(sizes) <= 7
    assert all(each <= whole // 5 * 1.5 for each in sizes)


def test_a_file_is_one_message(tmp_path: Path) -> None:
    name = "kpl_aggregated_record"
    rows = pa.table({"partition_key": [f"k{n % 3}" for n in range(100)], "data": pa.array([b"x" * 50] * 100)})
    schema = schema_of("partition_key STRING, data BINARY")
    writer = sent(source(name, path=tmp_path, shards="one", target_size=600, compression="GZIP").writer(schema, False))
    writer.commit([writer.write(iter(rows.to_batches()))])
    assert len(names(tmp_path)) >= 10
    assert all(each.endswith(".kpl_aggregated_record.gz") for each in names(tmp_path))
    assert wireloom.read(name, tmp_path)["partition_key"].to_pylist() == rows["partition_key"].to_pylist()
    writer = source(name, path=tmp_path, maxFileBytes=600).writer(schema, False)
    with pytest.raises(WireloomError, match="is one message"):
        writer.write(iter(rows.to_batches()))


def test_sessions_of_messages(tmp_path: Path) -> None:
    rows = pa.table({"seq_num": pa.array(range(50), pa.int64()), "body": pa.array([bytes(90)] * 50)})
    schema = schema_of("seq_num LONG, body BINARY")
    options = {"codec": "none", "compression": "zstd"}
    writer = sent(source("s2_session", path=tmp_path, maxRecordsPerFile=20, **options).writer(schema, False))
    writer.commit([writer.write(iter(rows.to_batches()))])
    assert len(names(tmp_path)) == 3
    assert wireloom.read("s2_session", tmp_path)["seq_num"].to_pylist() == list(range(50))


def test_names(samples: dict[str, Sample], tmp_path: Path) -> None:
    table = samples["cobs_log"].table

    def write(overwrite: bool = False, **options: Any) -> list[str]:
        writer = writer_of("cobs_log", table, tmp_path / "out", overwrite, maxRecordsPerFile=200, **options)
        try:
            writer.commit([writer.write(iter(table.to_batches()))])
        except WireloomError:
            writer.abort([None])
            raise
        return names(tmp_path / "out")

    numbered = "seg-{sequence:08d}"
    assert write(fileName=numbered) == ["seg-00000000.cobs", "seg-00000001.cobs"]
    assert write(fileName=numbered)[2:] == ["seg-00000002.cobs", "seg-00000003.cobs"]
    assert write(True, fileName=numbered) == ["seg-00000000.cobs", "seg-00000001.cobs"]
    fixed = "{partition}-{number}"
    assert write(True, fileName=fixed) == ["0-0.cobs", "0-1.cobs"]
    with pytest.raises(WireloomError, match=r"there is a file 0-0\.cobs already"):
        write(fileName=fixed)
    assert names(tmp_path / "out") == ["0-0.cobs", "0-1.cobs"], "nothing is left"
    for pattern, message in (
        ("{partition}", "the same name"),
        ("_{sequence}", "must not contain a slash"),
        ("a/{sequence}", "must not contain a slash"),
        ("{sequences}", "did you mean 'sequence'"),
        ("{sequence", "such as"),
        ("{sequence:x!}", "such as"),
    ):
        with pytest.raises(WireloomError, match=message):
            write(fileName=pattern)


# Deaths --------------------------------------------------------------------------------------------------------------


def test_a_death_at_every_step_of_a_commit(samples: dict[str, Sample], tmp_path: Path) -> None:
    table, step, done = samples["cobs_log"].table, 0, False
    while not done:
        step += 1
        for when in ("before", "halfway", "after"):
            out = tmp_path / f"{step}-{when}"
            first = writer_of("cobs_log", table, out)
            first.commit([first.write(iter(table.to_batches()))])
            second = writer_of("cobs_log", table, out, overwrite=True, maxRecordsPerFile=150)
            message = second.write(iter(table.to_batches()))
            done = True
            with dying(step, when), suppress(Killed):
                try:
                    second.commit([message])
                except Killed:
                    done = False
                    raise
            # The next job finds the folder in its previous or its new state.
            third = writer_of("cobs_log", table, out, maxRecordsPerFile=100)
            third.commit([third.write(iter(table.to_batches()))])
            assert wireloom.read("cobs_log", out).num_rows == 2 * ROWS
            assert len(names(out)) - (LOG_FOLDER in names(out)) in (1 + 3, 2 + 3)
    assert step > 8


def test_leftovers_of_processes_that_are_gone_go_with_the_next_job(samples: dict[str, Sample], tmp_path: Path) -> None:
    table = samples["cobs_log"].table
    child = os.fork()
    if child == 0:
        dead = writer_of("cobs_log", table, tmp_path)
        dead.write(iter(table.to_batches()))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    [left] = (tmp_path / LOG_FOLDER / "staging").iterdir()
    assert has_ended(left.name.rpartition("-")[2])
    assert not has_ended(driver_process())
    assert not has_ended("00000000.1.2"), "of other machines nothing is known"
    alive, old = staging(folder(str(tmp_path)), "job-1-00000000.1.2"), staging(folder(str(tmp_path)), "job-2-0.1.2")
    for each in (alive, old):
        each.make()
        each.write("x", b"")
    os.utime(Path(old.path) / "x", (0, 0))
    writer = writer_of("cobs_log", table, tmp_path)
    writer.commit([writer.write(iter(table.to_batches()))])
    assert [each.name for each in (tmp_path / LOG_FOLDER / "staging").iterdir()] == ["job-1-00000000.1.2"]
    assert wireloom.read("cobs_log", tmp_path).num_rows == ROWS


# Streams -------------------------------------------------------------------------------------------------------------


class Task:
    """What a task of a query knows about itself."""

    def __init__(self, query: str | None) -> None:
        self._query = query

    def partitionId(self) -> int:  # noqa: N802
        return 3

    def getLocalProperty(self, name: str) -> str | None:  # noqa: N802
        return self._query if name == "sql.streaming.queryId" else None


def test_a_batch_is_written_once(samples: dict[str, Sample], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = samples["cobs_log"].table

    def task(query: str | None) -> list[Any]:
        monkeypatch.setattr(writing.TaskContext, "get", lambda: Task(query))
        return [stream().write(iter(table.to_batches())), None]

    def stream() -> FormatStreamWriter:
        found = source("cobs_log", path=tmp_path, checkpointLocation="c")
        return sent(found.streamWriter(schema_of("payload BINARY"), False))  # type: ignore[no-any-return]

    def count() -> int:
        return wireloom.read("cobs_log", tmp_path).num_rows // ROWS

    stream().commit(task("q"), 0)
    stream().commit(task("q"), 0)
    assert count() == 1, "the same batch once more"
    stream().commit(task("q"), 1)
    stream().commit(task("other"), 0)
    assert count() == 3
    stream().abort(task("q"), 2)
    stream().commit(task("q"), 1)
    assert count() == 3
    assert not (tmp_path / LOG_FOLDER / "staging").exists()
    assert CommitLog(folder(str(tmp_path))).names() == ["stream-other-000000000000", "stream-q-000000000001"]
    with pytest.raises(WireloomError, match="the id of this query"):
        task(None)


def test_whether_fields_may_be_lost_is_text(tmp_path: Path) -> None:
    spec = tmp_path / "notes.ksy"
    spec.write_text(
        "meta: {id: notes, -wireloom: {message: {type: note, framing: u1}}}\n"
        "types: {note: {-wireloom: {message: {fields: [{id: text, number: 1, type: string}]}}}}\n"
    )
    format = wireloom.load_spec(spec)
    rows = pa.table({"text": ["a"]}).to_batches()
    for value in ("true", "False"):
        options = write_options(format, {"path": str(tmp_path), "lossy": value})
        [(name, count)] = write_files(format, rows, folder(str(tmp_path)), options)
        assert (count, (tmp_path / name).read_bytes()) == (1, b"\3\n\1a")
