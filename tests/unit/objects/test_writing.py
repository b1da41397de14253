import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wireloom import UnsupportedError, WireloomError
from wireloom.objects import (
    ConsistencyError,
    ExpressionError,
    FileStream,
    KaitaiStream,
    KaitaiStructError,
    ValidationFailedError,
    WriteStream,
)

from .compiling import made
from .reading_cases import CASES

READ_ONLY = ("instances at positions",)
# A writer chooses among several forms, or there are more bytes after what was read.
OTHER_FORM = ("padding and terminators inside a size", "terminators", "a negative count is none", "repetition until")


@pytest.mark.parametrize("name", [name for name in CASES if name not in READ_ONLY])
def test_what_was_read_is_written_as_it_stood(name):
    body, data, _ = CASES[name]
    kind = made(body)
    value = kind.from_bytes(bytes.fromhex(data))
    again = kind.from_bytes(value.to_bytes())
    assert again == value
    if name not in OTHER_FORM:
        assert value.to_bytes() == bytes.fromhex(data)


def test_numbers_may_be_in_an_array_that_has_no_truth():
    class Numbers(list):
        def __bool__(self):
            raise ValueError("ambiguous, as numpy's arrays are")

    kind = made("seq: [{id: n, type: u1}, {id: a, type: u2le, repeat: expr, repeat-expr: n}]")
    value = kind.from_bytes(b"\2\1\0\2\0")
    value.a = Numbers([3, 4, 5])
    assert value.to_bytes() == b"\3\3\0\4\0\5\0"


def test_lengths_counts_and_contents_are_filled_in():
    kind = made(
        """
        seq:
          - {id: magic, contents: WL}
          - {id: version, type: u1, valid: 3}
          - {id: total, type: u2}
          - {id: count, type: u1}
          - {id: words, type: word, repeat: expr, repeat-expr: count}
          - {id: name, type: str, size: total - 1, encoding: UTF-8}
          - {id: body_size, type: u4be}
          - {id: body, type: word, size: body_size}
        types:
          word: {seq: [{id: len, type: u1}, {id: text, type: str, size: len, encoding: UTF-16LE}]}
        """
    )
    word = type(kind()).Word
    value = kind(words=[word(text="a"), word(text="")], name="é!", body=word(text="xyz"))
    assert value.to_bytes() == bytes.fromhex("574c 03 0400 02 026100 00 c3a921 00000007 06780079007a00")
    assert (value.magic, value.version, value.total, value.count, value.body_size) == (b"WL", 3, 4, 2, 7)
    assert value.words[0].len == 2
    assert value.words[0]._parent is value
    assert kind.from_bytes(value.to_bytes()) == value


CHECKSUMS = """
seq:
  - {id: before, type: u1}
  - id: sum
    type: u4
    -wireloom: {checksum: {algorithm: crc32, over: [kind, data]}}
  - {id: kind, type: u1}
  - {id: len, type: u1}
  - {id: data, size: len}
  - id: all
    type: u4be
    -wireloom: {checksum: {algorithm: crc32c, over: [before, all], replace: 0}}
"""


def test_checksums_over_ranges_and_over_themselves():
    import zlib

    import crc32c

    kind = made(CHECKSUMS)
    value = kind(before=1, kind=2, data=b"abc")
    written = value.to_bytes()
    assert value.sum == zlib.crc32(b"\2\3abc")
    assert value.all == crc32c.crc32c(written[:-4] + bytes(4))
    assert written == struct.pack("<BIBB3s", 1, value.sum, 2, 3, b"abc") + struct.pack(">I", value.all)
    assert kind.from_bytes(written) == value
    for index in range(len(written)):
        damaged = bytearray(written)
        damaged[index] ^= 0x10
        with pytest.raises(KaitaiStructError):
            kind.from_bytes(bytes(damaged))


