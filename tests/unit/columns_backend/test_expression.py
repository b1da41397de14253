"""Expressions of any form have the same value in the engine as in Python."""

from __future__ import annotations

import random
import struct

import pytest
import wireloom
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wireloom import engine

from ...examples import examples
from .specs import compiled, format_of, spec_text

pytestmark = pytest.mark.skipif(not engine.available, reason="there is no engine")

LEAVES = ["a", "b", "c", "0", "1", "7", "255", "65536", "-3"]


def integers() -> st.SearchStrategy[str]:
    """Return expressions over the fields a (u1), b (s2) and c (u8)."""

    def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        pairs = st.tuples(inner, st.sampled_from(["+", "-", "*", "&", "|", "^"]), inner)
        divisions = st.tuples(inner, st.sampled_from("/%"), st.sampled_from(["3", "-5", "1000"]))
        shifts = st.tuples(inner, st.sampled_from(["<<", ">>"]), st.sampled_from("0137"))
        booleans = st.tuples(inner, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), inner).map(" ".join)
        choices = st.tuples(booleans, booleans, st.sampled_from(["and", "or"]), inner, inner).map(
            lambda each: f"(({each[0]} {each[2]} not ({each[1]})) ? {each[3]} : {each[4]})"
        )
        unary = st.tuples(st.sampled_from("-~"), inner).map(lambda each: f"({each[0]}{each[1]})")
        simple = (pairs | divisions | shifts).map(lambda each: f"({' '.join(each)})")
        return simple | choices | unary

    return st.recursive(st.sampled_from(LEAVES), larger, max_leaves=8)


def in_python(expression: str, a: int, b: int, c: int) -> int:
    """Return the value computed by Python, whose operators on integers are those of the language except for these."""
    text = expression.replace("/", "//")
    while "?" in text:
        # Innermost first: the condition, the question mark and both branches have their own brackets.
        mark = text.index("?")
        begin = _opening(text, mark)
        end = _closing(text, mark)
        condition, rest = text[begin + 1 : mark], text[mark + 1 : end]
        colon = _colon(rest)
        text = f"{text[:begin]}(({rest[:colon]}) if ({condition}) else ({rest[colon + 1 :]})){text[end + 1 :]}"
    return int(eval(text, {}, {"a": a, "b": b, "c": c}))


def _opening(text: str, at: int) -> int:
    depth = 0
    for index in range(at, -1, -1):
        depth += (text[index] == ")") - (text[index] == "(")
        if depth < 0:
            return index
    raise AssertionError(text)


def _closing(text: str, at: int) -> int:
    depth = 0
    for index in range(at, len(text)):
        depth += (text[index] == "(") - (text[index] == ")")
        if depth < 0:
            return index
    raise AssertionError(text)


def _colon(text: str) -> int:
    depth = 0
    for index, each in enumerate(text):
        depth += (each == "(") - (each == ")")
        if each == ":" and depth == 0:
            return index
    raise AssertionError(text)


@pytest.mark.slow
@settings(max_examples=examples(12), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(integers(), min_size=8, max_size=8), st.integers(0, 1 << 32))
def test_values(expressions: list[str], seed: int) -> None:
    kept = [each for each in expressions if compiled(spec(["a", each]))[1] is None]
    if not kept:
        return
    chance = random.Random(seed)
    rows = [
        (
            chance.choice([0, 1, 7, 255]),
            chance.choice([0, -1, 5, -32768, 32767]),
            chance.choice([0, 9, 1 << 63, 2**64 - 1]),
        )
        for _ in range(20)
    ]
    format, data = format_of(spec(kept)), b"".join(struct.pack("<BhQ", *row) for row in rows)
    for number, expression in enumerate(kept):
        expected = [in_python(expression, *row) for row in rows]
        table, report = wireloom.read_with_report(format, data, columns=[f"v{number}"])
        kind = table.schema.field(f"v{number}").type
        low, high = (0, 2**64 - 1) if str(kind) == "uint64" else (-(1 << 63), (1 << 63) - 1)
        # Never a wrong number: a row with a value that the column cannot represent is damaged.
        held = [each for each in expected if low <= each <= high]
        assert table[f"v{number}"].to_pylist() == held, expression
        assert report.clean == (len(held) == len(rows)), expression


def spec(expressions: list[str]) -> str:
    """Return a spec with an instance per expression."""
    instances = "\n".join(f"  v{number}: {{value: '{each}'}}" for number, each in enumerate(expressions))
    fields = "seq:\n  - {id: a, type: u1}\n  - {id: b, type: s2}\n  - {id: c, type: u8}"
    names = ", ".join(f"v{number}" for number in range(len(expressions)))
    return spec_text(f"{fields}\ninstances:\n{instances}", meta=f"columns: [{names}]")
