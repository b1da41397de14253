"""Specs → model: instances, parameters, names, parents, defaults."""

from __future__ import annotations

import pytest
from wireloom.codegen.expression.types import (
    AnyStructType,
    BitsType,
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
from wireloom.codegen.wire import ComputedEndian, EnumLabel, ExpressionSize, InheritedEndian

from tests.unit.frontend.specs import attribute, compiled, instance, root, said
from tests.unit.frontend.trees import written


def test_instances() -> None:
    body = """
    seq:
      - {id: n, type: u1}
    instances:
      total: {value: n + later, doc: Both.}
      later: {value: 2}
      named: {value: n, enum: e, if: n > 1}
      elsewhere: {pos: 4, io: _root._io, size: n, type: sub, repeat: eos}
    types: {sub: {seq: []}}
    enums: {e: {1: one}}
    """
    total = instance(body, "total").value
    assert total is not None
    assert written(total) == "(n + later)"
    assert instance(body, "total").doc == "Both."
    assert isinstance(instance(body, "named").type, EnumType)
    assert instance(body, "named").condition is not None
    elsewhere = instance(body, "elsewhere")
    assert elsewhere.attribute is not None
    assert elsewhere.type == ListType(UserType(("demo", "sub")))
    assert elsewhere.pos is not None
    assert written(elsewhere.pos) == "4"
    assert elsewhere.io is not None
    assert written(elsewhere.io) == "_root._io"


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


def test_enums() -> None:
    (found,) = root("enums:\n  e:\n    0x10: sixteen\n    -1: {id: less, doc: Below.}\n    1: on\n").enums
    assert found.path == ("demo", "e")
    assert found.labels == (EnumLabel(16, "sixteen"), EnumLabel(-1, "less", "Below."), EnumLabel(1, "on"))


def test_names_are_looked_up_inside_out() -> None:
    found = root(
        """
        seq:
          - {id: a, type: one}
        types:
          one:
            seq:
              - {id: near, type: two}
              - {id: far, type: three}
              - {id: self, type: one, if: false}
            types:
              two: {seq: [{id: up, type: three}]}
          two: {seq: []}
          three: {seq: []}
        """
    )
    one = found.structs[0]
    assert [each.type for each in one.attributes] == [
        UserType(("demo", "one", "two")),
        UserType(("demo", "three")),
        UserType(("demo", "one")),
    ]
    assert one.structs[0].attributes[0].type == UserType(("demo", "three"))


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
    parents = {each.path[-1]: [path[-1] for path in each.parents] for each in found.whole}
    assert parents == {
        "demo": [],
        "one": ["demo"],
        "two": ["demo", "one"],
        "three": ["one"],
        "four": ["demo"],
        "five": [],
    }
    up = {each.path[-1]: each.instances[0].type for each in found.whole if each.instances}
    assert up == {"two": AnyStructType(), "three": UserType(("demo",)), "four": UserType(("demo", "one"))}


def test_byte_order_is_inherited() -> None:
    head = "meta:\n  id: demo\n"
    found = compiled(
        """
        types:
          big:
            meta: {endian: be, bit-endian: le, encoding: ASCII}
            seq: [{id: a, type: u2}, {id: b, type: b3}, {id: s, type: strz}]
            types:
              inner: {seq: [{id: a, type: u2}]}
        """,
        head,
    ).struct(("demo", "big"))
    assert [each.type for each in found.attributes] == [
        IntegerType(2, False, "be"),
        BitsType(3, "le"),
        StringType("ASCII"),
    ]
    assert found.structs[0].attributes[0].type == IntegerType(2, False, "be")


def test_computed_byte_order() -> None:
    head = "meta:\n  id: demo\n  endian: {switch-on: mark, cases: {1: le, _: be}}\n"
    body = "seq: [{id: first, type: u1}, {id: a, type: u2}]\ninstances: {mark: {pos: 0, type: u1}}\n"
    spec = compiled(f"{body}types: {{sub: {{seq: [{{id: b, type: f4}}]}}}}\n", head)
    assert isinstance(spec.root.endian, ComputedEndian)
    assert [order for _, order in spec.root.endian.cases] == ["le", "be"]
    assert spec.root.attributes[1].type == IntegerType(2, False, "computed")
    assert isinstance(spec.root.structs[0].endian, InheritedEndian)


def test_opaque_types() -> None:
    head = "meta:\n  id: demo\n  ks-opaque-types: true\n"
    spec = compiled("seq: [{id: a, type: elsewhere}]\n", head)
    assert spec.root.attributes[0].type == UserType(("elsewhere",), opaque=True)


def test_types_that_hold_themselves() -> None:
    found = root(
        "seq:\n  - {id: a, type: node}\ntypes:\n  node:\n    seq:\n      - {id: next, type: node, if: false}\n"
    )
    assert found.structs[0].parents == (("demo",), ("demo", "node"))


def test_the_spec_itself() -> None:
    head = "meta: {id: demo, title: A title, license: MIT, file-extension: [a, b.c], xref: {mime: x/y}, tags: [t]}\n"
    spec = compiled("doc: |\n  About it.\ndoc-ref: somewhere\nto-string: '\"x\"'\n", head)
    assert (spec.name, spec.title, spec.license, spec.file) == ("demo", "A title", "MIT", "demo.ksy")
    assert (spec.file_extensions, spec.doc, spec.doc_ref) == (("a", "b.c"), "About it.", ("somewhere",))
    assert spec.root.to_string is not None
    assert spec.tables == ()


@pytest.mark.slow
def test_value_instances_may_stand_on_each_other_through_many() -> None:
    lines = "".join(f"  i{n}: {{value: i{n + 1} + 1}}\n" for n in range(2000))
    assert len(root(f"instances:\n{lines}  i2000: {{value: 1}}\n").instances) == 2001


def test_names_inside_other_objects() -> None:
    body = """
    seq:
      - {id: header, type: head}
      - {id: body, size: header.len * header.unit}
    types:
      head: {seq: [{id: len, type: u2}], instances: {unit: {value: 4}}}
    """
    size = attribute(body, "body").size
    assert isinstance(size, ExpressionSize)
    assert written(size.expression) == "(header.len * header.unit)"


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
