"""Every rule of reading, one by one: maps, enums, unknown fields, required fields."""

from enum import IntEnum
from typing import Any

import pytest
from wireloom.objects.messages import FieldKind, FieldRule, Label, MessageRule, MessageSet, write_varint

from .classes import TREE, classes_of, message_of, one, refusal, sized, tag, varint

Kind, Of = FieldKind, Label


# Maps ----------------------------------------------------------------------------------------------------------------

MAPS = classes_of(
    MessageSet(
        (
            MessageRule(
                "Maps",
                (
                    FieldRule("counts", 1, Kind.SINT32, Of.REPEATED, key=Kind.STRING),
                    FieldRule("things", 2, Kind.MESSAGE, Of.REPEATED, key=Kind.INT32, message=1),
                    FieldRule("flags", 3, Kind.BYTES, Of.REPEATED, key=Kind.BOOL),
                    FieldRule("colors", 4, Kind.ENUM, Of.REPEATED, key=Kind.UINT64, values=(3, 1)),
                ),
            ),
            MessageRule(
                "Thing", (FieldRule("id", 1, Kind.UINT32, Of.REQUIRED), FieldRule("x", 2, Kind.BYTES, Of.OPTIONAL))
            ),
        )
    )
)
Maps, Thing = MAPS["Maps"], MAPS["Thing"]


def test_maps_of_messages() -> None:
    found = Maps.from_bytes(sized(2, varint(1, 5) + sized(2, varint(1, 1)) + sized(2, sized(2, b"x"))))
    assert found.things == {5: Thing(id=1, x=b"x")}, "a value that is there twice is merged"
    assert found.things[5]._parent is found
    found = Maps.from_bytes(sized(2, sized(2, varint(1, 1) + sized(2, b"x"))) + sized(2, sized(2, varint(1, 2))))
    assert found.things == {0: Thing(id=2)}, "an entry of the same key replaces"
    missing = sized(2, varint(1, 7))
    error = refusal(Maps, missing)
    assert error.field == "things[7].id"
    whole = sized(2, varint(1, 7) + sized(2, varint(1, 1)))
    assert Maps.from_bytes(missing + whole).things == {7: Thing(id=1)}, "what was replaced need not be complete"


def test_maps_of_closed_enums() -> None:
    def entry(key: int, *values: int) -> bytes:
        return sized(4, varint(1, key) + b"".join(varint(2, each) for each in values))

    assert Maps.from_bytes(entry(1, 3) + entry(2, 9)).colors == {1: 3}, "an entry of an unknown value is unknown"
    assert Maps.from_bytes(entry(1)).colors == {1: 3}, "the default is the first value"
    assert Maps.from_bytes(entry(1, 9, 1)).colors == {1: 1}


def test_damage_in_maps() -> None:
    assert refusal(Maps, sized(1, sized(1, b"\xff"))).field == "counts.key"
    assert refusal(Maps, sized(1, b"\x0a\x05a")).field == "counts.key"
    assert refusal(Maps, sized(2, sized(2, b"\x12\x09"))).field == "things.value.x"


# Enums ---------------------------------------------------------------------------------------------------------------


class Color(IntEnum):
    """Has an alias and a hole."""

    red = 1
    blue = 4


def colors(values: tuple[int, ...] | None) -> type[Any]:
    fields = (
        FieldRule("one", 1, Kind.ENUM, Of.OPTIONAL, values=values),
        FieldRule("many", 2, Kind.ENUM, Of.REPEATED, packed=True, values=values),
        FieldRule("chosen", 3, Kind.ENUM, Of.OPTIONAL, oneof="any", values=values),
        FieldRule("other", 4, Kind.BOOL, Of.OPTIONAL, oneof="any"),
    )
    enums = {f"Made.{name}": Color for name in ("one", "many", "chosen")}
    return classes_of(MessageSet((MessageRule("Made", fields),)), enums)["Made"]


# Unknown fields, wire types, tags ------------------------------------------------------------------------------------

UNKNOWN_FIELDS = (
    varint(9, 1 << 60),
    tag(9, 1) + bytes(8),
    sized(9, b"abc"),
    tag(9, 5) + bytes(4),
    tag(9, 3) + varint(1, 5) + tag(8, 3) + sized(7, b"x") + tag(8, 4) + tag(9, 4),
)
UNKNOWN = b"".join(UNKNOWN_FIELDS)


@pytest.mark.parametrize("strict", [False, True])
def test_unknown_fields_are_skipped(strict: bool) -> None:
    found = one(Kind.UINT64, strict=strict).from_bytes(UNKNOWN + varint(1, 7) + UNKNOWN)
    assert found.value == 7
    assert found.to_bytes() == varint(1, 7)


@pytest.mark.parametrize("strict", [False, True])
def test_unknown_fields_that_are_cut(strict: bool) -> None:
    message = one(Kind.UINT64, strict=strict)
    begin = 0
    for field in UNKNOWN_FIELDS:
        assert message.from_bytes(UNKNOWN[:begin]).value is None
        for size in range(1, len(field)):
            offset = refusal(message, UNKNOWN[: begin + size]).offset
            assert offset is not None
            # In a group, the error is that of the field inside it.
            assert begin <= offset < begin + size if field is UNKNOWN_FIELDS[-1] else offset == begin
        begin += len(field)


