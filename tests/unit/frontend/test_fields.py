"""Attributes → model: types, sizes, terminators, repetition, validity, switches."""

from __future__ import annotations

import pytest
from wireloom.codegen.expression.types import (
    BitsType,
    BytesType,
    EnumType,
    FloatType,
    IntegerType,
    StringType,
    Type,
    UnionType,
    UserType,
)
from wireloom.codegen.wire import (
    EndOfStreamSize,
    ExpressionSize,
    FixedSize,
    OwnSize,
    RepeatCount,
    RepeatEos,
    RepeatUntil,
    TerminatedSize,
    Terminator,
)

from tests.unit.frontend.specs import attribute, root
from tests.unit.frontend.trees import written


@pytest.mark.parametrize(
    ("keys", "type", "size"),
    [
        ("type: u1", IntegerType(1, False, None), FixedSize(1)),
        ("type: s1", IntegerType(1, True, None), FixedSize(1)),
        ("type: u2", IntegerType(2, False, "le"), FixedSize(2)),
        ("type: s8be", IntegerType(8, True, "be"), FixedSize(8)),
        ("type: f4be", FloatType(4, "be"), FixedSize(4)),
        ("type: f8", FloatType(8, "le"), FixedSize(8)),
        ("type: b1", BitsType(1, "be"), OwnSize()),
        ("type: b12le", BitsType(12, "le"), OwnSize()),
        ("size: 4", BytesType(), None),
        ("size-eos: true", BytesType(), EndOfStreamSize()),
        ("terminator: 0", BytesType(), TerminatedSize()),
        ("contents: [0x7f, ELF]", BytesType(), FixedSize(4)),
        ("contents: ÿ", BytesType(), FixedSize(2)),
        ("contents: abc\n    size: 3", BytesType(), FixedSize(3)),
        ("type: str\n    size: 4", StringType("UTF-8"), None),
        ("type: str\n    size-eos: true\n    encoding: latin1", StringType("ISO-8859-1"), EndOfStreamSize()),
        ("type: strz", StringType("UTF-8"), TerminatedSize()),
        ("type: strz\n    size: 8", StringType("UTF-8"), None),
        ("type: other", UserType(("demo", "other")), OwnSize()),
        ("type: demo::other", UserType(("demo", "other")), OwnSize()),
        ("type: other::inner", UserType(("demo", "other", "inner")), OwnSize()),
        ("type: other\n    size: 4", UserType(("demo", "other")), None),
        ("type: u1\n    enum: colours", EnumType(("demo", "colours"), IntegerType(1, False, None)), FixedSize(1)),
        ("type: b3\n    enum: colours", EnumType(("demo", "colours"), BitsType(3, "be")), OwnSize()),
        ("type: b1\n    enum: colours", EnumType(("demo", "colours"), BitsType(1, "be")), OwnSize()),
        (
            "type: u1\n    enum: other::shades",
            EnumType(("demo", "other", "shades"), IntegerType(1, False, None)),
            FixedSize(1),
        ),
    ],
)
def test_fields(keys: str, type: Type, size: object) -> None:
    body = f"seq:\n  - id: a\n    {keys}\n"
    body += "types: {other: {seq: [], types: {inner: {seq: []}}, enums: {shades: {1: dark}}}}\n"
    body += "enums: {colours: {1: red}}\n"
    found = attribute(body, "a")
    assert found.type == type
    if size is None:
        assert isinstance(found.size, ExpressionSize)
    else:
        assert found.size == size


@pytest.mark.parametrize(
    ("keys", "terminator"),
    [
        ("terminator: 0x0a", Terminator(b"\n")),
        (
            "terminator: 0\n    include: true\n    consume: false\n    eos-error: false",
            Terminator(b"\0", True, False, False),
        ),
        ("type: strz", Terminator(b"\0")),
        ("type: strz\n    encoding: UTF-16LE", Terminator(b"\0\0")),
        ("type: strz\n    encoding: utf-32be", Terminator(b"\0\0\0\0")),
        ("type: strz\n    terminator: 3", Terminator(b"\x03")),
        ("size: 3", None),
        ("size: 3\n    terminator: 1", Terminator(b"\1")),
    ],
)
def test_terminators(keys: str, terminator: Terminator | None) -> None:
    assert attribute(f"seq:\n  - id: a\n    {keys}\n", "a").terminator == terminator


def test_repetition() -> None:
    found = root(
        """
        seq:
          - {id: a, type: u1, repeat: expr, repeat-expr: 3}
          - {id: b, type: u1, repeat: until, repeat-until: _ == 0 or _index == 9}
          - {id: c, size: _index + 1, repeat: eos}
        """
    )
    a, b, c = found.attributes
    assert isinstance(a.repeat, RepeatCount)
    assert written(a.repeat.expression) == "3"
    assert isinstance(b.repeat, RepeatUntil)
    assert written(b.repeat.expression) == "((_ == 0) or (_index == 9))"
    assert isinstance(c.repeat, RepeatEos)
    assert a.type == IntegerType(1, False, None), "the type is that of one item"