def test_checksums_that_cover_each_other_are_refused():
    body = """
    seq:
      - {id: a, type: u4, -wireloom: {checksum: {algorithm: crc32, over: [a, b], replace: 0}}}
      - {id: b, type: u4, -wireloom: {checksum: {algorithm: crc32, over: [a, b], replace: 0}}}
    """
    with pytest.raises(WireloomError, match="cover each other"):
        made(body)


@pytest.mark.parametrize(
    ("body", "given", "error", "message"),
    [
        ("seq: [{id: a, type: u1}]", {"a": 256}, WireloomError, "a = 256 does not fit"),
        ("seq: [{id: a, type: u1}, {id: b, type: s4}]", {"a": 1, "b": 1 << 31}, WireloomError, "b = 2147483648"),
        ("seq: [{id: a, type: u1}, {id: b, type: s4}]", {"a": 1, "b": "x"}, WireloomError, "b = 'x'"),
        ("seq: [{id: a, type: b3}]", {"a": 8}, ConsistencyError, "unsigned integer of 3 bits"),
        ("seq: [{id: a, type: u1, valid: {max: 4}}]", {"a": 5}, ValidationFailedError, "not in range"),
        ("seq: [{id: a, type: u1, valid: 4}]", {"a": 5}, ValidationFailedError, "not equal"),
        ("seq: [{id: a, size: 3}]", {"a": b"ab"}, ConsistencyError, "expected: 3, actual: 2"),
        ("seq: [{id: a, size: 3, pad-right: 0x20}]", {"a": b"abcd"}, ConsistencyError, "expected: 3, actual: 4"),
        ("seq: [{id: a, size: 3, pad-right: 0x20}]", {"a": b"a "}, ConsistencyError, "padding"),
        ("seq: [{id: a, size: 3, terminator: 0}]", {"a": b"a\0"}, ConsistencyError, "without"),
        ("seq: [{id: a, terminator: 0}]", {"a": b"a\0b"}, ConsistencyError, "without"),
        ("seq: [{id: a, terminator: 0, include: true}]", {"a": b"a"}, ConsistencyError, "ends with"),
        (
            "seq: [{id: a, terminator: 0x3a, consume: false}, {id: b, size-eos: true}]",
            {"a": b"x", "b": b"y:"},
            ConsistencyError,
            "Check failed: a, expected: \"that b':' follows",
        ),
        (
            "seq: [{id: a, terminator: 0x3a, consume: false, eos-error: false}, {id: b, size-eos: true}]",
            {"a": b"", "b": b"y"},
            ConsistencyError,
            "Check failed: a, expected: \"that b':' follows",
        ),
        ("seq: [{id: a, type: str, size: 1, encoding: ASCII}]", {"a": "é"}, ExpressionError, "ascii"),
        ("seq: [{id: a, type: u1, repeat: expr, repeat-expr: 2}]", {"a": [1]}, ConsistencyError, "count"),
        ("seq: [{id: a, type: u1, repeat: expr, repeat-expr: 1}]", {"a": [300]}, WireloomError, r"a\[0\] = 300"),
        ("seq: [{id: a, type: u1, repeat: until, repeat-until: _ == 0}]", {"a": [1, 2]}, ConsistencyError, "last"),
        ("seq: [{id: a, type: u1, repeat: until, repeat-until: _ == 0}]", {"a": [0, 0]}, ConsistencyError, "last"),
        ("seq: [{id: a, type: u1, repeat: until, repeat-until: _ == 0}]", {"a": []}, ConsistencyError, "at least 1"),
        ("seq: [{id: a, type: u1, if: true}]", {"a": None}, ExpressionError, "a is absent"),
    ],
)
def test_values_that_cannot_be_written(body, given, error, message):
    value = made(body)(**given)
    with pytest.raises(error, match=message):
        value.to_bytes()
    with pytest.raises(error, match=message):
        value._check()


def test_an_attribute_that_was_not_given():
    with pytest.raises(AttributeError, match="'a'"):
        made("seq: [{id: a, type: u1}]")().to_bytes()


