"""Small specs, compiled and run on bytes: one case per feature of the language."""

import zlib
from contextlib import suppress
from types import SimpleNamespace

import pytest
from wireloom.objects import EndOfStreamError, KaitaiStream, KaitaiStruct, KaitaiStructError, MemoryStream, StalledError

from .compiling import made, root_of
from .reading_cases import CASES


def reached(value, path):
    return eval(f"value.{path}", {}, {"value": value})


@pytest.mark.parametrize("name", CASES)
def test_what_is_read(name):
    body, data, expected = CASES[name]
    value = made(body).from_bytes(bytes.fromhex(data))
    assert {path: reached(value, path) for path in expected} == expected


@pytest.mark.parametrize("name", CASES)
def test_any_stream_of_kaitai_serves(name, tmp_path):
    body, data, expected = CASES[name]
    path = tmp_path / "file"
    path.write_bytes(bytes.fromhex(data))
    with open(path, "rb") as file:
        value = made(body)(KaitaiStream(file))
        assert {each: reached(value, each) for each in expected} == expected
    with made(body).from_file(path) as value:
        assert {each: reached(value, each) for each in expected} == expected
    assert value._io._io.closed


@pytest.mark.parametrize("name", CASES)
def test_input_that_ends_anywhere_is_an_error_of_the_input(name):
    body, data, _ = CASES[name]
    whole = bytes.fromhex(data)
    for size in range(len(whole)):
        with suppress(KaitaiStructError):
            made(body).from_bytes(whole[:size])


def test_a_computed_byte_order():
    kind = made(
        """
        seq: [{id: order, size: 2}, {id: body, type: body}]
        types:
          body:
            meta: {endian: {switch-on: _root.order, cases: {'[0x49, 0x49]': le, '[0x4d, 0x4d]': be}}}
            seq: [{id: a, type: u2}, {id: b, type: part}]
            types: {part: {seq: [{id: c, type: u4}]}}
        """,
        meta="title: none",
    )
    little, big = bytes.fromhex("4949 0100 02000000"), bytes.fromhex("4d4d 0001 00000002")
    for data in (little, big):
        value = kind.from_bytes(data)
        assert (value.body.a, value.body.b.c) == (1, 2)
        assert value.to_bytes() == data
    with pytest.raises(Exception, match="endianness"):
        kind.from_bytes(bytes(8))


def test_the_family_of_an_object():
    kind = made("seq: [{id: a, type: one}]\ntypes: {one: {seq: [{id: b, type: u1}]}}")
    value = kind.from_bytes(b"\1")
    assert isinstance(value, KaitaiStruct)
    assert value._root is value
    assert value._parent is None
    assert value.a._root is value.a._parent is value
    assert value.a._io is value._io
    assert isinstance(value._io, MemoryStream)


def test_equality_and_what_is_shown():
    kind = made("seq: [{id: a, type: u1}, {id: b, size-eos: true}]")
    value = kind.from_bytes(b"\1xy")
    assert value == kind(a=1, b=b"xy")
    assert value != kind(a=2, b=b"xy")
    assert value != SimpleNamespace(a=1, b=b"xy")
    assert repr(value) == "Made(a=1, b=b'xy')"
    assert repr(kind(a=1)) == "Made(a=1)"
    assert repr(kind(b=bytes(100))).endswith("… (100 bytes))")
    with pytest.raises(TypeError, match="unhashable"):
        hash(value)
    with pytest.raises(TypeError):
        kind(c=1)


@pytest.mark.slow
def test_a_repetition_of_nothing_ends():
    kind = made("seq: [{id: a, type: none, repeat: eos}]\ntypes: {none: {}}")
    with pytest.raises(StalledError):
        kind.from_bytes(b"x")
    kind = made("seq: [{id: a, type: none, repeat: expr, repeat-expr: 5}]\ntypes: {none: {}}")
    assert len(kind.from_bytes(b"").a) == 5
    kind = made("seq: [{id: n, type: u8}, {id: a, type: none, repeat: expr, repeat-expr: n}]\ntypes: {none: {}}")
    with pytest.raises(StalledError):
        kind.from_bytes(b"\xff" * 8)


def test_a_claimed_count_allocates_nothing():
    kind = made("seq: [{id: n, type: u8}, {id: a, type: u8, repeat: expr, repeat-expr: n}]")
    with pytest.raises(EndOfStreamError):
        kind.from_bytes(b"\xff" * 20)


@pytest.mark.slow
def test_a_compressed_bomb_is_refused():
    kind = made("seq: [{id: a, size-eos: true, process: zlib}]")
    with pytest.raises(ValueError, match="more than") as caught:
        kind.from_bytes(zlib.compress(bytes(65 * 1024 * 1024)))
    assert caught.value.reason == "limit"
    for data in (b"x", zlib.compress(b"hello")[:-1]):
        with pytest.raises(ValueError, match="zlib"):
            kind.from_bytes(data)


def test_instances_are_read_when_they_are_asked_for():
    kind = made("seq: [{id: a, type: u1}]\ninstances: {far: {pos: 100, size: 1}}")
    value = kind.from_bytes(b"\1")
    with pytest.raises(EndOfStreamError):
        _ = value.far


def test_cheap_value_instances_follow_their_attributes():
    kind = made("seq: [{id: a, type: u1}]\ninstances: {twice: {value: a * 2}}")
    value = kind.from_bytes(b"\1")
    assert value.twice == 2
    value.a = 5
    assert value.twice == 10


def test_a_custom_process(tmp_path, monkeypatch):
    (tmp_path / "shout_words.py").write_text(
        "class ShoutWords:\n"
        "    def __init__(self, extra): self.extra = extra\n"
        "    def decode(self, data): return data.upper() + self.extra\n"
        "    def encode(self, data): return data[: -len(self.extra)].lower()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    text = "meta: {id: made}\nseq: [{id: a, size-eos: true, process: 'shout_words([0x21])'}]\n"
    kind = root_of(text, allow_modules=("shout_words",))
    value = kind.from_bytes(b"abc")
    assert value.a == b"ABC!"
    assert value.to_bytes() == b"abc"
