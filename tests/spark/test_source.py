"""Data sources without Spark: options, planning, pruning, casts, modes."""

from __future__ import annotations

import json
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from pyspark.sql.types import DecimalType, LongType
from wireloom import DamagedInputError, UnknownNameError, WireloomError, codecs
from wireloom.spark import sources

from .conftest import NAMES, ROWS, Sample
from .driver import planned, read, source
from .rotating import packed

VECTORS = Path(__file__).parent.parent / "vectors"
DAMAGED = VECTORS / "edgemq" / "crc_payload_flip.wal.zst"


def plain(table: pa.Table) -> list[dict[str, object]]:
    """Return rows that do not depend on the width of integers or on the unit of times."""
    rows: list[dict[str, object]] = table.to_pylist()
    return rows


def test_every_format_has_a_source() -> None:
    assert sorted(each.name() for each in sources()) == sorted(wireloom.formats())


@pytest.mark.parametrize("name", NAMES)
def test_default_columns(name: str, samples: dict[str, Sample]) -> None:
    sample = samples[name]
    table = read(name, path=sample.file)
    assert table.column_names == sample.table.column_names
    assert plain(table) == plain(sample.table)


@pytest.mark.parametrize("name", NAMES)
def test_every_column_can_be_selected(name: str, samples: dict[str, Sample]) -> None:
    kind = next(each for each in sources() if each.name() == name)
    assert kind.wire_schema.names == [each.name for each in kind.described.columns]
    names = [*kind.wire_schema.names, *kind.described.path_columns, "_path", "_offset", "_error"]
    table = read(name, path=samples[name].file, columns=",".join(names))
    assert table.column_names == names
    assert table["_path"].unique().to_pylist() == [str(samples[name].file)]
    assert table["_offset"][0].as_py() == 0
    assert table["_error"].null_count == ROWS


def test_unsigned_64_bit_is_lossless(samples: dict[str, Sample]) -> None:
    extremes = VECTORS / "edgemq" / "ts_u64_max.wal.zst"
    assert source("edgemq_segment", path=extremes, columns="ts_millis").schema()["ts_millis"].dataType == DecimalType(
        20, 0
    )
    assert Decimal(2**64 - 1) in read("edgemq_segment", path=extremes, columns="ts_millis")["ts_millis"].to_pylist()
    narrow: dict[str, Any] = {"columns": "ts_millis", "unsigned64": "long"}
    assert (
        source("edgemq_segment", path=samples["edgemq_segment"].file, **narrow).schema()["ts_millis"].dataType
        == LongType()
    )
    times = read("edgemq_segment", path=samples["edgemq_segment"].file, **narrow)["ts_millis"]
    assert times[0].as_py() == 1_790_000_000_000
    with pytest.raises(WireloomError, match="'ts_millis' cannot be read as bigint"):
        read("edgemq_segment", path=extremes, **narrow)


# Schemas of the user --------------------------------------------------------------------------------------------------


def test_a_schema_prunes_down_to_the_scanner(samples: dict[str, Sample]) -> None:
    reader, _, _ = planned("edgemq_segment", "payload BINARY, _offset LONG", path=samples["edgemq_segment"].file)
    assert [each.source for each in reader.targets] == ["payload", "_offset"]


def test_names_in_any_case_of_letters(samples: dict[str, Sample]) -> None:
    table = read("cobs_log", "PAYLOAD BINARY", path=samples["cobs_log"].file)
    assert table["PAYLOAD"].to_pylist() == samples["cobs_log"].table["payload"].to_pylist()


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("tennant LONG", "unknown column of edgemq_segment 'tennant': did you mean 'tenant'"),
        ("payload BINARY, TENNANT LONG", "'TENNANT': did you mean 'tenant'"),
        ("_ofset LONG", "did you mean '_offset'"),
        ("day STRING", "unknown column of edgemq_segment 'day'"),
    ],
)
def test_columns_that_are_not_there(schema: str, message: str, samples: dict[str, Sample]) -> None:
    with pytest.raises(UnknownNameError, match=message):
        read("edgemq_segment", schema, path=samples["edgemq_segment"].file)


def test_columns_of_which_nothing_is_known_yet(tmp_path: Path) -> None:
    missing = {"path": tmp_path / "none", "ignoreMissingFiles": "true"}
    assert read("cobs_log", "payload BINARY, day STRING", **missing).num_rows == 0


