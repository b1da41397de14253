"""Instances at positions in expressions, processed bytes and cut objects: both readers, on valid and damaged inputs."""

from __future__ import annotations

from random import Random

import pytest

from ..examples import examples
from ..unit.columns_backend.specs import format_of, spec_text
from .agreement import agreed

LAST = """
seq:
  - {id: len, type: u1}
  - {id: flag, type: u1}
  - {id: body, type: body, size: len}
"""
BODY = """
body:
  seq:
    - {id: first, size: last % 3}
    - {id: second, type: u1, if: tail.kind == 2}
    - {id: third, size: "_parent.flag > 3 ? pad : 1"}
    - {id: fourth, size: "numbers[last % 3] & 1"}
  instances:
    last: {pos: _io.size - 1, type: u1}
    tail: {pos: "last", type: tail}
    pad: {pos: 1, type: u1, if: _parent.flag > 3}
    numbers: {pos: 0, type: u1, repeat: expr, repeat-expr: 2}
tail:
  seq: [{id: kind, type: u1, valid: {max: 200}}]
"""

CUT = """
seq:
  - {id: part, type: part, size: 6, pad-right: 1, terminator: 2}
  - {id: word, type: part, terminator: 3}
  - {id: key, type: u1}
  - {id: hidden, type: part, size: 4, process: xor(key)}
  - {id: turned, size: 2, process: rol(key)}
  - {id: back, size: 2, process: ror(3)}
  - {id: packed, size: 11, process: zlib}
"""
PART = """
part: {seq: [{id: a, type: u1}, {id: b, size-eos: true}]}
"""


@pytest.mark.parametrize(("row", "types"), [(LAST, BODY), (CUT, PART)], ids=["last", "cut"])
def test_both_readers_agree(row: str, types: str) -> None:
    format = format_of(spec_text(row, types=types))
    assert format.engine_refusal is None
    random = Random(17)
    packed = bytes.fromhex("789c4b4c4a0600024d0127")
    for _ in range(examples(400)):
        data = b""
        for _ in range(random.randrange(1, 4)):
            part = bytes(random.choices([0, 1, 2, 3, 4, 9, 0x61, 0xFF], k=random.randrange(1, 30)))
            if row is CUT:
                data += part[:5].ljust(6, b"\1") + part[5:8] + b"\3" + part[-9:].ljust(9) + packed
            else:
                data += bytes([len(part)]) + part[:1] + part
        agreed(format, data)
        agreed(format, data[: random.randrange(len(data))])


WHOLE = """
seq:
  - {id: version, size: header.number & 1}
  - {id: rows, type: row, repeat: expr, repeat-expr: header.count}
  - {id: end, type: u1}
instances:
  header: {pos: _io.size - 3, type: header}
types:
  header: {seq: [{id: count, type: u1}, {id: number, type: u1}]}
  row:
    seq:
      - {id: at, type: u1}
      - {id: body, size: there & 3}
    instances:
      there: {io: _root._io, pos: at, type: u1}
"""


def test_an_input_that_is_read_as_a_whole() -> None:
    format = format_of("meta:\n  id: sample\n  -wireloom: {rows: rows}" + WHOLE)
    assert format.engine_refusal is None
    random = Random(19)
    for _ in range(examples(600)):
        agreed(format, bytes(random.choices([0, 1, 2, 3, 4, 5, 9, 0xFF], k=random.randrange(3, 40))))
