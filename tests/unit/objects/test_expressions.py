"""The expression language, as value instances over bytes 07 03 and some text."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wireloom.objects import ExpressionError

from .compiling import made

SEQUENCE = """
seq:
  - {id: a, type: s1}
  - {id: b, type: s1}
  - {id: text, type: str, size: 5, encoding: UTF-8}
  - {id: data, size: 3}
  - {id: list, type: s1, repeat: expr, repeat-expr: 3}
  - {id: kind, type: u1, enum: kind}
  - {id: real, type: f4}
  - {id: inner, type: inner}
  - {id: bit, type: b1}
  - {id: gap, type: u1, if: a == 99}
types: {inner: {seq: [{id: x, type: u1}]}}
enums: {kind: {1: one, 2: two}}
"""
DATA = bytes.fromhex("0703") + b"12abc" + b"\5\1\3" + b"\4\2\6" + b"\2" + b"\0\0\x20\x40" + b"\x09" + b"\x80"

VALUES = {
    "a + b * 2": 13,
    "(a + b) * 2": 20,
    "a - (b - 1)": 5,
    "a - b - 1": 3,
    "a / b": 2,
    "-a / b": -3,
    "-a % b": 2,
    "a % -2": -1,
    "a / 2 * 2": 6,
    "a & 3 | 8 ^ 1": (7 & 3) | (8 ^ 1),
    "a << b": 56,
    "a << 2 >> b": 3,
    "~a": -8,
    "-(-a)": 7,
    "+a": 7,
    "a > b and b > a or a == 7": True,
    "not (a == b)": True,
    "not (a > b)": False,
    "not not bit": True,
    "5 < a": True,
    "a != 7": False,
    "bit == true": True,
    "bit == false": False,
    "bit != true": False,
    "a > b ? 1 : 2": 1,
    "(a > b ? b : a) + 1": 4,
    "a < b ? 1 : b < a ? 2 : 3": 2,
    "a > b ? true : false": True,
    "a > b ? false : true": False,
    "real * 2": 5.0,
    "real / 2": 1.25,
    "a / 2.0": 3.5,
    "real.to_i": 2,
    "bit.to_i": 1,
    "a.to_s": "7",
    "text.length": 5,
    "text.reverse": "cba21",
    "text.substring(1, 3)": "2a",
    "text.substring(0, 2).to_i": 12,
    "text.substring(2, 5).to_i(16)": 0xABC,
    "text + 'x'": "12abcx",
    "text < 'z'": True,
    'f"{text}-{a + 1}"': "12abc-8",
    "data.size": 3,
    "data[0] + data[2]": 8,
    "data.first * 10 + data.last": 53,
    "data.min": 1,
    "data.max": 5,
    "data.to_s('ASCII').length": 3,
    "data == [5, 1, 3]": True,
    "text.to_b('UTF-16LE').length": 10,
    "list.size": 3,
    "list.first": 4,
    "list.last": 6,
    "list.min": 2,
    "list.max": 6,
    "list[1]": 2,
    "list[a - 5]": 6,
    "[a, b, 1][1]": 3,
    "[1, 2, 3].max": 3,
    "kind == kind::two": True,
    "kind != kind::one": True,
    "kind.to_i + 1": 3,
    "inner.x": 9,
    "inner._parent.a": 7,
    "_root.b": 3,
    "_io.pos": len(DATA),
    "_io.size - 1": len(DATA) - 1,
    "_io.eof": False,
    "sizeof<inner>": 1,
    "bitsizeof<u4>": 32,
    "1 + 2 * 3": 7,
    "a == 7 ? gap : gap": None,
    "gap + 1": None,
    "0x10 + 0b11 + 1_000": 1019,
    "1 << 70": 1 << 70,
}

FAILURES = {
    "a / (b - 3)": "division by zero",
    "a % (b - 3)": "division by zero",
    "real / (real - real)": "division by zero",
    "list[b]": "index 3 is out of range",
    "list[-1]": "index -1 is out of range",
    "data[a]": "index 7 is out of range",
    "text.to_i": "not a number",
    "text.substring(3, 1)": "invalid substring",
    "1 << (a * 10000)": "an integer of more than 127 bits",
    "a << (b - 4)": "shift by -1",
    "a >> (b - 4)": "shift by -1",
    "(real / 0.000000001 * 1e300 * 1e300).to_i": "no integer part",
    "text.to_b('UTF-16LE').to_s('ASCII').to_i": "not a number",
    "list.size == 3 ? [data[0] + 200, data[0]][0].to_s.to_i(2) : 0": "not a number",
}


def instance(expression):
    quoted = expression.replace('"', '\\"')
    return made(f'{SEQUENCE}\ninstances: {{it: {{value: "{quoted}"}}}}').from_bytes(DATA)


@pytest.mark.parametrize("expression", VALUES)
def test_values(expression):
    found = instance(expression).it
    expected = VALUES[expression]
    assert found == expected
    assert type(found) is type(expected) or isinstance(found, int)


@pytest.mark.parametrize("expression", FAILURES)
def test_what_has_no_value_is_one_kind_of_error(expression):
    with pytest.raises(ExpressionError, match=FAILURES[expression]) as caught:
        _ = instance(expression).it
    assert caught.value.reason == "value"


OPERATORS = ("+", "-", "*", "/", "%", "&", "|", "^")
TREES = st.recursive(
    st.one_of(st.sampled_from(["a", "b"]), st.integers(-9, 9).map(str)),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(OPERATORS), inner).map(lambda parts: f"({' '.join(parts)})"),
        inner.map(lambda part: f"-({part})"),
        inner.map(lambda part: f"~({part})"),
        st.tuples(inner, inner, inner).map(lambda parts: f"({parts[0]} < {parts[1]} ? {parts[2]} : {parts[0]})"),
    ),
    max_leaves=12,
)


def evaluated(text):
    """Python's own result: the language has the same precedences, except for ``/`` and ``?``."""
    python = text.replace("/", "//")
    while "?" in python:
        question = python.index("?")
        begin = python.rindex("(", 0, question)
        depth, begin = 0, question
        while depth >= 0:
            begin -= 1
            depth += {")": 1, "(": -1}.get(python[begin], 0)
        depth, colon = 0, question
        while depth or python[colon] != ":":
            colon += 1
            depth += {"(": 1, ")": -1}.get(python[colon], 0)
        depth, end = 0, colon
        while depth >= 0:
            end += 1
            depth += {"(": 1, ")": -1}.get(python[end], 0)
        parts = python[begin + 1 : question], python[question + 1 : colon], python[colon + 1 : end]
        python = f"{python[:begin]}(({parts[1]}) if ({parts[0]}) else ({parts[2]})){python[end + 1 :]}"
    return eval(python, {"a": 7, "b": 3})


@pytest.mark.slow
@given(TREES)
def test_arithmetic_of_any_shape(text):
    try:
        expected = evaluated(text)
    except ZeroDivisionError:
        expected = None
    if expected is None:
        with pytest.raises(ExpressionError):
            _ = instance(text).it
    else:
        assert instance(text).it == expected


def test_floats_that_are_none():
    kind = made("seq: [{id: a, type: f4, valid: {min: 0}}]")
    with pytest.raises(Exception, match="not in range"):
        kind.from_bytes(b"\0\0\xc0\x7f")
    assert math.isinf(kind.from_bytes(b"\0\0\x80\x7f").a)
