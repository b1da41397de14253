"""The operators of expressions with operands that are present, absent or cannot be computed: with both readers, in
layouts and in messages."""

from __future__ import annotations

from itertools import product

import pytest

from ..unit.columns_backend.specs import format_of, spec_text
from ..unit.messages.test_decoders_agree import agree as agreed_on_messages
from .agreement import agreed

FAILED = "(a - 1)"
"""A divisor that is zero in some rows."""
OPERANDS = {
    "a": "a",
    "optional": "b",
    "computed": "of_b",
    "conditional": "of_a",
    "inside": "pair.d",
    "optional_inside": "pair.e",
    "failed": f"10 / {FAILED}",
}
"""Expressions of integers, by name."""
OPERATORS = ["+", "*", "/", "%", "<<", "&", "==", "!=", "<", ">="]
UNARY = [
    "-P + 1",
    "~P",
    "+P == 3",
    "(P == 3 ? P : a)",
    "(a == 3 ? P : 7) != 7",
    "P == 3 ? P / (a - 1) : P",
]
LOGICAL = ["P == 3 and Q > 0", "P != 3 or Q > 0", "not (P == Q)", "(P > 0) == (Q > 0)", "P == 3 ? Q : a"]


def rows() -> bytes:
    """Return rows in all of whose combinations attributes are absent and cannot be computed."""
    found = b""
    for a, has_b, kind in product((1, 2, 3), (False, True), (0, 1, 2)):
        found += bytes([a, has_b, kind]) + b"\3" * has_b + b"\2\3"[: kind and 2] + b"\3" * (kind == 2)
    return found


def spec(expressions: list[str]) -> str:
    instances = "".join(f'      v{number}: {{value: "{each}"}}\n' for number, each in enumerate(expressions))
    return spec_text(
        f"""
    seq:
      - {{id: a, type: u1}}
      - {{id: has_b, type: u1}}
      - {{id: kind, type: u1}}
      - {{id: b, type: u1, if: has_b == 1}}
      - {{id: pair, type: pair(kind), if: kind > 0}}
    instances:
      of_b: {{value: b * 1}}
      of_a: {{value: a, if: b == 3}}
{instances}
    """,
        types="""
    pair:
      params: [{id: kind, type: u1}]
      seq: [{id: d, type: u1}, {id: c, type: u1}, {id: e, type: u1, if: kind == 2}]
    """,
    )


def agree(expressions: list[str]) -> None:
    format = format_of(spec(expressions))
    assert format.engine_refusal is None
    assert not [each.name for each in format.columns if each.engine_refusal]
    fails = [FAILED in each for each in expressions]
    agreed(format, rows(), columns=["_offset", *(f"v{number}" for number, each in enumerate(fails) if not each)])
    for number in (number for number, each in enumerate(fails) if each):
        agreed(format, rows(), columns=[f"v{number}", "_offset"])


@pytest.mark.parametrize("left", OPERANDS)
def test_binary_operators(left: str) -> None:
    agree([f"({OPERANDS[left]}) {each} ({right})" for each in OPERATORS for right in OPERANDS.values()])


def test_other_operators() -> None:
    of_one = [each.replace("P", f"({right})") for each in UNARY for right in OPERANDS.values()]
    pairs = product(LOGICAL, OPERANDS.values(), OPERANDS.values())
    agree([*of_one, *(each.replace("P", f"({left})").replace("Q", f"({right})") for each, left, right in pairs)])


def messages() -> list[bytes]:
    """Return the rows as messages."""
    found = []
    for a, has_b, kind in product((1, 2, 3), (False, True), (0, 1, 2)):
        pair = b"\x08\2" + b"\x10\3" * (kind == 2)
        found.append(bytes([8, a]) + b"\x10\3" * has_b + (b"\x1a" + bytes([len(pair)]) + pair) * (kind > 0))
    return found


def message_spec(expressions: list[str]) -> str:
    instances = "".join(f'      v{number}: {{value: "{each}"}}\n' for number, each in enumerate(expressions))
    return f"""
meta: {{id: operators, -wireloom: {{message: {{type: row}}}}}}
types:
  pair:
    -wireloom:
      message: {{fields: [{{id: d, number: 1, type: uint32}}, {{id: e, number: 2, type: uint32, label: optional}}]}}
  row:
    -wireloom:
      message:
        fields:
          - {{id: a, number: 1, type: uint32}}
          - {{id: b, number: 2, type: uint32, label: optional}}
          - {{id: pair, number: 3, type: pair}}
    instances:
      of_b: {{value: b * 1}}
      of_a: {{value: a, if: b == 3}}
{instances}
"""


def agree_in_messages(expressions: list[str]) -> None:
    format = format_of(message_spec(expressions))
    assert format.engine_refusal is None
    agreed_on_messages(format, messages())


@pytest.mark.parametrize("left", OPERANDS)
def test_binary_operators_in_messages(left: str) -> None:
    agree_in_messages([f"({OPERANDS[left]}) {each} ({right})" for each in OPERATORS for right in OPERANDS.values()])


def test_other_operators_in_messages() -> None:
    of_one = [each.replace("P", f"({right})") for each in UNARY for right in OPERANDS.values()]
    pairs = product(LOGICAL, OPERANDS.values(), OPERANDS.values())
    agree_in_messages([*of_one, *(each.replace("P", f"({one})").replace("Q", f"({two})") for each, one, two in pairs)])
