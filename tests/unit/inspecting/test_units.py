"""Units with rows inside: damage in one does not hide the next."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest
import wireloom

from .samples import run

VECTORS = Path(__file__).parents[2] / "vectors"

SPEC = """
meta: {id: made, endian: be, -wireloom: {rows: batches.body.records}}
seq: [{id: batches, type: batch, repeat: eos}]
types:
  batch:
    seq: [{id: len, type: u4}, {id: body, type: body, size: len}]
  body:
    seq: [{id: records, type: record, repeat: eos}]
  record:
    seq: [{id: kind, type: u1, valid: {max: 5}}, {id: len, type: u1}, {id: text, size: len}]
"""


def record(kind: int, text: bytes, length: int | None = None) -> bytes:
    return bytes([kind, len(text) if length is None else length]) + text


def batch(*records: bytes) -> bytes:
    body = b"".join(records)
    return struct.pack(">I", len(body)) + body


@pytest.mark.parametrize(
    ("records", "reason"),
    [
        ((record(1, b"a"), record(1, b"bc", 200)), "length"),
        ((record(1, b"a"), record(9, b"bc"), record(1, b"d")), "value"),
    ],
)
def test_a_unit_after_a_damaged_one(records: tuple[bytes, ...], reason: str, tmp_path: Path) -> None:
    (tmp_path / "made.ksy").write_text(SPEC)
    good, bad = batch(record(1, b"good")), batch(*records)
    (tmp_path / "a.bin").write_bytes(good + bad + good)
    shown: list[dict[str, Any]] = json.loads(run("inspect", tmp_path / "made.ksy", tmp_path / "a.bin", "--json"))
    places = [(each["kind"], each["begin"], each["end"], each["reason"]) for each in shown]
    assert places == [
        ("record", 0, len(good), None),
        ("record", len(good), len(good + bad), reason),
        ("record", len(good + bad), len(good + bad + good), None),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "file", ["etcd_wal/every.wal", "etcd_wal/large.wal", "pcapng/big.pcapng", "pcapng/sections.pcapng"]
)
def test_fields_of_a_record_that_depends_on_records_before_it(file: str) -> None:
    path = VECTORS / file
    format = path.parent.name
    every: list[dict[str, Any]] = json.loads(run("inspect", format, path, "--json", "-n", 1000))
    assert not [each for each in every if each["reason"] or False in [field["checked"] for field in each["fields"]]]
    for number in range(1, len(every) + 1, 7):
        shown = json.loads(run("inspect", format, path, "--json", "--record", number, "-n", 2))
        assert shown == every[number - 1 : number + 1]
    assert json.loads(run("inspect", format, path, "--json", "--at", every[-1]["begin"] + 1)) == every[-1:]


def test_a_block_after_a_damaged_one(tmp_path: Path) -> None:
    path, block = tmp_path / "a.log", 32768
    wireloom.write("leveldb_log", [{"data": bytes([number]) * 900} for number in range(120)], path)
    content = bytearray(path.read_bytes())
    # The length of the first whole record of the second block.
    content[block + 7 + int.from_bytes(content[block + 4 : block + 6], "little") + 5] ^= 0x7F
    path.write_bytes(content)
    shown = json.loads(run("inspect", "leveldb_log", path, "--json", "-n", "9"))
    damaged = wireloom.read_with_report("leveldb_log", path)[1].files[0].damaged
    ends = [*range(block, len(content), block), len(content)]
    expected = [(end - (end - 1) % block - 1, end) for end in ends]
    assert [(each["begin"], each["end"]) for each in shown] == expected
    for (begin, end), each in zip(expected, shown, strict=True):
        found = [damage for damage in damaged if damage.offset < end and begin < damage.offset + damage.length]
        assert each["damaged"] == [[damage.offset, damage.length, damage.reason] for damage in found]
        assert each["reason"] == (found[0].reason if found else None)
    assert [each["begin"] for each in shown if each["damaged"]] == [block, 2 * block]
    (last,) = json.loads(run("inspect", "leveldb_log", path, "--json", "--at", str(3 * block + 1), "-n", "1"))
    assert last["begin"] == 3 * block
