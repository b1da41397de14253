"""Checksums of attributes around the object that contains them."""

import hashlib
import struct
import zlib
from random import Random

import pytest
import wireloom
from wireloom import SpecError, UnsupportedError, engine
from wireloom.checksums import algorithm, function

from tests.differential.agreement import agreed
from tests.differential.damage import damaged

from ...examples import examples
from ..specs import format_of

CRC, MODBUS = function(algorithm("crc32c")), function(algorithm("crc-16/modbus"))
BLOCKS = """
meta: {id: log, endian: le, -wireloom: {rows: blocks.body.rows, columns: [data]}}
seq: [{id: blocks, type: block, repeat: eos}]
types:
  block:
    seq:
      - {id: header, type: header}
      - {id: body, type: body, size: header.len}
      - {id: trailer, type: trailer}
  header:
    seq:
      - {id: len, type: u1}
      - {id: kind, type: u1, valid: {max: 9}}
      - {id: sums, type: sums}
    types:
      sums:
        seq:
          - id: crc
            type: u4
            -wireloom: {checksum: {algorithm: crc32c, over: _parent._parent.body, stored: "_ ^ 1"}}
          - {id: low, type: u1}
  trailer:
    seq:
      - id: crc
        type: u2
        -wireloom: {checksum: {algorithm: crc-16/modbus, over: [_parent.header, _parent.body]}}
      - {id: digest, size: 4, -wireloom: {checksum: {algorithm: md5, over: _parent.header}}}
  body:
    seq:
      - {id: rows, type: row, repeat: eos}
  row:
    seq: [{id: len, type: u1}, {id: data, size: len}]
"""
PACKED = """
meta: {id: log, endian: le, -wireloom: {rows: body.rows, columns: [data]}}
seq:
  - {id: header, type: header}
  - {id: body, type: body, size: header.len, -wireloom: {codec: zlib}}
  - {id: magic, contents: END}
types:
  header:
    seq:
      - {id: len, type: u1}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: _parent.body}}}
  body:
    seq: [{id: rows, type: row, repeat: eos}]
  row:
    seq: [{id: len, type: u1}, {id: data, size: len}]
"""
FLAT = """
meta: {id: log, endian: le, -wireloom: {rows: rows, columns: [data]}}
seq:
  - {id: header, type: header}
  - {id: rows, type: row, repeat: eos}
types:
  header:
    seq: [{id: crc, type: s4, -wireloom: {checksum: {algorithm: crc32, over: _parent.rows}}}]
  row:
    seq: [{id: len, type: u1}, {id: data, size: len}]
"""
STEP = """{id: count, type: u1}
      - {id: rows, type: row, repeat: expr, repeat-expr: count}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: _parent.header}}}"""
ROWS = [[b"one", b"two"], [], [b"x" * 40], [b"", b"a"]]


def packed(rows: list[bytes]) -> bytes:
    return b"".join(bytes([len(each)]) + each for each in rows)


def block(rows: list[bytes]) -> bytes:
    body = packed(rows)
    header = bytes([len(body), 3]) + struct.pack("<IB", CRC(body) ^ 1, 7)
    return header + body + struct.pack("<H", MODBUS(header + body)) + hashlib.md5(header).digest()[:4]


LOG = b"".join(map(block, ROWS))
BODY = zlib.compress(packed([b"one", b"two"]))
ALL = packed([b"abc", b"", b"defg"])
INPUTS = {
    BLOCKS: LOG,
    PACKED: bytes([len(BODY)]) + struct.pack("<I", zlib.crc32(BODY)) + BODY + b"END",
    FLAT: struct.pack("<I", zlib.crc32(ALL)) + ALL,
}


