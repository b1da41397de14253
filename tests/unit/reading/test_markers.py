"""Units that end with a marker: the next one follows the next marker, for searches and for byte ranges."""

from __future__ import annotations

import random
import struct
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import Format, engine

from ...examples import examples, strided
from ..specs import format_of
from .running import ROW_READERS, read

SPEC = """
meta:
  id: marked
  endian: le
  -wireloom: {rows: blocks, columns: [kind, data]}
seq:
  - {id: magic, contents: MK}
  - {id: head, type: head}
  - {id: blocks, type: block, repeat: eos}
types:
  head: {seq: [{id: tag, size: 2}, {id: sync, size: 9}]}
  block:
    seq:
      - {id: kind, size: 2}
      - {id: len, type: u2}
      - {id: data, size: len, if: 'kind == _root.head.tag or kind == [0, 0]'}
      - {id: sync, size: 9, valid: _root.head.sync}
"""
MARKERS = (b"\xff\x80\x90\xa0\xb0\xc0\xd0\xe0\xf0", b"\1marker\2\3")
ZEROS = bytes(9)
"""It occurs in other bytes too."""
FAR = (1 << 62) - 1


@pytest.fixture(scope="module")
def format() -> Format:
    return format_of(SPEC)


def blocks(source: random.Random, tag: bytes, marker: bytes, count: int) -> list[bytes]:
    made = []
    for _ in range(count):
        kind = source.choice((tag, b"\0\0", b"no"))
        data = source.randbytes(source.choice((0, 1, 40))) if kind != b"no" else b""
        made.append(kind + struct.pack("<H", len(data)) + data + marker)
    return made


def written(tag: bytes, marker: bytes, made: list[bytes]) -> bytes:
    return b"MK" + tag + marker + b"".join(made)


