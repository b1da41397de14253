"""Objects that are written in one pass: bytes, errors and resulting state are the same as in the general way."""

from __future__ import annotations

import copy
import random
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from kaitaistruct import ConsistencyError, KaitaiStream
from wireloom.objects import MemoryStream
from wireloom.objects.readwrite import AssembledStruct

from ...examples import examples
from .writing import read, there_and_back, writable, written

SPECS: dict[str, tuple[str, bytes]] = {
    "lengths and checksums": (
        """
seq: [{id: frames, type: frame, repeat: eos}]
types:
  frame:
    seq:
      - {id: length, type: u1, valid: {min: 2}}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: body}}}
      - {id: kind, type: u1, enum: kinds}
      - {id: body, size: length - 2}
    instances: {twice: {value: length * 2}}
enums: {kinds: {0: none, 1: some}}
""",
        b"\5\xc2\x41\x24\x35\1abc\2\0\0\0\0\7",
    ),
    "texts": (
        """
seq:
  - {id: magic, contents: TX}
  - {id: size, type: u2}
  - {id: title, type: str, size: size}
  - {id: note, type: strz}
  - {id: kept, terminator: 10, include: true}
  - {id: fixed, type: str, size: 2}
  - {id: rest, size-eos: true}
""",
        "TX\3\0été"[:4].encode() + "éa".encode() + b"note\0kept\nabrest",
    ),
    "objects, lists and conditions": (
        """
seq:
  - {id: head, type: head}
  - {id: count, type: u1}
  - {id: numbers, type: s2be, repeat: expr, repeat-expr: count}
  - {id: flag, type: u1, valid: {any-of: [0, 1]}}
  - {id: more, type: f4, if: flag == 1}
  - {id: points, type: point, repeat: until, repeat-until: _.is_last}
  - {id: names, type: strz, repeat: expr, repeat-expr: 2}
  - {id: pairs, size: 2, repeat: until, repeat-until: '_ == [0, 0]'}
types:
  head: {seq: [{id: version, type: u1, valid: 3}, {id: reserved, size: 2}]}
  point:
    seq: [{id: x, type: u1}, {id: y, type: u2be}, {id: last, type: u1}]
    instances: {is_last: {value: 'last != 0'}, sum: {value: 'x + y + x * y + x * 2 + y * 3 + last'}}
""",
        b"\3ab\2\0\1\xff\xff\1\0\0\x80\x3f\1\0\2\0\3\0\4\7one\0two\0zz\0\0",
    ),
}


def general(self: Any, target: Any) -> None:
    """Prevent an object from being written in one pass."""


def objects(value: Any) -> list[Any]:
    """Return the objects in a value, including itself."""
    if isinstance(value, list):
        return [found for each in value for found in objects(each)]
    if not isinstance(value, AssembledStruct):
        return []
    return [value, *(found for name in value._fields for found in objects(getattr(value, name, None)))]


def state(value: Any) -> list[Any]:
    """Return the resulting state: values, which of them count as assigned, and the stream."""
    return [
        (repr(each), each._dirty, sorted(each._m_given), each._io.pos(), each._io.size()) for each in objects(value)
    ]


def changed(value: Any, seed: int) -> None:
    """Assign, remove and shorten attributes, the same ones for the same seed."""
    chance = random.Random(seed)
    for _ in range(seed % 4):
        holders = [each for each in objects(value) if any(hasattr(each, name) for name in each._fields)]
        if not holders:
            return
        holder = chance.choice(holders)
        name = chance.choice([each for each in holder._fields if hasattr(holder, each)])
        before = getattr(holder, name)
        if chance.random() < 0.2:
            delattr(holder, name)
        elif isinstance(before, list):
            setattr(holder, name, chance.choice([before[:-1], before[::-1], before + before[-1:]]))
        elif isinstance(before, bytes):
            setattr(holder, name, chance.choice([before + b"x", before[:-1], b"", b"\0\n"]))
        elif isinstance(before, str):
            setattr(holder, name, chance.choice([before + "é", before[:-1], "\0"]))
        elif isinstance(before, int | float):
            setattr(holder, name, chance.choice([before, before + 1, 0, -1, 1 << 20]))
        else:
            setattr(holder, name, None)


def outcome(value: Any, room: int | None) -> tuple[str, object]:
    try:
        return "written", written(value, room)
    except Exception as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize("name", SPECS)
