"""Limits, refusals and unusual columns of the engine's decoder, with handwritten programs."""

from __future__ import annotations

import pyarrow as pa
import pytest
from wireloom import UnsupportedError, engine
from wireloom.format.message_program import FieldSource, MessageProgram
from wireloom.format.message_rules import FieldKind, FieldRule, Label, MessageRule, MessageSet

from .hand_made import RECORDS_FORMAT, decoder_of, enveloped, format_of, record
from .units import placed
from .wire_inputs import delimited

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine is not there")

TREE = MessageSet(
    (
        MessageRule(
            "Tree",
            (
                FieldRule("child", 1, FieldKind.MESSAGE, Label.OPTIONAL, message=0),
                FieldRule("name", 2, FieldKind.STRING, Label.OPTIONAL),
            ),
        ),
    )
)
TREE_FORMAT = format_of(MessageProgram(TREE, (FieldSource((2,)),)), pa.schema([("name", pa.utf8())]))


def nested(depth: int) -> bytes:
    message = delimited(2, b"x")
    for _ in range(depth):
        message = delimited(1, message)
    return message


def test_depth() -> None:
    for depth, limit in ((100, None), (7, 7)):
        decoder = decoder_of(TREE_FORMAT, max_depth=limit)
        assert not decoder.decode(*placed([nested(depth)]), capacity=1).problems
        (problem,) = decoder.decode(*placed([nested(depth + 1)]), capacity=1).problems
        assert problem.reason == "limit"
        assert problem.detail.startswith("child.child")
    with pytest.raises(UnsupportedError, match=r"nested \d+ deep"):
        decoder_of(TREE_FORMAT, max_depth=10_000)


def test_problems_name_the_field() -> None:
    good = record(0, b"")
    bad = delimited(3, b"\x08\x00" + delimited(3, b"") + delimited(4, delimited(1, b"k")) + delimited(4, b"\x0a\x05k"))
    (problem,) = decoder_of(RECORDS_FORMAT).decode(*placed([enveloped(good * 3 + bad)]), capacity=1).problems
    assert problem.detail == "records[3].tags[1].key: 5 bytes expected, but only 1 left"
    assert problem.offset == 4 + len(good) * 3 + 2 + 4 + 5 + 2
    missing = enveloped(good * 2 + delimited(3, b"\x08\x00"))
    (problem,) = decoder_of(RECORDS_FORMAT).decode(*placed([missing]), capacity=1).problems
    assert problem.detail == "records[2].data: the required field is missing"


def test_what_the_engine_does_not_do_is_said() -> None:
    schema = pa.schema([("name", pa.utf8())])
    with pytest.raises(UnsupportedError, match="does not decode the units of hand_made"):
        decoder_of(format_of(None, schema))
    with pytest.raises(UnsupportedError, match="Tree has no field 5"):
        decoder_of(format_of(MessageProgram(TREE, (FieldSource((5,)),)), schema))
    with pytest.raises(UnsupportedError, match="a level above the unit"):
        decoder_of(format_of(MessageProgram(TREE, (FieldSource((2,), up=1),)), schema))
    with pytest.raises(UnsupportedError, match="name is not a message"):
        decoder_of(format_of(MessageProgram(TREE, (FieldSource((2, 1)),)), schema))
