"""Specs → model: instances, parameters, names, parents, defaults."""

from __future__ import annotations

import pytest
from wireloom.codegen.expression.types import (
    AnyStructType,
    BytesType,
    EnumType,
    FloatType,
    IntegerType,
    ListType,
    StreamType,
    StringType,
    UnionType,
    UserType,
)

from tests.unit.frontend.specs import instance, root, said
from tests.unit.frontend.trees import written


def test_parameters() -> None:
    found = root(
        """
        params:
          - {id: raw}
          - {id: a, type: u4, doc: A number.}
          - {id: b, type: str}
          - {id: c, type: bool}
          - {id: d, type: io}
          - {id: e, type: struct}
          - {id: f, type: any}
          - {id: g, type: "u2[]"}
          - {id: h, type: sub}
          - {id: i, type: u1, enum: colours}
          - {id: j, type: f8}
        types: {sub: {}}
        enums: {colours: {1: red}}
        """
    )
    assert {each.id: each.type for each in found.parameters if each.id not in "c"} == {
        "raw": BytesType(),
        "a": IntegerType(4, False, None),
        "b": StringType(),
        "d": StreamType(),
        "e": AnyStructType(),
        "f": UnionType(()),
        "g": ListType(IntegerType(2, False, None)),
        "h": UserType(("demo", "sub")),
        "i": EnumType(("demo", "colours"), IntegerType(1, False, None)),
        "j": FloatType(8, None),
    }


def test_parents() -> None:
    found = root(
        """
        seq:
          - {id: a, type: one}
          - {id: b, type: two}
        types:
          one:
            seq:
              - {id: c, type: two}
              - {id: d, type: {switch-on: 1, cases: {1: three}}}
              - {id: e, type: four, parent: _root}
              - {id: f, type: five, parent: false}
          two: {instances: {up: {value: _parent}}}
          three: {instances: {up: {value: _parent._parent}}}
          four: {instances: {up: {value: _parent.a}}}
          five: {seq: []}
        """
    )
    parents = {each.path[-1]: [path[-1] for path in each.parents] for each in found.all_structs}
    assert parents == {
        "demo": [],
        "one": ["demo"],
        "two": ["demo", "one"],
        "three": ["one"],
        "four": ["demo"],
        "five": [],
    }
    up = {each.path[-1]: each.instances[0].type for each in found.all_structs if each.instances}
    assert up == {"two": AnyStructType(), "three": UserType(("demo",)), "four": UserType(("demo", "one"))}


@pytest.mark.parametrize(
    ("seq", "size"),
    [
        ("{id: a, type: u1}, {id: b, type: u4}, {id: c, size: 2}", 7),
        ("{id: a, type: b4}, {id: b, type: b4}", 1),
        ("{id: a, type: b4}, {id: b, type: u1}, {id: c, type: b1}", 3),
        ("{id: a, type: u2, repeat: expr, repeat-expr: 2 * 2}", 8),
        ("{id: a, type: str, size: 3 + 2}", 5),
        ("{id: a, contents: abc}, {id: b, type: f8}", 11),
        ("{id: a, type: u1, enum: e}", 1),
        ("{id: a, type: inner}, {id: b, type: inner}", 4),
        ("{id: a, type: inner, size: 9}", 9),
        ("{id: a, type: u1, if: false}", None),
        ("{id: a, type: u1, repeat: eos}", None),
        ("{id: a, type: strz}", None),
        ("{id: a, type: {switch-on: 1, cases: {1: u1}}}", None),
        ("{id: a, type: u1}, {id: b, size: a}", None),
    ],
)
def test_sizes_of_types(seq: str, size: int | None) -> None:
    types = f"types: {{t: {{seq: [{seq}]}}, inner: {{seq: [{{id: x, type: u2}}]}}}}\nenums: {{e: {{1: one}}}}\n"
    body = f"instances: {{s: {{value: sizeof<t>}}}}\n{types}"
    if size is None:
        assert [each.split(": ", 2)[2] for each in said(body)] == [
            "unable to derive sizeof for type `demo::t`: dynamic sized type"
        ]
    else:
        value = instance(body, "s").value
        assert value is not None
        assert written(value) == str(size)