def test_the_same_as_the_general_way(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, data = SPECS[name]
    kind = writable(tmp_path, spec)
    assert there_and_back(kind, read(kind, data)) == data
    for seed in range(examples(120)):
        for room in (None, len(data), len(data) + 1, len(data) - 1):
            first, second = read(kind, data), read(kind, data)
            changed(first, seed)
            changed(second, seed)
            found = outcome(first, room)
            with monkeypatch.context() as patch:
                patch.setattr(AssembledStruct, "_assembled", general)
                assert outcome(second, room) == found
            if found[0] == "written":
                assert state(first) == state(second)


@pytest.mark.parametrize("name", SPECS)
def test_one_pass_is_enough(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, data = SPECS[name]
    kind = writable(tmp_path, spec)
    value = read(kind, data)
    monkeypatch.setattr(kind, "_write__seq", None)
    assert value._to_bytes() == data
    assert written(value) == data
    assert written(value, len(data)) == data
    value = read(kind, data)
    value._write()
    assert value._io.to_byte_array() == data


def test_made_of_values_and_changed_later(tmp_path: Path) -> None:
    kind = writable(tmp_path, SPECS["lengths and checksums"][0])
    value = kind()
    value.frames = [kind.Frame(), kind.Frame()]
    for frame, body in zip(value.frames, (b"abc", b""), strict=True):
        frame.kind, frame.body = 1, body
    assert written(value) == b"\5\xc2\x41\x24\x35\1abc\2\0\0\0\0\1"
    assert value.frames[0]._parent is value
    value.frames[0].body = b"a"
    del value.frames[1]
    assert written(value) == b"\3\x43\xbe\xb7\xe8\1a"
    value.frames[0].length = 9
    with pytest.raises(ConsistencyError, match="Check failed: body, expected: 7, actual: 1"):
        written(value)


def test_a_method_of_ones_own_is_called(tmp_path: Path) -> None:
    kind = writable(tmp_path, "seq: [{id: a, type: u1}]")

    class Own(kind):  # type: ignore[misc]
        def _check(self) -> None:
            self.a = 7
            super()._check()

    assert written(Own()) == b"\7"


def test_a_stream_that_is_not_at_its_beginning(tmp_path: Path) -> None:
    kind = writable(tmp_path, SPECS["texts"][0])
    value = read(kind, SPECS["texts"][1])
    stream = KaitaiStream(BytesIO(bytes(2 + len(SPECS["texts"][1]))))
    stream.seek(2)
    value._write(stream)
    assert stream.to_byte_array() == b"\0\0" + SPECS["texts"][1]
    assert stream.is_eof()


# Reading -------------------------------------------------------------------------------------------------------------


LISTS = {
    "to the end": "seq: [{id: items, type: item, repeat: eos}]",
    "counted": "seq: [{id: items, type: item, repeat: expr, repeat-expr: 3}]",
    "until": "seq: [{id: items, type: item, repeat: until, repeat-until: _.length == 4}]",
}
ITEM = """
types:
  item:
    seq:
      - {id: length, type: u1, valid: {max: 5}}
      - {id: a, type: u2be}
      - {id: b, type: u2}
      - {id: text, type: str, size: length, encoding: ASCII}
      - {id: inner, type: inner}
  inner: {seq: [{id: name, type: strz}, {id: c, type: s1}]}
"""


class FieldByField(MemoryStream):
    """A stream of another class, whose bytes are not accessed directly."""


def left(value: Any) -> list[Any]:
    return [(repr(each), each._dirty, sorted(each._m_given)) for each in objects(value)]


@pytest.mark.parametrize("name", LISTS)
def test_items_that_are_read_one_after_the_other(tmp_path: Path, name: str) -> None:
    """Items that are taken from buffered bytes equal those that are read field by field."""
    kind = writable(tmp_path, LISTS[name] + ITEM)
    data = b"\2\0\1\2\0hi\x61\0\xff" + b"\0\0\1\2\0\0\1" + b"\4\0\1\2\0four\xc3\xa9\0\2"
    damaged = data.replace(b"\0\0\1\2\0\0", b"\6\0\1\2\0\0"), data.replace(b"four", b"\xff\xff\xff\xff")
    for each in (*(data[:size] for size in range(len(data) + 1)), *damaged):
        quick, slow = kind(MemoryStream(each)), kind(FieldByField(each))
        reasons = []
        for value in (quick, slow):
            try:
                value._read()
                reasons.append("")
            except Exception as error:
                reasons.append(f"{type(error).__name__}: {error}")
        assert reasons[0] == reasons[1]
        assert left(quick) == left(slow)
        assert quick._io.pos() == slow._io.pos()


# The state of objects -------------------------------------------------------------------------------------------------


def test_a_copy_has_the_same_attributes_assigned(tmp_path: Path) -> None:
    kind = writable(tmp_path, "seq: [{id: size, type: u1}, {id: body, size: size}]")
    value = copy.copy(read(kind, b"\1a"))
    assert not value._dirty
    value.body = b"abc"
    assert written(value) == b"\3abc"
    given = kind()
    given.size, given.body = 2, b"abc"
    with pytest.raises(ConsistencyError, match="Check failed: body, expected: 2, actual: 3"):
        written(copy.deepcopy(given))


def test_what_is_absent_is_not_in_dir(tmp_path: Path) -> None:
    kind = writable(tmp_path, "seq: [{id: flag, type: u1}, {id: more, type: u1, if: flag == 1}]")
    assert "more" in dir(read(kind, b"\1\2"))
    assert "more" not in dir(read(kind, b"\0"))
    assert "flag" in dir(read(kind, b"\0"))
