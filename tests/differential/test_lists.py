"""Expressions about the items of lists, and about text and bytes: both readers, on valid and damaged inputs."""

from __future__ import annotations

from random import Random

import pytest

from ..examples import examples
from ..unit.columns_backend.specs import format_of, spec_text
from .agreement import agreed

SIZES = """
seq:
  - {id: count, type: u1}
  - {id: sizes, type: u2le, repeat: expr, repeat-expr: count}
  - {id: parts, size: "sizes[_index] & 7", repeat: expr, repeat-expr: count}
"""

ENTRIES = """
seq:
  - {id: count, type: u1}
  - {id: entries, type: entry, repeat: expr, repeat-expr: count}
  - {id: body, size: entries.last.len + entries.first.len}
  - {id: number, type: u1, valid: {min: entries.size}}
instances:
  largest: {value: "entries[number % 4].twice"}
"""
ENTRY = """
entry:
  seq: [{id: kind, type: u1}, {id: extra, type: u1, if: kind > 7}, {id: len, type: b4}, {id: rest, type: b4}]
  instances: {twice: {value: "(kind > 7 ? extra : len) * 2"}}
"""

BEFORE = """
seq:
  - {id: steps, type: "step(_index == 0 ? false : steps[_index - 1].skips)", repeat: until, repeat-until: _.kind == 9}
  - {id: longest, size: "steps.size > 3 ? 1 : 2"}
"""
STEP = """
step:
  params: [{id: skipped, type: bool}]
  seq: [{id: kind, type: u1}, {id: a, type: u1, if: not skipped}]
  instances: {skips: {value: "kind == 1 or a == 2"}}
"""

EXTREMES = """
seq:
  - {id: ends, type: s1, repeat: until, repeat-until: _ == 0}
  - {id: body, size: ends.max}
  - {id: bits, type: b4, repeat: expr, repeat-expr: 4}
instances:
  low: {value: ends.min}
  third: {value: "bits[2] + bits[body.length % 4]"}
"""

DIGITS = """
seq:
  - {id: len, type: str, size: 3, encoding: ENCODING}
  - {id: body, size: len.to_i}
  - {id: kind, type: str, encoding: ENCODING, terminator: 0x3b}
  - {id: more, type: u1, if: 'kind.substring(0, 2) == "no"'}
instances:
  hex: {value: kind.to_i(16)}
  first: {value: body.first * 256 + body.last}
"""

SEARCH = """
seq:
  - {id: box, type: box(true)}
  - {id: steps, type: "step(_index, _index == 0 ? -1 : steps[_index - 1].found)", repeat: expr, repeat-expr: 3}
  - {id: body, size: 1}
"""
BOX = """
box:
  params: [{id: is_named, type: bool}]
  seq: [{id: entries, type: entry, repeat: expr, repeat-expr: 3}]
entry:
  seq: [{id: a, type: u1}]
  instances:
    name: {value: a, if: _parent.is_named}
    number: {value: a, if: not _parent.is_named}
step:
  params: [{id: at, type: s4}, {id: before, type: s4}]
  seq: [{id: body, size: found & 1}]
  instances:
    found: {value: "before != -1 ? before : _parent.box.entries[at].name == 3 ? at : -1"}
"""

OPTIONAL = """
seq:
  - {id: flags, type: u1}
  - {id: name, size: 2, if: flags & 1 != 0}
  - {id: code, type: str, size: 1, encoding: ASCII, if: flags & 2 != 0}
  - {id: n, type: u1, if: flags & 4 != 0}
  - {id: same, size: 1, if: "name == [0x61, 0x62]"}
  - {id: other, size: 2, if: n != 3}
  - {id: body, size: "flags > 7 ? code.to_i : 1"}
"""


def rows_of(random: Random, kind: str) -> bytes:
    """Return bytes that are valid more often than random ones."""
    if kind == "digits":
        len = random.randrange(4)
        text = random.choice([f"{len:03}", f" {len} ", f"+{len} ", f"0_{len}", "-01", "x", "\u0663 "])
        body = random.randbytes(len)
        return text.encode()[:3] + body + random.choice([b"no;\1", b"ff;", b"0x1_0;", b"_1;", b"1__0;", b"\xc3;", b";"])
    return bytes(random.choice([0, 1, 2, 3, 4, 5, 9, 0x61, 0x62, 0x33, 0xFF]) for _ in range(random.randrange(1, 30)))


@pytest.mark.parametrize(
    ("row", "types", "kind"),
    [
        (SIZES, "", ""),
        (ENTRIES, ENTRY, ""),
        (BEFORE, STEP, ""),
        (EXTREMES, "", ""),
        (DIGITS.replace("ENCODING", "ASCII"), "", "digits"),
        (DIGITS.replace("ENCODING", "UTF-8"), "", "digits"),
        (OPTIONAL, "", ""),
        (SEARCH, BOX, ""),
    ],
    ids=["sizes", "entries", "before", "extremes", "digits", "digits8", "optional", "search"],
)
def test_both_readers_agree(row: str, types: str, kind: str) -> None:
    format = format_of(spec_text(row, types=types))
    assert format.engine_refusal is None
    assert not [each for each in format.columns if each.engine_refusal]
    random = Random(7)
    for _ in range(examples(300)):
        data = b"".join(rows_of(random, kind) for _ in range(random.randrange(1, 4)))
        agreed(format, data)
        agreed(format, data, recover=True)
