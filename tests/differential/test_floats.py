"""Floats in expressions: every operator with every kind of operand, by both readers. Rows of fixed fields are read in
blocks, others one by one."""

from __future__ import annotations

import struct
from itertools import product
from math import inf, nan
from random import Random

import pytest
from wireloom import Format

from ..examples import strided
from ..unit.columns_backend.specs import format_of
from .agreement import agreed

FIXED = {
    "single": "f",
    "double": "g",
    "other": "h",
    "byte": "u",
    "integer": "s",
    "unsigned": "n",
    "literal": "0.1",
    "half": "-2.5",
    "zero": "0.0",
    "whole": "3",
    "beyond": "9007199254740993",
    "computed": "scaled",
    "argument": "inner.twice",
    "chosen": "(u > 1 ? g : s)",
    "of_root": "_root.scale",
    "truncated": "whole",
}
"""Expressions of numbers, by name, in rows of fixed fields."""
OPTIONAL = {
    "double": "g",
    "integer": "s",
    "absent": "o",
    "absent_single": "p",
    "absent_integer": "q",
    "of_absent": "of_o",
    "conditional": "of_g",
    "inside": "part.d",
    "item": "items[0]",
    "last": "items.last",
    "failed": "g / (u - 1.0)",
    "of_switch": "chosen",
    "of_case": "body.as<two>.e",
}
"""The same in rows whose parts may be absent, or cannot be computed."""
FAILING = (" / ", " % ", "to_i", "items")
"""What may have no value in some rows."""
ARITHMETIC = ["+", "-", "*", "/", "%"]
COMPARISONS = ["==", "!=", "<", "<=", ">", ">="]
FLOATS = [0.0, -0.0, 0.1, 1.5, -2.5, 3.0, nan, inf, -inf, 5e-324, 1e300, -1e30, 2.0**53, 2.0**63, -(2.0**64), 1e-7]
SINGLES = [0.0, -0.0, 0.5, -1.75, nan, inf, 3.4e38, 1e-45]
INTEGERS = [0, 1, -1, 3, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)]
UNSIGNED = [0, 3, 2**53 + 1, 2**63, 2**64 - 1]


def fixed_rows(count: int = 200) -> bytes:
    random = Random(1)
    rows = [struct.pack("<f", 1.25)]
    for _ in range(count):
        values = random.choice(SINGLES), random.choice(FLOATS), random.choice(FLOATS)
        rows.append(
            struct.pack("<fddBqQf", *values, random.randrange(4), random.choice(INTEGERS), random.choice(UNSIGNED), 2.5)
        )
    return b"".join(rows)


def fixed_spec(expressions: list[str]) -> str:
    return f"""
meta: {{id: sample, endian: le, -wireloom: {{rows: rows}}}}
seq:
  - {{id: scale, type: f4}}
  - {{id: rows, type: row, repeat: eos}}
types:
  inner:
    params: [{{id: given, type: f8}}]
    seq: [{{id: own, type: f4}}]
    instances: {{twice: {{value: given * own}}}}
  row:
    seq:
      - {{id: f, type: f4}}
      - {{id: g, type: f8}}
      - {{id: h, type: f8}}
      - {{id: u, type: u1}}
      - {{id: s, type: s8}}
      - {{id: n, type: u8}}
      - {{id: inner, type: inner(h)}}
    instances:
      scaled: {{value: s * 1e-7}}
      whole: {{value: '(f < 1e18 and f > -1e18 ? f : 7.5).to_i'}}
{_instances(expressions)}
"""


