"""``wireloom check --plan``: what is read, checked and filled in, as text."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner
from wireloom.codegen.model.load import load
from wireloom.codegen.passes import printed, with_facts
from wireloom.command import main

ROOT = Path(__file__).parents[3]

FRAME = """\
edgemq_segment::frame: at least 21 bytes, buffered
  read
    21 bytes at once
      +0 len: u4be, >= 13, else the rest cannot be read (length)
      +4 crc32c: u4be
      +8 fmt: u1
      +9 tenant: u4be
      +13 ts_millis: u8be
    payload: len - 13 bytes
  verify
    crc32c = crc32c(payload), else rejected (checksum)
  compute
    ts = ts_millis
  write
    len = payload.size + 13
    crc32c = crc32c(payload)
"""

SPEC = """
meta: {id: made, endian: le, bit-endian: be, -wireloom: {rows: items}}
seq:
  - {id: magic, contents: [1, 2]}
  - {id: count, type: u1, valid: {min: 1, max: 9}}
  - {id: items, type: item(count), repeat: eos}
types:
  item:
    params: [{id: limit, type: u1}]
    seq:
      - {id: kind, type: u1, enum: kinds, valid: {in-enum: true}}
      - {id: flag, type: b1}
      - {id: name, type: strz, encoding: UTF-8, if: flag}
      - {id: padded, size: 4, pad-right: 32, terminator: 0, process: zlib}
      - id: body
        type: {switch-on: kind, cases: {"kinds::one": one, "kinds::two": two}}
      - {id: numbers, type: u2, repeat: expr, repeat-expr: limit}
      - {id: ends, type: u1, valid: {any-of: [1, 2]}, repeat: until, repeat-until: _ == 2}
      - {id: sum, type: u4, -wireloom: {checksum: {algorithm: crc32, over: [kind, sum], replace: 0}}}
    instances:
      later: {pos: 3, type: u1}
  one: {seq: [{id: a, type: u1}]}
  two: {seq: [{id: inside, type: item(1)}]}
enums: {kinds: {1: one, 2: two}}
"""

MADE = """\
made: at least 3 bytes
  read
    3 bytes at once
      +0 magic: 2 bytes, = 01 02, else the rest cannot be read (value)
      +2 count: u1, >= 1, <= 9, else the rest cannot be read (length)
    items: item, repeated to the end, the rows
  write
    magic = 01 02
made::item: at least 10 bytes, parameters limit, recursive
  read
    kind: u1, kinds, one of its labels, else the rest cannot be read (value)
    flag: b1
    name: UTF-8, up to 00, if flag
    padded: 4 bytes, without 20 at the end, truncated at 00, zlib decoded
    body: switch on kind
      kinds::one: one
      kinds::two: two
      otherwise: nothing
    numbers: u2le, limit times, unpacked at once
    ends: u1, repeated until _ == 2, one of 1, 2, else the rest cannot be read (value)
    sum: u4le
  verify
    sum = crc32(kind … sum, own bytes as 00), else rejected (checksum)
  compute
    later: u1 at 3
  write
    not possible: 'later' has an explicit position
made::one: 1 byte, buffered
  read
    a: u1
made::two: at least 10 bytes, recursive
  read
    inside: item
"""


def test_the_plan_of_a_format() -> None:
    assert printed(with_facts(load(ROOT / "specs" / "edgemq_segment.ksy"))).endswith(FRAME)


def test_every_kind_of_step() -> None:
    assert printed(with_facts(load("made.ksy", text=SPEC))) == MADE


def test_messages_have_their_fields_in_any_order() -> None:
    text = printed(with_facts(load(ROOT / "specs" / "kpl_aggregated_record.ksy")))
    assert "::record: a protobuf message\n  fields, in any order\n    1 partition_key_index: required uint64\n" in text


def test_the_command_prints_it() -> None:
    spec = str(ROOT / "specs" / "edgemq_segment.ksy")
    result = CliRunner().invoke(main, ["check", "--plan", spec])
    assert result.exit_code == 0
    assert "\n".join(f"  {line}" for line in FRAME.splitlines()) in result.stdout
    [found] = json.loads(CliRunner().invoke(main, ["check", "--plan", "--json", spec]).stdout)
    assert found["plan"].endswith(FRAME)


def test_without_being_asked_nothing_of_it_is_said() -> None:
    spec = str(ROOT / "specs" / "edgemq_segment.ksy")
    assert "plan" not in json.loads(CliRunner().invoke(main, ["check", "--json", spec]).stdout)[0]
