"""Checksums of decompressed content, and optional ones: both readers agree on them."""

import random
import struct
import zlib
from pathlib import Path

import pytest
import wireloom
import zstandard
from wireloom import SpecError

from ...differential.agreement import agreed
from ...examples import examples
from ..specs import format_of

ROWS = """
meta: {id: made, endian: le, -wireloom: {rows: units.body.rows, columns: [data]}}
seq: [{id: units, type: unit, repeat: eos}]
types:
  unit:
    seq:
      - id: crc
        type: u4
        -wireloom: {checksum: {algorithm: crc32, over: body, content: true, if: crc != 0}}
      - {id: codec, type: u1}
      - {id: len, type: u2}
      - {id: body, size: len, type: body, -wireloom: {codec: {switch-on: codec, cases: {0: none, 1: zstd}}}}
  body: {seq: [{id: rows, type: row, repeat: eos}]}
  row: {seq: [{id: len, type: u1}, {id: data, size: len}]}
"""
COLUMN = """
meta: {id: made, endian: le, -wireloom: {rows: rows, columns: [data]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32c, over: data, content: true}}}
      - {id: len, type: u2}
      - {id: data, size: len, -wireloom: {codec: zstd}}
"""
OBJECT = """
meta: {id: made, endian: le, -wireloom: {rows: rows, columns: [number, body]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: number, type: u1}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: body, content: true, if: number > 1}}}
      - {id: len, type: u2}
      - {id: body, size: len, type: body, -wireloom: {codec: zstd}}
  body: {seq: [{id: a, type: u1, valid: {max: 200}}, {id: b, size-eos: true}]}
"""


def unit(*rows: bytes, codec: int = 1, crc: int | None = None) -> bytes:
    content = b"".join(bytes((len(each),)) + each for each in rows)
    body = zstandard.compress(content) if codec else content
    return struct.pack("<IBH", zlib.crc32(content) if crc is None else crc, codec, len(body)) + body


DATA = unit(b"one", b"two") + unit(b"none", crc=0) + unit(b"plain" * 20, codec=0) + unit(b"last", b"")


def test_a_wrong_checksum_costs_the_rows_of_the_block() -> None:
    format = format_of(ROWS)
    assert not format.engine_refusal
    data = DATA + unit(b"wrong", crc=1) + unit(b"after")
    for verify, more in ((True, [b"after"]), (False, [b"wrong", b"after"])):
        (rows, files) = agreed(format, data, verify=verify, columns=["data"])
        assert rows["data"] == [b"one", b"two", b"none", b"plain" * 20, b"last", b"", *more]
        assert [each[2] for each in files[0]["damaged"]] == ["checksum"] * verify


@pytest.mark.parametrize("spec", [ROWS, COLUMN, OBJECT])
def test_readers_agree_on_damaged_inputs(spec: str, tmp_path: Path) -> None:
    format, chance = format_of(spec), random.Random(8)
    assert not format.engine_refusal
    if spec == OBJECT:
        content = [bytes((each, 9)) + b"text" for each in (1, 250, 3)]
        packed = [(number, zlib.crc32(each), zstandard.compress(each)) for number, each in enumerate(content, 1)]
        data = b"".join(struct.pack("<BIH", number, crc, len(body)) + body for number, crc, body in packed)
    else:
        data = DATA
    if spec == COLUMN:
        path = tmp_path / "written"
        wireloom.write(format, [{"data": b""}, {"data": b"abc" * 30}, {"data": b"x"}], path)
        data = path.read_bytes()
        assert wireloom.read(format, path, mode="failfast")["data"].to_pylist() == [b"", b"abc" * 30, b"x"]
    for _ in range(examples(150)):
        damaged = bytearray(data)
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        cut = chance.choice((len(damaged), len(damaged), chance.randrange(len(damaged))))
        agreed(format, bytes(damaged[:cut]), recover=chance.random() < 0.5, verify=chance.random() < 0.8)


def test_objects_with_the_checksum_of_an_object_are_written(tmp_path: Path) -> None:
    format = format_of(OBJECT)
    rows = [{"number": 1, "body": {"a": 1, "b": b""}}, {"number": 2, "body": {"a": 9, "b": b"text" * 9}}]
    wireloom.write(format, rows, tmp_path / "out")
    table = wireloom.read(format, tmp_path / "out", columns=["number", "body"], mode="failfast")
    assert table.to_pylist() == rows
    # The reader of the first row ignores it.
    crc, size = struct.unpack_from("<IH", (tmp_path / "out").read_bytes(), 1)
    content = zstandard.decompress((tmp_path / "out").read_bytes()[7 : 7 + size])
    assert (content, crc) == (b"\1", zlib.crc32(b"\1"))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("over: data, content", "over: [len, data], content", "'over' names several"),
        (", -wireloom: {codec: zstd}", "", "requires an attribute with 'codec'"),
        ("content: true", "content: true, if: len", "must be a boolean"),
        ("content: true", "content: true, replace: 0", ""),
    ],
)
def test_what_is_refused(old: str, new: str, sentence: str) -> None:
    spec = COLUMN.replace(old, new)
    if not sentence:
        format_of(spec)
        return
    with pytest.raises(SpecError) as error:
        format_of(spec)
    assert sentence in str(error.value)


def test_the_checksum_stands_before_what_it_covers() -> None:
    crc = "      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32c, over: data, content: true}}}\n"
    with pytest.raises(SpecError, match="the checksum must precede it"):
        format_of(COLUMN.replace(crc, "") + crc)
