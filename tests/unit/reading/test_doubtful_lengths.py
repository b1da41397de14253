"""A refused value after a length is as strong evidence against the length as a checksum that does not match."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import Damage, Scanner
from wireloom.input.expansion import expand
from wireloom.reading.request import scan_request

from ..specs import format_of

BLOCKS = """
meta: {id: blocks, endian: be, -wireloom: {rows: blocks, columns: [count, data]}}
seq:
  - {id: blocks, type: block, repeat: eos}
types:
  block:
    seq:
      - {id: count, type: u2}
      - {id: len, type: u2}
      - {id: data, size: len}
      - {id: sync, SYNC}
"""
MARKED = BLOCKS.replace("seq:", "seq:\n  - {id: marker, size: 4}", 1)
SYNCS = {
    "contents": BLOCKS.replace("SYNC", "contents: SYNC"),
    "valid": BLOCKS.replace("SYNC", "type: u4, valid: 0x53594e43"),
    "of the head": MARKED.replace("SYNC", "size: 4, valid: _root.marker"),
}
MESSAGES = """
meta:
  id: framed
  -wireloom: {message: {framing: FRAMING, type: event, columns: [n, name]}}
types:
  event:
    -wireloom: {message: {fields: [{id: n, number: 1, type: uint32}, {id: name, number: 2, type: string}]}}
"""
READERS = ["columns", "objects"]


def read(format: wireloom.Format, data: bytes, reader: str, **options: Any) -> tuple[list[dict[str, Any]], Any]:
    made = scan_request(format, check_format=False, **options)
    reader = reader if made.engine == "columns" else "objects"
    with Scanner(dataclasses.replace(made, engine=reader), expand(data)) as scanner:
        return scanner.read_all().to_pylist(), scanner.report.files[0]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", SYNCS)
@pytest.mark.parametrize("verify", [False, True])
def test_the_size_of_a_block_before_its_sync_marker(kind: str, reader: str, verify: bool) -> None:
    format = format_of(SYNCS[kind])
    head = b"SYNC" if kind == "of the head" else b""
    blocks = [bytes([0, n, 0, 20 + n]) + bytes([65 + n]) * (20 + n) + b"SYNC" for n in range(5)]
    places = [len(head) + sum(map(len, blocks[:n])) for n in range(6)]
    for number in range(5):
        for bit in (0, 1, 3, 4, 7, 12, 15):
            data = bytearray(head + b"".join(blocks))
            data[places[number] + 3 - bit // 8] ^= 1 << bit % 8
            rows, report = read(format, bytes(data), reader, recover=True, verify=verify)
            assert [each["count"] for each in rows] == [each for each in range(5) if each != number]
            if report.tail == "clean":
                assert [(each.offset, each.length) for each in report.damaged] == [
                    (places[number], places[number + 1] - places[number])
                ]
            else:
                assert (number, report.tail_offset) == (4, places[4]) or report.damaged
            # Without it, nothing after the block is accepted, and nothing false is reported.
            rows, report = read(format, bytes(data), reader, verify=verify)
            assert [each["count"] for each in rows] == list(range(number))
            if number < 4:
                assert report.damaged == []
                assert report.tail_offset == places[number]


@pytest.mark.parametrize("reader", READERS)
def test_refused_values_of_rows_of_one_size_say_nothing_about_lengths(reader: str) -> None:
    text = BLOCKS.replace("size: len", "size: 4").replace("SYNC", "type: u1, valid: {max: 9}").replace("recs", "rows")
    format = format_of(text)
    assert format.fixed_rows
    row = bytes(8) + b"\x01"
    data = row * 3 + row[:-1] + b"\x20" + row[:5]
    for recover in (False, True):
        rows, report = read(format, data, reader, recover=recover)
        assert (len(rows), report.damaged) == (3, [Damage(27, 9, "value")])
        assert (report.tail, report.tail_offset) == ("truncated", 36)


@pytest.mark.parametrize("reader", READERS)
def test_the_hint_about_the_largest_record(reader: str) -> None:
    format = format_of(SYNCS["contents"])
    block = b"\0\1\0\x64" + b"x" * 100 + b"SYNC"
    _, report = read(format, block * 5, reader, max_record=50)
    assert report.error == "larger than 50 bytes at byte 0: raise max_record to read it"
    wrong = block + b"\0\1\xff\xff" + block[4:] + block * 3
    _, report = read(format, wrong, reader, max_record=200)
    assert report.error == "larger than 200 bytes at byte 108: its length is damaged, or the input is truncated"
    with pytest.raises(wireloom.DamagedInputError, match="recover=True also looks for the next one; its length is"):
        read(format, wrong, reader, max_record=200, mode="failfast")
    # What has been searched for already, or cannot be, is not recommended.
    cut = block + b"\0\1\xff\xff" + block[4:]
    with pytest.raises(wireloom.DamagedInputError, match="permissive' keeps the records before it; raise max_record"):
        read(format, cut, reader, max_record=20, mode="failfast", recover=True)
    rows, _ = read(format, wrong, reader, max_record=200, recover=True)
    assert len(rows) == 4


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("framing", ["varint", "u2be", "u4le", "u8be"])
def test_lengths_before_messages(framing: str, reader: str, tmp_path: Path) -> None:
    format = format_of(MESSAGES.replace("FRAMING", framing))
    events = [{"n": 1000 + number, "name": f"event number {number} {'=' * (number % 7)}"} for number in range(60)]
    wireloom.write(format, events, tmp_path / "events")
    content = (tmp_path / "events").read_bytes()
    rows, report = read(format, content, reader, recover=True, columns=["_offset"])
    assert report.clean
    places = [each["_offset"] for each in rows] + [len(content)]
    width = 1 if framing == "varint" else int(framing[1])
    for number in (0, 1, 30, 58):
        for byte in range(width):
            data = bytearray(content)
            data[places[number] + byte] ^= 0x60
            columns = ["n", "name", "_error", "_corrupt_record"]
            rows, report = read(format, bytes(data), reader, recover=True, columns=columns)
            good = [{"n": each["n"], "name": each["name"]} for each in rows if each["_error"] is None]
            assert good == [each for each in events if each["n"] != 1000 + number]
            assert report.tail == "clean"
            covered = [(each.offset, each.offset + each.length) for each in report.damaged]
            assert (covered[0][0], covered[-1][1]) == (places[number], places[number + 1])
            [first, *_] = [each["_corrupt_record"] for each in rows if each["_error"] is not None]
            assert first.startswith(bytes(data[places[number] : places[number] + width]))


@pytest.mark.parametrize("reader", READERS)
def test_messages_where_none_is_found_any_more(reader: str, tmp_path: Path) -> None:
    format = format_of(MESSAGES.replace("FRAMING", "u4be"))
    wireloom.write(format, [{"n": 1, "name": "a"}], tmp_path / "events")
    content = (tmp_path / "events").read_bytes()
    rows, report = read(format, content + b"\xff" * 100, reader, recover=True)
    assert (len(rows), report.tail, report.tail_offset, report.tail_size) == (1, "limit", len(content), 100)
    assert (
        report.error == "a length of 4294967295 bytes, of which 96 are there: it is damaged, or the input is truncated"
    )
    rows, report = read(format, content + content[:-1], reader, recover=True)
    assert (len(rows), report.tail, report.tail_offset) == (1, "truncated", len(content))