def test_what_is_covered_is_verified() -> None:
    format = format_of(BLOCKS)
    assert format.engine_refusal is None or not engine.available
    table, report = wireloom.read_with_report(format, LOG)
    assert (table["data"].to_pylist(), report.clean) == ([row for rows in ROWS for row in rows], True)
    for place, reason in ((2, "checksum"), (8, "checksum"), (1, "checksum"), (16, "checksum"), (18, "digest")):
        changed = bytearray(LOG)
        changed[place] ^= 1
        table, report = wireloom.read_with_report(format, bytes(changed))
        assert table["data"].to_pylist() == [row for rows in ROWS[1:] for row in rows]
        assert [(each.offset, each.reason) for each in report.files[0].damaged] == [(0, reason)]
        assert len(wireloom.read(format, bytes(changed), verify=False)) == 5


@pytest.mark.slow
@pytest.mark.parametrize("text", INPUTS, ids=["blocks", "packed", "flat"])
def test_both_readers_agree(text: str) -> None:
    format, good = format_of(text), INPUTS[text]
    assert wireloom.read_with_report(format, good)[1].clean
    for place in range(len(good)):
        changed = bytearray(good)
        changed[place] ^= 0x55
        agreed(format, bytes(changed))
        agreed(format, good[:place])
    for seed in range(examples(40)):
        for options in ({}, {"recover": True}, {"batch_rows": 1}, {"verify": False}, {"mode": "failfast"}):
            agreed(format, damaged(Random(seed), good), **options)


def test_wrong_bytes_are_not_decompressed() -> None:
    format, good = format_of(PACKED), INPUTS[PACKED]
    assert wireloom.read(format, good)["data"].to_pylist() == [b"one", b"two"]
    changed = bytearray(good)
    changed[9] ^= 1
    report = wireloom.read_with_report(format, bytes(changed), check_format=False)[1]
    assert [each.reason for each in report.files[0].damaged] == ["checksum"]


def test_a_checksum_in_too_many_places_ends_soon() -> None:
    """Types that contain each other, so that the ways to the object double with every level."""
    types = "{seq: [{id: a, type: a}, {id: b, type: b}, {id: c, type: c}]}"
    over = "_parent." * 40 + "x"
    text = f"""
meta: {{id: deep}}
seq: [{{id: n, type: u1}}]
types:
  a: {types}
  b: {types}
  c: {{seq: [{{id: crc, type: u4be, -wireloom: {{checksum: {{algorithm: crc32, over: {over}}}}}}}]}}
"""
    with pytest.raises(SpecError, match=r"it is in more than 64 places|must have one"):
        format_of(text)


def test_they_are_only_read() -> None:
    format = format_of(BLOCKS)
    with pytest.raises(UnsupportedError, match=r"the checksum header\.sums\.crc is in an object inside these bytes"):
        format.root_class.from_bytes(LOG).to_bytes()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("_parent.header, _parent.body", "_parent.haeder, _parent.body", "has no attribute 'haeder'; did you mean"),
        ("_parent.header, _parent.body", "_parent.body, _parent.header", "'body' comes after 'header'"),
        ("_parent.header, _parent.body", "_parent.body, _parent.trailer", "it covers 'trailer', which contains it"),
        ("_parent.header, _parent.body", "_parent.header, crc", "must belong to the same object"),
        ("_parent._parent.body", "_parent._parent._parent.body", "must have exactly one log::block"),
        ("_parent._parent.body", "_parents.body", "one after '_parent.'"),
        ("over: _parent.header", "continues: 3, over: _parent.header", "requires an integer checksum"),
        ("{id: rows, type: row, repeat: eos}", STEP, "cannot be inside 'body', which leads to the rows"),
        ('stored: "_ ^ 1"', "stored: _ + low", "can only use '_'"),
        ('stored: "_ ^ 1"', "continues: 1", "attributes of its own type"),
        ('stored: "_ ^ 1"', "replace: 1", "attributes of its own type"),
        ("{id: header, type: header}", "{id: header, type: header, if: true}", "without 'repeat', 'if'"),
        (
            "{id: trailer, type: trailer}",
            "{id: trailer, type: trailer, repeat: expr, repeat-expr: 1}",
            "without 'repeat', 'if'",
        ),
    ],
)
def test_mistakes(old: str, new: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        format_of(BLOCKS.replace(old, new))
    assert message in str(caught.value)
