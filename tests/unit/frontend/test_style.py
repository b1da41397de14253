"""Only warnings of Kaitai's style guide: a size is ``len_x``, a count ``num_x``, of what it belongs to."""

from __future__ import annotations

import pytest

from tests.unit.frontend.specs import HEAD, diagnostics

GUIDE = "(see https://doc.kaitai.io/ksy_style_guide.html#attr-id)"


def warned(body: str, head: str = HEAD) -> list[tuple[str, str]]:
    found = diagnostics(body, head)
    assert {each.severity for each in found} <= {"warning"}
    return [(each.path, each.message) for each in found]


def test_a_size() -> None:
    text = f"use `len_body` instead of `size`, given that it's only used as a byte size of `body` {GUIDE}"
    assert warned("seq: [{id: size, type: u1}, {id: body, size: size}]") == [("/seq/0/id", text)]
    assert warned("params: [{id: size, type: u1}]\nseq: [{id: body, size: size}]") == [("/params/0/id", text)]


def test_a_count() -> None:
    body = """
        types:
          t:
            seq: [{id: rows, type: u1, repeat: expr, repeat-expr: n}]
            instances: {n: {value: 3}}
    """
    text = f"use `num_rows` instead of `n`, given that it's only used as repeat count of `rows` {GUIDE}"
    assert warned(body) == [("/types/t/instances/n", text)]


@pytest.mark.parametrize(
    "body",
    [
        "seq: [{id: len_body, type: u1}, {id: body, size: len_body}]",
        "seq: [{id: n, type: u1}, {id: body, size: n}, {id: more, size: n}]",
        "seq: [{id: n, type: u1}, {id: body, size: n, if: n > 3}]",
        "seq: [{id: n, type: u1}, {id: body, size: n + 1}]",
        "seq: [{id: n, type: u1}, {size: n}]",
        "seq: [{id: n, type: u1}, {id: text, type: str, size: n}]",
        "seq: [{id: n, type: u1}, {id: body, type: t, size: n}]\n"
        "types: {t: {seq: [{id: x, size-eos: true, if: _parent.n > 1}]}}",
    ],
)
def test_other_uses_are_not_reported(body: str) -> None:
    assert warned(body) == []


def test_the_names_of_a_tables_columns_stay() -> None:
    head = HEAD + "  -wireloom: {rows: rows}\n"
    body = "seq: [{id: rows, type: row, repeat: eos}]\ntypes: {row: {seq: [{id: n, type: u1}, {id: body, size: n}]}}"
    assert warned(body, head) == []
