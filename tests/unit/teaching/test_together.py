"""Mistakes of all kinds in one spec: all are reported in one run, and none that only follows from another."""

from __future__ import annotations

from textwrap import dedent

import pytest
from wireloom.codegen.model.load import analyse

MANY = """\
meta:
  id: t
seq:
  - id: a
    type: {switch-on: nope1, cases: {1: u9, nope2: foo(nope3), 3: u1}}
    if: nope4 + nope5 > 1
    valid: {any-of: [1, nope6]}
    zzz: 1
  - id: b
    size: nope7
    repeat: expr
    repeat-until: _ == 1
  - id: c
    type: foo(a)
    if: 1 + 1
  - {id: d, type: {switch-on: nope8, cases: {nope9: u1, 2: foo(nope10)}}}
types:
  foo:
    params: [{id: p, type: u1}]
    qqq: 1
    seq: [{id: m, type: hidden_by_qqq}]
  bar:
    seq: [{id: n, type: nothere}, {id: o, type: u1, enum: nosuch}]
    instances:
      c: {value: 1 + nope11, type: u1}
      s: {value: sizeof<dyn>}
      t: {value: "'a' + 1"}
      u: {value: c + n + _root.a}
  dyn: {seq: [{id: a, size-eos: true}]}
"""

SAID = """\
5: unable to find type 'u9', searching from t
8: unknown key found
11: `repeat: expr` requires a `repeat-expr` expression
15: 'if' must be a boolean
16: unable to access 'nope8' in t context
16: unable to access 'nope9' in t context
16: unable to access 'nope10' in t context
20: unknown key found
23: unable to find type 'nothere', searching from t::bar
23: unable to find enum 'nosuch', searching from t::bar
25: unable to access 'nope11' in t::bar context
25: invalid key found in value instance
26: unable to derive sizeof for type `t::dyn`
27: '+' cannot be applied to text and an integer
"""


def said(text: str) -> list[str]:
    return [f"{each.line}: {each.message}" for each in analyse("t.ksy", dedent(text), display_name="t.ksy").diagnostics]


def test_all_of_them() -> None:
    found = said(MANY)
    wanted = SAID.splitlines()
    assert [line for line, want in zip(found, wanted, strict=True) if not line.startswith(want)] == []


@pytest.mark.parametrize(
    ("broken", "elsewhere"),
    [
        ("types: {a: {zzz: 1}, b: {seq: [{id: x, type: nowhere}]}}", "unable to find type 'nowhere'"),
        ("types: {a: {zzz: 1}, b: {seq: [{id: x, type: u1, enum: nowhere}]}}", "unable to find enum 'nowhere'"),
        ("types: {a: {seq: [7]}, b: {instances: {x: {value: _parent.y}}}}", "an object of some type has no 'y'"),
        ("types: {a: {to-string: 1}, b: {instances: {x: {value: sizeof<c>}}}, c: {seq: [{id: x, size-eos: true}]}}",
         "unable to derive sizeof for type `t::c`"),
    ],
)  # fmt: skip
def test_a_mistake_in_one_type_hides_none_in_another(broken: str, elsewhere: str) -> None:
    if "_parent" in broken:
        # The attribute that could not be determined may contain the other type: nothing is reported before that is
        # known.
        assert not any(elsewhere in each for each in said(f"meta: {{id: t}}\n{broken}\n"))
        broken = broken.replace("seq: [7]", "to-string: 1")
    assert any(elsewhere in each for each in said(f"meta: {{id: t}}\n{broken}\n"))


@pytest.mark.parametrize(
    "body",
    [
        "types: {a: {zzz: 1, seq: [{id: x, type: perhaps_in_zzz}]}}",
        "types: {a: {zzz: 1}}\nseq: [{id: x, type: 'a::perhaps_in_zzz'}]",
        "types: {a: {zzz: 1}}\nseq: [{id: x, type: u1, enum: 'a::perhaps_in_zzz'}]",
        "types: {a: {zzz: 1}}\ninstances: {x: {value: 'a::perhaps_in_zzz::label.to_i'}}",
        "types: {a: {zzz: 1}}\nseq: [{id: x, type: a}]\ninstances: {y: {value: x.perhaps_in_zzz}}",
    ],
)
def test_what_may_be_declared_where_the_mistake_is(body: str) -> None:
    assert said(f"meta: {{id: t}}\n{body}\n") == [
        "2: unknown key found, expected: doc, doc-ref, enums, instances, meta, params, seq, to-string, types"
    ]


def test_every_part_of_an_expression() -> None:
    assert said("meta: {id: t}\ninstances: {x: {value: '[a, b ? c : 1][d] + e.length(f)'}}\n") == [
        f"2: unable to access '{name}' in t context" for name in "abcdef"
    ]
