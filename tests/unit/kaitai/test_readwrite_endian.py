"""Computed byte orders of types that inherit one from an object that is not their ``_parent``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .writing import read, there_and_back, writable, written

DOCS = """
seq: [{id: a, type: doc(1)}, {id: b, type: doc(2)}]
types:
  doc:
    params: [{id: order, type: u1}]
    meta: {endian: {switch-on: order, cases: {1: le, 2: be}}}
    seq: [{id: n, type: u2}, {id: part, type: part}]
    instances: {far: {pos: 24 + order * 2, type: leaf2}}
    types:
      part: {seq: [{id: x, type: u2}, {id: leaf, type: leaf, parent: PARENT}, {id: other, type: leaf}]}
      leaf: {seq: [{id: y, type: u4}]}
      leaf2: {seq: [{id: y, type: u2}]}
"""
DATA = bytes.fromhex("0100 0200 03000000 04000000 0001 0002 00000003 00000004 0000 0500 0005")


def doc(kind: Any) -> Any:
    value = kind.Doc()
    value.n, value.part, value.far = 1, kind.Doc.Part(), kind.Doc.Leaf2()
    value.part.x, value.part.leaf, value.part.other = 2, kind.Doc.Leaf(), kind.Doc.Leaf()
    value.part.leaf.y, value.part.other.y, value.far.y = 3, 4, 5
    return value


@pytest.mark.parametrize("parent", ["_parent", "_root", "false"])
def test_the_byte_order_is_that_of_the_object_around(parent: str, tmp_path: Path) -> None:
    kind = writable(tmp_path, DOCS.replace("PARENT", parent))
    value = read(kind, DATA)
    assert (value.b.part.leaf.y, value.b.part.other.y, value.b.far.y) == (3, 4, 5)
    assert written(value, len(DATA)) == DATA
    value = kind()
    value.a, value.b = doc(kind), doc(kind)
    assert written(value, len(DATA)) == there_and_back(kind, value) == DATA
    expected = {"_parent": value.b, "_root": value, "false": None}[parent]
    assert value.b.part.leaf._parent is expected


def test_an_object_takes_the_byte_order_of_its_place(tmp_path: Path) -> None:
    kind = writable(tmp_path, DOCS.replace("PARENT", "_root"))
    value = read(kind, DATA)
    value.a.part.leaf, value.b.part.leaf = kind.Doc.Leaf(), kind.Doc.Leaf()
    value.a.part.leaf.y = value.b.part.leaf.y = 9
    data = written(value, len(DATA))
    assert (data[4:8], data[16:20]) == (b"\x09\0\0\0", b"\0\0\0\x09")
