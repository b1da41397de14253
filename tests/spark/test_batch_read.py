"""The features of Spark's own file sources, for those of wireloom, without Spark: files, folders, faults, pruning."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import wireloom
from hypothesis import given
from hypothesis import strategies as st
from wireloom import DamagedInputError, UnknownNameError, WireloomError, WrongFormatError
from wireloom.input import inputs
from wireloom.rows import select
from wireloom.spark.read import reader as spark_reader
from wireloom.spark.read.partition_columns import column_types, folder_values

from ..writing import bytes_of
from .conftest import ROWS, Sample
from .driver import planned, read, source

NAME = "cobs_log"
VECTORS = Path(__file__).parent.parent / "vectors"


@pytest.fixture
def logs(samples: dict[str, Sample], tmp_path: Path) -> Path:
    """Return logs in folders, some of which are hidden or partitions."""
    for each in (
        "day=2026-03-01/hour=07/host=a%2Fb/1.log",
        "day=2026-03-01/hour=8/host=c/2.log",
        "day=2026-03-02/hour=9/host=__HIVE_DEFAULT_PARTITION__/3.log",
        "day=2026-03-02/_temporary/4.log",
        "_spare/5.log",
        ".trash/6.log",
        "day=2026-03-02/.7.log",
        "day=2026-03-02/_8.log",
        "day=2026-03-02/9.log._COPYING_",
    ):
        path = tmp_path / "logs" / each
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(samples[NAME].file, path)
    return tmp_path / "logs"


def files(**options: Any) -> list[str]:
    """Return the names of the files that a read with these options reads."""
    _, partitions, _ = planned(NAME, **options)
    return sorted({Path(piece.input.path).name for each in partitions for piece in each.slices})


# Files ----------------------------------------------------------------------------------------------------------------


def test_hidden_files_are_left_out(logs: Path) -> None:
    assert files(path=logs) == ["1.log", "2.log", "3.log"]
    assert files(path=f"{logs}/day=2026-03-0{{1,2}}/hour=*") == ["1.log", "2.log", "3.log"]
    assert files(path=logs, pathGlobFilter="{1,3}.log") == ["1.log", "3.log"]


def test_folders_without_those_below(logs: Path) -> None:
    shutil.copy(logs / "_spare" / "5.log", logs / "5.log")
    assert files(path=logs, recursiveFileLookup="false") == ["5.log"]
    assert files(path=f"{logs}/day=*/hour=*/*", recursiveFileLookup="false") == ["1.log", "2.log", "3.log"]
    with pytest.raises(WireloomError, match="none of the files is read: check recursiveFileLookup"):
        files(path=f"{logs}/day=*", recursiveFileLookup="false")


def test_times_of_files(logs: Path) -> None:
    os.utime(logs / "day=2026-03-01/hour=8/host=c/2.log", (1_700_000_000, 1_700_000_000))
    assert files(path=logs, modifiedBefore="2023-11-14T22:13:21") == ["2.log"]
    assert files(path=logs, modifiedAfter="2023-11-14T22:13:20") == ["1.log", "3.log"]
    assert files(path=logs, modifiedAfter="2023-11-14", modifiedBefore="2023-11-14T23:13:21+01:00") == ["2.log"]


def test_missing_files(logs: Path) -> None:
    there, gone = logs / "_spare" / "5.log", logs / "nothing.log"
    options = {"path": gone, "paths": f'["{there}"]'}
    with pytest.raises(WireloomError, match="no such file or folder"):
        read(NAME, **options)
    assert read(NAME, ignoreMissingFiles="true", **options).num_rows == ROWS
    assert read(NAME, ignoreMissingFiles="true", path=gone).num_rows == 0
    for choice in ("true", "false"):
        reader, partitions, _ = planned(NAME, path=there, ignoreMissingFiles=choice)
        there.rename(gone)
        if choice == "true":
            assert [*reader.read(partitions[0])] == []
        else:
            with pytest.raises(WireloomError, match=r"5\.log: cannot be opened: No such file"):
                [*reader.read(partitions[0])]
        gone.rename(there)


@pytest.mark.parametrize("setting", ["ignoreMissingFiles", "ignoreCorruptFiles"])
def test_settings_of_the_session(setting: str, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Spark passes them to tasks; options take precedence."""

    class Context:
        def getLocalProperty(self, name: str) -> str | None:  # noqa: N802
            return "true" if name == f"spark.sql.files.{setting}" else None

    there, gone = logs / "_spare" / "5.log", logs / "nothing.log"
    unsaid = planned(NAME, path=there)
    refused = planned(NAME, path=there, **{setting: "false"})
    there.rename(gone)
    monkeypatch.setattr(spark_reader.TaskContext, "get", Context)
    assert [*unsaid[0].read(unsaid[1][0])] == []
    with pytest.raises(WireloomError, match=r"5\.log: cannot be opened: No such file"):
        [*refused[0].read(refused[1][0])]


