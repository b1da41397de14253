"""Messages as JSON text: Google's protobuf reads wireloom's, wireloom reads Google's, and mistakes are reported with
their place."""

from __future__ import annotations

import json
import math
import struct
from typing import Any

import pytest
from google.protobuf import json_format
from hypothesis import given, strategies
from wireloom.objects.messages import (
    FieldKind,
    FieldRule,
    Label,
    MessageError,
    MessageRule,
    MessageSet,
    json_message,
    json_name,
    json_text,
    single,
)

from .classes import classes_of, message_of, one
from .google_peer import fill, google_classes, message_sets, ours, values_of_type

Kind, Of = FieldKind, Label


@pytest.mark.slow
@given(strategies.data())
def test_google_reads_ours_and_we_read_googles(data: Any) -> None:
    messages = data.draw(message_sets())
    values = values_of_type(data.draw, messages, 0)
    message = ours(classes_of(messages), messages, 0, values)
    peer = fill(google_classes(messages)["M0"](), messages, 0, values)
    text = json_text(message)
    assert json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":")) == text
    assert json_format.Parse(text, type(peer)()) == peer
    theirs = json_format.MessageToJson(peer, use_integers_for_enums=True, preserving_proto_field_name=False)
    for each in (text, theirs):
        assert json_message(type(message), each).to_bytes() == message.to_bytes()


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (Kind.DOUBLE, 0.1, "0.1"),
        (Kind.DOUBLE, 1e16, "1e+16"),
        (Kind.DOUBLE, -0.0, "-0.0"),
        (Kind.DOUBLE, 5e-324, "5e-324"),
        (Kind.DOUBLE, math.inf, '"Infinity"'),
        (Kind.DOUBLE, -math.inf, '"-Infinity"'),
        (Kind.DOUBLE, math.nan, '"NaN"'),
        (Kind.FLOAT, 0.10000000149011612, "0.1"),
        (Kind.FLOAT, 16777216.0, "16777216.0"),
        (Kind.INT32, -(2**31), "-2147483648"),
        (Kind.FIXED32, 2**32 - 1, "4294967295"),
        (Kind.UINT64, 2**64 - 1, '"18446744073709551615"'),
        (Kind.SINT64, -(2**63), '"-9223372036854775808"'),
        (Kind.BOOL, False, "false"),
        (Kind.ENUM, 7, "7"),
        (Kind.BYTES, b"\0\xff", '"AP8="'),
        (Kind.STRING, '"\\/\b\f\n\r\t\0\x1f\x7fé\u2028', '"\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7fé\u2028"'),
    ],
)
def test_scalars(kind: FieldKind, value: Any, text: str) -> None:
    made = one(kind)
    assert json_text(made(value=value)) == f'{{"value":{text}}}'
    assert json_text(json_message(made, f'{{"value":{text}}}')) == f'{{"value":{text}}}'


def test_names() -> None:
    assert [json_name(each) for each in ("a", "trace_id", "class_", "x_1_y")] == ["a", "traceId", "class", "x1Y"]


@given(strategies.floats(width=32, allow_nan=False, allow_infinity=False))
def test_floats_of_32_bits(value: float) -> None:
    assert struct.pack("<f", float(single(value))) == struct.pack("<f", value)
    assert len(single(abs(value)).partition("e")[0].replace(".", "").strip("0")) <= 9


TREE = MessageRule(
    "Tree",
    (
        FieldRule("some_name", 1, Kind.INT32, Of.IMPLICIT),
        FieldRule("trees", 2, Kind.MESSAGE, Of.REPEATED, message=0),
        FieldRule("by_key", 3, Kind.MESSAGE, Of.REPEATED, message=0, key=Kind.BOOL),
        FieldRule("inner", 4, Kind.MESSAGE, Of.OPTIONAL, message=0),
    ),
    max_depth=3,
)


def tree() -> type[Any]:
    return classes_of(MessageSet((TREE,)))["Tree"]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "place: '' is not valid JSON"),
        ("{", "is not valid JSON"),
        ('{"someName": NaN}', "NaN is no value"),
        ("[" * 100_000, "is not valid JSON"),
        ("[]", r"place: \[\] is not an object with the fields of Tree"),
        ('{"nobody": 1}', r"place.nobody: unknown field of Tree: it has someName, trees, byKey, inner"),
        ('{"someName": "x"}', "place.someName: 'x' is no int32"),
        ('{"someName": true}', "place.someName: True is no int32"),
        ('{"someName": 1.5}', "place.someName: 1.5 is no int32"),
        ('{"trees": {}}', "place.trees: {} is not a list"),
        ('{"trees": [{}, 5]}', r"place.trees\[1\]: 5 is not an object"),
        ('{"byKey": []}', r"place.byKey: \[\] is not an object of keys and values"),
        ('{"byKey": {"maybe": {}}}', "place.byKey: 'maybe' is no bool"),
        (
            '{"inner": {"inner": {"inner": {"inner": {}}}}}',
            "place.inner.inner.inner.inner: messages are nested more than 3",
        ),
    ],
)
def test_mistakes(text: str, part: str) -> None:
    with pytest.raises(MessageError, match=part):
        json_message(tree(), text, "place")


def test_what_is_taken_besides() -> None:
    found = json_message(
        tree(), '{"some_name": 2.0, "trees": null, "by_key": {"true": {"someName": "-3"}}, "inner": {}}'
    )
    assert json_text(found) == '{"someName":2,"byKey":{"true":{"someName":-3}},"inner":{}}'
    content = message_of(FieldRule("b", 1, Kind.BYTES, Of.OPTIONAL))
    assert [json_message(content, f'{{"b": "{each}"}}').b for each in ("-_8", "+/8=", "")] == [b"\xfb\xff"] * 2 + [b""]
    with pytest.raises(MessageError, match="'a' is no bytes"):
        json_message(content, '{"b": "a"}')
