"""Every rule of reading, one by one: scalars, presence, sub-messages, errors."""

from typing import Any

import pytest
from wireloom import WireloomError
from wireloom.objects import KaitaiStructError, MemoryStream, reason_of
from wireloom.objects.messages import FieldKind, Label, MessageError, write_varint

from .classes import TREE, Tree, message_of, one, refusal, sized, tag, varint

Kind, Of = FieldKind, Label
ALL_ONES = (1 << 64) - 1


# Scalars -------------------------------------------------------------------------------------------------------------


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


def test_packed_damage() -> None:
    numbers = one(Kind.UINT64, Of.REPEATED)
    assert "ends inside" in refusal(numbers, sized(1, b"\x01\x80") + varint(1, 1)).message
    assert refusal(numbers, sized(1, b"\x01\x80")).field == "value[0]"
    assert "not a whole number" in refusal(one(Kind.FIXED32, Of.REPEATED), sized(1, b"12345")).message
    assert refusal(one(Kind.FIXED32, Of.REPEATED), b"\x0a\xff\xff\xff\xff\x7f").reason == "message"


# Sub-messages --------------------------------------------------------------------------------------------------------


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
