"""Every rule of writing, the objects themselves, and their values for Arrow."""

import struct
from enum import IntEnum
from typing import Any

import pytest
from wireloom.objects.messages import (
    FieldKind,
    FieldRule,
    Label,
    MessageError,
    MessageRule,
    MessageSet,
    value_of,
    values_of,
)

from .classes import KPL, classes_of, message_of

Kind, Of = FieldKind, Label


def one(kind: FieldKind, label: Label = Of.OPTIONAL, **settings: Any) -> type[Any]:
    """Return a message with the single field ``value`` of number 1."""
    return message_of(FieldRule("value", 1, kind, label, **settings))


def refusal(message: Any) -> MessageError:
    with pytest.raises(MessageError) as caught:
        message.to_bytes()
    assert caught.value.offset is None
    return caught.value


# Scalars -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", [Of.OPTIONAL, Of.IMPLICIT, Of.REPEATED, Of.REQUIRED])
@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Kind.INT32, 1 << 31),
        (Kind.INT32, -(1 << 31) - 1),
        (Kind.UINT32, -1),
        (Kind.UINT32, 1 << 32),
        (Kind.SINT64, 1 << 63),
        (Kind.UINT64, 1 << 64),
        (Kind.FIXED32, -1),
        (Kind.SFIXED64, 1 << 63),
        (Kind.ENUM, 1 << 31),
        (Kind.FLOAT, 1e39),
        (Kind.FLOAT, "1"),
        (Kind.INT32, 1.5),
        (Kind.INT32, "1"),
        (Kind.BOOL, 2),
        (Kind.STRING, b"text"),
        (Kind.STRING, "\ud800"),
        (Kind.BYTES, "bytes"),
        (Kind.BYTES, 7),
    ],
)
def test_values_that_do_not_fit(kind: FieldKind, value: Any, label: Label) -> None:
    error = refusal(one(kind, label)(value=[value] if label is Of.REPEATED else value))
    assert error.field == ("value[0]" if label is Of.REPEATED else "value")
    assert "does not fit" in error.message


def test_closed_enums() -> None:
    closed = one(Kind.ENUM, values=(1, 4))
    assert closed(value=4).to_bytes() == b"\x08\x04"
    assert "closed" in refusal(closed(value=2)).message


def test_text_that_is_none() -> None:
    kept = message_of(FieldRule("value", 1, Kind.STRING, Of.OPTIONAL), check_text=False)
    assert kept(value="a\udcff").to_bytes() == b"\x0a\x02a\xff"
    assert refusal(kept(value="\ud800")).field == "value"


# Presence ------------------------------------------------------------------------------------------------------------


def test_minus_zero_is_not_zero() -> None:
    for kind, code in ((Kind.FLOAT, "<f"), (Kind.DOUBLE, "<d")):
        implicit = one(kind, Of.IMPLICIT)
        assert implicit(value=-0.0).to_bytes()[1:] == struct.pack(code, -0.0)
        assert implicit(value=-0.0).has("value")
        assert implicit(value=float("nan")).has("value")
        assert not implicit(value=0.0).has("value")


def test_required_fields() -> None:
    classes = classes_of(KPL)
    record = classes["Record"](partition_key_index=1, data=b"")
    record.tags.append(classes["Tag"](value="v"))
    whole = classes["AggregatedRecord"](records=[classes["Record"](partition_key_index=0, data=b"x"), record])
    error = refusal(whole)
    assert (error.field, error.message) == ("records[1].tags[0].key", "the required field is missing")
    assert refusal(classes["Record"](data=b"")).field == "partition_key_index"


def test_oneofs() -> None:
    message = message_of(
        FieldRule("left", 1, Kind.UINT32, Of.OPTIONAL, oneof="side"),
        FieldRule("right", 2, Kind.MESSAGE, Of.OPTIONAL, message=0, oneof="side"),
    )
    assert message(left=0).to_bytes() == b"\x08\x00"
    assert message(right=message()).to_bytes() == b"\x12\x00"
    assert "only one member of side" in refusal(message(left=0, right=message())).message


# Repetition, order, maps, messages -----------------------------------------------------------------------------------


def test_packed_and_not() -> None:
    assert one(Kind.SINT32, Of.REPEATED, packed=True)(value=[0, -1, 64]).to_bytes().hex() == "0a0400018001"
    assert one(Kind.SINT32, Of.REPEATED)(value=[0, -1, 64]).to_bytes().hex() == "08000801088001"
    assert one(Kind.DOUBLE, Of.REPEATED, packed=True)(value=[]).to_bytes() == b""
    assert one(Kind.BYTES, Of.REPEATED)(value=[b"", b"a"]).to_bytes().hex() == "0a000a0161"
    assert refusal(one(Kind.UINT32, Of.REPEATED, packed=True)(value=[1, -1])).field == "value[1]"


@pytest.mark.parametrize("value", ["ab", b"ab", 7, {"a": 1}])
def test_what_is_no_list(value: Any) -> None:
    assert refusal(one(Kind.STRING, Of.REPEATED)(value=value)).message.endswith("is not a list")


@pytest.mark.parametrize("value", ["ab", [("a", 1)], 7])
def test_what_is_no_mapping(value: Any) -> None:
    error = refusal(one(Kind.UINT32, Of.REPEATED, key=Kind.STRING)(value=value))
    assert error.message.endswith("is not a mapping")
    assert error.field == "value"


