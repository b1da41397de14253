"""Checksums that continue from those of the previous items, as in etcd's write-ahead log."""

import io
import struct
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import Format, SpecError, WireloomError
from wireloom.checksums import algorithm, function

from ...writing import bytes_of
from ..specs import format_of

CRC = function(algorithm("crc32c"))
WAL = """
meta: {id: wal, endian: le, -wireloom: {rows: records.body, columns: [type, data, pad, padding], selectable: [crc]}}
seq: [{id: records, type: record, repeat: eos}]
types:
  record:
    seq:
      - {id: len, type: u4, valid: {min: 6}}
      - contents: [0, 0, 0]
      - {id: pad, type: u1}
      - {id: body, type: body, size: len}
      - {id: padding, size: pad & 7}
  body:
    seq:
      - contents: [0x08]
      - {id: type, type: u1}
      - contents: [0x10]
      - id: crc
        type: varint
        -wireloom: {checksum: {algorithm: crc32c, over: data, continues: 'type == 4 ? crc.value : _'}}
      - {id: tag, contents: [0x1a]}
      - {id: len_data, type: varint}
      - {id: data, size: len_data.value}
  varint: {-wireloom: {varint: {order: le, bits: 32}}}
"""


def varint(number: int) -> bytes:
    return bytes([number & 127 | 128]) + varint(number >> 7) if number > 127 else bytes([number])


def record(kind: int, crc: int, data: bytes) -> bytes:
    body = bytes([8, kind, 16]) + varint(crc) + b"\x1a" + varint(len(data)) + data
    pad = -len(body) % 8
    return struct.pack("<II", len(body), (128 | pad) << 24 if pad else 0) + body + bytes(pad)


def log(begin: int, *entries: bytes) -> list[bytes]:
    """Return the records of a file as etcd writes them: the checksum so far, then entries, each with the checksum of
    all."""
    sums = list(accumulate(entries, lambda crc, data: CRC(data, crc), initial=begin))
    return [record(4, begin, b""), *(record(2, crc, data) for crc, data in zip(sums[1:], entries, strict=True))]


ENTRIES = [b"one", b"", b"three" * 40, b"four", b"five", b"six"]
RECORDS = log(0, *ENTRIES)
DATA = b"".join(RECORDS)


def entries(format: Format, data: bytes, **options: Any) -> tuple[list[bytes], list[tuple[int, int, str]], str]:
    table, report = wireloom.read_with_report(format, data, **options)
    [file] = report.files
    return table["data"].to_pylist(), [(each.offset, each.length, each.reason) for each in file.damaged], file.tail


def test_a_log_is_read(tmp_path: Path) -> None:
    format = format_of(WAL)
    for options in ({}, {"batch_rows": 1}, {"recover": True}):
        assert entries(format, DATA, **options) == ([b"", *ENTRIES], [], "clean")
    # The next file continues from the checksum of this one.
    later = b"".join(log(CRC(b"".join(ENTRIES)), b"a", b"b"))
    assert entries(format, later) == ([b"", b"a", b"b"], [], "clean")
    (tmp_path / "1").write_bytes(DATA)
    (tmp_path / "2").write_bytes(later)
    both = [str(tmp_path / "1"), str(tmp_path / "2")]
    table, report = wireloom.read_with_report(format, both)
    assert table["data"].to_pylist() == [b"", *ENTRIES, b"", b"a", b"b"]
    assert all(each.clean for each in report.files)
    # etcd allocates its files before it writes them.
    rows, damages, tail = entries(format, DATA + bytes(4096))
    assert (rows, damages) == ([b"", *ENTRIES], [])
    assert tail != "clean"


def test_damage_is_that_of_its_record() -> None:
    format = format_of(WAL)
    starts = [0, *accumulate(map(len, RECORDS))]
    for number in range(1, 6):
        if not ENTRIES[number - 1]:
            continue
        damaged = bytearray(DATA)
        damaged[DATA.index(ENTRIES[number - 1], starts[number])] ^= 1
        kept = [b"", *ENTRIES]
        del kept[number]
        for options in ({}, {"batch_rows": 1}):
            rows, damages, tail = entries(format, bytes(damaged), **options)
            assert (rows, tail) == (kept, "clean")
            assert [each[2] for each in damages] == ["checksum"]
        assert entries(format, bytes(damaged), verify=False)[1] == []
    # A missing record ends what the checksums continue.
    rows, damages, _ = entries(format, b"".join(RECORDS[:3] + RECORDS[4:]))
    assert (rows, [each[2] for each in damages]) == ([*[b"", *ENTRIES][:3], *ENTRIES[4:]], ["checksum"])


