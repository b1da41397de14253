"""Objects inside of objects are written once, however deep they are, although each level needs the size of the next."""

import struct
from collections import Counter

import pytest

from .compiling import made

LEAF = "\n  leaf: {seq: [{id: a, type: u1}, {id: b, type: u1, if: IF}]}\n"
SWITCHED = (
    """
seq: [{id: boxes, type: box, repeat: eos}]
types:
  box:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u4}
      - {id: body, type: {switch-on: kind, cases: {1: box, _: leaf}}, size: len}
"""
    + LEAF
)
OPTIONAL = (
    """
seq: [{id: boxes, type: box, repeat: eos}]
types:
  box:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u4}
      - {id: inner, type: box, size: len, if: kind == 1}
      - {id: leaf, type: leaf, size: len, if: kind != 1}
"""
    + LEAF
)
SPECS = {
    "a switch": SWITCHED.replace("IF", "true"),
    "a switch, a member of the parent": SWITCHED.replace("IF", "_parent.kind == 2"),
    "a switch, the length in the parent": SWITCHED.replace("IF", "_parent.len > 1"),
    "conditions": OPTIONAL.replace("IF", "true"),
    "conditions, a member of the root": OPTIONAL.replace("IF", "_root.boxes.size >= 0"),
    "conditions, the length in the parent": OPTIONAL.replace("IF", "_parent.len > 1"),
}


def boxes(depth: int) -> bytes:
    data = b"\2" + struct.pack("<I", 2) + b"\5\6"
    for _ in range(depth):
        data = b"\1" + struct.pack("<I", len(data)) + data
    return data


def count_writes(kind, value) -> Counter:
    """Return how often each class wrote an object in ``to_bytes``."""
    counts = Counter()
    for each in (kind.Box, kind.Leaf):

        def counted(self, io, each=each, write=each._append):
            counts[each.__name__] += 1
            write(self, io)

        each._append = counted
    value.to_bytes()
    return counts


@pytest.mark.parametrize("depth", [1, 20])
@pytest.mark.parametrize("name", SPECS)
def test_what_was_read_is_written_once(name, depth):
    kind = made(f"# {depth}\n{SPECS[name]}")
    value = kind.from_bytes(boxes(depth))
    assert value.to_bytes() == boxes(depth)
    assert count_writes(kind, value) == {"Box": depth + 1, "Leaf": 1}


@pytest.mark.parametrize("name", ["a switch, a member of the parent", "conditions"])
def test_what_has_changed_is_written_once(name):
    kind = made(f"# changed\n{SPECS[name]}")
    value = kind.from_bytes(boxes(20))
    inner = value.boxes[0]
    while inner.kind == 1:
        inner.len = 0
        inner = inner.body if name.startswith("a switch") else inner.inner
    assert count_writes(kind, value) == {"Box": 21, "Leaf": 1}
    assert value.to_bytes() == boxes(20)


@pytest.mark.parametrize("name", ["a switch, the length in the parent", "conditions, the length in the parent"])
def test_what_depends_on_a_changed_length_is_written_again_but_not_at_each_level_twice(name):
    kind = made(f"# dependent\n{SPECS[name]}")
    value = kind.from_bytes(boxes(20))
    inner = value.boxes[0]
    while inner.kind == 1:
        inner.len += 1
        inner = inner.body if name.startswith("a switch") else inner.inner
    assert count_writes(kind, value).total() < 20 * 20
    assert value.to_bytes() == boxes(20)
