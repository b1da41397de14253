"""Sizes, counts and positions that depend on an attribute through an argument of its type."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kaitaistruct import ConsistencyError

from .compiling import Compiled
from .writing import META, Api, read, there_and_back, writable, written

COUNTED = """
seq:
  - {id: head, type: head}
  - {id: body, type: body(head.count)}
types:
  head: {seq: [{id: count, type: u1}]}
  body:
    params: [{id: count, type: u1}]
    seq: [{id: items, type: u1, repeat: expr, repeat-expr: count}]
"""


def made(kind: Any, *arguments: Any, **values: Any) -> Any:
    value = kind(*arguments)
    for name, each in values.items():
        setattr(value, name, each)
    return value


def counted(kind: Any, items: list[int], *arguments: Any, **head: Any) -> Any:
    return made(kind, head=made(kind.Head, **head), body=made(kind.Body, *arguments, items=items))


def test_what_the_argument_stands_on_follows(tmp_path: Path) -> None:
    kind = writable(tmp_path, COUNTED)
    value = counted(kind, [1, 2, 3])
    assert there_and_back(kind, value) == b"\3\1\2\3"
    assert (value.head.count, value.body.count) == (3, 3)


def test_what_was_read_follows_too(tmp_path: Path) -> None:
    value = read(writable(tmp_path, COUNTED), b"\3\1\2\3")
    value.body.items.append(4)
    assert written(value) == b"\4\1\2\3\4"
    value.body.items.clear()
    assert written(value) == b"\0"


def test_what_was_assigned_must_hold(tmp_path: Path) -> None:
    kind = writable(tmp_path, COUNTED)
    for value in (counted(kind, [1, 2], count=3), counted(kind, [1, 2], 3), counted(kind, [1, 2], 3, count=3)):
        with pytest.raises(ConsistencyError, match=r"^Check failed: items, expected: 3, actual: 2"):
            written(value)
    with pytest.raises(ConsistencyError, match=r"^Check failed: body, expected: 3, actual: 2"):
        written(counted(kind, [1, 2], 2, count=3))
    value = read(kind, b"\3\1\2\3")
    value.head.count = 2
    with pytest.raises(ConsistencyError, match=r"^Check failed: items, expected: 2, actual: 3"):
        written(value)


def test_an_argument_that_was_given_decides(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: version, type: u1}, {id: body, type: body(version)}]\n"
        "types: {body: {params: [{id: v, type: u1}], seq: [{id: x, type: u1, if: v > 1}]}}",
    )
    assert there_and_back(kind, made(kind, body=made(kind.Body, 2, x=7))) == b"\2\7"
    assert there_and_back(kind, made(kind, version=1, body=kind.Body())) == b"\1"


def test_a_count_that_no_field_can_say(tmp_path: Path) -> None:
    kind = writable(tmp_path, COUNTED.replace("body(head.count)", "body(head.count * 2)"))
    assert there_and_back(kind, counted(kind, [1, 2, 3, 4])) == b"\2\1\2\3\4"
    with pytest.raises(AttributeError, match=r"^count of Made\.Body, an argument, is not set and cannot be derived"):
        written(counted(kind, [1, 2, 3]))


NESTED = """
seq:
  - {id: n, type: u1}
  - {id: k, type: u1}
  - {id: bodies, type: 'body(n * 2, k)', repeat: eos}
types:
  body:
    params: [{id: m, type: u1}, {id: k, type: u4}]
    seq: [{id: inner, type: inner(m + 1)}, {id: note, type: note, size: k}]
  inner:
    params: [{id: m, type: u1}]
    seq: [{id: data, size: m}]
  note: {seq: [{id: text, type: strz}]}
