"""Which attributes determine the positions of later bytes, and what a writer fills in itself."""

from __future__ import annotations

import pytest

from tests.unit.frontend.specs import compiled, diagnostics, root, solved


def framing(body: str) -> set[str]:
    return {
        f"{each.path[-1]}.{one.id}"
        for each in root(body).all_structs
        for one in each.attributes
        if one.determines_layout
    }


@pytest.mark.parametrize(
    ("seq", "expected"),
    [
        ("{id: n, type: u1}, {id: a, size: n - 3}", {"demo.n"}),
        ("{id: n, type: u1}, {id: a, type: u1, repeat: expr, repeat-expr: n}", {"demo.n"}),
        ("{id: n, type: u1}, {id: a, type: u1, if: n > 3}", {"demo.n"}),
        ("{id: n, type: u1}, {id: a, type: {switch-on: n, cases: {1: u1}}}", {"demo.n"}),
        ("{id: n, type: u1}, {id: a, type: {switch-on: 1, cases: {n: u1}}}", {"demo.n"}),
        ("{id: a, type: u1, repeat: until, repeat-until: _ == 0}", {"demo.a"}),
        ("{id: n, type: u1}, {id: a, size: twice}", {"demo.n"}),
        ("{id: n, type: u1, valid: 3}, {id: a, type: u1}", set()),
        ("{id: m, contents: abc}", {"demo.m"}),
        ("{id: h, type: head}, {id: a, size: h.len}", {"demo.h", "head.len"}),
        ("{id: n, type: u1}, {id: a, type: 'sized(n, 1)'}", {"demo.n"}),
        ("{id: n, type: u1}, {id: a, type: 'sized(1, n)'}", set()),
        ("{id: n, type: u1}, {id: a, type: child}", {"demo.n"}),
        ("{id: n, type: u1}, {id: a, size: 3, process: xor(n)}", set()),
        ("{id: a, type: head, repeat: until, repeat-until: _.len == 0}", {"demo.a", "head.len"}),
    ],
)
def test_determines_layout(seq: str, expected: set[str]) -> None:
    body = f"seq: [{seq}]\n" + ("instances: {twice: {value: 'n * 2'}}\n" if "twice" in seq else "")
    body += "types:\n  head: {seq: [{id: len, type: u1}, {id: other, type: u1}]}\n"
    body += "  sized: {params: [{id: p, type: u1}, {id: q, type: u1}], seq: [{id: b, size: p}]}\n"
    body += "  child: {seq: [{id: b, size: _parent.n}]}\n" if "child" in seq else ""
    assert framing(body) == expected