def test_other_types_are_cast(samples: dict[str, Sample]) -> None:
    path = samples["edgemq_segment"].file
    table = read("edgemq_segment", "tenant DECIMAL(12,0), fmt STRING, ts TIMESTAMP_NTZ", path=path)
    assert table["tenant"][0].as_py() == Decimal(2**32 - 1)
    assert table["fmt"][1].as_py() == "1"
    assert table["ts"].type == pa.timestamp("us")
    with pytest.raises(WireloomError, match="'tenant' cannot be read as int"):
        read("edgemq_segment", "tenant INT", path=path)
    with pytest.raises(WireloomError, match="'payload' cannot be read as string"):
        read("edgemq_segment", "payload STRING", path=path)


def test_parts_of_the_path(samples: dict[str, Sample]) -> None:
    sample = samples["edgemq_segment"]
    table = read("edgemq_segment", path=sample.folder, columns="region,epoch,segment,instance_id")
    assert table.num_rows == 3 * ROWS
    assert set(table["segment"].to_pylist()) == {f"seg-{number:08d}" for number in range(3)}
    assert table.slice(0, 1).to_pylist()[0] | {"segment": ""} == {
        "region": "eu-west-1",
        "epoch": "1",
        "segment": "",
        "instance_id": "i-7",
    }


# Paths ----------------------------------------------------------------------------------------------------------------


def test_paths_globs_and_lists(samples: dict[str, Sample], tmp_path: Path) -> None:
    sample = samples["word_stuffed_log"]
    pattern = sample.folder / "prod" / "*" / "*" / "1" / "segments" / "*-0000000[01].log"
    assert read("word_stuffed_log", path=pattern).num_rows == 2 * ROWS
    listed = json.dumps([str(sample.file), str(pattern)])
    assert read("word_stuffed_log", paths=listed).num_rows == 2 * ROWS
    assert read("word_stuffed_log", path=sample.folder, pathGlobFilter="*2.log").num_rows == ROWS
    shutil.copy(sample.file, tmp_path / "here.log")
    (tmp_path / "below").mkdir()
    shutil.copy(sample.file, tmp_path / "below" / "there.log")
    assert read("word_stuffed_log", path=tmp_path).num_rows == 2 * ROWS
    assert read("word_stuffed_log", path=tmp_path, recursiveFileLookup="false").num_rows == ROWS
    assert read("word_stuffed_log", path=tmp_path, modifiedAfter="2020-01-01").num_rows == 2 * ROWS
    with pytest.raises(WireloomError, match="none of the files is read"):
        read("word_stuffed_log", path=tmp_path, modifiedBefore="2020-01-01")


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(WireloomError, match="no such file or folder"):
        read("cobs_log", path=tmp_path / "nothing")
    with pytest.raises(WireloomError, match="no path to read"):
        read("cobs_log")
    with pytest.raises(WireloomError, match="standard input"):
        read("cobs_log", path="-")


# Splits ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["word_stuffed_log", "cobs_log"])
@pytest.mark.parametrize("largest", [1, 97, 1000, 4096, 30_000])
def test_any_split_yields_every_row_once(name: str, largest: int, samples: dict[str, Sample]) -> None:
    sample = samples[name]
    if largest == 1:
        # One partition per byte is slow: a short file suffices.
        table, path = sample.table.slice(0, 12), sample.folder / "short.bin"
        wireloom.write(name, table, path)
    else:
        table, path = sample.table, sample.file
    options: dict[str, Any] = {"path": path, "maxPartitionBytes": largest, "openCostInBytes": 0}
    _, partitions, _ = planned(name, **options)
    assert len(partitions) > 1
    rows = read(name, columns=f"_offset,{','.join(table.column_names)}", **options).sort_by("_offset")
    assert plain(rows.drop_columns(["_offset"])) == plain(table)
    if largest == 1:
        path.unlink()


@pytest.mark.parametrize("codec", [name for name in codecs.CODECS if name != "none"])
def test_compressed_files_are_not_split(codec: str, samples: dict[str, Sample], tmp_path: Path) -> None:
    named, unnamed = tmp_path / f"a.log{codecs.suffix_of(codec)}", tmp_path / "b.log"
    content = packed(samples["cobs_log"].file.read_bytes(), codec)
    named.write_bytes(content)
    unnamed.write_bytes(content)
    options: dict[str, Any] = {"path": tmp_path, "maxPartitionBytes": 1000, "openCostInBytes": 0}
    _, partitions, _ = planned("cobs_log", **options)
    assert len(partitions) == 2
    assert read("cobs_log", **options).num_rows == 2 * ROWS