@pytest.mark.parametrize(
    ("data", "sentence", "inside"),
    [
        (tag(9, 4), "without a start", 0),
        (tag(9, 3) + tag(8, 4), "without a start", 1),
        (tag(9, 3) + tag(8, 3) + tag(9, 4) + tag(8, 4), "without a start", 2),
        (tag(9, 3), "does not end", 0),
        (tag(9, 3) * 101 + tag(9, 4) * 101, "too deep", 100),
        (b"\x00", "not a valid field number", 0),
        (b"\x07", "not a valid field number", 0),
        (tag(9, 6), "unknown wire type", 0),
        (tag(9, 7), "unknown wire type", 0),
        (tag(9, 3) + tag(9, 7), "unknown wire type", 1),
        (tag(9, 3) + varint(1, 1) + tag(9, 0), "ends inside", 3),
        (write_varint(1 << 32), "not a valid field number", 0),
        (b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "more than 10 bytes", 0),
        (tag(9, 2) + b"\x01", "1 bytes expected, but only 0 left", 0),
        (tag(9, 2) + b"\xff" * 9 + b"\x01", "bytes expected", 0),
    ],
)
@pytest.mark.parametrize("strict", [False, True])
def test_what_cannot_be_skipped(data: bytes, sentence: str, inside: int, strict: bool) -> None:
    error = refusal(one(Kind.UINT64, strict=strict), varint(1, 1) + data)
    assert sentence in error.message
    assert (error.offset, error.field) == (2 + inside, None)
    assert error.reason == ("limit" if sentence == "too deep" else "message")


@pytest.mark.parametrize("more", [1 << 32, 1 << 35, 0xFFFF_FFFF << 32])
def test_tags_of_more_than_32_bits(more: int) -> None:
    """Google's parser for Java keeps 32 bits, in groups too; Rust's prost refuses such a tag."""
    known = varint(1, 1) + write_varint(more + 8) + b"\x02"
    skipped = write_varint(more + (9 << 3 | 3)) + write_varint(more + (8 << 3)) + b"\x00" + tag(9, 4)
    message = one(Kind.UINT64)
    assert message.from_bytes(known + skipped) == message.from_bytes(varint(1, 2))
    error = refusal(one(Kind.UINT64, strict=True), known)
    assert "not a valid field number" in error.message


def test_groups_and_messages_share_the_depth() -> None:
    message = message_of(*TREE, max_depth=5)
    groups = tag(9, 3) * 3 + tag(9, 4) * 3
    assert message.from_bytes(sized(1, sized(1, groups))) == twice_nested(message)
    assert refusal(message, sized(1, sized(1, sized(1, groups)))).reason == "limit"


def twice_nested(message: type[Any]) -> Any:
    return message(inner=message(inner=message()))


def test_known_fields_with_another_wire_type() -> None:
    fields = (FieldRule("number", 1, Kind.UINT64, Of.OPTIONAL), FieldRule("text", 2, Kind.STRING, Of.REPEATED))
    for data, name in (
        (sized(1, b"abc"), "number"),
        (tag(1, 5) + bytes(4), "number"),
        (tag(1, 3) + tag(1, 4), "number"),
        (varint(2, 1), "text"),
    ):
        assert message_of(*fields).from_bytes(data + varint(1, 3)).number == 3
        error = refusal(message_of(*fields, strict=True), varint(3, 0) + data)
        assert (error.offset, error.field) == (2, name if name == "number" else "text[0]")


# Required fields -----------------------------------------------------------------------------------------------------

REQUIRED = classes_of(
    MessageSet(
        (
            MessageRule(
                "Holder",
                (
                    FieldRule("one", 1, Kind.MESSAGE, Of.OPTIONAL, message=1),
                    FieldRule("many", 2, Kind.MESSAGE, Of.REPEATED, message=1),
                    FieldRule("chosen", 3, Kind.MESSAGE, Of.OPTIONAL, message=1, oneof="any"),
                    FieldRule("other", 4, Kind.BOOL, Of.OPTIONAL, oneof="any"),
                ),
            ),
            MessageRule(
                "Held",
                (FieldRule("first", 1, Kind.INT32, Of.REQUIRED), FieldRule("second", 2, Kind.INT32, Of.REQUIRED)),
            ),
        )
    )
)
Holder, Held = REQUIRED["Holder"], REQUIRED["Held"]


def test_required_fields() -> None:
    error = refusal(Held, varint(1, 1))
    assert (error.message, error.field, error.offset) == ("the required field is missing", "second", 2)
    whole = varint(1, 0) + varint(2, 0)
    error = refusal(Holder, sized(2, whole) + sized(2, varint(2, 1)) + varint(4, 1))
    assert (error.field, error.offset) == ("many[1].first", 10)
    assert refusal(Holder, sized(1, b"")).field == "one.first"


def test_what_a_oneof_has_replaced_need_not_be_complete() -> None:
    assert Holder.from_bytes(sized(3, b"") + varint(4, 1)).other is True
