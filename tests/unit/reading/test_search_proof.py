"""How many rows prove where reading continues after damage, if they have no checksums."""

import zlib

import pytest
import wireloom

from ..specs import format_of
from .running import ROW_READERS, read

PLAIN = """
meta: {id: plain_rows, endian: le, -wireloom: {rows: rows, columns: [data]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq: [{id: kind, type: u1, valid: {max: 9}}, {id: len, type: u2}, {id: data, size: len}]
"""
RUNNING = PLAIN.replace("{id: len, type: u2}", "{id: len, type: u2}, {id: crc, type: u4, CHECKSUM}").replace(
    "CHECKSUM", "-wireloom: {checksum: {algorithm: crc32, over: data, continues: _}}"
)
SWITCHED = """
meta: {id: switched, endian: le, -wireloom: {rows: rows, columns: [kind, len]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u2}
      - {id: body, size: len, type: {switch-on: kind, cases: {1: known, _: other}}}
  known: {seq: [{id: sign, type: u2, valid: 0x4241}, {id: data, size-eos: true}]}
  other: {seq: [{id: data, size-eos: true}]}
"""
SUMMED = SWITCHED.replace(
    "- {id: body,", "- {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: body}}}\n      - {id: body,"
)
LOST = b"\x01\xff\xff" + b"\xff" * 20
"""A row whose length leads beyond the end."""


def rows_read(row_reader: str, format: wireloom.Format, data: bytes) -> tuple[list[bytes], list[list[object]]]:
    table, report = read(row_reader, format, data, recover=True)
    return table["data"].to_pylist(), report["damaged"]


def row(data: bytes) -> bytes:
    return b"\x01" + len(data).to_bytes(2, "little") + data


def entry(data: bytes, before: int) -> tuple[bytes, int]:
    crc = zlib.crc32(data, before)
    return b"\x01" + len(data).to_bytes(2, "little") + crc.to_bytes(4, "little") + data, crc


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_three_rows_or_those_up_to_the_end(row_reader: str, count: int) -> None:
    format, good = format_of(PLAIN), [b"good %d" % number for number in range(count)]
    first, there = row(b"first"), b"".join(map(row, good))
    at_the_end = first + LOST + there
    place = len(first)
    assert rows_read(row_reader, format, at_the_end) == ([b"first", *good], [[place, len(LOST), "truncated"]])
    cut_off = [b"first", *good] if count == 3 else [b"first"]
    assert rows_read(row_reader, format, at_the_end + LOST)[0] == cut_off


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("count", [1, 2])
def test_a_checksum_that_continues_the_one_before_is_a_proof(row_reader: str, count: int) -> None:
    format, data, crc = format_of(RUNNING), b"", 0
    names = [b"one", b"lost", *(b"good %d" % number for number in range(count))]
    for name in names:
        each, crc = entry(name, crc)
        data += each if name != b"lost" else LOST
    # The first one of them continues what is lost.
    assert rows_read(row_reader, format, data + LOST)[0] == ([b"one", *names[2:]] if count == 2 else [b"one"])


def switched(kinds: str, *, summed: bool = False) -> list[bytes]:
    """Return rows: ``k`` has the first case of its switch, ``u`` the default case."""
    bodies = [b"ABcd" if each == "k" else b"\xff" * 4 for each in kinds]
    sums = [zlib.crc32(each).to_bytes(4, "little") if summed else b"" for each in bodies]
    heads = [(b"\x01" if each == "k" else b"\x09") + b"\x04\x00" for each in kinds]
    return [head + crc + body for head, crc, body in zip(heads, sums, bodies, strict=True)]


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_row_of_the_default_case_proves_nothing(row_reader: str) -> None:
    """It could be any bytes: reading does not continue there, and it is none of the three rows."""
    format = format_of(SWITCHED)
    for kinds, found in (("kkk", 3), ("kukk", 4), ("kuukuk", 6), ("ukkk", 3), ("kuk", 0), ("uuuu", 0), ("kk", 0)):
        first, *rows = switched("k" + kinds)
        table, report = read(row_reader, format, first + LOST + b"".join(rows) + LOST, recover=True)
        assert len(table) == 1 + found, kinds
        size = len(LOST) + sum(map(len, rows[: len(rows) - found]))
        assert report["damaged"] == ([[len(first), size, "truncated"]] if found else []), kinds
    # The end of the input is as good as another row, and a checksum as all of them.
    at_the_end = b"".join(switched("kuk"))
    assert len(read(row_reader, format, LOST + at_the_end, recover=True)[0]) == 3
    format = format_of(SUMMED)
    assert len(read(row_reader, format, LOST + switched("u", summed=True)[0] + LOST, recover=True)[0]) == 1


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("chunk", [None, 5])
def test_rows_of_the_default_case_after_a_damaged_length_are_in_doubt(row_reader: str, chunk: int | None) -> None:
    format = format_of(SWITCHED)
    # The rest of the second row seems to be rows that end inside of the fourth.
    rest = b"\x09\x00\x00" + b"\x08\x10\x00" + b"abcd"
    damaged, (first, *others) = b"\x01\x02\x00XX" + rest, switched("kkkkk")
    data = first + damaged + b"".join(others)
    for shows in (["kind"], ["kind", "_error"]):
        table, report = read(row_reader, format, data, chunk=chunk, recover=True, columns=shows)
        assert [each for each in table["kind"].to_pylist() if each is not None] == [1] * 5
        assert report["damaged"] == [[len(first), len(damaged), "value"]]
        table, report = read(row_reader, format, data, chunk=chunk, columns=shows)
        assert table["kind"].to_pylist() == [1]
        assert (report["damaged"], report["tail_offset"]) == ([], len(first))
    # If another row follows them, they are rows.
    data = first + b"\x01\x02\x00XX" + b"".join(switched("uu")) + b"".join(others)
    table, report = read(row_reader, format, data, chunk=chunk, recover=True)
    assert table["kind"].to_pylist() == [1, 9, 9, 1, 1, 1, 1]
    assert report["damaged"] == [[len(first), 5, "value"]]
