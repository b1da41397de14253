"""The types of expressions, and what cannot be typed, by examples."""

from __future__ import annotations

import pytest
from wireloom.codegen.expression.fold import constant, fold
from wireloom.codegen.expression.parser import parse_expression
from wireloom.codegen.expression.types import (
    AnyStructType,
    BitsType,
    BooleanType,
    BytesType,
    ComputedFloatType,
    ComputedIntegerType,
    EnumType,
    FloatType,
    IntegerType,
    ListType,
    StreamType,
    StringType,
    UnionType,
    UserType,
    combined,
    type_name,
)
from wireloom.codegen.expression.walk import walk

from tests.unit.frontend.specs import instance, said
from tests.unit.frontend.trees import written

BODY = """
seq:
  - {id: u, type: u1}
  - {id: w, type: u4}
  - {id: h, type: s2be}
  - {id: d, type: f8}
  - {id: bit, type: b1}
  - {id: bits, type: b5}
  - {id: raw, size: 4}
  - {id: text, type: str, size: 4}
  - {id: animal, type: u1, enum: animals}
  - {id: one, type: point}
  - {id: many, type: point, repeat: eos}
  - {id: numbers, type: u2, repeat: expr, repeat-expr: 3}
  - id: either
    type: {switch-on: u, cases: {1: point, 2: other}}
  - id: mixed
    type: {switch-on: u, cases: {1: point, 2: u1}}
instances:
  result:
    value: "%s"
types:
  point:
    seq:
      - {id: x, type: u2}
      - {id: y, type: u2}
    instances:
      sum: {value: x + y}
    types:
      inner:
        enums:
          deep: {1: yes}
  other:
    seq: []
enums:
  animals: {1: cat, 2: dog}
  plants: {1: oak}
"""

INTEGER = ComputedIntegerType()
FLOAT = ComputedFloatType()
BOOLEAN = BooleanType()
TEXT = StringType()
BYTE = IntegerType(1, False, None)
POINT = UserType(("demo", "point"))
ANIMALS = ("demo", "animals")


TYPED = [
    ("1", INTEGER),
    ("1.5", FLOAT),
    ("true", BOOLEAN),
    ("'a'", TEXT),
    ("[1, 2, 255]", BytesType()),
    ("[u, 1]", BytesType()),
    ("[1, 256]", ListType(INTEGER)),
    ("[1, 2.5]", ListType(FLOAT)),
    ("['a', 'b']", ListType(TEXT)),
    ("[one, one]", ListType(POINT)),
    ("u", BYTE),
    ("w", IntegerType(4, False, "le")),
    ("h", IntegerType(2, True, "be")),
    ("d", FloatType(8, "le")),
    ("bit", BitsType(1, "be")),
    ("bits", BitsType(5, "be")),
    ("raw", BytesType()),
    ("text", StringType("UTF-8")),
    ("animal", EnumType(ANIMALS, BYTE)),
    ("one", POINT),
    ("many", ListType(POINT)),
    ("either", AnyStructType()),
    ("mixed", UnionType((POINT, BYTE))),
    ("_root", UserType(("demo",))),
    ("_io", StreamType()),
    ("u + w", INTEGER),
    ("u + d", FLOAT),
    ("d / 2", FLOAT),
    ("text + 'x'", TEXT),
    ("-u", INTEGER),
    ("-d", FLOAT),
    ("~w", INTEGER),
    ("u << 3 | bits", INTEGER),
    ("not bit", BOOLEAN),
    ("bit and u > 1", BOOLEAN),
    ("raw == [1, 2]", BOOLEAN),
    ("raw < [1, 2]", BOOLEAN),
    ("text < 'x'", BOOLEAN),
    ("animal == animals::cat", BOOLEAN),
    ("animals::cat", EnumType(ANIMALS, INTEGER)),
    ("point::inner::deep::yes", EnumType(("demo", "point", "inner", "deep"), INTEGER)),
    ("one.x", IntegerType(2, False, "le")),
    ("one.sum", INTEGER),
    ("many[0]", POINT),
    ("many[0].x", IntegerType(2, False, "le")),
    ("many.first.y", IntegerType(2, False, "le")),
    ("raw[0]", BYTE),
    ("numbers.max", IntegerType(2, False, "le")),
    ("numbers.size", INTEGER),
    ("bit ? u : w", IntegerType(4, False, "le")),
    ("bit ? 1 : 2.5", FLOAT),
    ("bit ? one : either", AnyStructType()),
    ("either._parent", AnyStructType()),
    ("either._io", StreamType()),
    ("either.as<point>.x", IntegerType(2, False, "le")),
    ("mixed.as<u4>", IntegerType(4, False, None)),
    ("raw.as<str>", TEXT),
    ("raw.as<point[]>", ListType(POINT)),
    ("raw.length", INTEGER),
    ("raw.size", INTEGER),
    ("raw.first", BYTE),
    ("raw.to_s('UTF-8')", TEXT),
    ("text.length", INTEGER),
    ("text.reverse", TEXT),
    ("text.to_i", INTEGER),
    ("text.to_i(16)", INTEGER),
    ("text.substring(0, 2)", TEXT),
    ("text.to_b('UTF-8')", BytesType()),
    ("u.to_s", TEXT),
    ("12.to_s", TEXT),
    ("d.to_i", INTEGER),
    ("bit.to_i", INTEGER),
    ("(u == 1).to_i", INTEGER),
    ("animal.to_i", INTEGER),
    ("_io.eof", BOOLEAN),
    ("_io.pos", INTEGER),
    ("sizeof<point>", INTEGER),
    ("one._sizeof", INTEGER),
    ("raw._sizeof", INTEGER),
]


