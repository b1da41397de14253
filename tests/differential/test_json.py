"""Objects as JSON text: both readers, on valid and damaged inputs."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from ..examples import examples
from ..unit.columns_backend.specs import format_of, spec_text
from .agreement import agreed

ROW = """
seq:
  - {id: n, type: u1}
  - {id: node, type: node}
  - {id: nodes, type: node, repeat: expr, repeat-expr: n & 3}
  - {id: end, type: u1, valid: {max: 9}}
"""
NODE = """
node:
  -wireloom: {json: [share, word, number, mixed, raw, items, pairs, name, leaf, all]}
  seq:
    - {id: kind, type: u1, valid: {max: 12}}
    - {id: word, type: strz, encoding: UTF-8, if: kind == 1}
    - {id: number, type: s2, if: kind == 2}
    - {id: mixed, type: {switch-on: kind, cases: {2: u1, 3: f4, 7: leaf}}}
    - {id: raw, size: 2, if: kind == 4}
    - {id: count, type: u1, valid: {max: 4}, if: kind == 5 or kind == 6}
    - {id: items, type: node, repeat: expr, repeat-expr: count, if: kind == 5}
    - id: pairs
      type: pair
      repeat: expr
      repeat-expr: count
      if: kind == 6
      -wireloom: {map: {key: key, value: value}}
    - {id: leaf, type: leaf, if: kind == 8}
    - {id: length, type: u1, if: kind == 9}
    - {id: all, type: nodes, size: length, if: kind == 9}
  instances:
    share: {value: 6 / (kind - 10), if: kind >= 10}
    name: {value: 'kind == 11 ? "one" : "two"', if: kind == 11}
pair: {seq: [{id: key, type: node}, {id: value, type: node}]}
nodes: {-wireloom: {json: [nodes]}, seq: [{id: nodes, type: node, repeat: eos}]}
leaf:
  -wireloom: {json: true, columns: [at, held, twice, big]}
  seq:
    - {id: at, type: u1, -wireloom: {timestamp: {unit: s, absent: 1}}}
    - {id: held, type: node, if: at != 2}
    - {id: sum, type: u1}
  instances:
    twice: {value: at * 2.5, if: sum != 3}
    big: {value: -1 - (at << 62)}
"""


def some_node(random: Random, depth: int = 0) -> bytes:
    kind = random.choice([0, 1, 2, 3, 4, 11, 12, 5, 6, 7, 8, 9] if depth < 4 else [0, 1, 2, 4, 10, 12])
    head = bytes([kind])
    if kind in (5, 6):
        count = random.randrange(4)
        return head + bytes([count]) + b"".join(some_node(random, depth + 1) for _ in range(count * (kind - 4)))
    if kind in (7, 8):
        at = random.choice([0, 1, 2, 200])
        return head + bytes([at]) + (b"" if at == 2 else some_node(random, depth + 1)) + bytes([random.randrange(4)])
    if kind == 9:
        inside = b"".join(some_node(random, depth + 1) for _ in range(random.randrange(3)))[:255]
        return head + bytes([len(inside)]) + inside
    bodies = {1: 'é"\n'.encode() * random.randrange(3) + b"\0", 2: b"\1\2\3", 3: b"\0\0\x80\x3f", 4: b"xy"}
    return head + bodies.get(kind, b"")


def some_row(random: Random) -> bytes:
    n = random.randrange(4)
    return bytes([n]) + b"".join(some_node(random) for _ in range(n + 1)) + bytes([random.randrange(10)])


@pytest.mark.parametrize("where", ["", "where: end != 3"])
def test_both_readers_agree(where: str) -> None:
    text = spec_text(ROW, types=NODE).replace(
        "rows: rows", f"rows: rows\n    columns: [n, node, nodes, end]\n    {where}"
    )
    format = format_of(text)
    assert format.engine_refusal is None
    random = Random(7)
    for _ in range(examples(300)):
        data = bytearray(b"".join(some_row(random) for _ in range(random.randrange(1, 6))))
        # A search for rows after damage reads no more than the limit, in parts that differ between the readers.
        agreed(format, bytes(data), max_computed=random.randrange(30, 120))
        for _ in range(random.randrange(3)):
            data[random.randrange(len(data))] = random.choice([0, 1, 5, 6, 10, 255])
        for options in ({}, {"recover": True}, {"columns": ["n", "nodes"]}):
            agreed(format, bytes(data), **options)


MANY = 100
"""Number of rows after which conditions on a byte have tables."""


def test_both_readers_agree_when_conditions_have_tables() -> None:
    format = format_of(
        spec_text(ROW, types=NODE).replace("rows: rows", "rows: rows\n    columns: [n, node, nodes, end]")
    )
    random = Random(8)
    for _ in range(examples(8)):
        data = bytearray(b"".join(some_row(random) for _ in range(MANY)))
        agreed(format, bytes(data))
        for _ in range(3):
            data[random.randrange(len(data) // 2, len(data))] = random.choice([0, 1, 5, 6, 10, 255])
        for options in ({}, {"recover": True}):
            agreed(format, bytes(data), **options)


PARTS = """
seq:
  - {id: kind, type: u2, valid: {expr: _ != 5}}
  - {id: one, type: s1, if: kind == 1}
  - {id: two, type: s2, if: kind == 2 or kind == 300}
  - {id: three, size: kind % 3, if: kind > 2 and kind / (kind - 7) != 3}
  - {id: four, type: {switch-on: kind & 3, cases: {0: u1, 1: s1, 2: u2}}}
instances:
  twice: {value: one * 2}
  chosen: {value: 'kind == 1 ? 7 : kind < 4 ? two : 0'}
  is_far: {value: chosen > 3, if: kind != 4}
"""


@pytest.mark.parametrize("kinds", [range(5), range(12), [1, 2, 7, 9, 10], [1, 2, 300, 4, 1000]])
def test_both_readers_agree_about_conditions_one_after_another(kinds: Sequence[int]) -> None:
    """Some without a value, some about a number that is no byte."""
    format, random = format_of(spec_text(PARTS)), Random(9)
    assert format.engine_refusal is None
    for _ in range(examples(6)):
        data = b""
        for _ in range(3 * MANY):
            kind = random.choice(kinds)
            size = (kind == 1) + 2 * (kind in (2, 300)) + (kind % 3) * (kind > 2) + (1, 1, 2, 0)[kind & 3]
            data += kind.to_bytes(2, "little") + random.randbytes(size)
        for options in ({}, {"columns": ["two", "chosen"]}, {"recover": True}):
            agreed(format, data, **options)
