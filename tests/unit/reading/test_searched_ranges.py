"""Byte ranges that begin where a search finds a unit, or after a delimiter: together they have the content of the whole
file, even if damaged."""

from __future__ import annotations

import random
import struct
import zlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import UnsupportedError, engine

from ...campaigns import delimited, records
from ...campaigns.mcap import Mcap
from ...campaigns.running import damage
from ...examples import examples
from ..specs import format_of
from .running import ROW_READERS, read

VECTORS = Path(__file__).parents[2] / "vectors"
END = (1 << 63) - 1
SUBJECTS = {
    each.name: each for each in (records.TFRECORD, records.KAFKA, Mcap(), delimited.WORD_STUFFED, delimited.COBS)
}
COLUMNS = {
    "tfrecord": ["_offset", "data"],
    "kafka_log": ["_offset", "value"],
    "mcap": ["_offset", "channel_id", "data"],
    "word_stuffed_log": ["_offset", "payload"],
    "cobs_log": ["_offset", "payload"],
}


def in_ranges(reader: str, name: str, data: bytes, step: int, **options: Any) -> tuple[list[Any], list[Any]]:
    """Return the rows, the damaged ranges and the tails of all byte ranges of that size."""
    rows: list[Any] = []
    damaged: list[Any] = []
    for wanted in pairwise([*range(0, max(len(data), 1), step), END]):
        table, file = read(reader, name, data, columns=COLUMNS[name], byte_range=wanted, recover=True, **options)
        rows += table.to_pylist()
        damaged += file["damaged"] + tail_of(file)
    return rows, damaged


def tail_of(file: dict[str, Any]) -> list[Any]:
    """Return how an input ends, unless that is clean."""
    return [] if file["tail"] == "clean" else [[file["tail_offset"], file["tail_size"], file["tail"]]]


@pytest.mark.slow
@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize("name", SUBJECTS)
def test_each_record_is_in_one_range(name: str, reader: str) -> None:
    data = SUBJECTS[name].sample(random.Random(7)).content
    whole = wireloom.read(name, data, columns=COLUMNS[name]).to_pylist()
    steps = (100, 997, 5000) if engine.available else (997,)
    for step in steps[reader == "objects" and len(steps) > 1 :]:
        if step >= len(data) // 60:
            assert in_ranges(reader, name, data, step) == (whole, [])


@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize(
    "file",
    [
        "kafka_log/mixed.log",
        "mcap/bare.mcap",
        "mcap/none.mcap",
        "mcap/unchecked.mcap",
        "mcap/zstd.mcap",
    ],
)
def test_files_that_others_wrote(file: str, reader: str) -> None:
    """Uncompressed chunks contain records like those around them, and some files have no checksums."""
    name, data = file.split("/")[0], (VECTORS / file).read_bytes()
    whole = wireloom.read(name, data, columns=COLUMNS[name]).to_pylist()
    assert in_ranges(reader, name, data, 400) == (whole, [])


@pytest.mark.parametrize("reader", ROW_READERS)
def test_zeros_after_the_last_batch_are_no_damage(reader: str) -> None:
    """Brokers with ``log.preallocate`` allocate segments before they write them."""
    data = (VECTORS / "kafka_log/mixed.log").read_bytes()
    whole = wireloom.read("kafka_log", data, columns=COLUMNS["kafka_log"]).to_pylist()
    table, file = read(reader, "kafka_log", data + bytes(5000), columns=COLUMNS["kafka_log"])
    assert (table.to_pylist(), file["damaged"], file["tail"]) == (whole, [], "clean")
    assert in_ranges(reader, "kafka_log", data + bytes(5000), 2000) == (whole, [])


@pytest.mark.slow
@pytest.mark.parametrize("name", SUBJECTS)
def test_damage_is_in_one_range(name: str) -> None:
    source, subject = random.Random(name), SUBJECTS[name]
    for _ in range(examples(30) // getattr(subject, "cost", 1) if engine.available else 2):
        data = damage(subject, subject.sample(source), source).content
        options = {"check_format": False, "codec": "none"}
        table, file = read(ROW_READERS[0], name, data, columns=COLUMNS[name], recover=True, **options)
        step = max(source.choice((50, 300, 2000)), len(data) // 20)
        rows, damaged = in_ranges(ROW_READERS[0], name, data, step, **options)
        assert rows == table.to_pylist()
        assert damaged == file["damaged"] + tail_of(file)


def test_a_record_in_a_record_is_refused() -> None:
    source = random.Random(1)
    inner, _ = records.example(source, 1)
    outer = b"".join(records.framed(each) for each in (b"first", bytes(500) + inner * 3 + bytes(500), b"last"))
    with pytest.raises(UnsupportedError, match="are also a valid record"):
        read(ROW_READERS[0], "tfrecord", outer, columns=["data"], byte_range=(0, 300), recover=True)
    table, _ = read(ROW_READERS[0], "tfrecord", outer, columns=["data"], byte_range=(0, 300))
    assert len(table) == 2


NOTED = """
meta:
  id: noted
  endian: le
  -wireloom: {rows: records, ranges: search, columns: [note, data]}
seq:
  - {id: records, type: record, repeat: eos}
types:
  record:
    seq:
      - {id: len, type: u1}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: data}}}
      - {id: note, type: str, size: 1, encoding: ASCII}
      - {id: data, size: len}
"""


def test_a_record_in_a_damaged_record_is_refused() -> None:
    """Its wrong length is that of two records, and the next one is valid where these end."""
    format = format_of(NOTED)
    valid = struct.pack("<BI", 9, zlib.crc32(b"some data")) + b"-some data"
    damaged = bytes([9 + len(valid)]) + valid[1:5] + b"\xff" + valid[6:]
    content = 2 * valid + damaged + 40 * valid
    at, step = 2 * len(valid), len(valid)
    options = {"columns": ["_offset"], "recover": True}
    table, file = read(None, format, content, **options)
    places = table["_offset"].to_pylist()
    assert places == [place for place in range(0, len(content), step) if place not in (at, at + step)]
    assert file["damaged"] == [[at, 2 * step, "encoding"]]
    for cut in (at - step + 1, at, at + 1, at + step):
        with pytest.raises(UnsupportedError, match="are also a valid record"):
            read(None, format, content, byte_range=(0, cut), **options)
    for cut in (at - step, at + step + 1, at + 2 * step):
        parts = [read(None, format, content, byte_range=each, **options) for each in ((0, cut), (cut, END))]
        assert [place for part, _ in parts for place in part["_offset"].to_pylist()] == places
        assert [each for _, part in parts for each in part["damaged"]] == file["damaged"]
