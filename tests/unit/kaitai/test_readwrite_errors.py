"""The content of errors of writing: the class, the field, the place in the object, and what to do."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import pytest

from .writing import read, there_and_back, writable, written

ENTRIES = """
seq: [{id: n, type: u1}, {id: entries, type: entry, repeat: expr, repeat-expr: n}]
types:
  entry: {seq: [{id: len, type: u1}, {id: body, type: body, size: len}]}
  body: {seq: [{id: x, type: u1}, {id: rest, type: u1, repeat: eos}]}
"""


def made(cls: Any, **values: Any) -> Any:
    value = cls()
    for name, each in values.items():
        setattr(value, name, each)
    return value


def entry(kind: Any, x: Any = 1, rest: Any = (2, 3), **values: Any) -> Any:
    return made(kind.Entry, **{"body": made(kind.Body, x=x, rest=list(rest)), **values})


def said(value: Any, size: int | None = None) -> str:
    """Return the complete text of the error of writing a value, without its traceback."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the text is what is looked at
        written(value, size)
    return "".join(traceback.format_exception_only(caught.value)).strip()


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ({"x": 300}, ["x = 300 does not fit its field", "in x of Made.Body, which is entries[1].body"]),
        ({"x": None}, ["x = None does not fit its field", "in x of Made.Body, which is entries[1].body"]),
        ({"rest": (1, 300)}, ["rest = 300 does not fit", "in rest of Made.Body, which is entries[1].body"]),
        ({"len": 5}, ["Check failed: rest, expected: 0, actual: 2", "in rest of Made.Body, which is entries[1].body"]),
        ({"len": 2}, ["Check failed: rest, expected: 0, actual: 0", "in rest of Made.Body, which is entries[1].body"]),
        ({"body": 7}, ["body, expected: 'an object', actual: 7", "in body of Made.Entry, which is entries[1]"]),
    ],
)
def test_the_object_and_its_field_are_named(values: dict[str, Any], texts: list[str], tmp_path: Path) -> None:
    kind = writable(tmp_path, ENTRIES)
    text = said(made(kind, entries=[entry(kind), entry(kind, **values)]))
    for each in texts:
        assert each in text


def test_an_attribute_that_is_not_set(tmp_path: Path) -> None:
    kind = writable(tmp_path, ENTRIES)
    value = made(kind, entries=[entry(kind)])
    del value.entries[0].body.x
    text = "AttributeError: x of Made.Body is not set and cannot be derived: assign it\n"
    assert said(value) == f"{text}in x of Made.Body, which is entries[0].body"


def test_an_object_that_is_larger_than_its_field(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: len, type: u1}, {id: body, type: body, size: len}]\ntypes: {body: {seq: [{id: x, type: u4}]}}",
    )
    text = said(made(kind, len=2, body=made(kind.Body, x=1)))
    assert "requested to write 4 bytes, but only 2 bytes left in the stream\n" in text
    assert "in x of Made.Body, which is body: not enough room in 'body', which has 2 bytes; an assigned size" in text


def test_a_stream_that_is_too_short(tmp_path: Path) -> None:
    kind = writable(tmp_path, ENTRIES)
    text = said(made(kind, entries=[entry(kind)]), 3)
    assert "requested to write 3 bytes, but only 1 bytes left" in text
    assert "in body of Made.Entry, which is entries[0]" in text


def test_a_size_that_the_field_cannot_say(tmp_path: Path) -> None:
    kind = writable(tmp_path, "seq: [{id: words, type: u1}, {id: a, size: words * 4 + 1}]")
    reason = "words cannot say 3, which is not 4 * words + 1 for any integer"
    assert said(made(kind, a=b"abc")).endswith(f"\nin words of Made: {reason}")
    value = read(kind, b"\1abcde")
    value.a = b"abc"
    assert said(value).endswith(f"Check failed: a, expected: 5, actual: 3\nin a of Made: {reason}")
    assert "or delete (del) the assigned one" in said(made(kind, words=1, a=b"abc"))


def test_values_of_other_types(tmp_path: Path) -> None:
    kind = writable(tmp_path, "seq: [{id: a, type: str, size: 3, encoding: ASCII}, {id: b, size: 2}]")
    assert "in a of Made" in said(made(kind, a=b"abc", b=b"ab"))
    assert "in a of Made" in said(made(kind, a="äbc", b=b"ab"))
    assert "in b of Made" in said(made(kind, a="abc", b=None))


SHAPES = """
seq:
  - {id: kind, type: u1, enum: kind}
  - id: shape
    size: 4
    type:
      switch-on: kind
      cases: {'kind::circle': circle, 'kind::square': box, 'kind::oblong': box, 'kind::note': strz}
types:
  circle: {seq: [{id: radius, type: u1}]}
  box: {seq: [{id: width, type: u2}, {id: height, type: u2}]}
enums: {kind: {1: circle, 2: square, 3: oblong, 4: note}}
"""


def test_the_class_of_what_a_switch_chooses_is_checked(tmp_path: Path) -> None:
    kind = writable(tmp_path, SHAPES)
    circle, box = made(kind.Circle, radius=1), made(kind.Box, width=1, height=2)
    text = said(made(kind, kind=kind.Kind.square, shape=circle))
    assert "shape, expected: 'Made.Box, since kind is <Kind.square: 2>', actual: 'Made.Circle'" in text
    text = said(made(kind, kind=kind.Kind.note, shape=box))
    assert "shape, expected: 'str, since kind is <Kind.note: 4>', actual: 'Made.Box'" in text
    text = said(made(kind, kind=9, shape=box))
    assert "shape, expected: 'bytes, since kind is 9', actual: 'Made.Box'" in text


def test_a_tag_follows_from_the_only_case_that_has_the_class(tmp_path: Path) -> None:
    kind = writable(tmp_path, SHAPES)
    circle, box = made(kind.Circle, radius=7), made(kind.Box, width=1, height=2)
    value = made(kind, shape=circle)
    assert there_and_back(kind, value) == b"\1\7\0\0\0"
    assert value.kind is kind.Kind.circle
    assert "kind of Made is not set" in said(made(kind, shape=box))
    value = read(kind, b"\3\1\0\2\0")
    assert written(value) == b"\3\1\0\2\0"
    value.shape = made(kind.Circle, radius=8)
    assert written(value)[:2] == b"\1\x08"


def test_tags_of_other_objects_and_of_text(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq:\n  - {id: head, type: head}\n"
        "  - {id: items, repeat: eos, type: {switch-on: head.tag, cases: {'\"aa\"': one, '\"bb\"': two}}}\n"
        "types:\n  head: {seq: [{id: tag, type: str, size: 2}]}\n"
        "  one: {seq: [{id: x, type: u1}]}\n  two: {seq: [{id: x, type: u2}]}\n",
    )
    value = made(kind, head=kind.Head(), items=[made(kind.Two, x=1), made(kind.Two, x=2)])
    assert there_and_back(kind, value) == b"bb\1\0\2\0"
    value.items[1] = made(kind.One, x=2)
    assert "items, expected: \"Made.Two, since head.tag is 'bb'\", actual: 'Made.One'" in said(value)


def test_a_tag_that_other_values_have_too(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: t, type: u1}, {id: a, type: {switch-on: t, cases: {1: one, _: one}}}]\n"
        "types: {one: {seq: [{id: x, type: u1}]}}",
    )
    assert "t of Made is not set" in said(made(kind, a=made(kind.One, x=1)))
    assert there_and_back(kind, made(kind, t=5, a=made(kind.One, x=1))) == b"\5\1"