def test_the_marker_and_what_is_compared_are_those_of_each_input(format: Format, tmp_path: Path) -> None:
    assert format.marker == "head.sync"
    assert format.splittable
    assert format.program is not None
    expected = []
    for number, marker in enumerate((*MARKERS, ZEROS)):
        tag = b"t%d" % number
        made = [each + b"\3\0abc" + marker for each in (tag, b"\0\0")] + [b"no\3\0" + marker]
        (tmp_path / str(number)).write_bytes(written(tag, marker, made))
        expected += [{"kind": tag, "data": b"abc"}, {"kind": b"\0\0", "data": b"abc"}, {"kind": b"no", "data": None}]
    for name in ("", "objects"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("WIRELOOM_ENGINE", name)
            table = wireloom.read(format, [tmp_path / each for each in "012"], mode="failfast")
        assert table.to_pylist() == expected


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("recover", [False, True])
def test_a_wrong_length_costs_its_unit(format: Format, row_reader: str, recover: bool) -> None:
    marker = MARKERS[0]
    made = [b"\0\0\3\0abc" + marker, b"\0\0\3\0def" + marker, b"\0\0\3\0ghi" + marker]
    begins = [13 + 16 * number for number in range(3)]
    for place, bit in ((begins[1] + 2, 2), (begins[1] + 3, 1), (begins[1] + 2, 1)):
        content = bytearray(written(b"tt", marker, made))
        content[place] ^= 1 << bit
        for way in ({}, {"streamed": True, "chunk": 5}):
            table, report = read(row_reader, format, bytes(content), columns=["_offset"], recover=recover, **way)
            assert table["_offset"].to_pylist() == [begins[0], begins[2]]
            assert [each[:2] for each in report["damaged"]] == [[begins[1], 16]]
            assert report["tail"] == "clean"


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("codec", ["null", "deflate", "snappy", "bzip2", "xz", "zstandard"])
def test_a_flipped_bit_of_a_size_costs_its_block_in_each_codec(codec: str, row_reader: str, tmp_path: Path) -> None:
    source = random.Random(codec)
    rows = [
        {"count": 20 + number, "data": source.randbytes(70 + 2 * number) + bytes(60), "codec": codec, "schema": "{}"}
        for number in range(5)
    ]
    wireloom.write("avro_blocks", rows, tmp_path / "blocks.avro")
    content = (tmp_path / "blocks.avro").read_bytes()
    # The bytes before the marker's last ones continue a number, so that one that begins there is as long as any.
    content = content.replace(content[-16:], bytes(range(1, 12)) + bytes(range(0xFB, 0x100)))
    columns = ["_offset", "count", "data"]
    ways: tuple[dict[str, Any], ...] = ({}, {"recover": True}, {"streamed": True, "chunk": 7})
    table, report = read(row_reader, "avro_blocks", content, columns=columns)
    expected = table.to_pylist()
    assert [each["data"] for each in expected] == [each["data"] for each in rows]
    for place, row in enumerate(expected):
        left = expected[:place] + expected[place + 1 :]
        for bit in strided(range(16), 5, place):
            flipped = bytearray(content)
            flipped[row["_offset"] + 1 + bit // 8] ^= 1 << bit % 8
            for way in ways:
                table, report = read(row_reader, "avro_blocks", bytes(flipped), columns=columns, **way)
                assert table.to_pylist() == left
                if place + 1 < len(expected):
                    length = expected[place + 1]["_offset"] - row["_offset"]
                    assert [each[:2] for each in report["damaged"]] == [[row["_offset"], length]]
                    assert report["tail"] == "clean"


def damaged(source: random.Random, content: bytes, marker: bytes) -> bytes:
    """Return the content with flipped bits, and with markers that are overwritten, with the bytes around them."""
    made = bytearray(content)
    for _ in range(source.choice((0, 2, 12))):
        made[source.randrange(13, len(made))] ^= 1 << source.randrange(8)
    for _ in range(source.randrange(4)):
        place = content.index(marker, source.randrange(13, len(content) - len(marker) + 1)) + source.randrange(-4, 4)
        size = source.randrange(1, 2 * len(marker))
        made[place : place + size] = source.choice((b"\xff", b"\x7f", b"\0")) * size
    return bytes(made[: source.randrange(14, len(made))]) if source.random() < 0.2 else bytes(made)


@pytest.mark.parametrize("seed", range(examples(30)))
def test_ranges_have_each_unit_once_and_all_damage(format: Format, seed: int, tmp_path: Path) -> None:
    source = random.Random(seed)
    marker = MARKERS[seed % 2]
    content = written(b"tt", marker, blocks(source, b"tt", marker, 12))
    if seed % 3:
        content = damaged(source, content, marker)
    if is_lost := seed % 10 == 9:
        content = b"X" + content[1:]
    (tmp_path / "input").write_bytes(content)
    places = [0, *sorted(source.choices(range(len(content)), k=3)), FAR]
    for row_reader in ("columns", "objects") if engine.available else ("objects",):
        for where, ways in ((content, {}), (tmp_path / "input", {}), (content, {"streamed": True, "chunk": 30})):

            def found(**options: Any) -> tuple[list[Any], ...]:
                table, report = read(row_reader, format, where, columns=["_offset", "data"], **options)  # noqa: B023
                tail = (
                    [] if report["tail"] == "clean" else [[report[f"tail{each}"] for each in ("", "_offset", "_size")]]
                )
                return table.to_pylist(), report["damaged"], tail, [report["bytes"]]

            rows, damages, tail, size = found(**ways)
            parts = [found(byte_range=each) for each in pairwise(places)]
            assert [[*chain(*(each[number] for each in parts))] for number in range(3)] == [rows, damages, tail]
            assert is_lost or sum(sum(each[3]) for each in parts) + 13 == sum(size)


def test_what_is_no_marker(tmp_path: Path) -> None:
    for old, new in (
        ("valid: _root.head.sync", "valid: {any-of: [_root.head.sync]}"),
        ("size: 9, valid: _root.head.sync}", "size: 9, valid: _root.head.sync}\n      - {id: rest, type: u1}"),
        ("size: 9", "size: 7"),
    ):
        path = tmp_path / "marked.ksy"
        path.write_text(SPEC.replace(old, new))
        assert not wireloom.load_spec(path).marker


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_search_finds_the_marker_with_which_a_lost_unit_begins(row_reader: str) -> None:
    """Windows that end in the unit after it keep the marker."""
    short, marker = (
        format_of(
            "meta: {id: short, -wireloom: {rows: rows}}\n"
            "seq:\n  - {id: sync, size: 8}\n  - {id: rows, type: row, repeat: eos}\n"
            "types: {row: {seq: [{id: n, type: u1}, {id: marker, size: 8, valid: _root.sync}]}}\n"
        ),
        bytes(range(0xA0, 0xA8)),
    )
    content = marker + b"".join(bytes([number]) + marker for number in range(4)) + marker + b"\5" + marker
    for chunk in (None, *range(1, len(content) + 2)):
        table, report = read(row_reader, short, content, recover=True, chunk=chunk, streamed=chunk is not None)
        assert table["n"].to_pylist() == [0, 1, 2, 3, 5], chunk
        assert report["damaged"] == [[44, 8, "value"]], chunk
        assert report["tail"] == "clean", chunk


LEADING = """
meta: {id: leading, endian: be, -wireloom: {rows: records, columns: [key, value]}}
seq:
  - {id: magic, contents: SEQ}
  - {id: sync, size: 16}
  - {id: records, type: record, repeat: eos}
types:
  record:
    seq:
      - {id: first, type: s4}
      - {id: sync, size: 16, if: first == -1, valid: _root.sync}
      - {id: second, type: s4, if: first == -1}
      - {id: len_key, type: s4, valid: {max: 100}}
      - {id: key, size: len_key}
      - {id: value, size: '(first == -1 ? second : first) - len_key'}
"""
"""Some records have a marker after their first four bytes, as in Hadoop's sequence files."""
CONSTANT = """
meta: {id: constant, endian: be, -wireloom: {rows: records, columns: [value]}}
seq: [{id: records, type: record, repeat: eos}]
types:
  record:
    seq:
      - {id: magic, contents: [0x4c, 0x4f, 0x42, 0x4a, 0x10, 0, 1, 0]}
      - {id: len, type: u2}
      - {id: value, size: len}
"""
SYNC = bytes(range(200, 216))


def leading_records(source: random.Random) -> list[bytes]:
    made = []
    for number in range(30):
        key, value = b"k%d" % number, source.randbytes(source.randrange(9))
        size = struct.pack(">i", len(key) + len(value))
        mark = struct.pack(">i", -1) + SYNC if source.random() < 0.2 else b""
        made.append(mark + size + struct.pack(">i", len(key)) + key + value)
    return made


def constant_records(source: random.Random) -> list[bytes]:
    values = [source.randbytes(source.randrange(40)) for _ in range(20)]
    return [b"LOBJ\x10\0\1\0" + struct.pack(">H", len(value)) + value for value in values]


@pytest.mark.parametrize("seed", range(examples(20)))
@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("spec", [LEADING, CONSTANT])
def test_markers_at_the_beginning_of_units(spec: str, row_reader: str, seed: int) -> None:
    """Byte ranges have each row once; a length that leads out of the input costs the rows up to the next marker."""
    format, source = format_of(spec), random.Random(seed)
    assert format.splittable
    records = leading_records(source) if spec is LEADING else constant_records(source)
    start = b"SEQ" + SYNC if spec is LEADING else b""
    marker = SYNC if spec is LEADING else records[0][:8]
    content = bytearray(start + b"".join(records))
    begins = [len(start) + sum(map(len, records[:number])) for number in range(len(records))]
    expected = begins
    if seed % 2:
        hit = source.randrange(1, len(records))
        place = begins[hit] + records[hit].index(marker) + len(marker) if marker in records[hit] else begins[hit]
        content[place] = 0x7F
        after = [begin for begin, each in zip(begins, records, strict=True) if begin > begins[hit] and marker in each]
        expected = begins[:hit] + (begins[begins.index(after[0]) :] if after else [])

    def found(**options: Any) -> tuple[list[int], list[list[Any]]]:
        columns = ["_offset", "value"]
        table, report = read(row_reader, format, bytes(content), columns=columns, check_format=False, **options)
        return table["_offset"].to_pylist(), report["damaged"]

    whole = found()
    assert whole[0] == expected
    assert found(streamed=True, chunk=7) == whole
    places = [0, *sorted(source.choices(range(len(content)), k=3)), FAR]
    parts = [found(byte_range=each) for each in pairwise(places)]
    assert [[*chain(*(each[number] for each in parts))] for number in range(2)] == [*whole]
