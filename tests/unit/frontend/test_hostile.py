"""Whatever the text, the result is a model or diagnostics: no other exception, no endless loop, no huge numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wireloom.codegen.model.load import Result, analyse

SPECS = [path.read_text() for path in sorted((Path(__file__).parents[3] / "specs").glob("*.ksy"))]

KITCHEN_SINK = """
meta:
  id: x
  endian: le
  encoding: UTF-8
params:
  - {id: p, type: u4}
seq:
  - {id: n, type: u1, valid: {min: 1, max: 9}}
  - {id: a, size: n - 1, process: xor(0xff)}
  - {id: b, type: sub(n), repeat: until, repeat-until: _.v == 0}
  - {id: c, type: strz, if: n > 2 and not _io.eof}
  - id: d
    type:
      switch-on: n
      cases:
        1: sub(3)
        _: u2
  - {id: e, type: u1, enum: animals, -wireloom: {labels: true}}
instances:
  i: {value: n * 2 + b.size}
  j: {pos: i, size: 4, io: _root._io}
types:
  sub:
    params: [{id: q, type: u1}]
    seq: [{id: v, type: u1}]
    instances: {up: {value: '_parent.n + q'}}
enums:
  animals: {1: cat, 2: {id: dog, doc: barks}}
"""

HEADER_BYTES = """
meta: {id: x, endian: le, -wireloom: {rows: blocks, columns: [data, big, far]}}
seq:
  - {id: magic, contents: MK}
  - {id: sync, size: 8}
  - {id: blocks, type: block, repeat: eos}
types:
  block:
    seq:
      - {id: len, type: u2}
      - {id: data, size: len}
      - {id: sync, size: 8, valid: _root.sync}
      - {id: zeros, contents: [0, 0]}
    instances:
      far: {value: len * 2 + 1 > 100 and len < 5000}
      big: {value: 'len * 2 + 1 > 100 and data >= _root.sync and data != [0, 0, 0].as<bytes>'}
