"""Attributes with one valid value that the spec computes, for example from the stream's size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kaitaistruct import ValidationGreaterThanError, ValidationNotEqualError

from .writing import made, read, there_and_back, writable, written

FILE = """
seq:
  - {id: magic, contents: FORM}
  - {id: len_file, type: u4, valid: _root._io.size - 8}
  - {id: head, type: head}
  - {id: text, type: strz}
types:
  head: {seq: [{id: whole, type: u2, valid: _root.total}, {id: top, type: u2, valid: {max: _root._io.size}}]}
instances: {total: {value: _io.size}}
"""


def file(kind: Any, text: str, top: int = 3) -> Any:
    return made(kind, head=made(kind.Head, top=top), text=text)


def test_the_size_of_the_stream_is_filled_in(tmp_path: Path) -> None:
    kind = writable(tmp_path, FILE)
    value = file(kind, "hello")
    assert there_and_back(kind, value) == b"FORM\x0a\0\0\0\x12\0\3\0hello\0"
    value.text = "hi"
    assert there_and_back(kind, value) == b"FORM\x07\0\0\0\x0f\0\3\0hi\0"


def test_what_was_read_follows(tmp_path: Path) -> None:
    kind = writable(tmp_path, FILE)
    value = read(kind, written(file(kind, "hello")))
    value.text = "a longer one"
    assert there_and_back(kind, value)[4:10] == b"\x11\0\0\0\x19\0"


def test_a_stream_of_a_size(tmp_path: Path) -> None:
    kind = writable(tmp_path, FILE)
    assert written(file(kind, "hello"), 30)[4:10] == b"\x16\0\0\0\x1e\0"


def test_what_was_assigned_must_hold(tmp_path: Path) -> None:
    kind = writable(tmp_path, FILE)
    value = file(kind, "hello")
    value.len_file = 9
    with pytest.raises(ValidationNotEqualError, match=r"/seq/1: validation failed: not equal, expected 10, but got 9"):
        written(value)
    with pytest.raises(ValidationGreaterThanError, match=r"/types/head/seq/1: .* max 18, but got 19"):
        written(file(kind, "hello", 19))


SUMS = """
seq:
  - {id: len_body, type: u1}
  - {id: n, type: u1}
  - {id: twice, type: u1, valid: n * 2}
  - {id: inverse, type: u1, valid: len_body ^ 0xff}
  - {id: data, size: n}
  - {id: body, type: body, size: len_body}
types: {body: {seq: [{id: text, type: strz}]}}
"""


def test_values_of_what_follows_itself(tmp_path: Path) -> None:
    kind = writable(tmp_path, SUMS)
    value = made(kind, data=b"abc", body=made(kind.Body, text="hello"))
    assert there_and_back(kind, value) == b"\6\3\6\xf9abchello\0"
    value = read(kind, written(value))
    value.data, value.body.text = b"", "hi"
    assert there_and_back(kind, value) == b"\3\0\0\xfchi\0"
    value.twice = 1
    with pytest.raises(ValidationNotEqualError, match="expected 0, but got 1"):
        value._check()


def test_what_it_stands_on_has_to_be_there(tmp_path: Path) -> None:
    kind = writable(tmp_path, "seq: [{id: x, type: u1}, {id: y, type: u1, valid: x + 1}]")
    assert there_and_back(kind, made(kind, x=3)) == b"\3\4"
    with pytest.raises(AttributeError, match="x of Made is not set and cannot be derived: assign it"):
        written(kind())
