"""Sizes, counts, contents and checksums that need not be given."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from kaitaistruct import ConsistencyError, KaitaiStream, ValidationGreaterThanError
from wireloom.objects import ChecksumError
from wireloom.objects.readwrite import GrowingStream

from .writing import read, there_and_back, writable, written

NOTES = """
seq:
  - {id: magic, contents: [1, 2]}
  - {id: version, type: u1, valid: 3}
  - {id: len_name, type: u1}
  - {id: name, type: str, size: len_name}
  - {id: num_items, type: u1}
  - {id: items, type: u2, repeat: expr, repeat-expr: num_items}
  - {id: len_body, type: u2}
  - {id: body, type: body, size: len_body - 2}
types:
  body: {seq: [{id: kind, type: u1}, {id: rest, size-eos: true}]}
"""


def note(kind: Any) -> Any:
    value = kind()
    value.name = "hello"
    value.items = [1, 2, 3]
    value.body = kind.Body()
    value.body.kind = 7
    value.body.rest = b"xyz"
    return value


def test_what_follows_is_filled_in(tmp_path: Path) -> None:
    value = note(writable(tmp_path, NOTES))
    data = there_and_back(type(value), value)
    assert data == b"\1\2\3\5hello\3\1\0\2\0\3\0\6\0\7xyz"
    assert (value.len_name, value.num_items, value.len_body, value.version) == (5, 3, 6, 3)


def test_check_fills_in_what_needs_no_writing(tmp_path: Path) -> None:
    value = note(writable(tmp_path, NOTES))
    value._check()
    assert (value.magic, value.len_name, value.num_items) == (b"\1\2", 5, 3)
    assert not hasattr(value, "len_body")


def test_what_was_read_grows_and_shrinks(tmp_path: Path) -> None:
    kind = writable(tmp_path, NOTES)
    value = read(kind, written(note(kind)))
    value.name = "a longer name"
    value.items.append(4)
    value.body.rest = b""
    assert there_and_back(kind, value) == b"\1\2\3\x0da longer name\4\1\0\2\0\3\0\4\0\3\0\7"
    value.name = ""
    value.items.clear()
    assert there_and_back(kind, value) == b"\1\2\3\0\0\3\0\7"


def test_what_is_given_must_hold(tmp_path: Path) -> None:
    value = note(writable(tmp_path, NOTES))
    value.num_items = 2
    with pytest.raises(ConsistencyError, match=r"^Check failed: items, expected: 2, actual: 3$"):
        value._check()
    with pytest.raises(ConsistencyError, match=r"^Check failed: items, expected: 2, actual: 3\nin items of Made: "):
        written(value)
    value.num_items = 3
    value.len_body = 4
    with pytest.raises(EOFError, match="requested to write 3 bytes, but only 1 bytes left"):
        written(value)


def test_all_kinds_of_outputs(tmp_path: Path) -> None:
    value = note(writable(tmp_path, NOTES))
    data = written(value)
    empty, growing = KaitaiStream(BytesIO()), GrowingStream()
    value._write(empty)
    value._write(growing)
    assert empty.to_byte_array() == growing.to_byte_array() == value._to_bytes() == data
    file = BytesIO(b"before")
    file.seek(6)
    value._write(file)
    assert file.getvalue() == b"before" + data
    fixed = KaitaiStream(BytesIO(bytes(len(data) + 4)))
    fixed.seek(4)
    value._write(fixed)
    assert fixed.to_byte_array() == bytes(4) + data
    short = KaitaiStream(BytesIO(bytes(len(data) - 1)))
    with pytest.raises(EOFError, match="requested to write 4 bytes, but only 3 bytes left"):
        value._write(short)


def test_without_a_stream_there_is_a_new_one(tmp_path: Path) -> None:
    kind = writable(tmp_path, NOTES)
    value = note(kind)
    value._write()
    assert value._io.to_byte_array() == written(value)
    again = read(kind, written(value))
    again.name = "other"
    again._write()
    assert again._io.to_byte_array() == written(again)


PATHS = """
seq:
  - {id: header, type: header}
  - {id: name, type: str, size: header.len_name}
  - {id: body, size: header.body_size, type: body}
types:
  header:
    seq: [{id: len_name, type: u1}, {id: words, type: u1}]
    instances: {body_size: {value: (words + 1) * 4}}
  body: {seq: [{id: words, type: u4, repeat: eos}]}
