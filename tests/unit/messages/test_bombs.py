"""Few bytes that would become many: what is repeated in rows is limited, in both decoders alike, and reported."""

from __future__ import annotations

import hashlib

import pyarrow as pa
import pytest
import wireloom
from wireloom import Format, engine
from wireloom.format import registry
from wireloom.objects.messages import write_varint
from wireloom.rows.messages.decoding import Decoded
from wireloom.rows.messages.repetition import most_repeated
from wireloom.rows.select import decoder_of

KPL = "kpl_aggregated_record"
ENGINES = ["objects", *(["columns"] if engine.available else [])]


def field(number: int, content: bytes) -> bytes:
    return write_varint(number << 3 | 2) + write_varint(len(content)) + content


def aggregate(message: bytes) -> bytes:
    return b"\xf3\x89\x9a\xc2" + message + hashlib.md5(message, usedforsecurity=False).digest()


def decoded(name: str, format: Format, units: list[bytes], columns: list[str], *, null_rows: bool = False) -> Decoded:
    numbers = [number for number, each in enumerate(format.columns) if each.name in columns]
    begins, at = [], 0
    for each in units:
        begins.append(at)
        at += len(each)
    arrays = pa.array(begins, pa.uint64()), pa.array(map(len, units), pa.uint64())
    return decoder_of(name, format, numbers, null_rows=null_rows).decode(b"".join(units), *arrays, capacity=1 << 20)


GOOD = aggregate(field(1, b"k") + field(3, b"\x08\x00\x1a\x01x"))
RECORD = field(3, b"\x08\x00\x1a\x00")


@pytest.mark.slow
@pytest.mark.parametrize("columns", [["data"], ["partition_key", "data", "aggregated"]])
@pytest.mark.parametrize("name", ENGINES)
def test_a_long_key_of_very_many_records(name: str, columns: list[str]) -> None:
    key = b"k" * 60_000
    bomb = aggregate(field(1, key) + RECORD * 20_000)
    standing = most_repeated(len(bomb)) // len(key)
    assert 0 < standing < 20_000
    made = decoded(name, registry.get(KPL), [GOOD, bomb, GOOD], columns)
    assert made.counts.to_pylist() == [1, standing, 1]
    assert made.wholes == []
    [problem] = made.problems
    assert (problem.unit, problem.reason, problem.rows) == (1, "limit", standing)
    assert "partition_key" in problem.detail


@pytest.mark.slow
@pytest.mark.parametrize("name", ENGINES)
def test_a_key_of_the_longest_kind_in_the_smallest_records(name: str) -> None:
    """256 characters of four bytes are the longest key that a stream accepts."""
    key = "𝄞".encode() * 256
    unit = aggregate(field(1, key) + RECORD * 8_000)
    made = decoded(name, registry.get(KPL), [unit], ["partition_key"])
    assert made.problems == []
    assert made.rows == 8_000


@pytest.mark.slow
@pytest.mark.parametrize("null_rows", [False, True])
@pytest.mark.parametrize(("size", "rows"), [(500_000, 20_000), (6000, 3000)])
@pytest.mark.parametrize("name", ENGINES)
def test_a_long_field_above_very_many_rows(name: str, size: int, rows: int, null_rows: bool) -> None:
    format = registry.get("s2_messages").of_table("append_input")
    good = field(1, b"\x1a\x01x") + field(3, b"token")
    bomb = field(3, b"t" * size) + field(1, b"") * rows
    made = decoded(name, format, [good, bomb, good], ["body", "fencing_token", "command"], null_rows=null_rows)
    assert made.counts.to_pylist() == [1, int(null_rows), 1]
    [problem] = made.problems
    assert (problem.unit, problem.reason, problem.rows) == (1, "limit", 0)
    assert "fencing_token" in problem.detail
    token = next(number for number, each in enumerate(format.columns) if each.name == "fencing_token")
    assert made.arrays[token].to_pylist() == ["token", *([None] if null_rows else []), "token"]
    without = decoded(name, format, [good, bomb, good], ["body"])
    assert without.counts.to_pylist() == [1, rows, 1]


@pytest.mark.slow
def test_it_is_in_the_report() -> None:
    bomb = aggregate(field(1, b"k" * 60_000) + RECORD * 20_000)
    table, report = wireloom.read_with_report(KPL, bomb)
    assert table.num_rows == most_repeated(len(bomb)) // 60_000
    assert report.to_dict()["files"][0]["damaged"] == [[0, len(bomb), "limit"]]