def test_files_that_cannot_be_read_on(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure of the storage is an error in every mode: a task that is run again may get everything."""

    class Failing:
        def __init__(self, file: Any) -> None:
            self.file, self.close = file, file.close

        def readinto(self, buffer: memoryview) -> int:
            if self.file.tell():
                raise OSError("the line is dead")
            return int(self.file.readinto(buffer[:1000]))

    reader, partitions, _ = planned(NAME, path=logs / "_spare" / "5.log")
    lenient, _, _ = planned(NAME, path=logs / "_spare" / "5.log", ignoreCorruptFiles="true")
    opened = inputs.FileInput.open
    monkeypatch.setattr(inputs.FileInput, "open", lambda self: Failing(opened(self)))
    with pytest.raises(WireloomError, match=r"5\.log at byte 1000: reading failed .*the line is dead; ignoreCorrupt"):
        [*reader.read(partitions[0])]
    rows = sum(batch.num_rows for batch in lenient.read(partitions[0]))
    assert 0 < rows < ROWS


def test_a_file_of_another_format(tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_bytes(b"To whom it may concern. " * 30)
    for name in ("edgemq_segment", "tfrecord", "s2_session"):
        said = (
            rf"letter\.txt: not in the format {name}\? No record in it is valid.*; "
            r"checkFormat=false reads such a file as empty"
        )
        for mode in ("PERMISSIVE", "DROPMALFORMED"):
            with pytest.raises(WrongFormatError, match=said):
                read(name, path=tmp_path, mode=mode)
            for option in ("checkFormat=false", "ignoreCorruptFiles=true", "tail=growing"):
                assert read(name, path=tmp_path, mode=mode, **dict([option.split("=")])).num_rows == 0
    for content in (b"", bytes(5000)):
        letter.write_bytes(content)
        assert read("edgemq_segment", path=tmp_path).num_rows == 0


def test_slices_are_not_judged_by_themselves(tmp_path: Path, samples: dict[str, Sample]) -> None:
    content = b"no record " * 5000 + b"\0" + bytes_of(NAME, samples[NAME].table, codec="none")
    (tmp_path / "1.log").write_bytes(content)
    assert read(NAME, path=tmp_path, maxPartitionBytes="4k", openCostInBytes=0).num_rows >= ROWS


def test_corrupt_files() -> None:
    damaged = VECTORS / "edgemq" / "crc_payload_flip.wal.zst"
    with pytest.raises(DamagedInputError):
        read("edgemq_segment", path=damaged, mode="FAILFAST")
    before = read("edgemq_segment", path=damaged, mode="FAILFAST", ignoreCorruptFiles="true", columns="tenant,_offset")
    assert all(offset < 1002 for offset in before["_offset"].to_pylist())


@pytest.mark.parametrize("name", ["cobs_log", "edgemq_segment", "word_stuffed_log"])
def test_failfast_refuses_a_file_that_is_cut_off(name: str, samples: dict[str, Sample], tmp_path: Path) -> None:
    content = bytes_of(name, samples[name].table, codec="none")
    (tmp_path / "cut").write_bytes(content[:-3])
    for split in ("128m", "4k"):
        options = {"path": tmp_path, "maxPartitionBytes": split, "openCostInBytes": 0}
        with pytest.raises(DamagedInputError, match=r"cut at byte \d+.* \(truncated\)"):
            read(name, **options, mode="FAILFAST")
        assert read(name, **options, mode="FAILFAST", tail="growing").num_rows == ROWS - 1
        assert read(name, **options, mode="FAILFAST", ignoreCorruptFiles="true").num_rows < ROWS
        assert read(name, **options).num_rows == ROWS - 1
    for value in ("complete", "auto"):
        with pytest.raises(DamagedInputError):
            read(name, path=tmp_path, mode="FAILFAST", tail=value)
    with pytest.raises(UnknownNameError, match="unknown value of option tail 'grows': did you mean 'growing'"):
        read(name, path=tmp_path, tail="grows")


@pytest.mark.parametrize("name", ["cobs_log", "edgemq_segment"])
def test_the_other_files_of_a_partition(name: str, samples: dict[str, Sample], tmp_path: Path) -> None:
    """A file that is missing, or cannot be read further, does not prevent reading those after it."""
    content = bytes_of(name, samples[name].table, codec="none")
    for number in range(5):
        (tmp_path / f"{number}.log").write_bytes(content)
    (tmp_path / "3.log").write_bytes(content + (b"\x05bad\0" if name == "cobs_log" else content[:-1] + b"?"))

    def rows(**options: Any) -> dict[str, int]:
        (tmp_path / "1.log").write_bytes(content)
        reader, partitions, _ = planned(name, path=tmp_path, columns="_path", minPartitions=1, **options)
        assert len(partitions) == 1
        (tmp_path / "1.log").unlink()
        found: Counter[str] = Counter()
        for batch in reader.read(partitions[0]):
            found.update(Path(each).name[0] for each in batch.column(0).to_pylist())
        return dict(found)

    good = dict.fromkeys("024", ROWS)
    assert rows(ignoreMissingFiles="true") == {**good, "3": ROWS if name == "cobs_log" else 2 * ROWS - 1}
    assert rows(ignoreCorruptFiles="true", mode="FAILFAST") == good
    with pytest.raises(WireloomError, match=r"1\.log: cannot be opened"):
        rows()


def test_a_file_that_several_paths_name_is_read_once(
    samples: dict[str, Sample], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Spark's own sources do when they list nested folders."""
    file = tmp_path / "in" / "1.log"
    file.parent.mkdir()
    shutil.copy(samples[NAME].file, file)
    monkeypatch.chdir(tmp_path)
    paths = [file, file, file.parent, f"{file.parent}/*", f"file://{file}", "in/1.log", file.parent / ".." / "in"]
    for recursive in ("true", "false"):
        found = read(NAME, paths=json.dumps([str(each) for each in paths]), recursiveFileLookup=recursive)
        assert found.num_rows == ROWS


# Partition columns ----------------------------------------------------------------------------------------------------


def test_columns_of_folders(logs: Path) -> None:
    schema = source(NAME, path=logs).schema()
    assert [(each.name, each.dataType.simpleString()) for each in schema.fields] == [
        ("payload", "binary"),
        ("day", "date"),
        ("hour", "int"),
        ("host", "string"),
    ]
    table = read(NAME, path=logs)
    found = set(zip(*(table[name].to_pylist() for name in ("day", "hour", "host")), strict=True))
    assert found == {(date(2026, 3, 1), 7, "a/b"), (date(2026, 3, 1), 8, "c"), (date(2026, 3, 2), 9, None)}
    as_text = read(NAME, path=logs, partitionColumns="text", columns="hour")
    assert set(as_text["hour"].to_pylist()) == {"07", "8", "9"}
    assert read(NAME, path=logs, partitionColumns="off").column_names == ["payload"]
    assert read(NAME, path=logs / "day=2026-03-01", basePath=logs / "day=2026-03-01").column_names == [
        "payload",
        "hour",
        "host",
    ]
    assert set(read(NAME, "HOUR LONG, payload BINARY", path=logs)["HOUR"].to_pylist()) == {7, 8, 9}
    with pytest.raises(UnknownNameError, match="unknown column of cobs_log 'hour'"):
        read(NAME, "hour LONG", path=logs, partitionColumns="off")
    with pytest.raises(UnknownNameError, match="'hours': did you mean 'hour'"):
        read(NAME, "hours LONG", path=logs)
    wireloom.write(NAME, [{"payload": b"x"}], logs / "day=2026-03-01" / "x.log")
    table = read(NAME, "hour LONG", path=logs)
    assert (table.num_rows, table["hour"].null_count) == (3 * ROWS + 1, 1), "folders need not all have it"
    (logs / "day=2026-03-01" / "x.log").unlink()
    with pytest.raises(WireloomError, match="'host' cannot be read as bigint"):
        read(NAME, "host LONG", path=logs)
    with pytest.raises(WireloomError, match="is not below basePath"):
        read(NAME, "host STRING", path=logs, basePath=logs / "_spare")
    with pytest.raises(UnknownNameError, match="did you mean 'hour'"):
        source(NAME, path=logs, columns="payload,hours").schema()


def test_a_column_of_the_format_comes_first(samples: dict[str, Sample], tmp_path: Path) -> None:
    folder = tmp_path / "tenant=9" / "Region=x"
    folder.mkdir(parents=True)
    shutil.copy(samples["edgemq_segment"].file, folder / "x.wal.zst")
    table = read("edgemq_segment", path=tmp_path)
    assert table["tenant"].to_pylist() == samples["edgemq_segment"].table["tenant"].to_pylist()
    assert "Region" not in table.column_names


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-2"], "int"),
        (["1", None], "int"),
        (["1", str(1 << 31)], "bigint"),
        (["1", "x"], "string"),
        (["1.5"], "string"),
        (["9" * 19], "string"),
        (["2026-03-01", "2026-02-30"], "string"),
        (["2026-03-01"], "date"),
        ([None], "string"),
    ],
)
def test_types_of_folders(values: list[str | None], kind: str) -> None:
    assert column_types([{"k": each} for each in values], "infer")["k"].simpleString() == kind


