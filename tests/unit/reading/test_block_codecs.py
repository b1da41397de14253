"""Compressed attributes: the result of reading them, and that damage of their bytes does not spread."""

from __future__ import annotations

import random
import re
import struct
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import pytest
import wireloom
import zstandard
from click.testing import CliRunner
from wireloom import DamagedInputError, engine
from wireloom.codecs import BLOCK_CODECS, expand_block
from wireloom.command import main
from wireloom.format.registry import get as built_in
from wireloom.input.window import MemoryWindow
from wireloom.objects import processing
from wireloom.rows import block_decompression
from wireloom.rows.block_decompression import BlockDecompressor
from wireloom.rows.reader import Settings
from wireloom.rows.select import make as make_row_reader

from ...differential.agreement import agreed
from ...examples import examples
from ..specs import format_of
from .blocks import CODECS, CONTENT, ROWS, UNITS, batch, record, records, row
from .running import ROW_READERS, read

READERS = ROW_READERS
VECTORS = Path(__file__).parents[2] / "vectors"


@pytest.mark.parametrize("reader", READERS)
def test_bytes_in_a_row(reader: str) -> None:
    format = format_of(ROWS)
    contents = [b"some content " * number for number in range(len(CODECS))]
    data = b"".join(row(codec, content) for codec, content in zip(CODECS, contents, strict=True))
    table, file = read(reader, format, data, columns=["kind", "body", "after"])
    assert table.column("body").to_pylist() == contents
    assert (file["tail"], file["damaged"]) == ("clean", [])
    assert set(table.column("after").to_pylist()) == {ord("!")}


DAMAGED = {
    "a block that is none": (row("zstd", CONTENT, block=b"what is this"), "codec"),
    "a block that is empty": (row("gzip", b"", block=b""), "codec"),
    "a block that is cut": (row("gzip", CONTENT, block=BLOCK_CODECS["gzip"].compress(CONTENT)[:-3]), "codec"),
    "a checksum that does not hold": (row("lz4", CONTENT, crc=1), "checksum"),
    "both": (row("lz4", CONTENT, block=b"???", crc=1), "checksum"),
    "another size": (row("xz", CONTENT, size=1), "codec"),
    "a size beyond the limit": (row("lz4-block", CONTENT, size=100_001), "limit"),
    "more than the limit": (row("bzip2", bytes(100_001)), "limit"),
    "no codec": (b"\xff" + row("none", CONTENT)[1:], "unsupported"),
}


