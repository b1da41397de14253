"""Every rule of reading, one by one: scalars, presence, sub-messages, errors."""

import struct
from typing import Any

import pytest
from wireloom import WireloomError
from wireloom.objects import KaitaiStructError, MemoryStream, reason_of
from wireloom.objects.messages import FieldKind, FieldRule, Label, MessageError, write_varint

from .classes import TREE, Tree, message_of, one, refusal, sized, tag, varint

Kind, Of = FieldKind, Label
ALL_ONES = (1 << 64) - 1


# Scalars -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "wire", "value"),
    [
        (Kind.UINT64, ALL_ONES, ALL_ONES),
        (Kind.INT64, ALL_ONES, -1),
        (Kind.INT64, 1 << 63, -(1 << 63)),
        (Kind.UINT32, (1 << 32) + 7, 7),
        (Kind.INT32, ALL_ONES, -1),
        (Kind.INT32, 0xFFFF_FFFF, -1),
        (Kind.INT32, (1 << 32) + 5, 5),
        (Kind.INT32, 1 << 31, -(1 << 31)),
        (Kind.SINT32, 3, -2),
        (Kind.SINT32, 0xFFFF_FFFF, -(1 << 31)),
        (Kind.SINT32, 0xF_FFFF_FFFE, (1 << 31) - 1),
        (Kind.SINT64, ALL_ONES, -(1 << 63)),
        (Kind.SINT64, ALL_ONES - 1, (1 << 63) - 1),
        (Kind.BOOL, 0, False),
        (Kind.BOOL, 1, True),
        (Kind.BOOL, 1 << 63, True),
        (Kind.ENUM, ALL_ONES, -1),
        (Kind.ENUM, 77, 77),
    ],
)
def test_varints(kind: FieldKind, wire: int, value: Any) -> None:
    found = one(kind).from_bytes(varint(1, wire)).value
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("kind", "code", "value"),
    [
        (Kind.FIXED32, "<I", 0xFFFF_FFFF),
        (Kind.SFIXED32, "<i", -2),
        (Kind.FLOAT, "<f", 1.5),
        (Kind.FIXED64, "<Q", ALL_ONES),
        (Kind.SFIXED64, "<q", -3),
        (Kind.DOUBLE, "<d", 1e300),
    ],
)
def test_fixed_sizes(kind: FieldKind, code: str, value: Any) -> None:
    content = struct.pack(code, value)
    key = tag(1, 5 if len(content) == 4 else 1)
    message = one(kind)
    assert message.from_bytes(key + content).value == value
    for size in range(len(content)):
        assert refusal(message, key + content[:size]).offset == 0


def test_varints_may_be_longer_than_needed() -> None:
    message = one(Kind.UINT64)
    assert message.from_bytes(b"\x08\x85\x80\x80\x00").value == 5
    assert message.from_bytes(b"\x08\x85" + b"\x80" * 8 + b"\x00").value == 5
    assert message.from_bytes(b"\x88\x80\x80\x80\x00\x05").value == 5, "the tag too"
    assert one(Kind.BYTES).from_bytes(b"\x0a\x81\x80\x00x").value == b"x", "a length too"
    for strict in (False, True):
        assert "more than 10 bytes" in str(refusal(one(Kind.UINT64, strict=strict), b"\x08" + b"\x80" * 10 + b"\x00"))


@pytest.mark.parametrize("last", [2, 0x7F])
def test_bits_beyond_64(last: int) -> None:
    data = b"\x08" + b"\xff" * 9 + bytes((last,))
    assert one(Kind.UINT64).from_bytes(data).value == (1 << 63) - 1 | (last & 1) << 63
    assert "64 bits" in refusal(one(Kind.UINT64, strict=True), data).message
    assert refusal(one(Kind.UINT64, strict=True), data).field == "value"


def test_text() -> None:
    data = sized(1, b"a\xffb")
    error = refusal(one(Kind.STRING), b"\x10\x00" + data)
    assert (error.reason, error.offset, error.field) == ("message", 2, "value")
    assert one(Kind.STRING).from_bytes(sized(1, "grün".encode())).value == "grün"
    kept = one(Kind.STRING, check_text=False).from_bytes(data)
    assert kept.value == "a\udcffb"
    assert kept.to_bytes() == data
    surrogate = sized(1, b"\xed\xa0\x80")
    assert one(Kind.STRING, check_text=False).from_bytes(surrogate).to_bytes() == surrogate
    assert refusal(one(Kind.STRING, Of.REPEATED), sized(1, b"a") + sized(1, b"\xc0\x80")).field == "value[1]"


# Presence, repetition ------------------------------------------------------------------------------------------------


def test_absence() -> None:
    assert one(Kind.UINT64).from_bytes(b"").value is None
    assert one(Kind.UINT64, Of.IMPLICIT).from_bytes(b"").value == 0
    assert one(Kind.STRING, Of.REPEATED).from_bytes(b"").value == []
    assert one(Kind.UINT64).from_bytes(varint(1, 0)).has("value")
    assert not one(Kind.UINT64, Of.IMPLICIT).from_bytes(varint(1, 0)).has("value")


def test_the_last_value_wins() -> None:
    assert one(Kind.UINT64).from_bytes(varint(1, 3) + varint(1, 0)).value == 0
    assert one(Kind.BYTES, Of.IMPLICIT).from_bytes(sized(1, b"a") + sized(1, b"")).value == b""