def test_keys_and_values_of_a_path() -> None:
    assert folder_values("/a=1/b/c=/=d/e=f=g/x=1.log") == {"a": "1", "e": "f=g"}
    assert folder_values("file:///t/a=1/b=2/x", "/t/a=1/") == {"b": "2"}


# Pruning --------------------------------------------------------------------------------------------------------------


def test_unselected_columns_are_not_built(samples: dict[str, Sample], monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[tuple[int, ...]] = []
    make = select.make

    def noting(engine: Any, format: Any, struct: Any, settings: Any) -> Any:
        row_reader = make(engine, format, struct, settings)

        class Noting:
            def __getattr__(self, name: str) -> Any:
                return getattr(row_reader, name)

            def fill(self, *arguments: Any, **named: Any) -> Any:
                filled = row_reader.fill(*arguments, **named)
                built.append(tuple(filled.arrays))
                return filled

        return Noting()

    monkeypatch.setattr(select, "make", noting)
    assert read("edgemq_segment", "tenant LONG, region STRING", path=samples["edgemq_segment"].file).num_rows == ROWS
    names = [each.name for each in source("edgemq_segment").described.columns]
    # Nothing is built while the stride is determined.
    assert set(built) - {()} == {(names.index("tenant"),)}
    built.clear()
    assert read("edgemq_segment", "region STRING", path=samples["edgemq_segment"].file).num_rows == ROWS
    assert set(built) == {()}


# Splits ---------------------------------------------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=60), min_size=1, max_size=40), st.integers(1, 400), st.integers(0, 50))
def test_every_record_is_in_one_split(
    tmp_path_factory: pytest.TempPathFactory, payloads: list[bytes], largest: int, open_cost: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "split.wsl"
    rows = [{"generation": number, "payload": each} for number, each in enumerate(payloads)]
    wireloom.write("word_stuffed_log", rows, path)
    table = read(
        "word_stuffed_log",
        path=path,
        maxPartitionBytes=largest,
        openCostInBytes=open_cost,
        minPartitions=1,
        columns="generation,payload",
    )
    found = sorted((row["generation"], row["payload"]) for row in table.to_pylist())
    assert found == list(enumerate(payloads))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ignoreMissing": "true"}, "did you mean 'ignoreMissingFiles'"),
        ({"ignoreCorruptFiles": "ja"}, "unknown value of option ignoreCorruptFiles"),
        ({"partitionColumns": "inferr"}, "did you mean 'infer'"),
        ({"basepaths": "x"}, "did you mean 'basePath'"),
        ({"verifySha": "true"}, "did you mean 'verifySha256'"),
        ({"profil": "x"}, "did you mean 'profile'"),
    ],
)
def test_wrong_options(options: dict[str, str], message: str, logs: Path) -> None:
    with pytest.raises(UnknownNameError, match=message):
        read(NAME, path=logs, **options)
