"""Specs → model: names, types, sizes, defaults, parents."""

from __future__ import annotations

import pytest
from wireloom.codegen.model.encodings import canonical_encoding, canonical_encodings, python_codec
from wireloom.codegen.model.layout import all_structs
from wireloom.codegen.model.model import (
    ComputedEndian,
    EndOfStreamSize,
    EnumLabel,
    ExpressionSize,
    FixedSize,
    InheritedEndian,
    OwnSize,
    RepeatCount,
    RepeatEos,
    RepeatUntil,
    TerminatedSize,
    Terminator,
)
from wireloom.codegen.model.types import (
    AnyStructType,
    BitsType,
    BytesType,
    EnumType,
    FloatType,
    IntegerType,
    ListType,
    StreamType,
    StringType,
    Type,
    UnionType,
    UserType,
)

from tests.unit.frontend.specs import attribute, compiled, instance, root, said
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


def test_instances() -> None:
    body = """
    seq:
      - {id: n, type: u1}
    instances:
      total: {value: n + later, doc: Both.}
      later: {value: 2}
      named: {value: n, enum: e, if: n > 1}
      elsewhere: {pos: 4, io: _root._io, size: n, type: sub, repeat: eos}
    types: {sub: {seq: []}}
    enums: {e: {1: one}}
    """
    assert written(instance(body, "total").value or pytest.fail()) == "(n + later)"
    assert instance(body, "total").doc == "Both."
    assert isinstance(instance(body, "named").type, EnumType)
    assert instance(body, "named").condition is not None
    elsewhere = instance(body, "elsewhere")
    assert elsewhere.attribute is not None
    assert elsewhere.type == ListType(UserType(("demo", "sub")))
    assert written(elsewhere.pos or pytest.fail()) == "4"
    assert written(elsewhere.io or pytest.fail()) == "_root._io"


def test_parameters() -> None:
    found = root(
        """
        params:
          - {id: raw}
          - {id: a, type: u4, doc: A number.}
          - {id: b, type: str}
          - {id: c, type: bool}
          - {id: d, type: io}
          - {id: e, type: struct}
          - {id: f, type: any}
          - {id: g, type: "u2[]"}
          - {id: h, type: sub}
          - {id: i, type: u1, enum: colours}
          - {id: j, type: f8}
        types: {sub: {}}
        enums: {colours: {1: red}}
        """
    )
    assert {each.id: each.type for each in found.parameters if each.id not in "c"} == {
        "raw": BytesType(),
        "a": IntegerType(4, False, None),
        "b": StringType(),
        "d": StreamType(),
        "e": AnyStructType(),
        "f": UnionType(()),
        "g": ListType(IntegerType(2, False, None)),
        "h": UserType(("demo", "sub")),
        "i": EnumType(("demo", "colours"), IntegerType(1, False, None)),
        "j": FloatType(8, None),
    }


def test_enums() -> None:
    (found,) = root("enums:\n  e:\n    0x10: sixteen\n    -1: {id: less, doc: Below.}\n    1: on\n").enums
    assert found.path == ("demo", "e")
    assert found.labels == (EnumLabel(16, "sixteen"), EnumLabel(-1, "less", "Below."), EnumLabel(1, "on"))


def test_names_are_looked_up_inside_out() -> None:
    found = root(
        """
        seq:
          - {id: a, type: one}
        types:
          one:
            seq:
              - {id: near, type: two}
              - {id: far, type: three}
              - {id: self, type: one, if: false}
            types:
              two: {seq: [{id: up, type: three}]}
          two: {seq: []}
          three: {seq: []}
        """
    )
    one = found.structs[0]
    assert [each.type for each in one.attributes] == [
        UserType(("demo", "one", "two")),
        UserType(("demo", "three")),
        UserType(("demo", "one")),
    ]
    assert one.structs[0].attributes[0].type == UserType(("demo", "three"))


def test_parents() -> None:
    found = root(
        """
        seq:
          - {id: a, type: one}
          - {id: b, type: two}
        types:
          one:
            seq:
              - {id: c, type: two}
              - {id: d, type: {switch-on: 1, cases: {1: three}}}
              - {id: e, type: four, parent: _root}
              - {id: f, type: five, parent: false}
          two: {instances: {up: {value: _parent}}}
          three: {instances: {up: {value: _parent._parent}}}
          four: {instances: {up: {value: _parent.a}}}
          five: {seq: []}
        """
    )
    parents = {each.path[-1]: [path[-1] for path in each.parents] for each in all_structs(found)}
    assert parents == {
        "demo": [],
        "one": ["demo"],
        "two": ["demo", "one"],
        "three": ["one"],
        "four": ["demo"],
        "five": [],
    }
    up = {each.path[-1]: each.instances[0].type for each in all_structs(found) if each.instances}
    assert up == {"two": AnyStructType(), "three": UserType(("demo",)), "four": UserType(("demo", "one"))}