def test_what_stands_after_lost_bytes() -> None:
    """The record after them cannot be verified; those after it can."""
    format = format_of(WAL)
    lost = bytearray(DATA)
    begin = len(b"".join(RECORDS[:3]))
    lost[begin : begin + 4] = b"\xff\xff\xff\xff"
    rows, damages, tail = entries(format, bytes(lost), recover=True)
    assert (rows, tail) == ([b"", *ENTRIES[:2], *ENTRIES[3:]], "clean")
    assert [each[0] for each in damages] == [begin]
    lost[bytes(lost).index(b"six")] ^= 1
    assert entries(format, bytes(lost), recover=True)[0] == [b"", *ENTRIES[:2], *ENTRIES[3:5]]


def test_a_log_is_written() -> None:
    format = format_of(WAL)
    written = io.BytesIO()
    table = wireloom.read(format, DATA)
    wireloom.write(format, table, written)
    assert written.getvalue() == DATA
    root = format.root_class.from_bytes(DATA)
    assert root.to_bytes() == DATA
    root.records[1].body.data = b"ONE"
    again = root.to_bytes()
    assert again != DATA
    assert format.root_class.from_bytes(again).records[-1].body.crc == CRC(b"ONE" + b"".join(ENTRIES[1:]))
    with pytest.raises(WireloomError, match="row 3"):
        wireloom.write(format, [*table.to_pylist()[:3], table.to_pylist()[3] | {"padding": b"xxxxxxxxx"}], io.BytesIO())


ZEROS = (
    WAL.replace("data, pad, padding], selectable: [crc]", "data], selectable: [crc]")
    .replace(
        "repeat: eos}]",
        "repeat: until, repeat-until: _.len == 0 or _io.eof}, {id: zeros, type: zeros, size-eos: true}]",
    )
    .replace("valid: {min: 6}", "valid: {expr: _ == 0 or _ > 5}")
    .replace("size: len}", "size: len, if: len > 0}")
    .replace("types:", "types:\n  zeros: {seq: [{id: zero, type: u1, repeat: eos, valid: 0}]}")
)


def test_the_zeros_after_a_log() -> None:
    """A length of zero ends the records, and zeros follow: such a log is one unit."""
    format = format_of(ZEROS)
    assert format.engine_refusal == 'the checksum "crc" continues that of an item of the same unit'
    for zeros in (0, 8, 4096):
        assert entries(format, DATA + bytes(zeros), mode="failfast") == ([b"", *ENTRIES], [], "clean")
    changed = bytearray(DATA + bytes(64))
    changed[DATA.index(b"four")] ^= 1
    rows, damages, _ = entries(format, bytes(changed))
    assert (rows, [each[2] for each in damages]) == (
        [b"", *(each for each in ENTRIES if each != b"four")],
        ["checksum"],
    )
    changed = bytearray(DATA + bytes(64))
    changed[-5] = 1
    rows, damages, _ = entries(format, bytes(changed))
    assert (rows, [each[2] for each in damages]) == ([b"", *ENTRIES], ["value"])


PLAIN = """
meta: {id: plain, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: len, type: u1}
      - {id: data, size: len}
      - {id: sum, type: u2, -wireloom: {checksum: {algorithm: crc-16/modbus, over: [len, data], continues: _}}}
"""


def test_rows_that_stand_alone() -> None:
    """The first one continues from nothing, whatever the algorithm makes of that."""
    format = format_of(PLAIN)
    data = bytes_of(format, [{"data": b"a"}, {"data": b"bc"}, {"data": b""}])
    first = function(algorithm("crc-16/modbus"))
    assert (
        wireloom.read(format, data, columns=["sum"])["sum"].to_pylist()
        == list(accumulate([b"\1a", b"\2bc", b"\0"], lambda crc, each: first(each, crc), initial=first(b"")))[1:]
    )
    assert wireloom.read(format, data)["data"].to_pylist() == [b"a", b"bc", b""]
    assert format.root_class.from_bytes(data).to_bytes() == data


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (WAL.replace("seq: [{id: records", "seq: [{id: first, type: body}, {id: records"), "not always in items"),
        (PLAIN.replace("{id: sum, type: u2", "{id: sum, size: 2").replace("over: [len", "endian: le, over: [len"),
         "'_', the checksum of the previous item, requires an integer checksum"),
        (WAL.replace("id: crc\n        type: varint", "id: crc\n        type: record"), "record"),
    ],
)  # fmt: skip
def test_what_cannot_be(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        format_of(text)