"""


def test_fields_of_other_objects_follow(tmp_path: Path) -> None:
    kind = writable(tmp_path, PATHS)
    value = kind()
    value.header = kind.Header()
    value.name = "ab"
    value.body = kind.Body()
    value.body.words = [1, 2]
    assert there_and_back(kind, value) == b"\2\1ab\1\0\0\0\2\0\0\0"


def test_a_size_that_no_field_can_say(tmp_path: Path) -> None:
    kind = writable(tmp_path, "seq: [{id: halves, type: u1}, {id: a, size: halves * 2}]")
    value = kind()
    value.a = b"abc"
    with pytest.raises(AttributeError, match="halves of Made is not set and cannot be derived: assign it"):
        written(value)
    value.a = b"abcd"
    assert there_and_back(kind, value) == b"\2abcd"


def test_a_size_that_is_no_matter_of_sums(tmp_path: Path) -> None:
    kind = writable(tmp_path, "seq: [{id: bits, type: u1}, {id: a, size: (bits + 7) / 8}]")
    value = kind()
    value.a = b"ab"
    with pytest.raises(AttributeError, match="bits of Made is not set and cannot be derived: assign it"):
        written(value)
    value.bits = 12
    assert there_and_back(kind, value) == b"\x0cab"


SHARED = """
seq: [{id: len, type: u1}, {id: items, type: item, repeat: eos}]
types: {item: {seq: [{id: value, size: _parent.len}]}}
"""


def test_one_size_of_many_things(tmp_path: Path) -> None:
    kind = writable(tmp_path, SHARED)
    value = kind()
    value.items = [kind.Item(), kind.Item()]
    value.items[0].value, value.items[1].value = b"ab", b"cd"
    assert there_and_back(kind, value) == b"\2abcd"
    value.items[1].value = b"cde"
    with pytest.raises(ConsistencyError, match=r"^Check failed: len, expected: [23], actual: [23]\nin len of Made: "):
        written(value)


def test_sizes_inside_each_other(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: len, type: u1}, {id: a, type: outer, size: len}]\ntypes:\n"
        "  outer: {seq: [{id: len, type: u1}, {id: b, type: inner, size: len}, {id: c, type: u1}]}\n"
        "  inner: {seq: [{id: x, type: u1, repeat: eos}]}",
    )
    value = kind()
    value.a = kind.Outer()
    value.a.b, value.a.c = kind.Inner(), 9
    value.a.b.x = [1, 2, 3]
    assert there_and_back(kind, value) == b"\5\3\1\2\3\x09"
    value.a.b.x = [1] * 20
    assert there_and_back(kind, value) == b"\x16\x14" + b"\1" * 20 + b"\x09"


def test_sizes_of_what_is_packed(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: len_a, type: u1}, {id: a, size: len_a, process: zlib}, {id: len_b, type: u1}, "
        "{id: b, size: len_b, type: text, process: zlib}]\ntypes: {text: {seq: [{id: x, type: str, size-eos: true}]}}",
    )
    value = kind()
    value.a, value.b = b"a" * 500, kind.Text()
    value.b.x = "b" * 500
    assert len(there_and_back(kind, value)) < 60


def test_checksums(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq:\n  - {id: magic, contents: [9]}\n"
        "  - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32c, over: [magic, last], replace: 0}}}\n"
        "  - {id: len, type: u1}\n  - {id: sub, size: len, type: sub}\n  - {id: last, type: u1}\n"
        "  - {id: own, type: u4, -wireloom: {checksum: {algorithm: crc32, over: tail}}}\n"
        "  - {id: tail, size-eos: true}\n"
        "types: {sub: {seq: [{id: x, type: u1, repeat: eos}]}}",
    )
    value = kind()
    value.sub, value.last, value.tail = kind.Sub(), 4, b"123456789"
    value.sub.x = [1, 2, 3]
    data = there_and_back(kind, value)
    assert data == bytes.fromhex("09 07173547 03 010203 04 2639f4cb") + b"123456789"
    value.sub.x = [1]
    assert there_and_back(kind, value)[1:5] != data[1:5]
    value.crc = 3
    with pytest.raises(ChecksumError, match=r"/seq/1: validation failed: checksum of the bytes is .*, but 0x3 is"):
        written(value)
    value = read(kind, data)
    value.own = 3
    with pytest.raises(ChecksumError, match="/seq/5: validation failed: checksum of the bytes is 0xcbf43926"):
        value._check()


def test_the_size_of_the_stream_follows_too(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: a, size: _io.size - 3}, {id: b, type: u1}]\ninstances: {last: {pos: _io.size - 2, type: u2}}",
    )
    value = kind()
    value.a, value.b, value.last = b"hello", 1, 0x0302
    assert written(value, 8) == there_and_back(kind, value) == b"hello\1\2\3"


def test_an_object_takes_its_place_below_its_parent(tmp_path: Path) -> None:
    kind = writable(tmp_path, NOTES)
    value = note(kind)
    value._check()
    assert value.body._parent is value
    assert value.body._root is value
    other = note(kind)
    other.body = value.body
    with pytest.raises(ConsistencyError, match=r"^Check failed: body,"):
        other._check()


def test_the_size_of_what_is_absent(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: flag, type: u1}, {id: len, type: u1}, {id: a, size: len, if: flag == 1}, "
        "{id: num, type: u1}, {id: b, type: u1, repeat: expr, repeat-expr: num, if: flag == 1}]",
    )
    value = kind()
    value.flag = 0
    assert there_and_back(kind, value) == b"\0\0\0"
    value.flag, value.a, value.b = 1, b"xy", [3]
    assert there_and_back(kind, value) == b"\1\2xy\1\3"


def test_a_stream_that_is_for_reading(tmp_path: Path) -> None:
    kind = writable(tmp_path, "seq: [{id: a, type: u1}]")
    value = read(kind, b"\1")
    with pytest.raises(EOFError):
        value._write(value._io)


def test_a_place_that_is_counted_from_the_end(tmp_path: Path) -> None:
    kind = writable(tmp_path, "seq: [{id: a, type: strz}]\ninstances: {last: {pos: _io.size - 2, type: u2}}")
    value = kind()
    value.a, value.last = "hello", 3
    assert there_and_back(kind, value) == b"hello\0\3\0"


TAIL = """
seq: [{id: items, type: u1, repeat: until, repeat-until: _ == 0}]
instances: {last: {pos: _io.size - 4, type: u2}}
"""


def test_what_stands_before_the_end_makes_room_and_comes_closer(tmp_path: Path) -> None:
    value = read(writable(tmp_path, TAIL), b"\1\2\0ab\5\0cd")
    assert written(value) == b"\1\2\0ab\5\0cd"
    value.last = 6
    assert written(value) == b"\1\2\0ab\6\0cd"
    for items in ([1, 2, 3, 0], [1, 0], [1, 2, 3, 4, 5, 6, 7, 0]):
        value.items = items
        assert written(value) == bytes(items) + b"\6\0\0\0"


def test_an_end_that_two_describe(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: items, type: u1, repeat: eos}]\ninstances: {last: {pos: _io.size - 1, type: u1}}",
    )
    value = read(kind, b"\1\2\3")
    value.items = [4]
    with pytest.raises(ConsistencyError, match=r"^Check failed: items, expected: 0, actual: "):
        written(value)
    value.last = 4
    assert written(value) == b"\4"


def test_positions_that_are_counted_from_the_end_of_what_was_read(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: magic, contents: T}]\ninstances: {index: {pos: _io.size - 2, type: index}}\n"
        "types:\n  index:\n    seq: [{id: ofs, type: u2}]\n"
        "    instances: {names: {pos: ofs, type: strz, repeat: until, repeat-until: _io.pos == _io.size - 2}}",
    )
    data = b"T--ab\0c\0\3\0"
    value = read(kind, data)
    assert written(value) == data
    value.index.names.append("def")
    again = read(kind, written(value))
    assert again.index.names == ["ab", "c", "def"]


@pytest.mark.parametrize(
    "rest",
    [
        "{id: a, size: n}]",
        "{id: b, type: part, size: n}]\ntypes: {part: {seq: [{id: a, size-eos: true}]}}",
        "{id: b, type: part}]\ntypes: {part: {seq: [{id: a, size: _parent.n}]}}",
    ],
)
def test_what_follows_is_checked_when_it_has(rest: str, tmp_path: Path) -> None:
    kind = writable(tmp_path, f"seq: [{{id: n, type: u1, valid: {{max: 3}}}}, {rest}")
    value = read(kind, b"\2ab")
    holder = getattr(value, "b", value)
    for _ in range(2):
        holder.a = b"abcd"
        with pytest.raises(ValidationGreaterThanError, match="not in range, max 3, but got 4"):
            written(value)
        holder.a = b"abc"
        assert written(value) == b"\3abc"
