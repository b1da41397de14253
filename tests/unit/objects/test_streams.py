import io
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wireloom.objects import (
    EndOfStreamError,
    FileStream,
    InvalidArgumentError,
    KaitaiStream,
    MemoryStream,
    NoTerminatorFoundError,
    SubStream,
    WriteStream,
    file_streams,
    read_numbers,
    reason_of,
    retreat,
    wire_bytes,
)

from ..specs import format_of

STEPS = st.one_of(
    st.tuples(st.just("read_bytes"), st.integers(-1, 6)),
    st.tuples(st.sampled_from(["read_u1", "read_u2be", "read_s4le", "read_u8be", "read_bytes_full", "is_eof", "pos"])),
    st.tuples(st.sampled_from(["read_bits_int_be", "read_bits_int_le"]), st.integers(1, 19)),
    st.tuples(st.just("seek"), st.integers(0, 24)),
    st.tuples(st.just("read_bytes_term"), st.integers(0, 2), st.booleans(), st.booleans(), st.booleans()),
    st.tuples(
        st.just("read_bytes_term_multi"),
        st.sampled_from([b"\0\0", b"\1\2"]),
        st.booleans(),
        st.booleans(),
        st.just(True),
    ),
    st.tuples(st.sampled_from(["size", "align_to_byte", "to_byte_array"])),
)


def outcome(stream, name, arguments):
    try:
        return getattr(stream, name)(*arguments)
    except EOFError as error:
        # What a failed read has consumed differs from stream to stream, and is not used afterwards.
        return type(error)
    except ValueError as error:
        return type(error)


@given(st.binary(max_size=20).map(lambda data: bytes(byte % 3 for byte in data)), st.lists(STEPS, max_size=12))
def test_streams_do_what_the_stream_of_kaitai_does(data, steps):
    ours = [MemoryStream(data), FileStream(io.BytesIO(data))]
    theirs = KaitaiStream(io.BytesIO(data))
    for name, *arguments in steps:
        expected = outcome(theirs, name, arguments)
        for stream in ours:
            assert outcome(stream, name, arguments) == expected
        if isinstance(expected, type):
            return


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_bytes", (1,)),
        ("read_bytes", (0,)),
        ("read_u1", ()),
        ("read_u2be", ()),
        ("read_bytes_term", (3, False, True, True)),
        ("read_bytes_term_multi", (b"\4\5", False, True, True)),
        ("read_bytes_full", ()),
        ("seek", (1,)),
    ],
)
@pytest.mark.parametrize("order", ["be", "le"])
def test_what_comes_after_bits_begins_with_a_byte(name, arguments, order):
    data = bytes(range(1, 9))
    theirs = KaitaiStream(io.BytesIO(data))
    for stream in (MemoryStream(data), FileStream(io.BytesIO(data))):
        theirs.seek(0)
        for step, values in ((f"read_bits_int_{order}", (3,)), (name, arguments), ("is_eof", ()), ("pos", ())):
            assert outcome(stream, step, values) == outcome(theirs, step, values)
        # Remaining bits of an earlier byte are not used.
        assert outcome(stream, f"read_bits_int_{order}", (5,)) == outcome(theirs, f"read_bits_int_{order}", (5,))


def test_a_window_keeps_the_positions_of_its_input():
    stream = MemoryStream(b"abcdef", base=100)
    assert stream.read_bytes(2) == b"ab"
    assert (stream.pos(), stream.size()) == (102, 106)
    stream.seek(105)
    assert stream.read_bytes(1) == b"f"
    assert wire_bytes(stream, 101, 103) == b"bc"
    assert stream.is_eof()
    with pytest.raises(InvalidArgumentError):
        stream.seek(99)


def test_why_a_read_fails_depends_on_what_ends():
    for stream, reason in ((MemoryStream(b"ab"), "truncated"), (SubStream(b"ab"), "length")):
        with pytest.raises(EndOfStreamError) as caught:
            stream.read_bytes(3)
        assert reason_of(caught.value) == reason
        assert caught.value.bytes_available == 2
        with pytest.raises(NoTerminatorFoundError) as caught:
            stream.read_bytes_term(0, False, True, True)
        assert reason_of(caught.value) == reason
        with pytest.raises(InvalidArgumentError) as caught:
            stream.read_bytes(-1)
        assert reason_of(caught.value) == "length"


def test_other_buffers_are_taken_as_bytes():
    for data in (bytearray(b"abc"), memoryview(b"abc")):
        assert MemoryStream(data).read_bytes(2) == b"ab"


def test_a_stream_for_reading_refuses_writes():
    with pytest.raises(EOFError, match="read-only"):
        MemoryStream(b"abc").write_bytes(b"d")


def test_a_claimed_size_allocates_nothing(tmp_path):
    path = tmp_path / "short"
    path.write_bytes(b"abc")
    with path.open("rb") as file, pytest.raises(EndOfStreamError) as caught:
        FileStream(file).read_bytes(1 << 60)
    assert caught.value.bytes_available == 3


