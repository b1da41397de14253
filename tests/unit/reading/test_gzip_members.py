"""gzip files of several members with damage in one of them: with ``recover``, the rows of the others are read."""

from __future__ import annotations

import gzip
import random
import struct
import zlib
from pathlib import Path

import pytest
import wireloom
from wireloom import codecs
from wireloom.codecs import Resumable
from wireloom.input.expansion import expand
from wireloom.input.stored import Stored

from ..specs import format_of
from .running import ROW_READERS, read

SPEC = """
meta:
  id: summed
  endian: le
  -wireloom: {rows: rows, columns: [number, text]}
seq:
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: len, type: u2}
      - {id: number, type: u4}
      - {id: text, size: len, type: str, encoding: ASCII}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: [len, text]}}}
"""
EACH = 40
"""Rows of a member."""


@pytest.fixture
def format() -> wireloom.Format:
    return format_of(SPEC)


def row(number: int) -> bytes:
    text = b"row %d of many, " % number * (number % 7)
    body = struct.pack("<HI", len(text), number) + text
    return body + struct.pack("<I", zlib.crc32(body))


ROWS = [row(number) for number in range(5 * EACH)]
MEMBERS = [gzip.compress(b"".join(ROWS[begin : begin + EACH]), mtime=0) for begin in range(0, len(ROWS), EACH)]
LAST = range(3 * EACH, 5 * EACH)
"""Numbers of the rows after the third member."""


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_flipped_bit_costs_rows_of_its_member(row_reader: str, format: wireloom.Format) -> None:
    member = MEMBERS[2]
    for place in range(0, len(member), 37):
        damaged = bytearray(member)
        damaged[place] ^= 1 << place % 8
        data = b"".join([*MEMBERS[:2], damaged, *MEMBERS[3:]])
        table, report = read(row_reader, format, data, recover=True, columns=["number", "text"])
        numbers = table["number"].to_pylist()
        assert [each for each in numbers if not 2 * EACH <= each < 3 * EACH] == [*range(2 * EACH), *LAST], place
        assert numbers == sorted(set(numbers))
        assert table["text"].to_pylist() == [f"row {each} of many, " * (each % 7) for each in numbers]
        assert report["tail"] == "clean"
        assert not report["damaged"] or "codec" in {reason for _, _, reason in report["damaged"]}


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("chunk", [None, 700])
def test_members_that_are_missing_or_cut(row_reader: str, chunk: int | None, format: wireloom.Format) -> None:
    """After a cut member, the next one is found in what its decompression has taken for its own rest."""
    cut = MEMBERS[2][: len(MEMBERS[2]) // 2]
    data = b"".join([*MEMBERS[:2], cut, MEMBERS[3], b"no member" * 30, MEMBERS[4]])
    table, report = read(row_reader, format, data, recover=True, chunk=chunk, streamed=True)
    numbers = table["number"].to_pylist()
    assert numbers == sorted(set(numbers))
    assert {*range(2 * EACH), *LAST} <= set(numbers)
    assert [reason for _, _, reason in report["damaged"]].count("codec") == 2
    table, report = read(row_reader, format, data, chunk=chunk, streamed=True)
    assert max(table["number"].to_pylist()) < 3 * EACH
    assert (report["tail"], report["damaged"][-1][2]) == ("truncated", "codec")


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_rows_across_members(row_reader: str, format: wireloom.Format) -> None:
    """No row is put together of the bytes before and after the gap."""
    content = b"".join(ROWS)
    members = [gzip.compress(content[begin : begin + 777], mtime=0) for begin in range(0, len(content), 777)]
    gone = bytearray(members[3])
    gone[-8] ^= 1
    del gone[30:40]
    table, report = read(row_reader, format, b"".join([*members[:3], gone, *members[4:]]), recover=True)
    texts, numbers = table["text"].to_pylist(), table["number"].to_pylist()
    assert texts == [f"row {each} of many, " * (each % 7) for each in numbers]
    size, lost = 0, set()
    for number, each in enumerate(ROWS):
        if size < 4 * 777 and size + len(each) > 3 * 777:
            lost.add(number)
        size += len(each)
    assert set(range(len(ROWS))) - set(numbers) <= lost
    assert "codec" in {reason for _, _, reason in report["damaged"]}


def test_delimited_rows_and_several_files(tmp_path: Path) -> None:
    """Rows between delimiters begin after the next delimiter; and files beside the damaged one are not affected."""
    wireloom.write(
        "word_stuffed_log", [{"generation": 1, "payload": b"%d" % each} for each in range(200)], tmp_path / "a"
    )
    content = (tmp_path / "a").read_bytes()
    members = [gzip.compress(content[begin : begin + 500]) for begin in range(0, len(content), 500)]
    damaged = bytearray(members[1])
    damaged[len(damaged) // 2] ^= 16
    (tmp_path / "b.gz").write_bytes(b"".join([members[0], damaged, *members[2:]]))
    (tmp_path / "c.gz").write_bytes(gzip.compress(content))
    paths = [str(tmp_path / name) for name in ("c.gz", "b.gz", "c.gz")]
    table = wireloom.read("word_stuffed_log", paths, recover=True, columns=["_path", "payload"])
    found = {
        name: [each["payload"] for each in table.to_pylist() if each["_path"].endswith(name)]
        for name in ("b.gz", "c.gz")
    }
    assert found["c.gz"] == [b"%d" % each for each in range(200)] * 2
    assert found["b.gz"] == sorted(set(found["b.gz"]), key=int)
    assert found["b.gz"][-1] == b"199"
    assert len(found["b.gz"]) > 200 - 2 * 500 * 200 // len(content)
    with pytest.raises(wireloom.DamagedInputError):
        wireloom.read("word_stuffed_log", paths, recover=True, mode="failfast")


@pytest.mark.slow
def test_what_is_no_member_is_bounded() -> None:
    """Magic numbers that begin no member, and members that claim to be decompressed to gigabytes."""
    noise = b"".join(b"\x1f\x8b\x08\0" + random.Random(each).randbytes(50) for each in range(2000))
    bomb = gzip.compress(bytes(60_000_000))
    last = gzip.compress(b"the last one")
    decoder = codecs.decoder("gzip", Stored(expand(gzip.compress(b"one") + noise + bomb[:-9] + last)[0].open(), None))
    assert isinstance(decoder, Resumable)
    buffer, out, resumed = memoryview(bytearray(1 << 20)), [b""], 0
    while True:
        try:
            while count := decoder.readinto(buffer):
                out[-1] = (out[-1] + bytes(buffer[:count]))[-20:]
            break
        except wireloom.DamagedInputError:
            if not decoder.resume():
                break
            resumed += 1
            out.append(b"")
    assert out[0].startswith(b"one")
    assert out[-1] == b"the last one"
    assert resumed >= 2
