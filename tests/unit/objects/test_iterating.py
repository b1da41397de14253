"""``iter_NAME``: the items of a repeated attribute of the root, one by one and without keeping them."""

import io
import struct
import textwrap
import tracemalloc
import zlib
from itertools import islice

import pytest
from wireloom.codegen.backends.python.lower import lower_module
from wireloom.codegen.backends.python.names import Api
from wireloom.codegen.model.load import load
from wireloom.codegen.passes import with_facts
from wireloom.objects import ChecksumError, EndOfStreamError, MemoryStream

from .compiling import made

CASES = {
    "numbers to the end": ("seq: [{id: items, type: u2, repeat: eos}]", b"\1\0\2\0", [1, 2]),
    "a counted list": (
        "seq: [{id: count, type: u1}, {id: items, type: s1, repeat: expr, repeat-expr: count}, {id: more, type: u1}]",
        b"\2\1\xff\7",
        [1, -1],
    ),
    "up to an item": ("seq: [{id: items, type: u1, repeat: until, repeat-until: _ == 0}]", b"\2\1\0\7", [2, 1, 0]),
    "by its number": ("seq: [{id: items, type: u1, repeat: until, repeat-until: _index == 1}]", b"\2\1\0", [2, 1]),
    "texts": ("seq: [{id: items, type: strz, encoding: UTF-8, repeat: eos}]", b"a\0bc\0", ["a", "bc"]),
    "one that is absent": (
        "seq: [{id: has, type: u1}, {id: items, type: u1, repeat: eos, if: has == 1}]",
        b"\0\1\2",
        [],
    ),
    "a second list": (
        "seq: [{id: first, type: u1, repeat: expr, repeat-expr: 2}, {id: items, type: u1, repeat: eos}]",
        b"\1\2\3\4",
        [3, 4],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_items_one_by_one(name):
    body, data, expected = CASES[name]
    kind = made(body)
    for source in (MemoryStream(data), io.BytesIO(data)):
        assert list(kind.iter_items(source)) == expected
    assert (kind.from_bytes(data).items or []) == expected


def test_objects_of_several_types():
    kind = made(
        """
        seq:
          - id: items
            repeat: eos
            type: {switch-on: 0, cases: {0: chunk}}
        types:
          chunk: {seq: [{id: size, type: u1}, {id: body, size: size}]}
        """
    )
    data = b"\1a\2bc"
    assert list(kind.iter_items(MemoryStream(data))) == kind.from_bytes(data).items


def test_parameters_come_first():
    kind = made("params: [{id: scale, type: u1}]\nseq: [{id: items, type: item, repeat: eos}]\ntypes: " + ITEM)
    items = kind.iter_items(3, MemoryStream(b"\1\2"))
    assert [each.scaled for each in items] == [3, 6]


ITEM = "{item: {seq: [{id: raw, type: u1}], instances: {scaled: {value: raw * _root.scale}}}}"


def test_what_stands_before_is_read_and_verified():
    kind = made(
        """
        seq:
          - {id: head, size: 3}
          - {id: sum, type: u4, -wireloom: {checksum: {algorithm: crc32, over: head}}}
          - {id: items, type: u1, repeat: expr, repeat-expr: 2}
          - {id: total, type: u4, -wireloom: {checksum: {algorithm: crc32, over: items}}}
        """
    )
    data = b"abc" + struct.pack("<I", zlib.crc32(b"abc")) + b"\1\2" + bytes(4)
    assert list(kind.iter_items(MemoryStream(data))) == [1, 2]
    with pytest.raises(ChecksumError):
        next(kind.iter_items(MemoryStream(b"x" + data[1:])))


def test_an_error_comes_when_its_item_is_reached():
    items = made("seq: [{id: items, type: u2, repeat: eos}]").iter_items(MemoryStream(b"\1\0\2"))
    assert next(items) == 1
    with pytest.raises(EndOfStreamError):
        next(items)


def test_a_list_that_its_own_items_ask_for_has_no_iterator():
    kinds = [
        made("seq: [{id: items, type: u1, repeat: until, repeat-until: items.size == 2}]"),
        made(
            """
            seq: [{id: items, type: item, repeat: eos}]
            types: {item: {seq: [{id: a, type: u1, if: _parent.items.size > 1}, {id: b, type: u1}]}}
            """
        ),
        made("seq: [{id: items, type: u1, repeat: eos}, {id: iter_items, size: 0}]"),
    ]
    assert [hasattr(each, "iter_items") for each in kinds] == [False, False, True]


@pytest.mark.parametrize(
    "item",
    ["{seq: [{id: size, type: u4}, {id: body, size: 4092 - size}]}", "{seq: [{id: a, size: 4095}, {id: b, type: b8}]}"],
    ids=["read at once", "field by field"],
)
def test_a_file_larger_than_memory_is_walked(tmp_path, item):
    kind = made("seq: [{id: items, type: item, repeat: eos}]\ntypes: {item: " + item + "}")
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(10 << 30)
    tracemalloc.start()
    try:
        with path.open("rb") as file:
            items = kind.iter_items(file)
            assert sum(1 for _ in islice(items, 4000)) == 4000
            file.seek((10 << 30) - 3 * 4096)
            items.close()
            file.seek((10 << 30) - 3 * 4096)
            assert sum(1 for _ in kind.iter_items(file)) == 3
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()


def test_classes_of_kaitais_api_have_it_too():
    spec = load("made.ksy", text=textwrap.dedent(KAITAI))
    signatures = [each.signature for each in lower_module(with_facts(spec), Api.KAITAI, "").root.methods]
    names = [each.partition("(")[0] for each in signatures]
    assert "iter_items" in names
    assert "iter_numbers" in names


KAITAI = """
    meta: {id: made, endian: le}
    seq: [{id: numbers, type: u1, repeat: expr, repeat-expr: 2}, {id: items, type: item, repeat: eos}]
    types: {item: {seq: [{id: size, type: u1}, {id: body, size: size}]}}
"""