def test_types(subtests: pytest.Subtests) -> None:
    for text, type in TYPED:
        with subtests.test(text):
            found = instance(BODY % text, "result")
            assert found.type == type
            assert found.value is not None
            assert all(each.type is not None for each in walk(found.value))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("sizeof<u4>", 4),
        ("bitsizeof<u4>", 32),
        ("bitsizeof<b5>", 5),
        ("sizeof<b5>", 1),
        ("sizeof<point>", 4),
        ("one._sizeof", 4),
        ("raw._sizeof", 4),
        ("numbers._sizeof", 6),
        ("u._sizeof", 1),
    ],
)
def test_sizes_are_numbers_in_the_model(text: str, number: int) -> None:
    value = instance(BODY % text, "result").value
    assert value is not None
    assert written(value) == str(number)


HERE = BODY.lstrip().splitlines().index('    value: "%s"') + 1
"""The line of the instance's value in ``BODY``."""


@pytest.mark.parametrize(
    ("text", "offset", "message"),
    [
        ("nothing", 0, "unable to access 'nothing' in demo context"),
        ("txet", 0, "unable to access 'txet' in demo context; did you mean 'text'?"),
        ("1 + one.z", 8, "unable to access 'z' in demo::point context"),
        ("_paren", 0, "unable to access '_paren' in demo context; did you mean '_parent'?"),
        ("_parent.x", 8, "an object of some type has no 'x'; cast it to its type first: .as<type>.x"),
        (
            "_",
            0,
            "'_' is only available in 'valid' and 'repeat-until', and as an item or checksum in 'for-each', "
            "'largest', 'smallest', 'stored' and 'continues'",
        ),
        ("_index", 0, "'_index' is only available in repeated attributes"),
        ("_on", 0, "'_on' is only available in the cases of a switch"),
        ("u + text", 0, "'+' cannot be applied to u1 and text"),
        ("text - 'a'", 0, "'-' cannot be applied to text and text"),
        ("d | 1", 0, "'|' cannot be applied to f8le and an integer"),
        ("1 + (u + raw)", 4, "'+' cannot be applied to u1 and bytes"),
        ("-text", 1, "expected a number after '-', found text"),
        ("~d", 1, "expected an integer after '~', found f8le"),
        ("not u", 4, "expected a boolean after 'not', found u1"),
        ("u and bit", 0, "expected booleans around 'and', found u1"),
        ("bit or u", 7, "expected booleans around 'or', found u1"),
        ("u ? 1 : 2", 0, "expected a boolean before '?', found u1"),
        ("bit ? 1 : 'a'", 6, "both sides of ':' must have the same type, found an integer and text"),
        ("u == text", 0, "can't compare u1 and text"),
        ("bit == 1", 0, "can't compare b1be and an integer"),
        ("animal == 1", 0, "can't compare the enum demo::animals and an integer; compare with a member"),
        ("animal == plants::oak", 0, "can't compare the enum demo::animals and the enum demo::plants"),
        ("animal > animals::cat", 0, "enum members have no order: use .to_i on both sides of '>'"),
        ("animals::cow", 0, "unable to find enum member 'animals::cow' (enum 'animals' defined at /enums/animals)"),
        (
            "animals::dgo",
            0,
            "unable to find enum member 'animals::dgo' (enum 'animals' defined at /enums/animals); did you mean 'dog'?",
        ),
        ("animal::cat", 0, "unable to find enum 'animal', searching from demo; did you mean 'animals'?"),
        ("one == one", 0, "can't compare the type demo::point and the type demo::point"),
        ("u.length", 2, "u1 has no 'length'; it has to_s"),
        ("text.lenght", 5, "text has no 'lenght'; did you mean 'length'?"),
        ("raw.frobnicate", 4, "bytes has no 'frobnicate'"),
        ("mixed.x", 6, "a value of several types has no 'x'"),
        ("either.x", 7, "an object of some type has no 'x'"),
        ("raw._io", 4, "bytes has no '_io'"),
        (
            "text.substring(1)",
            0,
            "wrong arguments to method call `substring` on string: expected (integer, integer), got (integer)",
        ),
        ("text.length(1)", 0, "wrong arguments to method call `length` on string: expected (), got (integer)"),
        ("text.to_i('a')", 10, "expected an integer, found text"),
        ("raw.to_s", 0, "wrong arguments to method call `to_s` on byte array: expected (string), got ()"),
        ("raw.to_s(text)", 9, "an encoding must be a string literal"),
        ("u[0]", 0, "expected a list, bytes or a table before [ ], found u1"),
        ("raw['a']", 4, "expected an integer as an index, found text"),
        ("[]", 0, "an empty list has no type"),
        ("[1, 'a']", 4, "the items of a list must have the same type, found an integer and text"),
        ("f'x'", 1, "expected an operator or the end of the expression, found ''x''"),
        ("u.as<nowhere>", 0, "unable to find type 'nowhere', searching from demo"),
        ("u.as<piont>", 0, "unable to find type 'piont', searching from demo; did you mean 'point'?"),
        ("sizeof<demo>", 0, "unable to derive sizeof for type `demo`: dynamic sized type"),
        ("_sizeof", 0, "unable to derive sizeof for type `demo`: dynamic sized type"),
        ("many._sizeof", 0, "unable to derive sizeof of `many`: dynamic sized type"),
        ("result", 0, "'result' depends on itself: result → result"),
    ],
)
def test_errors_point_at_what_is_wrong(text: str, offset: int, message: str) -> None:
    (only,) = said(BODY % text)
    line, column, severity, found = only.split(":", 3)
    assert (int(line), int(column)) == (HERE, len('    value: "') + 1 + offset), only
    assert severity == " error"
    assert found.removeprefix(" ").startswith(message)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("7 / 2", 3),
        ("-7 / 2", -4),
        ("-7 % 3", 2),
        ("1 / 0", None),
        ("1 << 70", 2**70),
        ("1 << 1000000000", None),
        ("1 << -1", None),
        ("~0", -1),
        ("'a' + 'b'", "ab"),
        ("'abc'.length", 3),
        ("1 < 2 and 'a' < 'b'", True),
        ("true ? 1 : x", 1),
        ("x ? 1 : 2", None),
        ("not false", True),
        ("x + 1", None),
        ("2.5", 2.5),
        ("true == 1", None),
    ],
)
def test_constants(text: str, value: object) -> None:
    assert constant(parse_expression(text)) == value


def test_folding_keeps_what_has_names() -> None:
    assert written(fold(parse_expression("x * (2 + 3) - 1 * 4"))) == "((x * 5) - 4)"


def test_types_that_go_together() -> None:
    le4, le8, be4 = (IntegerType(*args) for args in ((4, False, "le"), (8, False, "le"), (4, False, "be")))
    assert combined(le4, le8) == le8
    assert combined(BYTE, be4) == be4
    assert combined(le4, be4) == INTEGER
    assert combined(le4, FloatType(4, "le")) == FLOAT
    assert combined(TEXT, BytesType()) is None
    assert combined(ListType(le4), ListType(le8)) == ListType(le8)
    assert combined(UnionType((TEXT, BYTE)), POINT) == UnionType((TEXT, BYTE, POINT))
    assert type_name(ListType(POINT)) == "a list of the type demo::point"
