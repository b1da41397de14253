"""The lowering of row types: the steps, and the one sentence if the engine cannot run them."""

from __future__ import annotations

import pytest
from wireloom.format.program import Op

from .specs import compiled, spec_text

REFUSED = {
    "encoding": ("{id: a, type: str, size: 4, encoding: Shift_JIS}", "the encoding Shift_JIS"),
    "process": ("{id: a, size: 4, process: 'xor([5, 6])'}", "by several bytes"),
    "bytes with valid": ("{id: a, size: 1, valid: {expr: '_.max == 3'}}", 'uses ".max"'),
    "too large": ("{id: a, type: u8}\n- {id: b, size: a * a * a + 1}", "127 bits"),
    "wide shift": ("{id: a, type: u1}\n- {id: b, size: a << 128}", "shifts by 128 bits"),
    "compressed switch": (
        "{id: b, type: u1}\n- {id: a, size: 4, type: {switch-on: b, cases: {1: pair}}, -wireloom: {codec: lz4}}",
        'the type of "a" is a switch, and it is compressed: give each type an attribute of its own, with "if"',
    ),
}


@pytest.mark.parametrize("field", ["{id: a, type: u1, repeat: eos}", "{id: a, size-eos: true}"])
def test_rows_that_may_take_what_is_left_are_read_as_a_whole(field: str) -> None:
    program, refusal = compiled(spec_text(f"seq: [{field}]"))
    assert refusal is None
    assert program is not None
    assert program.whole


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str) -> None:
    field, sentence = REFUSED[name]
    types = "pair:\n  seq:\n    - {id: x, type: u1}\n    - {id: y, type: u1}"
    row = "seq:\n" + "\n".join(f"  {line}" for line in f"- {field}".split("\n"))
    program, refusal = compiled(spec_text(row, types=types, meta="columns: [a]"))
    assert program is None
    assert refusal is not None
    assert sentence in refusal


def test_rows_of_a_size_are_read_as_units() -> None:
    row = "seq:\n  - {id: a, type: u1}\n  - {id: rest, size-eos: true}"
    program, refusal = compiled(spec_text(row, attribute="size: 5"))
    assert refusal is None
    assert program is not None
    assert [each.op for each in program.steps][:2] == [Op.LIMIT_FIXED, Op.ROW]


@pytest.mark.parametrize(("value", "nulls"), [("flags & 1 != 0 ? a : 0", 0), ("a + 1", 1), ("a == 1", 1)])
def test_an_optional_integer_is_null_only_if_an_expression_reads_it_where_it_is_absent(value: str, nulls: int) -> None:
    fields = "seq: [{id: flags, type: u1}, {id: a, type: u1, if: flags & 1 != 0}]"
    row = f"{fields}\ninstances: {{b: {{value: '{value}'}}}}"
    program, refusal = compiled(spec_text(row))
    assert refusal is None
    assert program is not None
    assert [each.op for each in program.steps].count(Op.ABSENT) == nulls
    assert [each.op for each in program.steps].count(Op.REGISTER_FIXED) == 2
