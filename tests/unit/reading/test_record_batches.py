"""Kafka's record batches: records of varints inside batches, with a checksum over each batch."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
import wireloom

from ...examples import examples
from ..specs import format_of
from .running import ROW_READERS, read

SPEC = Path(__file__).parent / "specs" / "kafka_batches.ksy"

BATCHES = bytes.fromhex(
    "00000000000000640000006200000000025e8766a20000000000020000018bcfe568000000018bcfe56805ffffffffffffff"
    "ffffffffffffff0000000318000000026b0a76616c75650038000a02010c6e6f206b6579040a74726163650401020a656d70"
    "7479000c00020400010000000100000000000000008300000000028b8ff3640000000000000000018bcfe567ff0000018bcf"
    "e567ffffffffffffffffffffffffffffff00000001a001000000066b65798c01797979797979797979797979797979797979"
    "7979797979797979797979797979797979797979797979797979797979797979797979797979797979797979797979797979"
    "797900"
)
"""Two batches, written by kafka-python 3.0.12."""
FIRST = 12 + int.from_bytes(BATCHES[8:12], "big")
"""The bytes of the first one."""


def row(offset: int, later: int, key: bytes | None, value: bytes | None, *headers: tuple[str, bytes]) -> dict[str, Any]:
    listed = [
        {"len_key": len(name), "key": name, "len_value": len(content), "value": content} for name, content in headers
    ]
    at = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC) + timedelta(milliseconds=later)
    return {"offset": offset, "timestamp": at, "key": key, "value": value, "headers": listed}


ROWS = [
    row(100, 0, b"k", b"value"),
    row(101, 5, None, b"no key", ("trace", b"\1\2"), ("empty", b"")),
    row(102, 1, b"", None),
    row(1 << 40, -1, b"key", b"y" * 70),
]


@pytest.fixture(scope="module")
def format() -> wireloom.Format:
    return wireloom.load_spec(SPEC)


@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize("chunk", [7, None])
def test_records(reader: str, chunk: int | None, format: wireloom.Format) -> None:
    assert format.engine_refusal is None
    table, file = read(reader, format, BATCHES, chunk=chunk, streamed=True)
    assert table.to_pylist() == ROWS
    assert (file["damaged"], file["tail"]) == ([], "clean")


@pytest.mark.parametrize("reader", ROW_READERS)
def test_every_damaged_byte_costs_its_batch_at_most(reader: str, format: wireloom.Format) -> None:
    """Those of the offset and the epoch are in no checksum; a length leads to another position."""
    for place in range(21, len(BATCHES), 3):
        if FIRST <= place < FIRST + 21:
            continue
        damaged = bytearray(BATCHES)
        damaged[place] ^= 0x41
        table, file = read(reader, format, bytes(damaged))
        assert table.to_pylist() == (ROWS[3:] if place < FIRST else ROWS[:3])
        begin = 0 if place < FIRST else FIRST
        # The lowest bits of the attributes select the codec with which the records are compressed.
        reason = "value" if place - begin == 22 else "checksum"
        assert file["damaged"] == [[begin, FIRST if place < FIRST else len(BATCHES) - FIRST, reason]]


@pytest.mark.skipif(not wireloom.engine.available, reason="the engine is not there")
@pytest.mark.parametrize("recover", [False, True])
def test_damage_leaves_the_same_to_both_readers(format: wireloom.Format, recover: bool) -> None:
    random = Random(3)
    for _ in range(examples(60)):
        damaged = bytearray(BATCHES * 3)
        for _ in range(random.randrange(1, 4)):
            damaged[random.randrange(len(damaged))] = random.choice([0, 0x7F, 0x80, 0xFF, random.randrange(256)])
        data = bytes(damaged[: random.randrange(len(damaged))])
        verify = random.random() < 0.5
        found = [read(reader, format, data, recover=recover, verify=verify) for reader in ("columns", "objects")]
        assert found[0][0].equals(found[1][0])
        assert found[0][1] == found[1][1]


@pytest.mark.slow
@pytest.mark.skipif(not wireloom.engine.available, reason="the engine is not there")
def test_records_without_a_size_beside_a_checksum() -> None:
    """If a count claims more records than exist, the checksum shows that the batch is damaged."""
    format = format_of(SPEC.read_text().replace("size: _parent.len - 9", "size-eos: true"))
    assert format.engine_refusal is None
    damaged = bytearray(BATCHES)
    damaged[60] += 1
    for reader in ("columns", "objects"):
        table, report = read(reader, format, bytes(damaged))
        assert table.to_pylist() == ROWS[3:]
        assert report["damaged"] == [[0, FIRST, "checksum"]]