def test_byte_order_is_inherited() -> None:
    head = "meta:\n  id: demo\n"
    found = compiled(
        """
        types:
          big:
            meta: {endian: be, bit-endian: le, encoding: ASCII}
            seq: [{id: a, type: u2}, {id: b, type: b3}, {id: s, type: strz}]
            types:
              inner: {seq: [{id: a, type: u2}]}
        """,
        head,
    ).struct(("demo", "big"))
    assert [each.type for each in found.attributes] == [
        IntegerType(2, False, "be"),
        BitsType(3, "le"),
        StringType("ASCII"),
    ]
    assert found.structs[0].attributes[0].type == IntegerType(2, False, "be")


def test_computed_byte_order() -> None:
    head = "meta:\n  id: demo\n  endian: {switch-on: mark, cases: {1: le, _: be}}\n"
    spec = compiled("seq: [{id: mark, type: u1}, {id: a, type: u2}]\ntypes: {sub: {seq: [{id: b, type: f4}]}}\n", head)
    assert isinstance(spec.root.endian, ComputedEndian)
    assert [order for _, order in spec.root.endian.cases] == ["le", "be"]
    assert spec.root.attributes[1].type == IntegerType(2, False, "computed")
    assert isinstance(spec.root.structs[0].endian, InheritedEndian)


def test_opaque_types() -> None:
    head = "meta:\n  id: demo\n  ks-opaque-types: true\n"
    spec = compiled("seq: [{id: a, type: elsewhere}]\n", head)
    assert spec.root.attributes[0].type == UserType(("elsewhere",), opaque=True)


def test_types_that_hold_themselves() -> None:
    found = root(
        "seq:\n  - {id: a, type: node}\ntypes:\n  node:\n    seq:\n      - {id: next, type: node, if: false}\n"
    )
    assert found.structs[0].parents == (("demo",), ("demo", "node"))


def test_the_spec_itself() -> None:
    head = "meta:\n  id: demo\n  title: A title\n  license: MIT\n  file-extension: [a, b.c]\n  xref: {mime: x/y}\n  tags: [t]\n"
    spec = compiled("doc: |\n  About it.\ndoc-ref: somewhere\nto-string: '\"x\"'\n", head)
    assert (spec.name, spec.title, spec.license, spec.file) == ("demo", "A title", "MIT", "demo.ksy")
    assert (spec.file_extensions, spec.doc, spec.doc_ref) == (("a", "b.c"), "About it.", ("somewhere",))
    assert spec.root.to_string is not None
    assert spec.rows is None


def test_value_instances_may_stand_on_each_other_through_many() -> None:
    lines = "".join(f"  i{n}: {{value: i{n + 1} + 1}}\n" for n in range(2000))
    assert len(root(f"instances:\n{lines}  i2000: {{value: 1}}\n").instances) == 2001


def test_names_inside_other_objects() -> None:
    body = """
    seq:
      - {id: header, type: head}
      - {id: body, size: header.len * header.unit}
    types:
      head: {seq: [{id: len, type: u2}], instances: {unit: {value: 4}}}
    """
    size = attribute(body, "body").size
    assert isinstance(size, ExpressionSize)
    assert written(size.expression) == "(header.len * header.unit)"


@pytest.mark.parametrize("name", canonical_encodings())
def test_every_encoding_is_known_to_python(name: str) -> None:
    assert canonical_encoding(name) == name
    assert python_codec(name) is not None


@pytest.mark.parametrize(
    ("written_name", "name"),
    [
        ("utf8", "UTF-8"),
        ("Utf-8", "UTF-8"),
        ("us-ascii", "ASCII"),
        ("latin_1", "ISO-8859-1"),
        ("iso8859-15", "ISO-8859-15"),
        ("CP1252", "windows-1252"),
        ("sjis", "Shift_JIS"),
        ("ISO-8859-12", None),
        ("nonsense", None),
    ],
)
def test_encoding_names(written_name: str, name: str | None) -> None:
    assert canonical_encoding(written_name) == name


def test_an_unusual_spelling_of_an_encoding_is_a_warning() -> None:
    body = "seq:\n  - {id: a, type: strz, encoding: utf8}\n"
    assert said(body) == ["2:35: warning: the usual spelling of 'utf8' is 'UTF-8'"]
    assert attribute(body, "a").type == StringType("UTF-8")
