"""Message types in the model."""

from __future__ import annotations

import math

import pytest
from wireloom.codegen.expression.types import (
    BooleanType,
    BytesType,
    EnumType,
    FloatType,
    IntegerType,
    ListType,
    StringType,
    UserType,
)
from wireloom.codegen.tree import Attribute, Checksum, Struct
from wireloom.codegen.wire import Message, MessageField, OwnSize, RepeatEos, Timestamp

from tests.unit.frontend.specs import compiled, said
from tests.unit.frontend.trees import written


def message(fields: str, syntax: str = "proto3", rest: str = "") -> Struct:
    """Return a message with these fields, in a spec with an enum ``colour`` and a message ``other``."""
    body = f"""
enums:
  colour: {{0: none, 1: red, -1: unknown}}
types:
  m:
    -wireloom:
      message: {{syntax: {syntax}, fields: [{fields}]}}
{rest}
  other:
    -wireloom: {{message: {{fields: []}}}}
"""
    return next(each for each in compiled(body).root.structs if each.path[-1] == "m")


def field(text: str, syntax: str = "proto3") -> Attribute:
    return message(f"{{id: a, number: 1, {text}}}", syntax).attributes[0]


def rule(text: str, syntax: str = "proto3") -> MessageField:
    found = field(text, syntax).message
    assert found is not None
    return found


# Types and labels ----------------------------------------------------------------------------------------------------

SCALARS = {
    "double": FloatType(8, None),
    "float": FloatType(4, None),
    "int32": IntegerType(4, True, None),
    "int64": IntegerType(8, True, None),
    "uint32": IntegerType(4, False, None),
    "uint64": IntegerType(8, False, None),
    "sint32": IntegerType(4, True, None),
    "sint64": IntegerType(8, True, None),
    "fixed32": IntegerType(4, False, None),
    "fixed64": IntegerType(8, False, None),
    "sfixed32": IntegerType(4, True, None),
    "sfixed64": IntegerType(8, True, None),
    "bool": BooleanType(),
    "string": StringType("UTF-8"),
    "bytes": BytesType(),
}


@pytest.mark.parametrize("word", SCALARS)
def test_scalars(word: str) -> None:
    found = field(f"type: {word}")
    assert (found.type, found.size, found.repeat) == (SCALARS[word], OwnSize(), None)
    assert found.message == MessageField(1, word, "implicit")
    repeated = field(f"type: {word}, label: repeated")
    assert (repeated.type, repeated.repeat) == (SCALARS[word], RepeatEos())
    packable = word not in ("string", "bytes")
    assert repeated.message == MessageField(1, word, "repeated", packed=packable)
    assert rule(f"type: {word}, label: repeated", "proto2").packed is False


def test_messages_and_enums() -> None:
    assert field("type: other").type == UserType(("demo", "other"))
    assert rule("type: other") == MessageField(1, "message", "optional")
    assert field("type: colour").type == EnumType(("demo", "colour"), IntegerType(4, True, None))
    assert rule("type: colour") == MessageField(1, "enum", "implicit")
    assert rule("type: colour, label: repeated") == MessageField(1, "enum", "repeated", packed=True)
    assert rule("type: other, label: repeated") == MessageField(1, "message", "repeated")


def test_labels() -> None:
    assert rule("type: bool, label: optional").label == "optional"
    assert rule("type: bool", "proto2").label == "optional"
    assert rule("type: bool, label: required", "proto2").label == "required"
    assert rule("type: bool, oneof: choice") == MessageField(1, "bool", "optional", oneof="choice")
    assert rule("type: bool, label: repeated, packed: false").packed is False
    assert rule("type: bool, label: repeated, packed: true", "proto2").packed is True


def test_maps() -> None:
    found = field("type: other, map-key: string")
    assert (found.type, found.repeat) == (UserType(("demo", "other")), RepeatEos())
    assert found.message == MessageField(1, "message", "repeated", key="string")
    assert rule("type: colour, map-key: sfixed64") == MessageField(1, "enum", "repeated", key="sfixed64")


@pytest.mark.parametrize(
    ("kind", "written_as", "value"),
    [
        ("int32", "-2147483648", -(2**31)),
        ("sfixed64", "0x7fffffffffffffff", 2**63 - 1),
        ("uint64", "18446744073709551615", 2**64 - 1),
        ("double", "1.5", 1.5),
        ("double", "-inf", -math.inf),
        ("double", "3", 3.0),
        ("float", "0.1", 0.10000000149011612),
        ("bool", "false", False),
        ("string", "12", "12"),
        ("string", "'öß'", "öß"),
        ("bytes", "'öß'", "öß".encode()),
        ("bytes", "[0, 255]", b"\x00\xff"),
        ("colour", "unknown", -1),
    ],
)
def test_defaults(kind: str, written_as: str, value: object) -> None:
    found = rule(f"type: {kind}, default: {written_as}", "proto2").default
    assert found == value
    assert type(found) is type(value)


def test_a_default_that_is_not_a_number() -> None:
    found = rule("type: float, default: nan", "proto2").default
    assert isinstance(found, float)
    assert math.isnan(found)


def test_logical_types_and_documentation() -> None:
    found = field("type: fixed64, timestamp: ms, doc: When., doc-ref: there")
    assert (found.logical, found.doc, found.doc_ref) == (Timestamp("ms", "UTC"), "When.", ("there",))