def test_everything_an_attribute_may_have() -> None:
    found = attribute(
        """
        seq:
          - id: len
            type: u1
          - id: a
            type: sub(len, _root)
            if: len > 0
            size: len * 2
            pad-right: 0x20
            process: xor([1, len])
            parent: _root
            doc: What it is.
            doc-ref: [there, https://example.org/ here]
        types:
          sub:
            params:
              - {id: n, type: u4}
              - {id: top, type: demo}
            seq: []
        """,
        "a",
    )
    assert [written(each) for each in found.arguments] == ["len", "_root"]
    assert found.condition is not None
    assert written(found.condition) == "(len > 0)"
    assert found.pad_right == 0x20
    assert found.process is not None
    assert (found.process.name, [written(each) for each in found.process.arguments]) == ("xor", ["[1, len]"])
    assert found.parent is not None
    assert written(found.parent) == "_root"
    assert (found.doc, found.doc_ref) == ("What it is.", ("there", "https://example.org/ here"))
    assert found.position is not None
    assert (found.position.line, found.position.column) == (8, 9)


def test_attributes_without_a_name() -> None:
    found = root("seq:\n  - type: u1\n  - {id: a, type: u1}\n  - type: u2\n")
    assert [(each.id, each.anonymous) for each in found.attributes] == [
        ("_unnamed0", True),
        ("a", False),
        ("_unnamed2", True),
    ]


@pytest.mark.parametrize(
    ("valid", "expected"),
    [
        ("3", "equal=3"),
        ("{eq: 3}", "equal=3"),
        ("{min: 3}", "minimum=3"),
        ("{min: 3, max: 1 + 4}", "minimum=3 maximum=(1 + 4)"),
        ("{any-of: [1, 2]}", "any_of=1,2"),
        ("{any-of: 1}", "any_of=1"),
        ("{expr: _ % 2 == 0}", "expression=((_ % 2) == 0)"),
    ],
)
def test_valid(valid: str, expected: str) -> None:
    found = attribute(f"seq:\n  - {{id: a, type: u1, valid: {valid}}}\n", "a").valid
    assert found is not None
    parts = []
    for name in ("equal", "minimum", "maximum", "any_of", "expression"):
        value = getattr(found, name)
        if value:
            parts.append(f"{name}={','.join(map(written, value)) if isinstance(value, tuple) else written(value)}")
    assert " ".join(parts) == expected


def test_valid_in_enum() -> None:
    found = attribute("seq:\n  - {id: a, type: u1, enum: e, valid: {in-enum: true}}\nenums: {e: {1: one}}\n", "a")
    assert found.valid is not None
    assert found.valid.in_enum


def test_switches() -> None:
    found = attribute(
        """
        seq:
          - {id: code, type: u1}
          - id: a
            type:
              switch-on: code
              cases:
                1: first(code)
                0x02: u4
                code + 1: strz
                _: rest
            size: 8
        types:
          first: {params: [{id: n, type: u1}]}
          rest: {seq: []}
        """,
        "a",
    )
    assert found.switch is not None
    assert written(found.switch.on) == "code"
    first, number, text, rest = found.switch.cases
    assert [written(each) for each in first.arguments] == ["code"]
    assert isinstance(first.size, ExpressionSize)
    assert (number.type, number.size) == (IntegerType(4, False, "le"), FixedSize(4))
    assert (text.type, text.terminator) == (StringType("UTF-8"), Terminator(b"\0"))
    assert rest.match is None
    assert isinstance(found.type, UnionType)


def test_a_sized_switch_takes_the_rest_as_bytes() -> None:
    body = (
        "seq:\n  - {id: c, type: u1}\n  - {id: a, size: 2, type: {switch-on: c, cases: {1: sub}}}\ntypes: {sub: {}}\n"
    )
    found = attribute(body, "a")
    assert found.switch is not None
    assert [(each.match is None, each.type) for each in found.switch.cases] == [
        (False, UserType(("demo", "sub"))),
        (True, BytesType()),
    ]


def test_switches_over_text_and_enums() -> None:
    body = """
    seq:
      - {id: kind, type: strz}
      - {id: colour, type: u1, enum: colours}
      - {id: a, type: {switch-on: kind, cases: {'"x"': u1, '"y"': u2}}}
      - {id: b, type: {switch-on: colour, cases: {'colours::red': s1, 'colours::blue': s2}}}
    enums: {colours: {1: red, 2: blue}}
    """
    assert attribute(body, "a").type == IntegerType(2, False, "le")
    assert attribute(body, "b").type == IntegerType(2, True, "le")