@pytest.mark.parametrize(
    ("seq", "expected"),
    [
        ("{id: n, type: u4}, {id: a, size: n}", "a.size"),
        ("{id: n, type: u4}, {id: a, size: n - 13}", "(a.size + 13)"),
        ("{id: n, type: u4}, {id: a, size: n + 1 - 13 - 4}", "(a.size + 16)"),
        ("{id: n, type: u4}, {id: a, size: 3 + n}", "(a.size - 3)"),
        ("{id: n, type: u4}, {id: a, size: 100 - n}", "(100 - a.size)"),
        ("{id: n, type: u4}, {id: a, size: n * 4}", "(a.size / 4)"),
        ("{id: n, type: u4}, {id: a, size: n << 2}", "(a.size / 4)"),
        ("{id: n, type: u4}, {id: a, size: 2 * (n - 1)}", "((a.size + 2) / 2)"),
        ("{id: n, type: u4}, {id: a, size: -n + 8}", "(8 - a.size)"),
        ("{id: n, type: u4}, {id: a, size: less}", "(a.size + 2)"),
        ("{id: n, type: u4}, {id: a, size: less * 2 - 6}", "((a.size + 10) / 2)"),
        ("{id: n, type: b12}, {id: a, size: n}", "a.size"),
        ("{id: n, type: u4}, {id: a, type: str, size: n}", "a.size"),
        ("{id: n, type: u4}, {id: a, type: sub, size: n}", "a.size"),
        ("{id: n, type: u4}, {id: a, type: u2, repeat: expr, repeat-expr: n}", "a.length"),
        ("{id: n, type: u4}, {id: a, type: sub, repeat: expr, repeat-expr: n + 1}", "(a.length - 1)"),
        ("{id: n, type: u4}, {id: a, size: 4, repeat: expr, repeat-expr: n}", "a.length"),
        ("{id: n, type: u4, valid: {min: 2}}, {id: a, size: n}, {id: b, type: u1, if: n > 5}", "a.size"),
        # The first one determines it; the second is checked against it.
        ("{id: n, type: u4}, {id: a, size: n}, {id: b, size: n}", "a.size"),
        # What does not follow from one field alone must be given to the writer.
        ("{id: n, type: u4}, {id: a, size: n + n}", None),
        ("{id: n, type: u4}, {id: a, size: n / 2}", None),
        ("{id: n, type: u4}, {id: a, size: n * 0}", None),
        ("{id: n, type: u4}, {id: a, size: 'n > 3 ? 3 : 4'}", None),
        ("{id: n, type: u4}, {id: m, type: u4}, {id: a, size: n + m}", None),
        ("{id: n, type: u4}, {id: a, size: n, if: n > 0}", None),
        ("{id: n, type: u4, if: true}, {id: a, size: n}", None),
        ("{id: n, type: u4}, {id: a, size: n, pad-right: 0}", None),
        ("{id: n, type: u4}, {id: a, type: strz, size: n}", None),
        ("{id: n, type: u4}, {id: a, size: n, repeat: eos}", None),
        ("{id: n, type: u4, enum: e}, {id: a, size: n.to_i}", None),
        ("{id: n, type: f8}, {id: a, size: n.to_i}", None),
        ("{id: n, type: u4, repeat: eos}, {id: a, size: 'n[0]'}", None),
        ("{id: n, type: u4}, {id: a, type: sized(n)}", None),
    ],
)
def test_derivations(seq: str, expected: str | None) -> None:
    body = f"seq: [{seq}]\n" + ("instances: {less: {value: n - 2}}\n" if "less" in seq else "")
    body += "types: {sub: {seq: [{id: x, type: u1}]}, sized: {params: [{id: p, type: u4}], seq: [{id: b, size: p}]}}\n"
    body += "enums: {e: {1: one}}\n"
    assert {name: text for name, text in solved(compiled(body)).items() if name == "n"} == (
        {} if expected is None else {"n": expected}
    )


def test_derivations_of_inner_types() -> None:
    body = "seq: []\ntypes: {sub: {seq: [{id: n, type: u4}, {id: a, size: n}]}}\n"
    assert list(solved(compiled(body))) == ["n"]


@pytest.mark.slow
def test_a_long_chain_of_instances_is_no_trouble() -> None:
    lines = "".join(f"  i{n}: {{value: i{n + 1} + 1}}\n" for n in range(250))
    body = f"seq: [{{id: n, type: u4}}, {{id: a, size: i0}}]\ninstances:\n{lines}  i250: {{value: n}}\n"
    assert solved(compiled(body)) == {}
    assert root(body).attributes[0].determines_layout


@pytest.mark.parametrize(
    ("attribute", "data", "empty"),
    [
        ("size: 0, repeat: eos", "size: 1", True),
        ("repeat: eos", "size: 1 - 1", True),
        ("repeat: eos", "size: 1", False),
        ("repeat: expr, repeat-expr: 2", "size: 0", False),
    ],
)
def test_rows_to_the_end_of_the_input_have_bytes(attribute: str, data: str, empty: bool) -> None:
    head = "meta: {id: demo, -wireloom: {rows: rows}}\n"
    body = f"seq: [{{id: rows, type: row, {attribute}}}]\ntypes: {{row: {{seq: [{{id: data, {data}}}]}}}}\n"
    said = "'rows' is repeated to the end of the input, but its items have no bytes"
    assert [each.message for each in diagnostics(body, head)] == [said] * empty
