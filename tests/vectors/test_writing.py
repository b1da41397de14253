"""Files that other implementations wrote, read and written again; and what these implementations read of ours."""

from __future__ import annotations

import io
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import engine

from ..examples import examples
from .peers import plain_rows

HERE = Path(__file__).parent
SOURCE = random.Random(6)
BLOBS = [
    SOURCE.randbytes(SOURCE.choice((0, 1, 5, 60, 300, 5000))) for _ in range(examples(100) if engine.available else 30)
]

KAFKA = [
    *("offset", "timestamp", "key", "value", "headers", "timestamp_type", "codec", "is_transactional", "is_control"),
    *("producer_id", "producer_epoch", "base_sequence", "leader_epoch", "base_offset"),
]


@pytest.mark.parametrize("name", ["none", "gzip", "snappy", "lz4", "zstd", "mixed", "v1"])
def test_a_segment_of_kafka_is_written_again(name: str, tmp_path: Path) -> None:
    theirs, ours = HERE / "kafka_log" / f"{name}.log", tmp_path / "ours.log"
    table = wireloom.read("kafka_log", theirs, columns=KAFKA, mode="failfast")
    wireloom.write("kafka_log", table, ours)
    assert wireloom.read("kafka_log", ours, columns=KAFKA, mode="failfast").equals(table)
    if name == "none":
        # Without a compressor, the format says what each byte is.
        assert ours.read_bytes() == theirs.read_bytes()
    if name not in ("mixed", "v1"):
        batches = [wireloom.read("kafka_log", each, table="batches").to_pylist() for each in (theirs, ours)]
        assert batches[0] == batches[1]


@pytest.mark.parametrize("codec", ["none", "gzip", "lz4", "zstd"])
def test_kafka_reads_our_batches(codec: str, tmp_path: Path) -> None:
    from kafka.record.memory_records import MemoryRecords

    rows: list[dict[str, Any]] = [
        {
            "offset": 70 + index + index // 40 * 1000,
            "timestamp": 1_700_000_000_000 + SOURCE.randrange(-5000, 5000),
            "key": None if index % 3 == 0 else blob[:9],
            "value": blob if index % 7 else None,
            "headers": [
                {"key": f"h{number}", "value": blob[:number] if number != 1 else None} for number in range(index % 4)
            ],
            "codec": codec,
            "is_transactional": index >= 50,
            "producer_id": 9 if index >= 50 else -1,
        }
        for index, blob in enumerate(BLOBS)
    ]
    ours = tmp_path / "ours.log"
    wireloom.write("kafka_log", rows, ours, unit_rows=30)
    found: list[dict[str, Any]] = []
    records = MemoryRecords(ours.read_bytes())
    while (batch := records.next_batch()) is not None:
        assert batch.validate_crc()
        for each in batch:
            found.append(
                {
                    "offset": each.offset,
                    "timestamp": each.timestamp,
                    "key": each.key,
                    "value": each.value,
                    "headers": [{"key": key, "value": value} for key, value in each.headers],
                    "codec": codec,
                    "is_transactional": batch.is_transactional,
                    "producer_id": batch.producer_id,
                }
            )
    assert found == rows
    assert plain_rows(wireloom.read("kafka_log", ours, columns=list(rows[0]), mode="failfast")) == plain_rows(
        wireloom.read("kafka_log", ours, columns=list(rows[0]))
    )


@pytest.mark.parametrize("name", ["null", "deflate", "snappy", "bzip2", "xz", "zstandard", "sized_header"])
def test_a_file_of_avro_is_written_again(name: str, tmp_path: Path) -> None:
    columns = ["count", "data", "codec", "schema"]
    table = wireloom.read("avro_blocks", HERE / "avro_blocks" / f"{name}.avro", columns=columns, mode="failfast")
    ours = tmp_path / "ours.avro"
    wireloom.write("avro_blocks", table, ours)
    assert wireloom.read("avro_blocks", ours, columns=columns, mode="failfast").equals(table)
    entries = wireloom.read("avro_blocks", ours, table="metadata").to_pylist()
    assert [each["key"] for each in entries] == ["avro.schema", "avro.codec"]
    # The marker is another one in each file.
    wireloom.write("avro_blocks", table, tmp_path / "again.avro")
    markers = {
        wireloom.read("avro_blocks", tmp_path / f"{each}.avro", columns=["sync"])["sync"][0].as_py()
        for each in ("ours", "again")
    }
    assert len(markers) == 2


@pytest.mark.parametrize("codec", [None, "null", "deflate", "bzip2", "xz", "snappy", "zstandard"])
def test_avro_reads_our_blocks(codec: str | None, tmp_path: Path) -> None:
    import fastavro

    schema = {"type": "record", "name": "r", "fields": [{"name": "n", "type": "long"}, {"name": "b", "type": "bytes"}]}
    records = [{"n": index * -7, "b": blob} for index, blob in enumerate(BLOBS)]
    rows = []
    for start in range(0, len(records), 9):
        file = io.BytesIO()
        for each in records[start : start + 9]:
            fastavro.schemaless_writer(file, schema, each)
        rows.append({"count": len(records[start : start + 9]), "data": file.getvalue(), "schema": json.dumps(schema)})
    ours = tmp_path / "ours.avro"
    wireloom.write("avro_blocks", [each | ({"codec": codec} if codec else {}) for each in rows], ours)
    assert plain_rows(
        wireloom.read("avro_blocks", ours, columns=["count", "data", "schema"], mode="failfast")
    ) == plain_rows(wireloom.read("avro_blocks", ours, columns=["count", "data", "schema"]))
    needed = {"snappy": "cramjam", "zstandard": "backports.zstd"}.get(codec or "")
    if needed is not None:
        pytest.importorskip(needed, reason=f"fastavro has no {codec} without {needed}")
    with ours.open("rb") as opened:
        assert list(fastavro.reader(opened)) == records


def test_what_the_header_of_avro_needs(tmp_path: Path) -> None:
    for rows, said in (
        ([], "cannot be written without a row"),
        ([{"count": 1, "data": b"\2"}], "cannot be written without the column schema"),
        (
            [{"count": 1, "data": b"\2", "schema": each} for each in ('"long"', '"int"')],
            "row 1, column schema: '\"int\"' after '\"long\"', and a file has one value of it",
        ),
        ([{"count": 1, "data": b"", "schema": "x", "codec": "lz4"}], "unknown label in row 0, column codec: 'lz4'"),
    ):
        with pytest.raises(wireloom.WireloomError, match=re.escape(said)):
            wireloom.write("avro_blocks", rows, tmp_path / "none.avro")
