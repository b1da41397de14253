"""Repeated objects in fields of a fixed size: each has its own stream, however it is read."""

import io
from pathlib import Path

import pytest
from wireloom.codegen.backends.python.names import Api
from wireloom.objects import FileStream, KaitaiStream, MemoryStream

from ..kaitai.compiling import Compiled
from .compiling import made

SPECS = {
    "the items": "seq: [{id: items, type: cell, size: 4, repeat: eos}]",
    "inside the items": "seq: [{id: items, type: item, repeat: eos}]",
}
TYPES = """
types:
  item: {seq: [{id: tag, type: u1}, {id: cell, type: cell, size: 4}]}
  cell: {seq: [{id: x, type: u2}, {id: rest, type: u1, repeat: eos}]}
"""
GOOD = {"the items": b"\1\0ab\2\0cd\3\0ef", "inside the items": b"\7\1\0ab\x08\2\0cd\x09\3\0ef"}


class FieldByField(MemoryStream):
    """A stream of another class has no window."""


def kinds(folder, name):
    """Return the root class with each API, with a function that reads an object from a stream."""
    text = SPECS[name] + TYPES

    def read(kind):
        def reading(stream):
            value = kind(stream)
            value._read()
            return value

        return reading

    meta = "meta: {id: made, endian: le}\n"
    yield made(text), made(text)
    kind = Compiled(folder, meta + text).made
    yield kind, kind
    kind = Compiled(folder, meta + text, api=Api.KAITAI_READ_WRITE).made
    yield kind, read(kind)


@pytest.mark.parametrize("name", SPECS)
def test_each_object_has_its_own_stream(name, tmp_path: Path):
    data = GOOD[name]
    for _, read in kinds(tmp_path, name):
        expected = read(FieldByField(data))
        for stream in (MemoryStream(data), FileStream(io.BytesIO(data)), KaitaiStream(io.BytesIO(data))):
            value = read(stream)
            assert value == expected
            cells = [getattr(each, "cell", each) for each in value.items]
            assert [(each.x, bytes(each.rest)) for each in cells] == [(1, b"ab"), (2, b"cd"), (3, b"ef")]
            assert {each._io.size() for each in cells} == {4}
            assert all(each._io is not stream for each in cells)
            assert stream.is_eof()


@pytest.mark.parametrize("name", SPECS)
def test_what_ends_inside_one_is_the_same_error(name, tmp_path: Path):
    for _, read in kinds(tmp_path, name):
        for size in range(len(GOOD[name])):
            said = []
            for stream in (FieldByField(GOOD[name][:size]), MemoryStream(GOOD[name][:size])):
                try:
                    said.append(repr(read(stream)))
                except EOFError as error:
                    said.append(f"{type(error).__name__}: {error} at {stream.pos()}")
            assert said[0] == said[1]


@pytest.mark.parametrize("name", SPECS)
def test_they_can_be_walked(name, tmp_path: Path):
    for kind, _ in kinds(tmp_path, name):
        if hasattr(kind, "iter_items"):
            assert list(kind.iter_items(io.BytesIO(GOOD[name]))) == kind.from_bytes(GOOD[name]).items
