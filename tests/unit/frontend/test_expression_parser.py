"""Expressions: trees, precedence, and errors with offsets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wireloom.codegen.expression.lexer import ExpressionError
from wireloom.codegen.expression.parser import parse_expression, parse_expressions, parse_type_reference
from wireloom.codegen.expression.walk import walk

from tests.unit.frontend.trees import written

TREES = [
    # Literals
    ("0", "0"),
    ("1_000_000", "1000000"),
    ("0x1F", "31"),
    ("0Xdead_beef", "3735928559"),
    ("0b1010", "10"),
    ("0o17", "15"),
    ("18446744073709551616", "18446744073709551616"),
    ("1.5", "1.5"),
    ("1e3", "1000.0"),
    ("1.5E-2", "0.015"),
    (".5", "0.5"),
    ("2.", "2.0"),
    ("true", "true"),
    ("'a\\n'", r"'a\\n'"),
    ('"a\\n\\t\\x"'.replace("\\x", "\\\\"), r"'a\n\t\\'"),
    (r'"\u0041\101\0\e\""', r"""'AA\x00\x1b"'"""),
    (r'"\ud83d\ude00"', "'😀'"),
    ("'a' \"b\" 'c'", "'abc'"),
    ('f"a{b + 1}c"', "f('a' (b + 1) 'c')"),
    ('f"{"x"}{f"{1}"}"', "f('x' f(1))"),
    ('f"\\"{1}\\n"', r"""f('"' 1 '\n')"""),
    ('f""', "f()"),
    ("[1, 2, 3]", "[1, 2, 3]"),
    ("[1, ]", "[1]"),
    ("[]", "[]"),
    ("[[1], [2]]", "[[1], [2]]"),
    # Names and what follows them
    ("a", "a"),
    ("_io.size - _io.pos", "(_io.size - _io.pos)"),
    ("a.b.c", "a.b.c"),
    ("a[1][2]", "a[1][2]"),
    ("a.b(1, 2).c", "a.b(1, 2).c"),
    ("a.b()", "a.b()"),
    ("1.to_s", "1.to_s"),
    ("1 .to_s", "1.to_s"),
    ("a . b", "a.b"),
    ("a::b", "a::b"),
    ("a::b::c", "a::b::c"),
    ("::a::b::c", "::a::b::c"),
    ("a :: b", "a::b"),
    ("a.as<u4>", "a.as<u4>"),
    ("a.as<b::c>.d", "a.as<b::c>.d"),
    ("a.as < u1[] >", "a.as<u1[]>"),
    ("a.as", "a.as"),
    ("a.as < 5", "(a.as < 5)"),
    ("a.as<u4>>2", "(a.as<u4> > 2)"),
    ("sizeof<a::b>", "sizeof<a::b>"),
    ("bitsizeof<b12>", "bitsizeof<b12>"),
    ("sizeof < 5", "(sizeof < 5)"),
    # Precedence, from the tightest
    ("-a.b", "(- a.b)"),
    ("-1", "(- 1)"),
    ("--1", "(- (- 1))"),
    ("~a + +b", "((~ a) + (+ b))"),
    ("a * b / c % d", "(((a * b) / c) % d)"),
    ("a + b * c - d", "((a + (b * c)) - d)"),
    ("a - b - c", "((a - b) - c)"),
    ("-a * b", "((- a) * b)"),
    ("a << b + c", "(a << (b + c))"),
    ("a << b >> c", "((a << b) >> c)"),
    ("a & b << c", "(a & (b << c))"),
    ("a ^ b & c", "(a ^ (b & c))"),
    ("a | b ^ c", "(a | (b ^ c))"),
    ("a | b & c ^ d | e", "((a | ((b & c) ^ d)) | e)"),
    ("a == b | c", "(a == (b | c))"),
    ("a + 1 < b * 2", "((a + 1) < (b * 2))"),
    ("not a == b", "(not (a == b))"),
    ("not not a", "(not (not a))"),
    ("not(a)", "(not a)"),
    ("nota", "nota"),
    ("a and b or c and d", "((a and b) or (c and d))"),
    ("a or b and not c", "(a or (b and (not c)))"),
    ("a ? b : c", "(a ? b : c)"),
    ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
    ("a ? b ? c : d : e", "(a ? (b ? c : d) : e)"),
    ("a or b ? c + 1 : d", "((a or b) ? (c + 1) : d)"),
    ("(a + b) * c", "((a + b) * c)"),
    ("(((a)))", "a"),
    (" \n a \\\n + \t b ", "(a + b)"),
]


def test_trees(subtests: pytest.Subtests) -> None:
    for text, tree in TREES:
        with subtests.test(text):
            assert written(parse_expression(text)) == tree


@pytest.mark.parametrize(
    ("text", "offset", "message"),
    [
        ("", 0, "expected a value, found the end of the expression"),
        ("1 *", 3, "expected a value, found the end of the expression"),
        ("* 1", 0, "expected a value, found '*'"),
        ("(1 + 5", 6, "expected ')', found the end of the expression"),
        ("1 + 5)", 5, "expected an operator or the end of the expression, found ')'"),
        ("a b", 2, "expected an operator or the end of the expression, found 'b'"),
        ("a, b", 1, "expected an operator or the end of the expression, found ','"),
        ("a == 1 && b", 7, "unexpected '&&'; did you mean 'and'?"),
        ("a || b", 2, "unexpected '||'; did you mean 'or'?"),
        ("!a", 0, "unexpected '!'; did you mean 'not'?"),
        ("a = 1", 2, "unexpected '='; did you mean '=='?"),
        ("2 ** 3", 2, "unexpected '**'; there is no power operator"),
        ("a < b < c", 6, "expected 'and' or 'or', found '<': comparisons do not chain"),
        ("'abc", 0, "the string has no closing '"),
        ('1 + "abc', 4, 'the string has no closing "'),
        ('"a\\q"', 2, "unknown escape '\\q'"),
        ('"\\ud83d"', 1, "an unpaired surrogate is not a valid character"),
        ('"\\777777"', 1, "the escape \\777777 is not a character"),
        ('f"{1"', 4, "the string has no closing"),
        ('f"{1 2}"', 5, "expected '}', found '2'"),
        ('f"abc', 0, 'the string has no closing "'),
        ("007", 0, "'007' is not a number; octal numbers are written 0o7"),
        ("0x", 0, "'0x' is not a number"),
        ("0x_", 0, "'0x_' has no digits"),
        ("0b12", 0, "'0b12' is not a number"),
        ("1a", 0, "'1a' is not a number"),
        ("9" * 2000, 0, "a number has at most 1000 digits"),
        ("a.", 2, "expected a name after '.', found the end of the expression"),
        ("a.1", 1, "expected an operator or the end of the expression, found '.1'"),
        ("a[1", 3, "expected ']', found the end of the expression"),
        ("[1 2]", 3, "expected ']', found '2'"),
        ("a(1)", 1, "only methods can be called: value.method(…)"),
        ("a.b(1,)", 6, "expected a value, found ')'"),
        ("a ? b", 5, "expected ':', found the end of the expression"),
        ("::a", 0, "expected enum::member after '::'"),
        ("and", 0, "expected a value, found 'and'"),
        ("a ; b", 2, "unexpected ';'"),
        ("ä", 0, "unexpected 'ä'"),
        ("(" * 100 + "1" + ")" * 100, 40, "nested too deeply: more than 40 levels"),
        ("-" * 100 + "1", 40, "nested too deeply: more than 40 levels"),
        ("not " * 100 + "a", 160, "nested too deeply: more than 40 levels"),
        (" + ".join("a" * 200), 0, "nested too deeply: more than 100 levels"),
        ("x" * 20_000, 0, "an expression has at most 10000 characters"),
    ],
)
def test_errors(text: str, offset: int, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse_expression(text)
    assert caught.value.message.startswith(message)
    assert caught.value.start == offset


def test_lists_of_expressions() -> None:
    assert [written(each) for each in parse_expressions("1, a + 2")] == ["1", "(a + 2)"]
    with pytest.raises(ExpressionError):
        parse_expressions("1 2")


@pytest.mark.parametrize("text", ["", "1", "a(", "a)", "a()", "a b", "a(1", "a::", "a(1))", "a.b"])
def test_bad_type_references(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse_type_reference(text)


pieces = st.sampled_from(
    [
        "a", "_", "1", "0x", "0b1", "1.", ".5", "'s'", '"', "'", 'f"', "{", "}", "(", ")", "[", "]", ".", ",", "::",
        ":", "?", "+", "-", "*", "/", "%", "<<", ">", "<=", "==", "&", "|", "~", "not ", " and ", " or ", ".as<",
        "sizeof<", " ", "\\", "\n", "é", "\x00",
    ]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(pieces).map("".join)))
def test_any_text_is_a_tree_or_an_error_inside_it(text: str) -> None:
    try:
        node = parse_expression(text)
    except ExpressionError as error:
        found = error
    else:
        assert all(0 <= each.start <= each.end <= len(text) for each in walk(node))
        assert written(parse_expression(f"({text})")) == written(node)
        return
    assert 0 <= found.start <= len(text)
    assert found.message