def test_segments_cannot_be_split(samples: dict[str, Sample]) -> None:
    options: dict[str, Any] = {"path": samples["edgemq_segment"].folder, "maxPartitionBytes": 1, "openCostInBytes": 0}
    _, partitions, _ = planned("edgemq_segment", **options)
    assert len(partitions) == 3


# Damage ---------------------------------------------------------------------------------------------------------------


def test_modes() -> None:
    assert read("edgemq_segment", path=DAMAGED).num_rows == 19
    columns: dict[str, Any] = {"columns": "tenant,_offset,_error,_corrupt_record"}
    shown = read("edgemq_segment", path=DAMAGED, **columns)
    assert shown.num_rows == 20
    damaged = [row for row in shown.to_pylist() if row["_error"]]
    assert [(row["tenant"], row["_offset"], row["_error"].split(":")[0]) for row in damaged] == [
        (None, 1002, "checksum")
    ]
    assert damaged[0]["_corrupt_record"][:4] == b"\0\0\0\x51"
    assert read("edgemq_segment", path=DAMAGED, mode="DROPMALFORMED", **columns).num_rows == 19
    with pytest.raises(DamagedInputError, match=f"{DAMAGED.name} at byte 1002, record 11, field crc32c: the checksum"):
        read("edgemq_segment", path=DAMAGED, mode="FAILFAST")
    assert read("edgemq_segment", path=DAMAGED, verify="false").num_rows == 20


def test_the_corrupt_record_has_the_name_that_is_asked_for() -> None:
    schema = "tenant LONG, broken BINARY"
    table = read("edgemq_segment", schema, path=DAMAGED, columnNameOfCorruptRecord="broken")
    assert table["broken"].null_count == 19


def test_recovery() -> None:
    path = VECTORS / "edgemq" / "garbage_inserted.wal.zst"
    assert read("edgemq_segment", path=path, recover="true").num_rows > read("edgemq_segment", path=path).num_rows


def test_options_of_the_format() -> None:
    path = VECTORS / "edgemq" / "stride_21_plus_len.wal.zst"
    rows = wireloom.read("edgemq_segment", path).num_rows
    assert read("edgemq_segment", path=path, stride="rules").num_rows == rows
    assert read("edgemq_segment", path=path, stride="layout").num_rows < rows


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"modus": "x"}, "unknown option 'modus': did you mean 'mode'"),
        ({"maxpartitionbyte": "1"}, "did you mean 'maxPartitionBytes'"),
        ({"mode": "permissiv"}, "did you mean 'permissive'"),
        ({"columns": "tenant,payloads"}, "did you mean 'payload'"),
        ({"recover": "yes"}, "unknown value of option recover"),
        ({"batchRows": "0"}, "option batchRows is '0': expected a number of at least 1"),
        ({"maxPartitionBytes": "12q"}, "expected a number of at least 1, such as 65536 or 64m"),
        ({"modifiedAfter": "soon"}, "expected a time such as"),
        ({"stride": "wide"}, "unknown stride .wide.: there are auto, layout, rules"),
        ({"paths": "[]"}, "no path"),
    ],
)
def test_wrong_options(options: dict[str, str], message: str, samples: dict[str, Sample]) -> None:
    path: dict[str, Any] = {} if "paths" in options else {"path": samples["edgemq_segment"].file}
    with pytest.raises((UnknownNameError, WireloomError), match=message):
        read("edgemq_segment", **path, **options)


def test_batches_have_the_rows_that_are_asked_for(samples: dict[str, Sample]) -> None:
    reader, partitions, _ = planned("cobs_log", path=samples["cobs_log"].file, batchRows=100)
    assert [batch.num_rows for batch in reader.read(partitions[0])] == [100, 100, 100]


def test_nanoseconds(tmp_path: Path) -> None:
    path, times = tmp_path / "a.pcap", [1_700_000_000_123_456_789, 1]
    packets = pa.table({"ts": pa.array(times, pa.timestamp("ns", "UTC")), "data": pa.array([b"a", b"b"], pa.binary())})
    wireloom.write("pcap", packets, path)
    field = source("pcap", path=path).schema()["ts"]
    assert (field.dataType.simpleString(), "nanoseconds=long" in field.metadata["comment"]) == ("timestamp", True)
    assert read("pcap", path=path)["ts"].cast(pa.int64()).to_pylist() == [each // 1000 for each in times]
    exact: dict[str, Any] = {"path": path, "nanoseconds": "long"}
    assert source("pcap", **exact).schema()["ts"].simpleString() == "ts:bigint"
    assert read("pcap", **exact)["ts"].to_pylist() == times