@pytest.mark.parametrize("packed", [False, True])
def test_packed_and_not(packed: bool) -> None:
    message = message_of(FieldRule("value", 1, Kind.SINT32, Of.REPEATED, packed=packed))
    data = sized(1, b"\x01\x02\x80\x01") + varint(1, 5) + sized(1, b"") + sized(1, b"\x04")
    assert message.from_bytes(data).value == [-1, 1, 64, -3, 2]
    bools = message_of(FieldRule("value", 1, Kind.BOOL, Of.REPEATED, packed=packed))
    assert bools.from_bytes(sized(1, b"\x00\x02") + varint(1, 1)).value == [False, True, True]
    floats = message_of(FieldRule("value", 1, Kind.FLOAT, Of.REPEATED, packed=packed))
    assert floats.from_bytes(sized(1, struct.pack("<2f", 1, -2)) + tag(1, 5) + struct.pack("<f", 3)).value == [1, -2, 3]


def test_packed_damage() -> None:
    numbers = one(Kind.UINT64, Of.REPEATED)
    assert "ends inside" in refusal(numbers, sized(1, b"\x01\x80") + varint(1, 1)).message
    assert refusal(numbers, sized(1, b"\x01\x80")).field == "value[0]"
    assert "not a whole number" in refusal(one(Kind.FIXED32, Of.REPEATED), sized(1, b"12345")).message
    assert refusal(one(Kind.FIXED32, Of.REPEATED), b"\x0a\xff\xff\xff\xff\x7f").reason == "message"


def test_unpackable_fields_in_one_are_single_values() -> None:
    assert one(Kind.BYTES, Of.REPEATED).from_bytes(sized(1, b"\x01\x02")).value == [b"\x01\x02"]


# Sub-messages --------------------------------------------------------------------------------------------------------


def test_sub_messages_are_merged() -> None:
    found = Tree.from_bytes(sized(1, varint(3, 1) + sized(2, b"")) + sized(1, sized(2, varint(3, 2))))
    assert found == Tree(inner=Tree(number=1, items=[Tree(), Tree(number=2)]))


def test_oneofs() -> None:
    left, right = sized(4, varint(3, 7)), sized(5, b"r")
    assert Tree.from_bytes(left + right) == Tree(right="r")
    assert Tree.from_bytes(right + left) == Tree(left=Tree(number=7))
    merged = Tree.from_bytes(left + sized(4, sized(2, b"")))
    assert merged == Tree(left=Tree(number=7, items=[Tree()])), "the same member is merged"
    begun_anew = Tree.from_bytes(left + right + sized(4, b""))
    assert begun_anew == Tree(left=Tree()), "one that has been replaced is not"
    assert Tree.from_bytes(sized(5, b"")).right == ""


def test_places_of_sub_messages() -> None:
    root = Tree.from_bytes(sized(2, sized(1, b"")))
    assert root._parent is None
    assert root.items[0]._parent is root
    assert root.items[0].inner._parent is root.items[0]
    assert root.items[0].inner._root is root
    assert root.items[0]._io is root._io


def nested(depth: int, number: int = 1) -> bytes:
    data = b""
    for _ in range(depth):
        data = sized(number, data)
    return data


@pytest.mark.parametrize("number", [1, 2, 4])
def test_depth(number: int) -> None:
    assert Tree.from_bytes(nested(100, number)).to_bytes() == nested(100, number)
    error = refusal(Tree, nested(101, number))
    assert error.reason == "limit"
    assert error.field is not None
    assert error.field.count(".") == 100
    assert reason_of(error) == "limit"


def test_depth_may_exceed_that_of_python() -> None:
    deep = message_of(*TREE, max_depth=20_000)
    data = nested(5000)
    assert deep.from_bytes(data).to_bytes() == data
    assert refusal(message_of(*TREE, max_depth=3), nested(4)).reason == "limit"


def test_a_message_ends_where_its_length_says() -> None:
    error = refusal(Tree, sized(2, varint(3, 1)) + b"\x12\x01\x18\x05")
    assert (error.offset, error.field) == (6, "items[1].number")
    error = refusal(Tree, sized(1, sized(1, b"\x1a\x02") + b"\x18"))
    assert error.field == "inner.inner"
    error = refusal(Tree, b"\x0a\x03\x0a\x04\x18\x01")
    assert (error.offset, error.field) == (2, "inner.inner")


# Errors, streams -----------------------------------------------------------------------------------------------------


def test_errors_are_of_both_families() -> None:
    error = refusal(Tree, b"\x18")
    assert isinstance(error, WireloomError)
    assert isinstance(error, KaitaiStructError)
    assert reason_of(error) == "message"
    assert str(error) == "byte 0, field number: the input ends inside the field"


def test_offsets_are_those_of_the_stream() -> None:
    stream = MemoryStream(b"??" + sized(1, b"\x18"), 1000)
    stream.read_bytes(2)
    with pytest.raises(MessageError) as caught:
        Tree(stream)
    assert caught.value.offset == 1004


def test_a_message_takes_all_that_its_stream_has_left(tmp_path: Any) -> None:
    path = tmp_path / "message"
    path.write_bytes(varint(3, 5))
    with Tree.from_file(path) as found:
        assert found.number == 5
    with path.open("rb") as file:
        assert Tree.from_io(file).number == 5


def test_every_cut_inside_a_field_is_an_error() -> None:
    fields = (varint(3, 300), sized(1, sized(2, varint(3, 2))), sized(5, b"text"))
    data, begin = b"".join(fields), 0
    for field in fields:
        for size in range(1, len(field)):
            offset = refusal(Tree, data[: begin + size]).offset
            assert offset is not None
            assert begin <= offset < begin + size
        begin += len(field)


@pytest.mark.parametrize("size", [1 << 31, 1 << 32, 1 << 63, ALL_ONES, (1 << 32) + 2])
@pytest.mark.parametrize("number", [1, 2, 5, 9])
def test_huge_lengths_allocate_nothing(size: int, number: int) -> None:
    assert refusal(Tree, tag(number, 2) + write_varint(size) + b"ab").offset == 0
