"""Items that are read in sequence from buffered bytes: the same as field by field, in every respect."""

import gc
import io
import textwrap
import zlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from wireloom.objects import (
    NO_WINDOW,
    FileStream,
    KaitaiStream,
    MemoryStream,
    SubStream,
    file_streams,
    gather,
    window_of,
)

from .compiling import root_of, source_of

HEAD = "meta: {id: made, endian: le}\n"

SPECS = {
    "sized": """
        seq: [{id: items, type: item, repeat: eos}]
        types:
          item:
            seq:
              - {id: size, type: u1, valid: {max: 5}}
              - {id: kind, type: u1, enum: kind}
              - {id: more, type: u2be, valid: {expr: _ < 0x300}}
              - {id: body, size: size - 1, -wireloom: {}}
              - {id: tail, type: s2}
            instances: {twice: {value: size * 2}}
        enums: {kind: {0: none, 1: one}}
        """,
    "texts": """
        seq: [{id: items, type: item, repeat: eos}]
        types:
          item:
            seq:
              - {id: name, type: strz, encoding: UTF-8}
              - {id: kept, terminator: 1, include: true, consume: false}
              - {id: fixed, type: str, size: 2, pad-right: 0, encoding: UTF-8}
              - {id: cut, size: 3, terminator: 0}
              - {id: text, type: str, size: fixed.length, encoding: UTF-8}
        """,
    "checksums": """
        seq: [{id: items, type: item, repeat: eos}]
        types:
          item:
            seq:
              - {id: size, type: u1}
              - {id: own, type: u4, -wireloom: {checksum: {algorithm: crc32, over: [size, body], replace: 0}}}
              - {id: body, size: size & 3}
              - {id: sum, type: u4be, -wireloom: {checksum: {algorithm: crc32, over: body}}}
        """,
    "counted": """
        seq:
          - {id: count, type: s1}
          - {id: items, type: item, repeat: expr, repeat-expr: count}
          - {id: rest, size-eos: true}
        types:
          item:
            seq: [{id: magic, contents: [1]}, {id: a, type: u2}, {id: b, type: u4be}, {id: c, type: f4}]
        """,
    "until": """
        seq:
          - {id: limit, type: u1}
          - {id: items, type: item, repeat: until, repeat-until: _.a == 0 or _index == 3}
        types:
          item:
            seq: [{id: a, type: u1}, {id: rest, size: a & _root.limit}]
        """,
    "objects": """
        seq:
          - {id: scale, type: u1}
          - {id: items, type: item, repeat: eos}
        types:
          item:
            seq:
              - {id: mark, type: u1, valid: {any-of: [1, 2]}}
              - {id: head, type: head}
              - {id: body, size: head.size * _root.scale}
              - {id: sum, type: u4, -wireloom: {checksum: {algorithm: crc32, over: [head, body]}}}
          head:
            seq:
              - {id: size, type: u1, valid: {max: 3}}
              - {id: kind, type: kind}
              - {id: name, type: strz, encoding: UTF-8}
          kind:
            seq: [{id: raw, type: u2be, enum: kind, valid: {in-enum: true}}]
        enums: {kind: {0: none, 1: one}}
        """,
}


class FieldByField(MemoryStream):
    """A stream of another class has no window."""


def kind_of(name):
    return root_of(HEAD + textwrap.dedent(SPECS[name]).strip("\n"))


def outcome(kind, stream, collect):
    """Return everything that can be observed of a reading."""
    root = kind()
    root._io = stream
    refusals = [] if collect else None
    if collect:
        root._refusals = refusals
    error = None
    try:
        root._read()
    except Exception as caught:
        error = (type(caught), str(caught), getattr(caught, "reason", None), getattr(caught, "src_path", None))
    items = getattr(root, "items", [])
    for each in items:
        head = getattr(each, "head", None)
        assert head is None or (head._io, head._parent, head.kind._parent, head._root) == (stream, each, head, root)
        assert (each._io, each._parent, each._root) == (stream, root, root)
        assert not hasattr(each, "_refusals")
    return repr(root), error, [str(each) for each in refusals or []], stream.pos()


def own_item(body):
    size = bytes((len(body),))
    own = zlib.crc32(size + bytes(4) + body).to_bytes(4, "little")
    return size + own + body + zlib.crc32(body).to_bytes(4, "big")


def summed(content):
    return b"\1" + content + zlib.crc32(content).to_bytes(4, "little")


GOOD = {
    "sized": b"\3\1\0\1abzz" * 3 + b"\1\7\0\2zz",
    "texts": "ä\0kk\1x\0a\0bt".encode() * 3,
    "checksums": own_item(b"") + own_item(b"abc") * 2,
    "counted": b"\2" + b"\1" + bytes(range(10)) + b"\1" + bytes(10) + b"rest",
    "until": b"\3" + b"\2ab" + b"\1a" + b"\0",
    "objects": b"\2" + summed(b"\1\0\1name\0ab") + summed(b"\0\0\0\0") + summed(b"\2\0\1\0abcd"),
}


