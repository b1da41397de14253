"""Streaming reads without Spark: order, limits, files that grow, losses, offsets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom.errors import DamagedInputError, UnknownNameError, UnsupportedError, WireloomError
from wireloom.spark.stream_offset import GIVEN_UP, Seal, StreamOffset, Taken

from .driver import source
from .stream_driver import Query, age, payloads, write

VECTORS = Path(__file__).parent.parent / "vectors" / "edgemq"
WAL = "edgemq_segment"
LOG = "cobs_log"


def together(query: Query) -> list[str]:
    return [text for batch in texts(query) for text in batch]


def texts(query: Query) -> list[list[str]]:
    return [payloads(each) for each in query.rest()]


@pytest.mark.parametrize("between", ["batches", "planning and reading"])
def test_a_file_that_is_replaced_by_another_of_the_same_size(between: str, tmp_path: Path) -> None:
    for number, name in enumerate("ab"):
        write(WAL, tmp_path / name, name, codec="none")
        age(tmp_path / name, number)
    query = Query(WAL, path=tmp_path, maxFilesPerTrigger=1)
    if between == "batches":
        assert together(query) == ["a", "b"]
        query.restart()
    else:
        assert query.plan()
    (tmp_path / "a").unlink()
    write(WAL, tmp_path / "a", "c", codec="none")
    age(tmp_path / "a", 5)
    with pytest.raises(WireloomError, match=r"a: the file.* was replaced by another of the same size.*failOnDataLoss"):
        query.read() if between != "batches" else query.plan()
    query.restart(failOnDataLoss="false")
    if between != "batches":
        assert payloads(query.read()) == ["c"]
        return
    query.plan()
    assert payloads(query.read()) == []
    assert json.loads(query.offset)["lost"] == 1
    write(WAL, tmp_path / "d", "d")
    query.restart(failOnDataLoss="true")
    assert together(query) == ["d"], "it is told once"


def test_a_checkpoint_without_times_is_read_on(tmp_path: Path) -> None:
    for name in "ab":
        write(WAL, tmp_path / name, name)
    query = Query(WAL, path=tmp_path, maxFilesPerTrigger=1)
    assert sorted(together(query)) == ["a", "b"]
    before, behind = query.batches[-1]
    older = {name: value for name, value in json.loads(behind).items() if name != "marks"}
    query.batches[-1] = before, json.dumps(older)
    query.restart()
    age(tmp_path / "a", 7)
    age(tmp_path / "b", 7)
    with pytest.raises(WireloomError, match="b: the file was replaced"):
        query.plan()
    age(tmp_path / "b", older["taken"][0][4] / 1e6 - 1_767_225_600)
    write(WAL, tmp_path / "c", "c")
    assert together(query) == ["c"]


# Order and limits -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "expected"), [({}, "bdac"), ({"latestFirst": "true"}, "cadb")])
def test_files_are_read_by_time_then_path(options: dict[str, str], expected: str, tmp_path: Path) -> None:
    for name, seconds in (("c", 9), ("a", 5), ("b", 1), ("d", 1)):
        write(WAL, tmp_path / name, name)
        age(tmp_path / name, seconds)
    query = Query(WAL, path=tmp_path, maxFilesPerTrigger=1, **options)
    assert texts(query) == [[each] for each in expected]


def test_late_files_are_not_lost(tmp_path: Path) -> None:
    write(WAL, tmp_path / "b", "b")
    query = Query(WAL, path=tmp_path)
    assert texts(query) == [["b"]]
    write(WAL, tmp_path / "a", "a")
    age(tmp_path / "a", -1e9)
    query.restart()
    assert texts(query) == [["a"]]


def test_batches_have_no_more_bytes_than_they_may_but_one_file(tmp_path: Path) -> None:
    sizes = []
    for number, count in enumerate((1, 50, 1, 1, 1)):
        sizes.append(len(write(WAL, tmp_path / str(number), *[f"{number}"] * count, codec="none")))
        age(tmp_path / str(number), number)
    query = Query(WAL, path=tmp_path, maxBytesPerTrigger=2 * sizes[0])
    assert [len(each) for each in texts(query)] == [1, 50, 2, 1]
    everything = Query(WAL, path=tmp_path, maxBytesPerTrigger=1, maxFilesPerTrigger=1)
    rows = everything.next(everything=True)
    assert len(payloads(rows)) == 54


def test_available_now_is_what_was_there(tmp_path: Path) -> None:
    write(LOG, tmp_path / "a", "1")
    write(LOG, tmp_path / "b", "2")
    query = Query(LOG, path=tmp_path, maxFilesPerTrigger=1)
    query.reader.prepareForTriggerAvailableNow()
    write(LOG, tmp_path / "a", "3")
    write(LOG, tmp_path / "c", "4")
    assert sorted(together(query)) == ["1", "2"]
    query.restart()
    assert sorted(together(query)) == ["3", "4"]


def test_small_files_share_tasks_and_large_ones_are_split(tmp_path: Path) -> None:
    for number in range(30):
        write(LOG, tmp_path / str(number), "x" * 40)
    query = Query(LOG, path=tmp_path, minPartitions=1)
    query.plan()
    assert len(query.reader.partitions(*(json.loads(each) for each in query.batches[0]))) == 1
    write(LOG, tmp_path / "0", *["y" * 100] * 100)
    query.restart(maxPartitionBytes=1000, openCostInBytes=0)
    query.plan()
    assert len(query.reader.partitions(*(json.loads(each) for each in query.batches[1]))) > 5
    assert payloads(query.read()) == ["y" * 100] * 100


def test_globs_filters_and_folders_that_are_still_empty(tmp_path: Path) -> None:
    query = Query(LOG, path=f"{tmp_path}/*/*.log", pathGlobFilter="a*")
    assert query.next() is None
    (tmp_path / "in").mkdir()
    for name in ("a.log", "b.log", "a.txt", "_a.log"):
        write(LOG, tmp_path / "in" / name, name)
    (tmp_path / "in" / "a0.log").touch()
    assert texts(query) == [["a.log"]]
    with pytest.raises(WireloomError, match="no such file or folder"):
        Query(LOG, path=tmp_path / "nothing").plan()
    with pytest.raises(WireloomError, match="standard input"):
        Query(LOG, path="-").plan()
    empty = tmp_path / "empty"
    empty.mkdir()
    assert Query(LOG, path=empty).next() is None


# Files that grow ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "options"), [(LOG, {}), (WAL, {"tail": "true"})])
def test_complete_rows_only(name: str, options: dict[str, str], tmp_path: Path) -> None:
    content = write(name, tmp_path / "source", "one", "two", "three", codec="none")
    (tmp_path / "source").unlink()
    path = tmp_path / "log"
    path.touch()
    query = Query(name, path=tmp_path, **options)
    found: list[str] = []
    for size in range(1, len(content) + 1):
        path.write_bytes(content[:size])
        if size % 7 == 0:
            query.restart()
        found += payloads(query.next())
        assert query.next() is None
    assert found == ["one", "two", "three"]
    assert json.loads(query.offset)["files"] == 1


@pytest.mark.parametrize("name", [LOG, "word_stuffed_log", WAL])
@pytest.mark.parametrize("most", [20, 1000])
def test_room_that_is_set_apart_is_no_content(name: str, most: int, tmp_path: Path) -> None:
    """A writer that has its file filled with zeros first, and then writes over them."""
    texts = [f"{number}" for number in range(10)]
    written = write(name, tmp_path / "source", *texts, codec="none")
    (tmp_path / "source").unlink()
    query = Query(name, path=tmp_path, tail="true", maxBytesPerTrigger=most)
    found: list[str] = []
    # Only where zeros cannot end a record, half of one can be told from a whole one.
    row = len(written) // 10
    for size in (0, 2, 13, 14, 16, 25, 60, 10 * row) if name == "word_stuffed_log" else (0, row, 4 * row, 10 * row):
        (tmp_path / "log").write_bytes(written[:size].ljust(600_000, b"\0"))
        age(tmp_path / "log", size)
        found += together(query)
    assert found == texts
    if name == LOG:
        write(name, tmp_path / "log", "behind")
        assert together(query) == ["behind"]


def test_a_large_log_is_read_piece_by_piece(tmp_path: Path) -> None:
    write(LOG, tmp_path / "log", *(f"{number:08d}" for number in range(100)), "x" * 700_000, "end")
    query = Query(LOG, path=tmp_path, maxBytesPerTrigger=100)
    batches = texts(query)
    assert [len(each) for each in batches] == [10] * 10 + [1, 1]
    assert batches[-1] == ["end"]


def test_whether_files_grow_can_be_said(tmp_path: Path) -> None:
    content = write(LOG, tmp_path / "log", "one", "two")
    (tmp_path / "log").write_bytes(content[:-1])
    query = Query(LOG, path=tmp_path, tail="false")
    assert texts(query) == [["one", "two"]]
    (tmp_path / "log").write_bytes(content)
    with pytest.raises(
        WireloomError, match=r"log: the file had \d+ bytes when it was read, and grew since, to \d+; tail=true"
    ):
        query.plan()
    query.restart(failOnDataLoss="false")
    write(LOG, tmp_path / "new", "three")
    assert texts(query) == [["three"]]
    assert query.reader.reportLatestOffset()["lostFiles"] == 1


def test_compressed_files_are_read_as_a_whole(tmp_path: Path) -> None:
    write(LOG, tmp_path / "a.log.zst", "one", codec="zstd")
    write(LOG, tmp_path / "unnamed", "two", codec="gzip")
    query = Query(LOG, path=tmp_path, tail="true")
    assert sorted(together(query)) == ["one", "two"]
    assert {each[-1] for each in json.loads(query.offset)["taken"]} == {"whole"}


def test_a_file_whose_rest_cannot_be_read_is_told_once(tmp_path: Path) -> None:
    """The second record is larger than any may be, and where its end is cannot be trusted."""
    broken = write(WAL, tmp_path / "a", "one", "x" * 3000, "three", codec="none")
    options: dict[str, Any] = {"path": tmp_path, "tail": "true", "maxRecord": 1000}
    query = Query(WAL, "payload BINARY, _error STRING", **options)
    [rows] = query.rest()
    assert rows["payload"].to_pylist() == [b"one"]
    assert json.loads(query.offset)["taken"][0][-1] == "last"
    (tmp_path / "a").write_bytes(broken + broken)
    query.restart()
    assert query.next() is None
    strict = Query(WAL, **options, mode="FAILFAST")
    strict.plan()
    with pytest.raises(DamagedInputError):
        strict.read()


# Losses ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [LOG, WAL])
def test_files_that_vanish_before_they_are_read(name: str, tmp_path: Path) -> None:
    for each in "abc":
        write(name, tmp_path / each, each)
        age(tmp_path / each, ord(each))
    query = Query(name, path=tmp_path, maxFilesPerTrigger=1)
    query.plan()
    (tmp_path / "a").unlink()
    with pytest.raises(WireloomError, match=r"/a: the file vanished before it was read; failOnDataLoss=false skips"):
        query.read()
    query.restart(failOnDataLoss="false")
    assert payloads(query.read()) == []
    query.restart(failOnDataLoss="true")
    assert payloads(query.next()) == ["b"]
    (tmp_path / "b").unlink()
    (tmp_path / "c").unlink()
    with pytest.raises(WireloomError, match="/c: the file vanished before it was read"):
        query.plan()


def test_logs_that_become_shorter(tmp_path: Path) -> None:
    write(LOG, tmp_path / "log", "one", "two")
    query = Query(LOG, path=tmp_path)
    assert texts(query) == [["one", "two"]]
    (tmp_path / "log").unlink()
    assert query.next() is None
    write(LOG, tmp_path / "log", "new")
    with pytest.raises(WireloomError, match=r"/log: the file had \d bytes when it was read, and became shorter"):
        query.plan()
    query.restart(failOnDataLoss="false")
    assert texts(query) == [["new"]]
    assert query.reader.reportLatestOffset()["lostFiles"] == 1


def test_a_file_that_changes_between_planning_and_reading(tmp_path: Path) -> None:
    content = write(WAL, tmp_path / "a", "one", "two", codec="none")
    query = Query(WAL, path=tmp_path)
    query.plan()
    (tmp_path / "a").write_bytes(content + content)
    with pytest.raises(WireloomError, match="to be read, and grew since"):
        query.read()
    (tmp_path / "a").write_bytes(content[:-1])
    with pytest.raises(WireloomError, match="to be read, and became shorter since"):
        query.read()


# Offsets --------------------------------------------------------------------------------------------------------------


def test_offsets_come_back_from_text() -> None:
    taken = (Taken("/a/b", 0, 5, 5, 17, "whole"), Taken("/a/c\udc80", 3, 4, 5, 18, "last"))
    offset = StreamOffset(3, 2, 9, 1, taken, {5: 7, 1 << 63: GIVEN_UP}, Seal(4, "/a/a", 7, 99))
    text = json.dumps(offset.to_json())
    assert StreamOffset.from_json(json.loads(text)) == offset
    assert json.dumps(json.loads(text)) == text
    assert offset.positions()[taken[1].fingerprint] == GIVEN_UP


def test_an_offset_of_this_version_is_understood_for_ever() -> None:
    """What is in checkpoints out there; this text is not to be changed."""
    text = (
        '{"version": 1, "batch": 2, "files": 2, "bytes": 7, "lost": 0, "root": "/logs/", "taken": [["b.log", 0, 2, 3, '
        '1795242146809530, "part"]], "tracked": [1, "eJxTqPa1Nz41s5QBAlgBJdwDOA=="], "seal": [5, "/logs/a", 3, "0f"]}'
    )
    offset = StreamOffset.from_json(json.loads(text))
    assert offset.taken == (Taken("/logs/b.log", 0, 2, 3, 1795242146809530, "part"),)
    assert list(offset.tracked.values()) == [5]
    assert offset.seal == Seal(5, "/logs/a", 3, 15)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "written by a newer wireloom .offset version 2, this one knows 1."),
        ({"version": None}, "cannot be understood"),
        ({"tracked": [1, "eJwDAAAAAAE="]}, "cannot be understood"),
        ({"tracked": [1 << 60, "eJwDAAAAAAE="]}, "cannot be understood"),
        ({"taken": [["a", 0, 1, 2, 3, "other"]]}, "cannot be understood"),
        ({"taken": [["a", -1, 1, 2, 3, "part"]]}, "cannot be understood"),
        ({"batch": "1"}, "cannot be understood"),
        ({"batch": 7}, "batch 7 does not follow batch 0"),
    ],
)
def test_offsets_that_are_refused(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    reader = Query(LOG, path=tmp_path).reader
    with pytest.raises(WireloomError, match=message):
        reader.partitions(reader.initialOffset(), {**StreamOffset(batch=1).to_json(), **change})


def test_offsets_stay_small(tmp_path: Path) -> None:
    query = Query(WAL, path=tmp_path, maxTrackedFiles=20, maxFilesPerTrigger=10)
    for number in range(200):
        write(WAL, tmp_path / f"{number:03d}", str(number))
        age(tmp_path / f"{number:03d}", number)
    assert len(together(query)) == 200
    assert max(len(behind) for _, behind in query.batches) < 2000
    for number in range(100):
        (tmp_path / f"{number:03d}").unlink()
    query.restart()
    assert query.next() is None
    write(WAL, tmp_path / "late", "late")
    age(tmp_path / "late", 5)
    # Files have gone, and one has come: that it is new can only be known to a process that has seen the others.
    assert texts(query) == [["late"]]


# Options, columns, reports ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"maxFilesPerTriger": "1"}, "unknown option 'maxfilespertriger': did you mean 'maxFilesPerTrigger'"),
        ({"maxFilesPerTrigger": "0"}, "option maxFilesPerTrigger is '0': expected a number of at least 1"),
        ({"maxBytesPerTrigger": "lots"}, "option maxBytesPerTrigger is 'lots'"),
        ({"tail": "yes"}, "unknown value of option tail 'yes'"),
        ({"failOnDataLoss": "flase"}, "did you mean 'false'"),
    ],
)
def test_wrong_options(options: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError if "unknown" in message or "mean" in message else WireloomError, match=message):
        Query(LOG, path=tmp_path, **options)


def test_formats_that_are_read_as_a_whole_cannot_be_tailed(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="a file of s2_session is read as a whole"):
        Query("s2_session", path=tmp_path, tail="true")


def test_options_of_streams_do_not_disturb_a_batch_read(tmp_path: Path) -> None:
    write(LOG, tmp_path / "log", "one")
    found = source(LOG, path=tmp_path, maxFilesPerTrigger="1")
    assert len(found.reader(found.schema()).partitions()) == 1


def test_damage_goes_to_the_report_folder_and_is_counted(tmp_path: Path) -> None:
    path = VECTORS / "crc_payload_flip.wal.zst"
    query = Query(WAL, path=path, reportFolder=tmp_path / "reports")
    assert "damaged" not in query.reader.reportLatestOffset()
    [rows] = query.rest()
    assert rows.num_rows == 19
    told = query.reader.reportLatestOffset()
    assert (told["rows"], told["damaged"]) == (19, 1)
    left = sorted(each.name for each in (tmp_path / "reports" / "batch-000000001").iterdir())
    assert left == ["damaged-000000.parquet", "report-000000.json"]
    shown = Query(WAL, "tenant LONG, broken BINARY", path=path, columnNameOfCorruptRecord="broken")
    [rows] = shown.rest()
    assert rows["broken"].null_count == 19


def test_messages(tmp_path: Path) -> None:
    content = (VECTORS.parent / "kpl" / "py_big_500x100_50k.bin").read_bytes()
    (tmp_path / "a").write_bytes(content)
    [rows] = Query("kpl_aggregated_record", path=tmp_path).rest()
    assert rows.num_rows == wireloom.read("kpl_aggregated_record", content).num_rows > 400
    records = [{"seq_num": number, "timestamp": 1, "body": b"x"} for number in range(3)]
    wireloom.write("s2_session", records, tmp_path / "a")
    [rows] = Query("s2_session", path=tmp_path).rest()
    assert rows["body"].to_pylist() == [b"x"] * 3