"""
"""Rows that are compared with bytes of the header, which readers fill into the constants of programs."""


def judged(text: str) -> Result:
    result = analyse("nowhere/x.ksy", text, display_name="x.ksy")
    assert (result.spec is None) == any(each.severity == "error" for each in result.diagnostics)
    for each in result.diagnostics:
        assert each.file == "x.ksy"
        assert each.line >= 1
        assert each.column >= 1
        assert "\n" not in str(each)
    return result


def test_the_kitchen_sink_is_in_order() -> None:
    assert judged(KITCHEN_SINK).diagnostics == ()


def test_bytes_of_the_header_are_in_order() -> None:
    assert judged(HEADER_BYTES).diagnostics == ()


relaxed = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)


@relaxed
@given(st.text())
def test_any_text(text: str) -> None:
    judged(text)


WORDS = [
    "meta", "id", "seq", "types", "instances", "enums", "params", "value", "type", "size", "repeat", "eos", "if",
    "valid", "x", "a", "u1", "u4", "strz", "_", "_root", "_parent", "switch-on", "cases", "-wireloom", "rows",
    "checksum", "true", "null", "0x10", "-1", "a.b", "&a", "*a", "!!int", "#", "---",
    "1 +", "'", '"', "|", "{", "}", "[", "]", ",", ": ", "\n", "\n  ", "\n    ", "- ", "%YAML 1.1", "\t",
    "\u2028", "\x00",
]  # fmt: skip


@relaxed
@given(st.lists(st.sampled_from(WORDS)).map("".join))
def test_text_that_looks_like_a_spec(text: str) -> None:
    judged(text)
    judged("meta: {id: x, endian: le}\n" + text)


@pytest.mark.slow
@relaxed
@given(
    st.sampled_from([*SPECS, KITCHEN_SINK]),
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 12), st.sampled_from(["", *WORDS])), max_size=6),
)
def test_damaged_specs(text: str, edits: list[tuple[int, int, str]]) -> None:
    for at, removed, word in edits:
        place = at % (len(text) + 1)
        text = text[:place] + word + text[place + removed :]
    judged(text)


scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(WORDS), st.text(max_size=8))
keys = st.sampled_from([word for word in WORDS if word.replace("-", "").isalpha()] + ["a", "b", "1"])
nodes = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=20,
)


@pytest.mark.slow
@relaxed
@given(nodes)
def test_any_tree_under_any_key(node: object) -> None:
    text = json.dumps({"meta": {"id": "x"}, "seq": [{"id": "a", "type": node}], "types": node, "instances": node})
    judged(text)
    judged(json.dumps({"meta": {"id": "x", "-wireloom": node}, "seq": node, "enums": node}))


HEAD = "meta:\n  id: x\n  endian: le\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "nested too deeply"),
        ("{a: " * 10_000, "nested too deeply"),
        ("a: &a [*a]", "is inside the value that it refers to"),
        ("x" * 5_000_000, "a spec has at most"),
        (HEAD + "seq: [{id: a, size: " + "(" * 3000 + "1" + ")" * 3000 + "}]", "nested too deeply"),
        (HEAD + "seq: [{id: a, size: " + "1+" * 4000 + "1}]", "nested too deeply"),
        (HEAD + "seq: [{id: a, size: " + "9" * 9000 + "}]", "at most 1000 digits"),
        (HEAD + "seq: [{id: a, size: _root" + "._root" * 1500 + ".a}]", "nested too deeply"),
        (HEAD + "instances: {a: {value: '" + 'f"{' * 500 + "1" + '}"' * 500 + "'}}", "nested too deeply"),
        (
            HEAD + "instances:\n" + "".join(f"  i{n}: {{value: i{(n + 1) % 3000} + 1}}\n" for n in range(3000)),
            "depends on itself",
        ),
        (HEAD + "seq: [{id: a, type: x, if: true}]\ninstances: {s: {value: sizeof<x>}}", "dynamic sized type"),
    ],
    ids=lambda value: value[:20] if len(value) < 40 else None,
)
def test_limits(text: str, message: str) -> None:
    result = judged(text)
    assert message in result.diagnostics[0].message


@pytest.mark.parametrize(
    "body",
    [
        "seq: [{id: a, size: '1 << (1 << (1 << 40))'}]",
        "seq: [{id: a, size: '" + "*".join(["0x" + "f" * 900] * 9) + "'}]",
        "seq: [{id: a, size: i0 + 1}]\ninstances:\n"
        + "".join(f"  i{n}: {{value: i{n + 1} + i{n + 1}}}\n" for n in range(60))
        + "  i60: {value: 1}\n",
        "seq: [{id: a, type: x, if: false}]",
        "seq: [{id: a, size: " + "1 + " * 98 + "1}]",
        "types:\n"
        + "".join(f"  t{n}: {{seq: [{{id: a, type: t{(n + 1) % 90}, parent: _parent, if: 1>2}}]}}\n" for n in range(90))
        + "seq: [{id: a, type: t0, parent: _root}]",
        "instances: {s: {value: sizeof<t0>}}\ntypes:\n"
        + "".join(f"  t{n}: {{seq: [{{id: a, type: t{n + 1}}}]}}\n" for n in range(90))
        + "  t90: {}\n",
    ],
    ids=["shifts", "products", "doubling", "itself", "sum", "parents", "sizes"],
)
def test_odd_but_in_order(body: str) -> None:
    assert judged(HEAD + body).diagnostics == ()


@pytest.mark.slow
def test_instances_of_others_are_bounded() -> None:
    """Hundreds of types may name one with hundreds of instances."""
    many = "".join(f"      i{number}: {{value: 1}}\n" for number in range(300))
    taking = "".join(f"  t{number}: {{-wireloom: {{instances-of: a}}}}\n" for number in range(300))
    result = judged(f"meta: {{id: x}}\ntypes:\n  a:\n    instances:\n{many}{taking}")
    assert "at most 20000 instances through 'instances-of'" in str(result.diagnostics[0])
