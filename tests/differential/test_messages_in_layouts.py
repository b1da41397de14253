"""Messages as attributes of layouts: both readers agree on valid, unusual and damaged ones."""

from __future__ import annotations

import io
from random import Random
from typing import Any

import pytest
import wireloom
from crc32c import crc32c
from hypothesis import given
from wireloom import Format, engine
from wireloom.format.message_rules import MessageSet

from ..unit.columns_backend.specs import format_of
from ..unit.messages.random_specs import random_spec
from ..unit.messages.wire_inputs import Messages, delimited, varint
from .agreement import agreed
from .damage import damaged
from .strategies import bounded, randoms, some

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine is not there to agree with")

LAYOUT = """
meta: {id: layout, endian: le, -wireloom: {rows: frames, columns: [len, message, after]}}
seq: [{id: frames, type: frame, repeat: eos}]
types:
  frame:
    seq:
      - {id: len, type: u1}
      - {id: message, type: t0, size: len}
      - {id: after, type: u1}
"""
READERS: tuple[dict[str, Any], ...] = (
    {},
    {"recover": True},
    {"mode": "failfast"},
    {"batch_rows": 1},
    {"verify": False},
)


def layout_of(random: Random) -> tuple[Format, MessageSet]:
    """Return a layout with messages that the engine reads, and their types."""
    while True:
        text = random_spec(random)
        program = format_of(text).message_program
        if program is None:
            continue
        enums, types = text.partition("enums:\n")[2].split("types:\n")
        try:
            found = format_of(f"{LAYOUT}{types}enums:\n{enums}")
        except wireloom.WireloomError:
            continue  # t0 contains itself
        if found.engine_refusal is None:
            return found, program.types


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(each, marks=pytest.mark.thorough) for each in range(2, 6))])
def test_both_readers_agree(seed: int) -> None:
    random = Random(seed)
    format, types = layout_of(random)
    made = Messages(random, types, random.choice([0.0, 0.03, 0.3]))
    messages = [each for each in (made.message() for _ in range(12)) if len(each) < 256]
    good = b"".join(bytes([len(each)]) + each + b"\7" for each in messages)
    for data in (good, damaged(random, good), damaged(random, good)):
        for options in some(random, READERS):
            agreed(format, data, **options)


WITHIN = """
meta:
  id: records
  -wireloom:
    tables:
      puts: {rows: records, where: head.kind == 1, columns: [key, value]}
      heads: {rows: records.head, columns: [kind, crc, data]}
      numbers: {rows: records, columns: [numbers, bad]}
seq: [{id: records, type: record, repeat: eos}]
types:
  record:
    seq:
      - {id: len, type: u1}
      - {id: head, type: head, size: len}
      - {id: put, type: put, if: head.kind == 1, -wireloom: {within: head.data}}
      - {id: numbers, type: numbers, if: head.kind == 2, -wireloom: {within: head.data}}
      - {id: bad, type: u1, valid: {max: 9}}
    instances:
      key: {value: put.key, if: head.kind == 1}
      value: {value: put.value, if: head.kind == 1}
  head:
    -wireloom:
      message:
        fields:
          - {id: kind, number: 1, type: uint32}
          - id: crc
            number: 2
            type: fixed32
            checksum: {algorithm: crc32c, over: data, continues: 'kind == 7 ? crc : _'}
          - {id: data, number: 3, type: bytes}
  put:
    -wireloom:
      message:
        fields:
          - {id: key, number: 1, type: bytes}
          - {id: value, number: 2, type: sint64}
  numbers:
    seq:
      - {id: count, type: u1}
      - {id: numbers, type: u1, repeat: expr, repeat-expr: count}
"""


def records(random: Random) -> bytes:
    """Return records as they are written, each with the checksum of all data so far."""
    written, crc = io.BytesIO(), 0
    for number in range(30):
        kind = random.choice([1, 1, 2, 7, 8])
        data = b"" if kind == 7 else b"\3abc"
        if kind == 1:
            data = delimited(1, random.randbytes(3)) + varint(2 << 3) + varint(number)
        elif kind == 2:
            count = random.randrange(4)
            data = bytes([count]) + random.randbytes(count)
        crc = crc32c(data, crc)
        parts = [varint(8) + varint(kind), b"\x15" + crc.to_bytes(4, "little"), delimited(3, data)]
        random.shuffle(parts)
        head = b"".join(parts)
        written.write(bytes([len(head)]) + head + b"\1")
    return written.getvalue()


@bounded(10, thorough=48)
@given(random=randoms)
def test_what_stands_on_fields_of_messages(random: Random) -> None:
    format, good = format_of(WITHIN), records(random)
    for table in format.tables:
        rows, files = agreed(format, good, table=table)
        assert (files[0]["damaged"], files[0]["tail"]) == ([], "clean"), rows
        for data in (damaged(random, good), damaged(random, damaged(random, good))):
            for options in some(random, READERS):
                agreed(format, data, table=table, **options)