def test_what_a_message_says_of_itself() -> None:
    assert message("").message == Message("proto3", strict=False, max_depth=100)
    body = """
    types:
      m:
        -wireloom: {message: {syntax: proto2, wire-types: refuse, max-depth: 7, fields: []}}
    """
    assert compiled(body).root.structs[0].message == Message("proto2", strict=True, max_depth=7)


def test_messages_may_contain_themselves() -> None:
    found = message("{id: inner, number: 1, type: m}, {id: outer, number: 2, type: m, map-key: bool}")
    assert [each.type for each in found.attributes] == [UserType(found.path)] * 2
    assert found.parents == (found.path,)


# Beside other things -------------------------------------------------------------------------------------------------


def test_value_instances() -> None:
    rest = "    instances: {all: {value: 'a + items.size + _parent.a'}}"
    fields = "{id: a, number: 1, type: int32}, {id: items, number: 2, type: m, label: repeated}"
    found = message(fields, rest=rest)
    value = found.instances[0].value
    assert value is not None
    assert written(value) == "((a + items.size) + _parent.a)"


def test_maps_are_not_for_expressions() -> None:
    body = """
    types:
      m:
        -wireloom: {message: {fields: [{id: a, number: 1, type: bool, map-key: string}]}}
        instances: {b: {value: a}}
    """
    assert said(body) == ["4:28: error: 'a' is a map, which expressions cannot use"]


def test_a_message_has_no_fixed_size() -> None:
    body = """
    seq:
      - {id: a, size: sizeof<m>}
    types:
      m: {-wireloom: {message: {fields: [{id: a, number: 1, type: fixed32}]}}}
    """
    assert said(body) == ["2:19: error: unable to derive sizeof for type `demo::m`: dynamic sized type"]


def test_a_message_is_no_layout() -> None:
    body = """
    types:
      m:
        -wireloom: {message: {fields: []}}
        params: [{id: p, type: u1}]
        seq: [{id: a, type: u1}]
        instances:
          far: {pos: 0, type: u1}
    """
    assert said(body) == [
        "4:5: error: a message type cannot have 'params': its 'fields' define it completely",
        "5:5: error: a message type cannot have 'seq': its attributes are the 'fields' of the message",
        "7:7: error: a message type cannot have parse instances: expected the key 'value'",
    ]


def test_a_message_that_is_none() -> None:
    body = """
    types:
      m: {-wireloom: {message: proto2}}
      n: {-wireloom: {message: {fields: [{id: a, number: 1, type: m}]}}}
      float: {-wireloom: {message: {fields: []}}}
    """
    assert said(body) == [
        "2:28: error: expected a message as a mapping, found the text 'proto2'",
        "4:3: error: 'float' is the name of a protobuf scalar: choose another name",
    ]


def test_text_that_is_an_integer() -> None:
    body = """
    types:
      m:
        -wireloom: {message: {fields: [{id: a, number: 1, type: string}, {id: b, number: 2, type: uint32}]}}
        instances:
          c: {value: a, -wireloom: {text: integer}}
          d: {value: b, -wireloom: {text: integer}}
      n:
        seq: [{id: a, type: strz, encoding: ASCII}]
        instances:
          c: {value: a, -wireloom: {text: integer}}
    """
    assert said(body) == [
        "6:39: error: 'text' requires text, found u4",
        "10:39: error: 'text' requires a value instance of a message type",
    ]


def test_md5() -> None:
    body = """
    seq:
      - {id: head, type: u1}
      - {id: body, size: _io.size - 17}
      - {id: digest, size: 16, -wireloom: {checksum: {algorithm: md5, over: [head, body]}}}
    """
    assert compiled(body).root.attributes[2].checksum == Checksum("md5", "head", "body", 0, 0)


@pytest.mark.parametrize(
    ("digest", "sentence"),
    [
        ("size: 17, -wireloom: {checksum: {algorithm: md5, over: a}}", "md5 has 16 bytes, but 'd' has 17"),
        (
            "type: u4, -wireloom: {checksum: {algorithm: md5, over: a}}",
            "md5 must be plain bytes of a constant size, found u4le",
        ),
        (
            "size: 16, -wireloom: {checksum: {algorithm: md5, over: d}}",
            "the checksum covers its own bytes: add the key 'replace' with the byte to use in their place",
        ),
        (
            "size: 16, -wireloom: {checksum: {algorithm: md5, over: a, initial: 0}}",
            "'initial' requires an integer checksum, but md5 is a digest: remove 'initial'",
        ),
        (
            "size: 16, -wireloom: {checksum: {algorithm: crc32, over: a}}",
            "crc32 is an integer, so 'd' needs a byte order: add the key 'endian'",
        ),
    ],
)
def test_mistakes_in_md5s(digest: str, sentence: str) -> None:
    (found,) = said(f"seq:\n  - {{id: a, size: 1}}\n  - {{id: d, {digest}}}\n")
    assert found.partition(" error: ")[2] == sentence


def test_lists_of_types_are_lists() -> None:
    found = message("{id: a, number: 1, type: other, label: repeated}", rest="    instances: {b: {value: a}}")
    assert found.instances[0].type == ListType(UserType(("demo", "other")))