def test_large_reads_of_files(tmp_path, monkeypatch):
    monkeypatch.setattr(file_streams, "LARGE", 4)
    path = tmp_path / "file"
    path.write_bytes(bytes(range(50)))
    with path.open("rb") as file:
        stream = FileStream(file)
        assert stream.read_bytes(42) == bytes(range(42))
        with pytest.raises(EndOfStreamError):
            stream.read_bytes(9)
        assert stream.read_bytes(8) == bytes(range(42, 50))


def test_terminators_far_away(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"x" * 5000 + b"\0\0" + b"rest")
    with path.open("rb") as file:
        stream = FileStream(file)
        assert stream.read_bytes_term(0, True, True, True) == b"x" * 5000 + b"\0"
        stream.seek(0)
        assert stream.read_bytes_term_multi(b"\0\0", False, True, True) == b"x" * 5000
        assert stream.read_bytes_full() == b"rest"


def test_a_file_that_grows_is_read_on(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"ab")
    with path.open("rb") as file:
        stream = FileStream(file)
        assert stream.read_bytes(2) == b"ab"
        assert stream.is_eof()
        with path.open("ab") as more:
            more.write(b"c")
        assert not stream.is_eof()
        assert stream.read_bytes(1) == b"c"


@pytest.mark.parametrize("buffering", [0, -1])
def test_a_pipe_is_read_from_front_to_back(buffering):
    reading, writing = os.pipe()
    os.write(writing, b"abc")
    os.close(writing)
    with open(reading, "rb", buffering) as pipe:
        stream = FileStream(pipe)
        assert stream.read_bytes(1) == b"a"
        assert not stream.is_eof()
        assert stream.read_bytes(2) == b"bc"
        assert stream.is_eof()
        with pytest.raises(EndOfStreamError) as caught:
            stream.read_bytes(2 * file_streams.LARGE)
        with pytest.raises(EndOfStreamError) as again:
            retreat(stream, caught.value)
        assert again.value is caught.value


def test_what_is_written():
    stream = WriteStream(limit=8)
    stream.write_bits_int_be(3, 0b101)
    stream.write_bytes(b"ab")
    assert (stream.pos(), stream.size(), stream.is_eof(), stream.room()) == (3, 3, True, 5)
    stream.write_bits_int_be(9, 0b1_0000_0001)
    assert stream.pos() == 5
    assert stream.to_byte_array() == b"\xa0ab\x80\x80"
    stream.overwrite(1, b"X")
    assert stream.written(1, 3) == b"Xb"
    assert WriteStream().room() is None


@pytest.mark.parametrize("stream", [MemoryStream(b"ab\xf5\x0f"), FileStream(io.BytesIO(b"ab\xf5\x0f"))])
def test_what_was_read_is_looked_at_again_between_two_bits(stream):
    stream.seek(2)
    assert stream.read_bits_int_be(3) == 0b111
    assert wire_bytes(stream, 0, 2) == b"ab"
    assert stream.read_bits_int_be(9) == 0b1_0101_0000


FIELDS = st.lists(st.tuples(st.integers(1, 20), st.integers(0, (1 << 20) - 1), st.booleans()), max_size=9)


@pytest.mark.slow
@given(FIELDS)
def test_bits_of_both_orders_stand_where_they_are_read(fields):
    """Even in one byte, if a type that ends within it is followed by bits of the other order."""
    stream, size = WriteStream(), 0
    for width, value, little in fields:
        (stream.write_bits_int_le if little else stream.write_bits_int_be)(width, value & (1 << width) - 1)
        size += width
        assert stream.pos() == (size + 7) // 8
    source = MemoryStream(stream.to_byte_array())
    for width, value, little in fields:
        read = source.read_bits_int_le if little else source.read_bits_int_be
        assert read(width) == value & (1 << width) - 1


@pytest.mark.parametrize(("size", "position", "available"), [(9, 0, 1), (9, 12, 0), (8, 8, 0)])
def test_numbers_that_are_not_all_there(size, position, available):
    stream = MemoryStream(bytes(size))
    stream.seek(position)
    with pytest.raises(EndOfStreamError, match="requested 4 bytes") as found:
        read_numbers(stream, "<", "I", 5)
    assert max(0, found.value.bytes_available) == available


CUT = """
meta: {id: cut_pair, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: pair, repeat: eos}]
types:
  pair: {seq: [{id: k, type: u1}, {id: wide, type: u4}, {id: v, type: part}]}
  part: {seq: [{id: w, size: 1, valid: "[9]"}]}
"""


@pytest.mark.parametrize("size", range(1, 6))
def test_what_follows_an_incomplete_field_is_not_read_in_its_place(size: int) -> None:
    # A stream of another class has no buffer of its own.
    stream = type("Stream", (KaitaiStream,), {})(io.BytesIO(b"\1\2\3\4\5"[:size]))
    with pytest.raises(EndOfStreamError):
        format_of(CUT).root_class.Pair(stream, None, None)