def test_what_stands_at_a_position_is_not_written():
    kind = made("seq: [{id: a, type: u1}]\ninstances: {b: {pos: 0, type: u1}}")
    with pytest.raises(UnsupportedError, match="b has an explicit position"):
        kind.from_bytes(b"\1").to_bytes()


def test_writing_to_streams(tmp_path):
    kind = made("seq: [{id: a, type: u1}, {id: b, size-eos: true}]")
    value = kind(a=1, b=b"xyz")
    out = KaitaiStream(io.BytesIO(bytes(4)))
    value._write(out)
    assert out.to_byte_array() == b"\1xyz"
    ours = WriteStream()
    value._write(ours)
    assert ours.to_byte_array() == b"\1xyz"
    with pytest.raises(EOFError):
        value._write(KaitaiStream(io.BytesIO(bytes(3))))
    path = tmp_path / "file"
    path.write_bytes(bytes(4))
    with open(path, "r+b") as file:
        value._write(FileStream(file))
    assert path.read_bytes() == b"\1xyz"
    again = kind.from_bytes(b"\1xyz")
    with pytest.raises(EOFError, match="read-only"):
        again._write()


def test_objects_fill_their_fields_to_the_end():
    kind = made(
        """
        seq: [{id: a, type: short, size: 6}, {id: b, type: padded, size: 6}, {id: c, type: exact, size: 2}]
        types:
          short: {seq: [{id: x, type: u2}]}
          padded: {seq: [{id: x, type: str, size-eos: true, pad-right: 0x2e, encoding: ASCII}]}
          exact: {seq: [{id: x, size-eos: true}]}
        """
    )
    value = kind(a=kind.Short(x=1), b=kind.Padded(x="ab"), c=kind.Exact(x=b"cd"))
    assert value.to_bytes() == b"\1\0\0\0\0\0ab....cd"
    value.c.x = b"c"
    with pytest.raises(ConsistencyError, match="expected: 2, actual: 1"):
        value.to_bytes()


VALUES = st.fixed_dictionaries(
    {
        "flag": st.booleans(),
        "small": st.integers(0, 7),
        "rest": st.integers(0, 15),
        "kind": st.integers(0, 255),
        "number": st.integers(-(1 << 63), (1 << 63) - 1),
        "ratio": st.floats(width=32, allow_nan=False),
        "name": st.text(max_size=20),
        "title": st.text(max_size=9).map(lambda text: text.replace("\0", "")),
        "data": st.binary(max_size=300),
        "numbers": st.lists(st.integers(0, 65535), max_size=9),
        "sealed": st.binary(max_size=40),
    }
)

ROUND_TRIP = """
seq:
  - {id: flag, type: b1}
  - {id: small, type: b3}
  - {id: rest, type: b4}
  - {id: kind, type: u1, enum: kind}
  - {id: number, type: s8}
  - {id: ratio, type: f4}
  - {id: name_size, type: u2}
  - {id: name, type: str, size: name_size, encoding: UTF-8}
  - {id: title, type: strz, encoding: UTF-8}
  - {id: data_size, type: u4}
  - {id: data, size: data_size - 4, process: xor(0x5a)}
  - {id: count, type: u1, -wireloom: {given: true}}
  - {id: numbers, type: u2be, repeat: expr, repeat-expr: count, if: flag}
  - {id: sealed, size-eos: true, process: zlib}
enums: {kind: {1: one, 2: two}}
"""


@pytest.mark.slow
@given(VALUES)
def test_round_trips(values):
    kind = made(ROUND_TRIP)
    if not values["flag"]:
        values["numbers"] = None
        values["count"] = 0
    else:
        values["count"] = len(values["numbers"])
    value = kind(**values)
    again = kind.from_bytes(value.to_bytes())
    assert again == value
    for name, given_value in values.items():
        assert getattr(again, name) == given_value
