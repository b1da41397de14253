"""Whatever the text, the result for message types is a model or diagnostics."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.frontend.test_hostile import judged, relaxed

FOLDER = Path(__file__).parent / "messages"

SINK = """
meta:
  id: x
  -wireloom:
    message:
      {at: body, least: 1, type: m, rows: r, columns: [a, b, n], row-number: n, unit-columns: [u],
       otherwise: {whole: b, mark: k}, packing: "a.b:C", hooks: "a:B"}
seq:
  - {id: head, contents: [1]}
  - {id: body, type: m, size: _io.size - 17}
  - {id: tail, size: 16, -wireloom: {checksum: {algorithm: md5, over: body}}}
types:
  m:
    -wireloom:
      message:
        fields:
          - {id: r, number: 1, type: r, label: repeated}
          - {id: u, number: 2, type: sint32, label: optional}
          - {id: map, number: 3, type: m, map-key: string}
  r:
    -wireloom:
      message:
        syntax: proto2
        wire-types: refuse
        max-depth: 9
        fields:
          - {id: a, number: 4, type: e, default: two, labels: true}
          - {id: b, number: 5, type: bytes, label: required}
          - {id: c, number: 6, type: fixed64, timestamp: ms, oneof: o}
          - {id: d, number: 7, type: double, default: nan, oneof: o}
          - {id: f, number: 8, type: bool, label: repeated, packed: true}
          - {id: t, number: 9, type: string, default: t}
    instances:
      up: {value: _parent.u + 1, if: f.size > 0}
      digits: {value: t, -wireloom: {text: integer}}
enums:
  e: {2: two, 0: none}
"""

WORDS = [
    "-wireloom", "message", "fields", "id", "number", "type", "label", "packed", "default", "oneof", "map-key",
    "kinds",
    "rows", "columns", "at", "framing", "varint", "uint64", "string", "bytes", "m", "r", "e", "x", "a", "proto2",
    "true",
    "option", "otherwise", "whole", "mark", "row-number", "unit-columns", "1", "0", "-1", "19000", "1e99", "x::m",
    "::",
    "{", "}", "[", "]", ",", ": ", "\n", "\n  ", "- ", "'", "#", ".", "null",
]  # fmt: skip


def test_the_sink_is_in_order() -> None:
    assert judged(SINK).diagnostics == ()


@pytest.mark.slow
@relaxed
@given(
    st.sampled_from([SINK, *(path.read_text() for path in sorted(FOLDER.glob("*.ksy")))]),
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 12), st.sampled_from(["", *WORDS])), max_size=6),
)
def test_damaged_specs(text: str, edits: list[tuple[int, int, str]]) -> None:
    for at, removed, word in edits:
        place = at % (len(text) + 1)
        text = text[:place] + word + text[place + removed :]
    judged(text)


scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(WORDS))
keys = st.sampled_from([word for word in WORDS if word.replace("-", "").isalpha()])
nodes = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=20,
)
fields = st.lists(st.fixed_dictionaries({"id": scalars, "number": scalars, "type": scalars}, optional={
    key: st.one_of(scalars, nodes) for key in ("label", "packed", "default", "oneof", "map-key", "timestamp", "labels")
}), max_size=4)  # fmt: skip


@pytest.mark.slow
@relaxed
@given(nodes, fields, st.sampled_from(["proto2", "proto3"]))
def test_any_tree_under_any_key(node: object, found: object, syntax: str) -> None:
    types = {"m": {"-wireloom": {"message": {"syntax": syntax, "fields": found}}}, "e": {"-wireloom": node}}
    judged(
        json.dumps({"meta": {"id": "x", "-wireloom": {"message": node}}, "types": types, "enums": {"e": {"1": "a"}}})
    )


HEAD = "meta: {id: x, -wireloom: {message: {type: t0}}}\ntypes:\n"


def message(name: str, *types: str) -> str:
    found = [f"{{id: f{index}, number: {index + 1}, type: {type}}}" for index, type in enumerate(types)]
    return f"  {name}: {{-wireloom: {{message: {{fields: [{', '.join(found)}]}}}}}}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "columns"),
    [
        ("".join(message(f"t{n}", f"t{n + 1}") for n in range(700)) + message("t700"), 0),
        ("".join(message(f"t{n}", f"t{n + 1}") for n in range(31)) + message("t31"), 1),
        ("".join(message(f"t{n}", f"t{n + 1}", f"t{n + 1}") for n in range(60)) + message("t60", "bool"), 0),
        ("".join(message(f"t{n}", f"t{n + 1}", f"t{n + 1}") for n in range(9)) + message("t9", "bool"), 2),
        (message("t0", "t0", "bool", "t1") + message("t1", "t2") + message("t2", "t1"), 1),
        (message("t0", *["bool"] * 4000), 4000),
    ],
    ids=["a long chain", "a chain", "doubling", "some doubling", "cycles", "many fields"],
)
def test_columns_that_can_be(body: str, columns: int) -> None:
    result = judged(HEAD + body)
    assert result.diagnostics == ()
    assert result.spec is not None
    assert result.spec.units is not None
    assert len(result.spec.units.kinds[0].columns) == columns