@pytest.mark.parametrize("name", DAMAGED)
@pytest.mark.parametrize("reader", READERS)
def test_damage_of_a_block_is_that_of_its_row(reader: str, name: str) -> None:
    format = format_of(ROWS)
    bad, reason = DAMAGED[name]
    good = row("snappy", b"good")
    table, file = read(reader, format, good + bad + good, columns=["body", "_error"])
    assert table.column("body").to_pylist() == [b"good", None, b"good"]
    assert file["damaged"] == [[len(good), len(bad), reason]]
    assert (file["tail"], file.get("error")) == ("clean", None)
    said = f"the codec 255 is not supported, expected {' or '.join(CODECS)}" if reason == "unsupported" else None
    assert file.get("unsupported") == said
    with pytest.raises(DamagedInputError, match=re.escape(said or "")) as raised:
        wireloom.read(format, good + bad + good, mode="failfast")
    assert (raised.value.reason, raised.value.offset, raised.value.record) == (reason, len(good), 2)
    assert raised.value.field == {"codec": "body", "unsupported": "body", "limit": None, "checksum": "crc"}[reason]


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("reader", READERS)
def test_rows_in_blocks(reader: str, codec: str) -> None:
    format = format_of(UNITS)
    units = [batch(codec, shard, *records(shard)) for shard in range(3)] + [batch(codec, 3)]
    table, file = read(reader, format, b"".join(units), columns=["shard", "number", "text", "_offset"])
    assert table.column("number").to_pylist() == [0, 1, 2, 10, 11, 12, 20, 21, 22]
    assert table.column("shard").to_pylist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert (file["tail"], file["damaged"]) == ("clean", [])
    # Inside a block there are no offsets in the input: that of the block is used instead.
    blocks = [18 + sum(map(len, units[:number])) for number in range(3)]
    before = [sum(map(len, records(number // 3)[: number % 3])) if codec == "none" else 0 for number in range(9)]
    assert table.column("_offset").to_pylist() == [blocks[number // 3] + before[number] for number in range(9)]


@pytest.mark.parametrize("reader", READERS)
def test_damage_of_rows_in_blocks(reader: str) -> None:
    format = format_of(UNITS)
    good = batch("zstd", 1, *records(1))
    refused = batch("zstd", 2, record(1, b"a"), record(1001, b"b"), record(2, b"c"))
    early = batch("lz4", 2, record(1, b"a"), record(2, b"b")[:-1], num=2)
    later = batch("lz4", 2, record(1, b"a"), record(2, b"b"), num=1)
    for bad, rows, reason in ((refused, [1, 2], "value"), (early, [1], "length"), (later, [1], None)):
        table, file = read(reader, format, good + bad + good, columns=["number"])
        assert table.column("number").to_pylist() == [10, 11, 12, *rows, 10, 11, 12]
        block = [len(good) + 18, len(bad) - 18]
        assert file["damaged"] == ([] if reason is None else [[*block, reason]])
        assert file["tail"] == "clean"


@pytest.mark.parametrize("reader", READERS)
def test_the_checksum_comes_before_the_decompressor(reader: str) -> None:
    format = format_of(UNITS)
    good = batch("zstd", 1, *records(1))
    bad = bytearray(good)
    bad[-5] ^= 1
    data = good + bytes(bad) + good
    for verify, reason in ((True, "checksum"), (False, "codec")):
        table, file = read(reader, format, data, columns=["number"], verify=verify)
        assert (table.num_rows, file["damaged"]) == (6, [[len(good), len(good), reason]])


@pytest.mark.parametrize("reader", READERS)
def test_the_codec_of_a_unit_that_is_not_supported_is_named(reader: str, tmp_path: Path) -> None:
    chunks = (VECTORS / "mcap/zstd.mcap").read_bytes().replace(b"\4\0\0\0zstd", b"\4\0\0\0lzma")
    batch = bytearray((VECTORS / "kafka_log/zstd.log").read_bytes())
    batch[22] = batch[22] & ~7 | 5
    for name, data, said in (
        ("mcap", chunks, "the codec 'lzma' is not supported, expected none or lz4 or zstd"),
        ("kafka_log", batch, "the codec 5 is not supported, expected none or gzip or snappy-xerial or lz4 or zstd"),
    ):
        _, file = read(reader, built_in(name), bytes(data), verify=False)
        assert ({reason for _, _, reason in file["damaged"]}, file["unsupported"]) == ({"unsupported"}, said)
        with pytest.raises(DamagedInputError, match=re.escape(said)):
            read(reader, built_in(name), bytes(data), verify=False, mode="failfast")
    log = tmp_path / "a.mcap"
    log.write_bytes(chunks)
    assert "; the codec 'lzma' is not supported, " in CliRunner().invoke(main, ["verify", "mcap", str(log)]).stdout


@pytest.mark.parametrize("reader", READERS)
def test_a_block_that_is_refused_is_not_decompressed(reader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither for a row nor for a unit."""
    seen: list[int] = []
    zstd = BLOCK_CODECS["zstd"]

    def expand(data: memoryview, limit: int, size: int | None) -> tuple[bytes, int]:
        seen.append(len(data))
        return bytes(zstandard.decompress(data)), len(data)

    monkeypatch.setitem(BLOCK_CODECS, "zstd", wireloom.codecs.BlockCodec("zstd", expand, zstd.compress))
    format = format_of(UNITS)
    good = batch("zstd", 1, *records(1))
    bad = good[:-1] + b"?"
    _, file = read(reader, format, bad + good, columns=["number"])
    assert seen == [len(good) - 18]
    assert file["damaged"] == [[0, len(bad), "checksum"]]


class Interrupted(BaseException):
    """As raised by Ctrl-C."""


@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_damage_ends_the_read(reader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def expand(data: memoryview, limit: int, size: int | None) -> tuple[bytes, int]:
        raise Interrupted

    zstd = wireloom.codecs.BlockCodec("zstd", expand, BLOCK_CODECS["zstd"].compress)
    unit = batch("zstd", 1, *records(1))
    monkeypatch.setitem(BLOCK_CODECS, "zstd", zstd)
    for recover in (False, True):
        with pytest.raises(Interrupted):
            read(reader, format_of(UNITS), b"\0" * recover + unit, columns=["number"], recover=recover)


@pytest.mark.parametrize("reader", READERS)
def test_rows_larger_than_the_room_for_them(reader: str) -> None:
    """A unit is read again if a batch has no space for it."""
    format = format_of(UNITS)
    large = [record(number % 1000, b"%d" % number * 30) for number in range(5000)]
    data = batch("zstd", 1, *large) + batch("lz4", 2, *large)
    table, file = read(reader, format, data, columns=["number", "text"], batch_rows=700)
    assert table.column("number").to_pylist() == [number % 1000 for number in range(5000)] * 2
    assert (file["tail"], file["damaged"]) == ("clean", [])


@pytest.mark.skipif(not engine.available, reason="the engine is asked for blocks by itself")
def test_a_unit_is_not_begun_that_the_batch_has_no_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    expand, positions = BlockDecompressor.__call__, []

    def counted(self: BlockDecompressor, number: int, chosen: int, size: int, data: memoryview, position: int) -> Any:
        positions.append(position)
        return expand(self, number, chosen, size, data, position)

    monkeypatch.setattr(BlockDecompressor, "__call__", counted)
    one = batch("zstd", 1, *(record(number, b"x" * 30) for number in range(10)))
    table, _ = read("columns", format_of(UNITS), one * 40, columns=["number"], batch_rows=25)
    assert table.num_rows == 400
    assert len(set(positions)) == 40
    assert len(positions) <= 41


@pytest.mark.skipif(not engine.available, reason="the engine is asked for blocks by itself")
def test_blocks_of_other_inputs_are_not_taken_for_those_of_this_one() -> None:
    """Small files are read by one reader, each from offset 0, and their blocks may differ only in their middle."""
    text = """
meta: {id: made, endian: le, -wireloom: {rows: units.body.rows}}
seq: [{id: units, type: unit, repeat: eos}]
types:
  unit:
    seq: [{id: len, type: u2}, {id: body, size: len, type: body, -wireloom: {codec: zstd}}]
  body: {seq: [{id: rows, type: row, repeat: eos}]}
  row: {seq: [{id: data, size: 500}]}
"""
    format, chance = format_of(text), random.Random(3)
    front, back, inputs = chance.randbytes(200), chance.randbytes(200), []
    for _ in range(2):
        content = front + chance.randbytes(100) + back
        block = zstandard.compress(content)
        inputs.append((content, struct.pack("<H", len(block)) + block))
    assert len({(data[:70], data[-70:], len(data)) for _, data in inputs}) == 1
    reader = make_row_reader("columns", format, None, Settings(projected=(0,)))
    for content, data in inputs:
        filled = reader.fill(MemoryWindow(memoryview(data)), capacity=10)
        assert filled.arrays[0].to_pylist() == [content]


@pytest.mark.slow
def test_a_block_in_a_block() -> None:
    """Both readers, whatever is damaged."""
    text = """
meta: {id: made, endian: le, -wireloom: {rows: units.outer.inner.rows, columns: [a, note]}}
seq: [{id: units, type: unit, repeat: eos}]
types:
  unit:
    seq:
      - {id: len, type: u2}
      - {id: outer, size: len, type: outer, -wireloom: {codec: zlib}}
  outer:
    seq:
      - {id: len_note, type: u1}
      - {id: note, size: len_note, -wireloom: {codec: deflate}}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: inner}}}
      - {id: inner, size-eos: true, type: inner, -wireloom: {codec: {name: zstd, max-expanded: 1000}}}
  inner: {seq: [{id: rows, type: row, repeat: eos}]}
  row: {seq: [{id: len, type: u1}, {id: a, size: len}]}
"""
    format, chance = format_of(text), random.Random(5)
    assert format.engine_refusal is None
    note = BLOCK_CODECS["deflate"].compress(b"a note")

    def unit(damage: int) -> bytes:
        inner = bytearray(zstandard.compress(b"\1a\2bc" * 20))
        crc = zlib.crc32(inner)
        outer = bytearray(bytes([len(note)]) + note + struct.pack("<I", crc) + inner)
        if damage & 1:
            outer[chance.randrange(len(outer))] ^= 1 << chance.randrange(8)
        block = bytearray(zlib.compress(outer))
        if damage & 2:
            block[chance.randrange(len(block))] ^= 1 << chance.randrange(8)
        return struct.pack("<H", len(block)) + block

    rows = wireloom.read(format, unit(0)).to_pylist()
    assert rows == [{"a": b"a", "note": b"a note"}, {"a": b"bc", "note": b"a note"}] * 20
    for number in range(examples(120)):
        data = b"".join(unit(number % 4 if place == 1 else 0) for place in range(3))
        for options in ({}, {"verify": False}, {"mode": "failfast"}):
            agreed(format, data, **options)


@pytest.mark.parametrize("reader", READERS)
def test_inputs_that_end_in_a_block(reader: str) -> None:
    format = format_of(UNITS)
    unit = batch("zstd", 1, *records(1))
    for cut in range(len(unit)):
        table, file = read(reader, format, unit + unit[:cut], columns=["number"])
        assert (table.num_rows, file["damaged"], file["tail_offset"]) == (3, [], len(unit))
        assert file["tail"] == ("truncated" if cut else "clean")


@pytest.mark.parametrize("reader", READERS)
def test_windows_and_batches_make_no_difference(reader: str) -> None:
    format = format_of(UNITS)
    damaged = batch("gzip", 9, block=b"none")
    data = b"".join(batch("gzip", shard, *records(shard)) for shard in range(20)) + damaged
    data += b"".join(batch("gzip", shard, *records(shard)) for shard in range(20))
    whole = read(reader, format, data, columns=["number", "text", "_offset", "_error"])
    for options in ({"chunk": 100}, {"batch_rows": 1}, {"batch_rows": 4, "chunk": 64, "streamed": True}):
        assert read(reader, format, data, columns=["number", "text", "_offset", "_error"], **options) == whole


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_a_bomb_costs_what_the_limit_says(reader: str) -> None:
    codec = UNITS[UNITS.index("{codec") : UNITS.index("\n  body:")]
    text = UNITS.replace(codec, "{codec: {name: zstd, max-expanded: 1000000}}")
    format = format_of(text)
    good, bomb = batch("zstd", 1, *records(1)), batch("zstd", 1, block=zstandard.compress(bytes(1 << 28)), num=1)
    table, file = read(reader, format, good + bomb + good, columns=["number"])
    assert (table.num_rows, [each[2] for each in file["damaged"]]) == (6, ["limit"])


def test_a_block_of_empty_rows_ends() -> None:
    """A few bytes that expand to a great many rows."""
    text = (
        "meta: {id: made, -wireloom: {rows: units.body.rows}}\nseq: [{id: units, type: unit, repeat: eos}]\n"
        "types:\n  unit: {seq: [{id: len, type: u1}, {id: body, size: len, type: body, -wireloom: {codec: zstd}}]}\n"
        "  body: {seq: [{id: rows, type: row, repeat: eos}]}\n  row: {seq: [{id: a, type: u1}]}\n"
    )
    format = format_of(text)
    block = zstandard.compress(bytes(1 << 20))
    _, report = wireloom.read_with_report(format, bytes((len(block),)) + block, max_computed=1000)
    assert [each.reason for each in report.files[0].damaged] == ["limit"]


@pytest.mark.slow
@pytest.mark.parametrize("spec", [ROWS, UNITS], ids=["rows", "units"])
@pytest.mark.parametrize("reader", READERS)
def test_damaged_bytes_never_end_in_another_error(reader: str, spec: str) -> None:
    format, chance = format_of(spec), random.Random(3)
    if spec is ROWS:
        data = b"".join(row(codec, CONTENT) for codec in CODECS)
    else:
        data = b"".join(batch(codec, 1, *records(1)) for codec in CODECS)
    for number in range(examples(150)):
        bad = bytearray(data)
        for _ in range(1 + number % 3):
            bad[chance.randrange(len(bad))] = chance.randrange(256)
        options: dict[str, Any] = {"verify": bool(number % 2), "recover": bool(number % 4 // 2)}
        _, file = read(reader, format, bytes(bad[: chance.randrange(len(bad)) if number % 5 == 0 else None]), **options)
        assert {each[2] for each in file["damaged"]} <= {
            "codec",
            "unsupported",
            "checksum",
            "limit",
            "value",
            "length",
            "encoding",
            "truncated",
        }


def test_memory_for_the_content_of_a_zstd_frame_without_its_size() -> None:
    content = random.Random(5).randbytes(200_000)
    block = zstandard.ZstdCompressor(write_content_size=False).compress(content)
    tracemalloc.start()
    try:
        assert expand_block(("zstd",), 0, block, 64 * 1024 * 1024) == content
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("reader", READERS)
def test_a_codec_may_keep_the_bytes_of_a_block(reader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are copies: the memory of the input is used again."""
    format, kept = format_of(ROWS), []

    def keeping(codecs: Any, chosen: int, data: Any, *limits: Any) -> bytes:
        kept.append(memoryview(data)[1:])
        return expand_block(codecs, chosen, data, *limits)

    monkeypatch.setattr(block_decompression, "expand_block", keeping)
    monkeypatch.setattr(processing, "expand_block", keeping)
    data = bytearray(row("gzip", CONTENT))
    table, _ = read(reader, format, data, columns=["body"])
    assert table["body"].to_pylist() == [CONTENT]
    [block] = kept
    before = bytes(block)
    data[:] = bytes(len(data))
    assert bytes(block) == before