@pytest.mark.parametrize(
    ("key", "entries", "wire"),
    [
        (Kind.STRING, {"b": 1, "": 0, "ab": 2}, "0a040a001000 0a060a0261621002 0a050a01621001"),
        (Kind.STRING, {"\ue000": 1, "\U00010000": 2}, "0a070a03ee80801001 0a080a04f09080801002"),
        (Kind.INT32, {3: 1, -1: 2}, "0a0d08ffffffffffffffffff011002 0a0408031001"),
        (Kind.SFIXED32, {1: 1}, "0a070d010000001001"),
        (Kind.BOOL, {True: 1, False: 2}, "0a0408001002 0a0408011001"),
    ],
)
def test_maps(key: FieldKind, entries: dict[Any, int], wire: str) -> None:
    message = one(Kind.UINT32, Of.REPEATED, key=key)
    assert message(value=entries).to_bytes() == bytes.fromhex(wire)
    assert message.from_bytes(bytes.fromhex(wire)).value == entries


def test_maps_of_messages() -> None:
    message = one(Kind.MESSAGE, Of.REPEATED, key=Kind.UINT32, message=0)
    held = message(value={2: message(), 1: message(value={7: message()})})
    assert held.to_bytes().hex() == "0a0a080112060a04080712000a0408021200"
    assert held.value[1]._parent is held
    assert message.from_bytes(held.to_bytes()) == held
    error = refusal(message(value={1: message(value={5: None})}))
    assert error.field == "value[1].value.value[5].value"
    assert refusal(one(Kind.UINT32, Of.REPEATED, key=Kind.STRING)(value={"k": -1})).field == "value['k'].value"
    assert refusal(one(Kind.UINT32, Of.REPEATED, key=Kind.UINT32)(value={-1: 1})).field == "value"


def test_sub_messages_get_their_parent() -> None:
    tree = one(Kind.MESSAGE, message=0)
    inner = tree()
    outer = tree(value=inner)
    assert outer.to_bytes() == b"\x0a\x00"
    assert inner._parent is outer
    assert inner._root is outer
    assert "is no Made" in refusal(tree(value=7)).message


def test_depth() -> None:
    tree = one(Kind.MESSAGE, message=0)
    found = tree()
    for _ in range(101):
        found = tree(value=found)
    assert refusal(found).reason == "limit"
    assert tree.from_bytes(found.value.to_bytes()) == found.value
    found.value.value = found
    assert refusal(found).reason == "limit", "a circle ends as well"


# Objects -------------------------------------------------------------------------------------------------------------


class Color(IntEnum):
    """For enum fields."""

    red = 1
    blue = 4


class Defaults:
    """A message of proto2 with declared defaults."""

    rules = MessageSet(
        (
            MessageRule(
                "Made",
                (
                    FieldRule("count", 1, Kind.INT32, Of.OPTIONAL, default=-3),
                    FieldRule("name", 2, Kind.STRING, Of.OPTIONAL, default="none"),
                    FieldRule("color", 3, Kind.ENUM, Of.OPTIONAL, default=4, values=(1, 4)),
                    FieldRule("plain", 4, Kind.ENUM, Of.OPTIONAL, values=(4, 1)),
                    FieldRule("inner", 5, Kind.MESSAGE, Of.OPTIONAL, message=0),
                    FieldRule("texts", 6, Kind.STRING, Of.REPEATED),
                    FieldRule("entries", 7, Kind.MESSAGE, Of.REPEATED, key=Kind.STRING, message=0),
                    FieldRule("zero", 8, Kind.DOUBLE, Of.OPTIONAL),
                ),
                check_text=False,
            ),
        )
    )
    made = classes_of(rules, {"Made.color": Color, "Made.plain": Color})["Made"]


def test_get_and_has() -> None:
    empty = Defaults.made()
    assert (empty.count, empty.get("count"), empty.has("count")) == (None, -3, False)
    assert empty.get("name") == "none"
    assert empty.get("color") is Color.blue
    assert empty.get("plain") is Color.blue
    assert (empty.get("inner"), empty.get("zero"), empty.get("texts"), empty.get("entries")) == (None, 0.0, [], {})
    full = Defaults.made(count=0, texts=["a"], entries={"": empty}, inner=empty)
    assert full.get("count") == 0
    assert [name for name in full._fields if full.has(name)] == ["count", "inner", "texts", "entries"]
    with pytest.raises(AttributeError):
        empty.get("nothing")
    with pytest.raises(AttributeError):
        empty.has("nothing")


def test_construction() -> None:
    with pytest.raises(TypeError, match="has no field 'nme'; it has count, name"):
        Defaults.made(nme=1)
    first, second = Defaults.made(), Defaults.made()
    assert first == second
    assert first.texts is not second.texts
    assert first != Defaults.made(count=1)
    assert repr(Defaults.made(count=1, texts=["a"], color=Color.red)) == (
        "Made(count=1, color=<Color.red: 1>, texts=['a'])"
    )


def test_values_for_arrow() -> None:
    made = Defaults.made
    found = values_of(
        made(inner=made(count=1), texts=["a\udcff", "ü"], entries={"k\udc80": made(name="x")}, color=Color.red)
    )
    absent = {"count": -3, "name": "none", "color": 4, "plain": None, "inner": None, "texts": [], "entries": []}
    assert found == {
        **absent,
        "zero": None,
        "color": 1,
        "inner": {**absent, "zero": None, "count": 1},
        "texts": ["a\ufffd", "ü"],
        "entries": [{"key": "k\ufffd", "value": {**absent, "zero": None, "name": "x"}}],
    }
    assert type(found["color"]) is int
    assert value_of(made(), "count") == -3
    with pytest.raises(KeyError):
        value_of(made(), "nothing")
