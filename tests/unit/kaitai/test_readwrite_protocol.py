"""Kaitai's protocol: what is checked when, and the errors."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from kaitaistruct import (
    ConsistencyError,
    EndOfStreamError,
    InvalidArgumentError,
    KaitaiStream,
    KaitaiStruct,
    ReadWriteKaitaiStruct,
    ValidationGreaterThanError,
    ValidationNotEqualError,
)
from wireloom import WireloomError

from .writing import read, writable, written


def test_the_classes_are_those_of_the_runtime(tmp_path: Path) -> None:
    kind = writable(tmp_path, "seq: [{id: a, type: u1}]")
    assert issubclass(kind, ReadWriteKaitaiStruct)
    assert issubclass(kind, KaitaiStruct)
    value = kind(KaitaiStream(BytesIO(b"\1")))
    assert not hasattr(value, "a")
    value._read()
    assert value.a == 1
    assert repr(value) == "Made(a=1)"


def test_dirty(tmp_path: Path) -> None:
    kind = writable(tmp_path, "seq: [{id: a, type: u1}]\ninstances: {b: {pos: 0, type: u1}}")
    value = kind.from_bytes(b"\1")
    assert value._dirty
    value._read()
    assert not value._dirty
    value.a = 2
    assert value._dirty
    value.b = 2
    value._check()
    assert not value._dirty
    value.b = 1
    assert value._dirty


ERRORS = {
    "a size": ("seq: [{id: a, size: 3}]", b"ab", "Check failed: a, expected: 3, actual: 2"),
    "padding": ("seq: [{id: a, size: 4, pad-right: 0x61}]", b"ba", "Check failed: a, expected: 97, actual: 97"),
    "too long": ("seq: [{id: a, size: 1, pad-right: 0x61}]", b"xyz", "Check failed: a, expected: 1, actual: 3"),
    "a terminator inside": ("seq: [{id: a, terminator: 0}]", b"x\0y", "Check failed: a, expected: -1, actual: 1"),
    "no terminator": (
        "seq: [{id: a, terminator: 0, include: true}]",
        b"xy",
        "Check failed: a, expected: 1, actual: -1",
    ),
    "a count": (
        "seq: [{id: a, type: u1, repeat: expr, repeat-expr: 2}]",
        [1, 2, 3],
        "Check failed: a, expected: 2, actual: 3",
    ),
    "no end": (
        "seq: [{id: a, type: u1, repeat: until, repeat-until: _ == 0}]",
        [1, 2],
        "Check failed: a, expected: True, actual: False",
    ),
    "an early end": (
        "seq: [{id: a, type: u1, repeat: until, repeat-until: _ == 0}]",
        [0, 0],
        "Check failed: a, expected: False, actual: True",
    ),
    "no items": (
        "seq: [{id: a, type: u1, repeat: until, repeat-until: _ == 0}]",
        [],
        "Check failed: a, expected: 0, actual: 0",
    ),
    "bits": ("seq: [{id: a, type: b3}]", 8, "Check failed: a, expected: 'an unsigned integer of 3 bits', actual: 8"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_what_does_not_hold(tmp_path: Path, name: str) -> None:
    spec, given, message = ERRORS[name]
    value = writable(tmp_path, spec)()
    value.a = given
    with pytest.raises(ConsistencyError) as caught:
        value._check()
    assert str(caught.value) == message
    with pytest.raises(ConsistencyError):
        written(value)


def test_validation_has_no_position_while_nothing_is_read(tmp_path: Path) -> None:
    kind = writable(tmp_path, "seq: [{id: a, type: u1}, {id: b, type: u1, valid: {max: 5}}]")
    value = kind.from_bytes(b"\1\7")
    with pytest.raises(ValidationGreaterThanError, match=r"^/seq/1: at pos 2: validation failed: not in range"):
        value._read()
    with pytest.raises(ValidationGreaterThanError) as caught:
        value._check()
    assert str(caught.value) == "/seq/1: validation failed: not in range, max 5, but got 7"


def test_contents(tmp_path: Path) -> None:
    value = writable(tmp_path, "seq: [{id: a, contents: [1, 2]}]")()
    value.a = b"\1\3"
    with pytest.raises(ValidationNotEqualError, match=r"^/seq/0: validation failed: not equal, expected "):
        value._check()


def test_what_is_not_set(tmp_path: Path) -> None:
    value = writable(tmp_path, "seq: [{id: num, type: u1}, {id: a, type: u1, repeat: expr, repeat-expr: num}]")()
    value.num = 0
    with pytest.raises(AttributeError, match=r"\ba\b"):
        value._check()
    text = "a of Made is not set and cannot be derived: assign it"
    with pytest.raises(AttributeError, match=rf"^{text}\nin a of Made$"):
        written(value)


def test_what_does_not_fit(tmp_path: Path) -> None:
    value = writable(tmp_path, "seq: [{id: a, type: u1}, {id: b, type: u2}]")()
    value.a, value.b = 1, 1 << 16
    with pytest.raises(WireloomError, match="b = 65536 does not fit its field"):
        written(value)


def test_the_end_of_the_stream(tmp_path: Path) -> None:
    value = writable(tmp_path, "seq: [{id: a, type: u1, repeat: eos}]")()
    value.a = [1, 2, 3]
    with pytest.raises(ConsistencyError, match=r"^Check failed: a, expected: 0, actual: 2\nin a of Made: "):
        written(value, 5)
    with pytest.raises(ConsistencyError, match=r"^Check failed: a, expected: 0, actual: 0\nin a of Made: "):
        written(value, 2)
    value = writable(tmp_path, "seq: [{id: a, type: u2}, {id: b, type: u4}]")()
    value.a, value.b = 1, 2
    value._check()
    stream = KaitaiStream(BytesIO(bytes(5)))
    with pytest.raises(EndOfStreamError, match=r"^requested to write 4 bytes, but only 3 bytes left in the stream$"):
        value._write__seq(stream)
    assert stream.pos() == 2


def test_arguments(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: n, type: u1}, {id: a, type: t(n)}]\n"
        "types: {t: {params: [{id: m, type: u1}], seq: [{id: x, size: m}]}}",
    )
    value = kind()
    value.n, value.a = 2, kind.T(3, None, value, value)
    value.a.x = b"abc"
    with pytest.raises(ConsistencyError, match=r"^Check failed: a, expected: 2, actual: 3$"):
        value._check()
    value = read(kind, b"\2ab")
    value.n = 3
    value.a.x = b"abc"
    assert written(value) == b"\3abc"


def test_computed_values_follow(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: a, type: u1, repeat: eos}]\n"
        "instances: {total: {value: 'a[0] + a[1]'}, far: {value: total * a.size}}",
    )
    value = read(kind, b"\1\2")
    assert (value.total, value.far) == (3, 6)
    value.a = [5, 6]
    value._invalidate_total()
    value._invalidate_far()
    assert (value.total, value.far) == (11, 22)


def test_a_claimed_size_allocates_nothing(tmp_path: Path) -> None:
    kind = writable(
        tmp_path, "seq: [{id: len, type: u8}, {id: a, size: len, type: t}]\ntypes: {t: {seq: [{id: x, type: u1}]}}"
    )
    value = kind()
    value.len, value.a = 1 << 50, kind.T()
    value.a.x = 1
    for size in (None, 100):
        with pytest.raises((InvalidArgumentError, EndOfStreamError)):
            written(value, size)
    value.len = (1 << 64) - 1
    with pytest.raises((InvalidArgumentError, EndOfStreamError)):
        written(value)


def test_a_claimed_position_allocates_nothing(tmp_path: Path) -> None:
    kind = writable(tmp_path, "seq: [{id: ofs, type: u8}]\ninstances: {a: {pos: ofs, type: u1}}")
    value = kind()
    value.ofs, value.a = 1 << 50, 1
    for size in (None, 100):
        with pytest.raises((InvalidArgumentError, EndOfStreamError)):
            written(value, size)


def test_an_object_that_holds_itself(tmp_path: Path) -> None:
    kind = writable(tmp_path, "seq: [{id: n, type: u1}, {id: next, type: made, if: n > 0}]")
    value = kind()
    value.n, value.next = 1, value
    with pytest.raises((ConsistencyError, RecursionError)):
        written(value)
