"""Files that other implementations wrote, read and written again; and what these implementations read of ours."""

from __future__ import annotations

import random
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
