"""Types that contain themselves: both readers, on valid and damaged inputs."""

from __future__ import annotations

from random import Random

import pytest

from ..examples import examples
from ..unit.columns_backend.specs import format_of, spec_text
from .agreement import agreed

TREE = """
seq:
  - {id: depth, type: u1}
  - {id: root, type: node}
  - {id: end, type: u1}
"""
NODE = """
node:
  seq:
    - {id: kind, type: u1, valid: {max: 9}}
    - {id: len, type: u1, if: kind == 2}
    - {id: inner, size: len, type: {switch-on: kind, cases: {2: node}}, if: kind == 2}
    - {id: count, type: u1, valid: {max: 5}, if: kind == 3}
    - {id: items, type: node, repeat: expr, repeat-expr: count, if: kind == 3}
    - {id: text, type: strz, encoding: UTF-8, if: kind == 4}
    - {id: next, type: node, if: kind == 5}
    - {id: sum, size: "kind == 7 ? _root.before : 0"}
"""

GIVEN = """
seq:
  - {id: kind, type: u1}
  - {id: body, type: "body(kind, kind > 3)"}
  - {id: number, type: u1}
"""
BODY = """
body:
  params: [{id: kind, type: u1}, {id: more, type: bool}]
  instances: {least: {value: kind % 3}}
  seq:
    - {id: first, type: u2, if: more}
    - {id: second, type: outer(kind - 1), if: kind > 2}
    - {id: third, size: kind}
outer:
  params: [{id: level, type: s4}]
  seq:
    - {id: least, type: u1}
    - {id: inside, type: "body(least, level == 3)", repeat: until, repeat-until: _index == 1}
    - {id: after, size: level}
    - {id: around, size: "_parent.kind == 4 or _parent.least == 2 ? 1 : 0"}
  instances: {both: {value: _parent.kind + level}}
"""

ALL = """\
    - {id: all, type: node, repeat: eos, if: kind == 6 and _io.size < 20}
"""

ITEMS = """
body:
  seq:
    - {id: head, type: node}
    - {id: items, type: item, repeat: eos}
item:
  seq: [{id: a, type: u1}, {id: nodes, type: node}]
"""


def some_bytes(random: Random) -> bytes:
    return bytes(
        random.choice([0, 1, 2, 3, 4, 5, 6, 7, 9, 12, 0x20, 0x61, 0xC3, 0xFF]) for _ in range(random.randrange(1, 40))
    )


@pytest.mark.parametrize(
    ("row", "types", "before"), [(TREE, NODE, "- {id: before, type: u1}"), (GIVEN, BODY, "")], ids=["tree", "given"]
)
def test_both_readers_agree(row: str, types: str, before: str) -> None:
    format = format_of(spec_text(row, types=types, before=before))
    assert format.engine_refusal is None
    random = Random(11)
    for _ in range(examples(400)):
        data = b"\3" * bool(before) + b"".join(some_bytes(random) for _ in range(random.randrange(1, 4)))
        agreed(format, data)
        agreed(format, data, recover=True)


def test_inside_of_units() -> None:
    unit = """
    seq:
      - {id: len, type: u1}
      - {id: body, type: body, size: len}
    """
    text = spec_text(unit, types=ITEMS + NODE.replace("_root.before", "2") + ALL).replace(
        "rows: rows", "rows: rows.body.items"
    )
    format = format_of(text)
    assert format.engine_refusal is None
    random = Random(13)
    for _ in range(examples(400)):
        data = b"".join(bytes([len(each)]) + each for each in (some_bytes(random) for _ in range(3)))
        agreed(format, data)


def test_what_is_nested_too_deep_is_damage() -> None:
    format = format_of(spec_text(TREE, types=NODE.replace("_root.before", "2")))
    assert format.engine_refusal is None
    deep = b"\0" + b"\5" * 100 + b"\0" + b"\1"
    rows, _ = agreed(format, deep)
    assert rows["end"] == [1]
    _, [report] = agreed(format, b"\0" + b"\5" * 100_000)
    assert report["tail"] == "limit"