"""


def body(kind: Any, data: bytes, text: str) -> Any:
    return made(kind.Body, inner=made(kind.Inner, data=data), note=made(kind.Note, text=text))


def test_arguments_of_arguments(tmp_path: Path) -> None:
    kind = writable(tmp_path, NESTED)
    value = made(kind, bodies=[body(kind, b"12345", "ab"), body(kind, b"67890", "cd")])
    data = there_and_back(kind, value)
    assert data == b"\2\x0312345ab\x0067890cd\0"
    value.bodies[1].note.text = "cde"
    with pytest.raises(ConsistencyError, match=r"^Check failed: k, expected: .*\nin k of Made"):
        written(value)
    value.bodies[0].note.text = "abc"
    assert there_and_back(kind, value) == b"\2\x0412345abc\x0067890cde\0"


def test_a_position_by_argument(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: ofs, type: u1}, {id: note, type: strz}, {id: far, type: far(ofs)}]\n"
        "types: {far: {params: [{id: at, type: u1}], instances: {text: {pos: at, type: strz}}}}",
    )
    value = made(kind, note="hi", far=made(kind.Far, text="there"))
    assert there_and_back(kind, value) == b"\4hi\0there\0"


def test_types_of_other_specs(tmp_path: Path) -> None:
    part = "meta: {id: part}\nparams: [{id: len, type: u2}]\nseq: [{id: data, size: len}]\n"
    text = META.replace("made,", "made, imports: [part],") + "seq: [{id: n, type: u1}, {id: a, type: part(n)}]"
    compiled = Compiled(tmp_path, part, text, api=Api.KAITAI_READ_WRITE)
    assert compiled.errors == []
    value = made(compiled.made, a=made(compiled.part, data=b"abc"))
    assert there_and_back(compiled.made, value) == b"\3abc"


@pytest.mark.parametrize("argument", ["4", "2 * 2", "_io.size - 1", "big ? 4 : 2"])
def test_an_argument_that_cannot_follow(argument: str, tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        f"seq: [{{id: flag, type: u1}}, {{id: a, type: 'body({argument})'}}]\ninstances: {{big: {{value: flag > 0}}}}\n"
        "types: {body: {params: [{id: m, type: u1}], seq: [{id: x, size: m}]}}",
    )
    value = read(kind, b"\1abcd")
    value.a.x = b"wxyz"
    assert written(value) == b"\1wxyz"
    value.a.x = b"abc"
    with pytest.raises(ConsistencyError, match=r"^Check failed: x, expected: 4, actual: 3"):
        written(value)


def test_an_argument_by_item(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: n, type: u1}, {id: a, type: body(n + _index), repeat: expr, repeat-expr: 2}]\n"
        "types: {body: {params: [{id: m, type: u1}], seq: [{id: x, size: m}]}}",
    )
    value = made(kind, n=1, a=[made(kind.Body, x=b"a"), made(kind.Body, x=b"bc")])
    assert there_and_back(kind, value) == b"\1abc"
    value.a[1].x = b"b"
    with pytest.raises(ConsistencyError, match=r"^Check failed: x, expected: 2, actual: 1"):
        written(value)


def test_a_position_by_argument_is_one_that_the_argument_can_say(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: sector, type: u1}, {id: note, type: strz}, {id: far, type: far(sector * 4 + 1)}]\n"
        "types: {far: {params: [{id: at, type: u1}], instances: {text: {pos: at, type: strz}}}}",
    )
    value = made(kind, note="hi", far=made(kind.Far, text="there"))
    assert there_and_back(kind, value) == b"\1hi\0\0there\0"


def test_room_by_argument_is_what_the_argument_can_say(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: words, type: u1}, {id: a, type: text(words * 4)}]\n"
        "types: {text: {params: [{id: m, type: u1}], seq: [{id: x, type: strz, size: m}]}}",
    )
    assert there_and_back(kind, made(kind, a=made(kind.Text, x="hello"))) == b"\2hello\0\0\0"
    assert there_and_back(kind, made(kind, a=made(kind.Text, x="abc"))) == b"\1abc\0"