@pytest.mark.parametrize("name", SPECS)
def test_what_is_good_is_read_at_once(name):
    kind, data = kind_of(name), GOOD[name]
    expected = outcome(kind, FieldByField(data), collect=False)
    assert expected[1] is None
    for stream in (MemoryStream(data), SubStream(data), MemoryStream(data, 0), FileStream(io.BytesIO(data))):
        assert outcome(kind, stream, collect=False) == expected
    assert kind.from_bytes(data) == kind(FieldByField(data))
    assert "_series" in source_of(HEAD + textwrap.dedent(SPECS[name]).strip("\n"))


@pytest.mark.parametrize("name", SPECS)
def test_streams_of_kaitais_runtime_have_windows(name):
    kind, data = kind_of(name), b"--" + GOOD[name]
    stream, other = KaitaiStream(io.BytesIO(data)), FieldByField(data)
    stream.seek(2)
    other.seek(2)
    assert window_of(stream).data is data
    assert window_of(KaitaiStream(io.BufferedReader(io.BytesIO(data)))) is NO_WINDOW
    assert outcome(kind, stream, collect=False) == outcome(kind, other, collect=False)


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("collect", [False, True])
def test_whatever_stands_there_is_read_as_field_by_field(name, collect):
    kind, good = kind_of(name), GOOD[name]

    @given(st.data())
    def holds(data):
        raw = bytearray(data.draw(st.one_of(st.just(good), st.binary(max_size=40))))
        for place, byte in data.draw(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 255)), max_size=2)):
            if place < len(raw):
                raw[place] = byte
        raw = bytes(raw[: data.draw(st.integers(0, 60))])
        expected = outcome(kind, FieldByField(raw), collect)
        assert outcome(kind, MemoryStream(raw), collect) == expected
        assert outcome(kind, KaitaiStream(io.BytesIO(raw)), collect)[0] == expected[0]
        file = io.BytesIO(raw)
        assert outcome(kind, FileStream(file), collect)[0] == expected[0]

    holds()


@given(st.integers(1, 40), st.integers(0, 60), st.integers(0, 255))
@example(7, 60, 0)
def test_a_file_is_held_in_parts(window, place, byte):
    raw = bytearray(GOOD["sized"] * 3)
    if place < len(raw):
        raw[place] = byte
    kind = kind_of("sized")
    expected = outcome(kind, FileStream(NoWindow(bytes(raw))), collect=True)
    size, file_streams.WINDOW = file_streams.WINDOW, window
    try:
        file = io.BytesIO(bytes(raw))
        assert outcome(kind, FileStream(file), collect=True) == expected
        assert file.tell() == expected[3]
    finally:
        file_streams.WINDOW = size


class NoWindow(io.BytesIO):
    """A file of which nothing is buffered."""


def test_a_file_stands_where_the_iterator_was_left():
    kind = kind_of("sized")
    file = io.BytesIO(GOOD["sized"])
    items = kind.iter_items(file)
    first = next(items)
    assert first._io.pos() == 8
    assert not first._io.is_eof()
    items.close()
    assert file.tell() == first._io.pos() == 8
    assert list(kind.iter_items(file)) == kind.from_bytes(GOOD["sized"]).items[1:]
    assert file.tell() == len(GOOD["sized"])


def test_who_moves_the_stream_between_two_items_moves_the_iterator():
    kind, data = kind_of("sized"), GOOD["sized"]
    for stream in (MemoryStream(data), FileStream(io.BytesIO(data)), FieldByField(data)):
        items = kind.iter_items(stream)
        next(items)
        stream.seek(24)
        assert next(items).size == 1
        stream.seek(0)
        assert [each.size for each in items] == [3, 3, 3, 1]


def test_instances_elsewhere_in_the_stream_do_not_disturb():
    kind = root_of(
        HEAD
        + textwrap.dedent(
            """
            seq: [{id: items, type: item, repeat: eos}]
            types:
              item:
                seq: [{id: place, type: u1}]
                instances: {there: {pos: place, type: u1}}
            """
        ).strip("\n")
    )
    data = bytes((3, 2, 1, 0))
    for source in (MemoryStream(data), io.BytesIO(data)):
        assert [each.there for each in kind.iter_items(source)] == [0, 1, 2, 3]


def test_a_file_that_grows_is_read_on(tmp_path):
    kind, data = kind_of("sized"), GOOD["sized"]
    path = tmp_path / "grows"
    path.write_bytes(data[:20])
    with path.open("rb") as file:
        items = kind.iter_items(file)
        assert [next(items).size, next(items).size] == [3, 3]
        with path.open("ab") as more:
            more.write(data[20:])
        assert [each.size for each in items] == [3, 1]


def test_the_collector_of_cycles_rests_and_is_as_it_was():
    kind, seen = kind_of("until"), []

    def items():
        for each in range(5):
            seen.append(gc.isenabled())
            yield each

    values = []
    gather(values, items())
    assert values == list(range(5))
    assert set(seen) == {False}
    assert gc.isenabled()
    with pytest.raises(EOFError):
        kind.from_bytes(b"\3\2a")
    assert gc.isenabled()
    gc.disable()
    try:
        kind.from_bytes(GOOD["until"])
        assert not gc.isenabled()
    finally:
        gc.enable()
