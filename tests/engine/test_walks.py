"""Fields that end a byte too early, and groups inside messages: where the walk over a message must stop."""

from __future__ import annotations

import pyarrow as pa
import pytest
from wireloom import WireloomError, engine
from wireloom.format.message_program import FieldSource, MessageProgram
from wireloom.format.message_rules import FieldKind, FieldRule, Label, MessageRule, MessageSet
from wireloom.objects.messages import write_varint

from ..unit.messages.hand_made import decoder_of, delimited, format_of
from ..unit.messages.units import placed

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine is not there")

RULES = (
    FieldRule("double", 1, FieldKind.DOUBLE, Label.OPTIONAL),
    FieldRule("fixed", 2, FieldKind.FIXED32, Label.IMPLICIT),
    FieldRule("many", 3, FieldKind.SFIXED64, Label.REPEATED),
    FieldRule("few", 4, FieldKind.FLOAT, Label.REPEATED),
    FieldRule("either", 5, FieldKind.FIXED64, Label.OPTIONAL, oneof="one"),
    FieldRule("other", 6, FieldKind.SFIXED32, Label.OPTIONAL, oneof="one"),
    FieldRule("text", 7, FieldKind.STRING, Label.OPTIONAL),
    FieldRule("texts", 8, FieldKind.BYTES, Label.REPEATED),
    FieldRule("inner", 9, FieldKind.MESSAGE, Label.OPTIONAL, message=0),
    FieldRule("items", 10, FieldKind.MESSAGE, Label.REPEATED, message=0),
    FieldRule("number", 11, FieldKind.UINT64, Label.OPTIONAL),
    FieldRule("numbers", 12, FieldKind.SINT64, Label.REPEATED),
)
TYPES = MessageSet((MessageRule("Unit", RULES, max_depth=100),))
COLUMNS = pa.schema([("double", pa.float64()), ("text", pa.utf8())])
FORMAT = format_of(MessageProgram(TYPES, (FieldSource((1,)), FieldSource((7,)))), COLUMNS)


def tag(number: int, wire: int) -> bytes:
    return write_varint(number << 3 | wire)


FIELDS = {
    "double": tag(1, 1) + bytes(8),
    "fixed32": tag(2, 5) + bytes(4),
    "repeated": tag(3, 1) + bytes(8),
    "packed": tag(3, 2) + b"\x10" + bytes(16),
    "packed small": tag(4, 2) + b"\x08" + bytes(8),
    "repeated small": tag(4, 5) + bytes(4),
    "chosen": tag(5, 1) + bytes(8),
    "chosen small": tag(6, 5) + bytes(4),
    "text": delimited(7, b"abc"),
    "bytes": delimited(8, b"abc"),
    "message": delimited(9, tag(2, 5) + bytes(4)),
    "varint": tag(11, 0) + b"\xff" * 9 + b"\1",
    "varints": tag(12, 0) + b"\x80\1",
    "packed varints": delimited(12, b"\x80\1\x80\1"),
    "unknown fixed64": tag(100, 1) + bytes(8),
    "unknown fixed32": tag(100, 5) + bytes(4),
    "unknown bytes": delimited(100, b"abc"),
    "unknown varint": tag(100, 0) + b"\x80\1",
    "unknown group": tag(100, 3) + tag(1, 1) + bytes(8) + tag(100, 4),
}
GOOD = delimited(7, b"good")


def decoded(message: bytes) -> tuple[int, list[str]]:
    """Return the rows, and the reasons of problems; the bytes after the message are not zero."""
    source, begins, sizes = placed([message])
    found = decoder_of(FORMAT).decode(source + b"\1" * 50, begins, sizes, capacity=10)
    return found.rows, [each.reason for each in found.problems]


@pytest.mark.parametrize("name", FIELDS)
def test_fields_that_are_cut_anywhere(name: str) -> None:
    field = FIELDS[name]
    assert decoded(field) == decoded(GOOD + field) == (1, [])
    for cut in range(1, len(field)):
        assert decoded(field[:cut]) == decoded(GOOD + field[:cut]) == (0, ["message"])


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("around", [9, 10])
def test_fields_that_are_cut_inside_of_messages(name: str, around: int) -> None:
    """The bytes of the enclosing message after the cut do not belong to them."""
    field = FIELDS[name]
    assert decoded(delimited(around, field) + GOOD * 5) == (1, [])
    for cut in range(1, len(field)):
        assert decoded(delimited(around, field[:cut]) + GOOD * 5) == (0, ["message"])


@pytest.mark.parametrize("messages", [0, 1, 50, 99, 100])
def test_messages_and_groups_count_together(messages: int) -> None:
    def nested(groups: int) -> bytes:
        message = tag(100, 3) * groups + tag(100, 4) * groups
        for number in range(messages):
            message = delimited(9 + number % 2, message)
        return message

    assert decoded(nested(100 - messages)) == (1, [])
    assert decoded(nested(101 - messages)) == (0, ["limit"])


@pytest.mark.parametrize(("begin", "size"), [(0, 7), (5, 2), (7, 0), (6, 1), (2**64 - 1, 1), (1, 2**64 - 1)])
def test_units_that_are_not_within_the_source(begin: int, size: int) -> None:
    assert len(GOOD) == 6
    places = pa.array([begin], pa.uint64()), pa.array([size], pa.uint64())
    with pytest.raises(WireloomError, match="unit 0 is not within the source"):
        decoder_of(FORMAT).decode(GOOD, *places, capacity=10)
