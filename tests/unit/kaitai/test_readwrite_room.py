"""Sizes of fields that may be longer than their content: those with a terminator, and padded ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kaitaistruct import ConsistencyError

from .writing import made, read, there_and_back, writable, written

TEXT = "seq: [{id: n, type: u1}, {id: a, type: strz, size: n}]"


@pytest.mark.parametrize(
    ("attribute", "value", "data"),
    [
        ("type: strz, size: n", "hello", b"\6hello\0"),
        ("type: strz, size: n", "", b"\1\0"),
        ("type: str, size: n, terminator: 0x3b, include: true", "hello;", b"\6hello;"),
        ("type: str, size: n, pad-right: 0x20", "hello", b"\5hello"),
        ("size: n, terminator: 0, pad-right: 0x20", b"hello", b"\6hello\0"),
        ("type: strz, size: n, encoding: UTF-16LE", "hi", b"\6h\0i\0\0\0"),
        ("type: strz, size: n * 4", "hello", b"\2hello\0\0\0"),
        ("type: strz, size: n * 4 + 2", "hello", b"\1hello\0"),
        ("type: strz, size: 16 - n", "hello", b"\nhello\0"),
        ("size: n, terminator: 0, process: xor(0x20)", b"abc", b"\4ABC\0"),
        ("type: strz, size: n, repeat: eos", ["a", "long", "ab"], b"\5a\0\0\0\0long\0ab\0\0\0"),
    ],
)
def test_the_size_is_what_the_value_and_its_end_need(attribute: str, value: Any, data: bytes, tmp_path: Path) -> None:
    kind = writable(tmp_path, f"seq: [{{id: n, type: u1}}, {{id: a, {attribute}}}]")
    assert there_and_back(kind, made(kind, a=value)) == data


def test_a_larger_size_that_was_given_stays(tmp_path: Path) -> None:
    kind = writable(tmp_path, TEXT)
    assert there_and_back(kind, made(kind, a="hello", n=9)) == b"\x09hello\0\0\0\0"
    with pytest.raises(ConsistencyError, match=r"^Check failed: a, expected: 4, actual: 5"):
        written(made(kind, a="hello", n=4))


def test_the_size_that_was_read_stays_as_long_as_the_value_fits(tmp_path: Path) -> None:
    kind = writable(tmp_path, TEXT)
    value = read(kind, b"\x08hello\0\0\0")
    assert written(value) == b"\x08hello\0\0\0"
    value.a = "hi"
    assert written(value) == b"\x08hi\0\0\0\0\0\0"
    value.a = "hello, world"
    assert written(value) == b"\x0dhello, world\0"


def test_a_value_that_had_no_terminator_gets_one_when_it_is_another(tmp_path: Path) -> None:
    value = read(writable(tmp_path, TEXT), b"\5hello")
    assert written(value) == b"\5hello"
    value.a = "world"
    assert written(value) == b"\6world\0"


def test_another_field_may_decide_the_size(tmp_path: Path) -> None:
    for seq in ("{id: a, type: strz, size: n}, {id: b, size: n}", "{id: b, size: n}, {id: a, type: strz, size: n}"):
        kind = writable(tmp_path, f"seq: [{{id: n, type: u1}}, {seq}]")
        assert len(there_and_back(kind, made(kind, a="hi", b=b"12345"))) == 11
        with pytest.raises(ConsistencyError, match=r"^Check failed: a, expected: 2, actual: 5"):
            written(made(kind, a="hello", b=b"12"))


def test_of_several_texts_the_longest_decides(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: width, type: u1}, {id: names, type: name, repeat: eos}]\n"
        "types: {name: {seq: [{id: text, type: strz, size: _root.width}]}}",
    )
    names = [made(kind.Name, text=each) for each in ("ab", "abcd", "")]
    assert there_and_back(kind, made(kind, names=names)) == b"\5ab\0\0\0abcd\0\0\0\0\0\0"


def test_objects_in_such_fields(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: n, type: u1}, {id: a, size: n * 2, type: t, terminator: 0}]\n"
        "types: {t: {seq: [{id: x, type: u1, repeat: eos}]}}",
    )
    value = made(kind, a=made(kind.T, x=[1, 2, 3, 4]))
    assert there_and_back(kind, value) == b"\3\1\2\3\4\0\0"
    value = read(kind, b"\2\1\2\3\4")
    assert written(value) == b"\2\1\2\3\4"
    value.a.x.append(5)
    assert written(value) == b"\3\1\2\3\4\5\0"


def test_texts_at_positions_of_their_own(tmp_path: Path) -> None:
    kind = writable(tmp_path, "seq: [{id: n, type: u1}]\ninstances: {a: {pos: 3, type: strz, size: n}}")
    assert there_and_back(kind, made(kind, a="hello")) == b"\6\0\0hello\0"


def test_an_object_in_a_field_whose_size_is_counted_in_words(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: words, type: u1}, {id: a, size: words * 4, type: t}]\n"
        "types: {t: {seq: [{id: x, type: u1}, {id: y, type: strz}]}}",
    )
    assert there_and_back(kind, made(kind, a=made(kind.T, x=1, y="ab"))) == b"\1\1ab\0"
    assert there_and_back(kind, made(kind, a=made(kind.T, x=1, y="abc"))) == b"\2\1abc\0\0\0\0"
