"""Messages inside a layout: their fields, each with its own bytes."""

import gzip
import zlib
from pathlib import Path

from .samples import seen, spans

SPEC = """
meta: {id: frames, endian: be, -wireloom: {rows: frames, columns: [body]}}
seq: [{id: frames, type: frame, repeat: eos}]
types:
  frame:
    seq:
      - {id: flag, type: u1}
      - {id: len, type: u1}
      - {id: body, size: len, type: event, -wireloom: {codec: {switch-on: flag, cases: {0: none, 1: gzip}}}}
      - {id: plain_len, type: u1}
      - {id: plain, size: plain_len, type: event}
  event:
    -wireloom:
      message:
        fields:
          - {id: name, number: 1, type: string}
          - {id: crc, number: 2, type: fixed32, checksum: {algorithm: crc32, over: data}}
          - {id: data, number: 3, type: bytes}
          - {id: inner, number: 4, type: inner}
          - {id: tags, number: 5, type: int32, map-key: string}
    instances:
      size_of_data: {value: data.size}
  inner:
    -wireloom: {message: {fields: [{id: name, number: 1, type: string}]}}
"""


def event(data: bytes, checksum: int | None = None) -> bytes:
    crc = (zlib.crc32(data) if checksum is None else checksum).to_bytes(4, "little")
    inner = b"\x0a\x01i"
    tags = b"\x0a\x01k\x10\x07"
    return b"\x0a\x03one" + b"\x15" + crc + b"\x1a\x02" + data + b"\x22\x03" + inner + b"\x2a\x05" + tags


def frame(body: bytes, plain: bytes, flag: int = 1) -> bytes:
    packed = gzip.compress(body) if flag else body
    return bytes([flag, len(packed)]) + packed + bytes([len(plain)]) + plain


PLACES = {
    "name (1, bytes)": (0, 5),
    "crc (2, 32 bits)": (5, 10),
    "data (3, bytes)": (10, 14),
    "inner (4, bytes)": (14, 19),
    "inner (4, bytes)/name (1, bytes)": (16, 19),
    "tags (5, bytes)": (19, 26),
    "tags (5, bytes)/key (1, bytes)": (21, 24),
    "tags (5, bytes)/value (2, varint)": (24, 26),
}


def test_fields_have_their_own_bytes_and_none_where_they_are_compressed(tmp_path: Path) -> None:
    (tmp_path / "frames.ksy").write_text(SPEC)
    data = frame(event(b"ab"), event(b"cd"))
    [record] = seen(tmp_path / "frames.ksy", data)
    body, plain = record.fields[2], record.fields[4]
    assert [each.name for _, each in body.walk()] == [each.name.replace("plain", "body") for _, each in plain.walk()]
    found = spans(record)
    assert [each for each in found if each.startswith("body/")] == []
    at = len(data) - 26
    assert {each: found[f"plain/{each}"] for each in PLACES} == {
        each: (begin + at, end + at) for each, (begin, end) in PLACES.items()
    }
    values = {each.name: each.value for each in plain.children}
    assert (values["name (1, bytes)"], values["data (3, bytes)"], values["size_of_data"]) == ("one", b"cd", 2)


def test_a_wrong_checksum_and_an_invalid_field_are_shown_where_they_are(tmp_path: Path) -> None:
    (tmp_path / "frames.ksy").write_text(SPEC)
    broken = event(b"cd") + b"\x07"
    data = frame(event(b"ab", checksum=5), event(b"cd"), flag=0) + frame(event(b"ab"), broken)
    wrong, invalid = seen(tmp_path / "frames.ksy", data, count=2)
    assert (wrong.reason, invalid.reason) == ("checksum", "message")
    crc = wrong.fields[2].children[1]
    assert crc.name == "crc (2, 32 bits)"
    assert "0x5 is stored" in str(crc.problem)
    assert [each.name for each in invalid.fields] == ["flag", "len", "body", "plain_len", "plain"]
    assert str(invalid.fields[4].problem).startswith("byte 26: 0 is not a valid field number")
    last = invalid.fields[4].children[5]
    assert (last.name, last.end - last.begin, last.end) == ("?", 1, len(data))
    assert last.problem
