"""Streaming reads without Spark: the files of a batch, their options, columns and reports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import wireloom
from wireloom import UnknownNameError, UnsupportedError, WireloomError
from wireloom.format import registry
from wireloom.spark.options import STREAM_OPTIONS, read_options
from wireloom.spark.stream.listing import check_paths, local_folder

from .driver import source
from .stream_driver import LOG, WAL, Query, age, payloads, texts, together, write

VECTORS = Path(__file__).parent.parent / "vectors" / "edgemq"


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


def test_columns_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "host=a").mkdir()
    waiting = Query(LOG, "payload BINARY, host STRING", path=tmp_path)
    write(LOG, tmp_path / "host=a" / "log", "one")
    [rows] = waiting.rest()
    assert rows["host"].to_pylist() == ["a"]
    assert Query(LOG, "payload BINARY, host STRING", path=tmp_path).rest()[0].num_rows == 1
    with pytest.raises(UnknownNameError, match="unknown column of cobs_log 'hosst': did you mean 'host'"):
        Query(LOG, "payload BINARY, hosst STRING", path=tmp_path).plan()


def test_addresses_of_files(tmp_path: Path) -> None:
    folder = tmp_path / "day 1"
    folder.mkdir()
    for host in ("", "localhost"):
        address = f"file://{host}{folder}".replace(" ", "%20")
        assert local_folder(address) == local_folder(f"{address}/*.log") == str(folder)
        check_paths(read_options(registry.get(WAL), {"path": address}))
    with pytest.raises(WireloomError, match="server is a remote host"):
        check_paths(read_options(registry.get(WAL), {"path": f"file://server{folder}"}))
    with pytest.raises(WireloomError, match="server is a remote host"):
        local_folder(f"file://server{folder}/*.log")


def test_formats_that_are_read_as_a_whole_cannot_be_tailed(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="a file of s2_session is read as a whole"):
        Query("s2_session", path=tmp_path, tail="true")


@pytest.mark.parametrize("name", [each for each in STREAM_OPTIONS if each != "tail"])
def test_options_of_streams_are_refused_by_a_batch_read(name: str, tmp_path: Path) -> None:
    write(LOG, tmp_path / "log", "one")
    found = source(LOG, path=tmp_path, **{name: "1"})
    sentence = f"^option {name} applies only to streams: leave it out of a batch read, or use readStream"
    with pytest.raises(WireloomError, match=sentence):
        found.reader(found.schema())


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