def optional_rows(count: int = 60) -> bytes:
    random = Random(2)
    rows = []
    for _, kind in product(range(count // 4), range(4)):
        has = random.randrange(2)
        row = struct.pack(">dqBB", random.choice(FLOATS), random.choice(INTEGERS), kind, has)
        if has:
            row += struct.pack(">dfq", random.choice(FLOATS), random.choice(SINGLES), random.choice(INTEGERS))
        if kind > 1:
            row += struct.pack(">d", random.choice(FLOATS))
        size = random.randrange(3)
        row += bytes([size]) + b"".join(struct.pack(">f", random.choice(SINGLES)) for _ in range(size))
        row += struct.pack(">f", random.choice(SINGLES)) if kind == 1 else struct.pack(">d", random.choice(FLOATS))
        mixed = [">d", ">q", ">f", ">d"][kind]
        row += struct.pack(mixed, random.choice({">d": FLOATS, ">q": INTEGERS, ">f": SINGLES}[mixed]))
        row += struct.pack(">d", random.choice(FLOATS)) * (kind > 1)
        rows.append(row)
    return b"".join(rows)


def optional_spec(expressions: list[str]) -> str:
    types = """
  part: {seq: [{id: d, type: f8}]}
  one: {seq: [{id: d, type: f4}]}
  two: {seq: [{id: e, type: f8}]}
"""
    return f"""
meta: {{id: sample, endian: be, -wireloom: {{rows: rows}}}}
seq: [{{id: rows, type: row, repeat: eos}}]
types:
{types}
  row:
    seq:
      - {{id: g, type: f8}}
      - {{id: s, type: s8}}
      - {{id: u, type: u1}}
      - {{id: has, type: u1}}
      - {{id: o, type: f8, if: has == 1}}
      - {{id: p, type: f4, if: has == 1}}
      - {{id: q, type: s8, if: has == 1}}
      - {{id: part, type: part, if: u > 1}}
      - {{id: count, type: u1}}
      - {{id: items, type: f4, repeat: expr, repeat-expr: count}}
      - {{id: chosen, type: {{switch-on: u, cases: {{1: f4, _: f8}}}}}}
      - {{id: mixed, type: {{switch-on: u, cases: {{1: s8, 2: f4, _: f8}}}}}}
      - {{id: body, type: {{switch-on: u, cases: {{2: two, 3: part}}}}}}
    instances:
      of_o: {{value: o * 1}}
      of_g: {{value: g, if: o < 3.0}}
{_instances(expressions)}
"""


def _instances(expressions: list[str]) -> str:
    return "".join(f"      v{number}: {{value: '{each}'}}\n" for number, each in enumerate(expressions))


def _expressions(left: str, operands: dict[str, str]) -> list[str]:
    """Return the expression for each operator and operand: as a column, in a condition, and as another operand."""
    made = [f"({left}) {each} ({right})" for each, right in product(ARITHMETIC, operands.values())]
    compared = [f"({left}) {each} ({right})" for each, right in product(COMPARISONS, operands.values())]
    chosen = [f"{each} ? ({left}) : 0.5" for each in compared[::5]]
    literals = {*filter(str.isdigit, operands.values())}
    both = [f"({one}) {each} ({two})" for one, each, two in product(literals, ARITHMETIC, literals)]
    others = [
        f"-({left}) + 1",
        f"({left}) * 0.5 - 1",
        f"(({left}) > 1e15 or ({left}) < -1e15 ? 0.0 : ({left}) * 1.5).to_i",
    ]
    # Constants beyond 64 bits are left to the object parser.
    return [each for each in (*made, *compared, *chosen, *others) if each not in both]


def _check(format: Format, expressions: list[str], data: bytes) -> None:
    assert format.engine_refusal is None
    assert not [(each.name, each.engine_refusal) for each in format.columns if each.engine_refusal]
    names = {f"v{number}": each for number, each in enumerate(expressions)}
    fails = [name for name, each in names.items() if any(part in each for part in FAILING)]
    agreed(format, data, columns=["_offset", *(each.name for each in format.columns if each.name not in fails)])
    for name in (fails[each] for each in strided(range(len(fails)), 7)):
        agreed(format, data, columns=[name, "_offset"])


@pytest.mark.parametrize("left", FIXED)
def test_operators_in_blocks(left: str) -> None:
    expressions = _expressions(FIXED[left], FIXED)
    _check(format_of(fixed_spec(expressions)), expressions, fixed_rows())


@pytest.mark.parametrize("left", OPTIONAL)
def test_operators_of_optional_values(left: str) -> None:
    expressions = _expressions(OPTIONAL[left], OPTIONAL)
    _check(format_of(optional_spec(expressions)), expressions, optional_rows())
