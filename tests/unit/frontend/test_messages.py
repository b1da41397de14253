"""Message types in the model."""

from __future__ import annotations

import pytest
from wireloom.codegen.tree.leaves import Message

from tests.unit.frontend.specs import compiled, said


def test_other_wire_types_are_skipped_and_messages_100_deep_unless_the_spec_says_otherwise() -> None:
    body = "types: {{m: {{-wireloom: {{message: {{{}fields: []}}}}}}}}"
    assert compiled(body.format("")).root.structs[0].message == Message("proto3", strict=False, max_depth=100)
    found = compiled(body.format("syntax: proto2, wire-types: refuse, max-depth: 7, ")).root.structs[0].message
    assert found == Message("proto2", strict=True, max_depth=7)


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
