"""Text that expressions compute, and text of items of lists: engine and objects agree on valid and damaged inputs."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from ..unit.columns_backend.specs import format_of, spec_text
from .agreement import agreed
from .damage import damaged
from .strategies import some

MADE = spec_text(
    """
    seq:
      - {id: kind, type: u1}
      - {id: name, type: str, size: 4, encoding: UTF-8}
      - {id: code, size: 2}
      - {id: wide, type: str, size: 4, encoding: UTF-16LE}
      - {id: ascii, type: str, size: 2, encoding: ASCII}
      - {id: more, type: u1, if: 'word == "one"'}
      - {id: rest, type: {switch-on: word, cases: {'"one"': u1, '"number 5"': u2}}}
      - {id: body, size: wide.length % 3}
    instances:
      word: {value: 'kind == 1 ? "one" : kind == 5 ? "number 5" : ""'}
      tail: {value: 'name.substring(1, kind)'}
      code_text: {value: 'code.to_s("ASCII")'}
      length: {value: wide.length}
      same: {value: 'name == wide'}
      less: {value: 'name < ascii'}
      number: {value: 'kind == 4 ? name.to_i : name.substring(0, 2).length'}
      risky: {value: '10 / kind > 2 ? "big" : (kind % 7 == 0 ? "seven" : 10 / (kind - 1) > 4 ? "more" : code_text)'}
      chosen: {value: 'kind == 3 ? code : [1, 2].as<bytes>'}
    """
)

ITEMS = """
meta: {id: sample, endian: le, -wireloom: {rows: units.objects}}
seq: [{id: units, type: unit, repeat: eos}]
types:
  unit:
    seq:
      - {id: count, type: u1}
      - {id: names, type: strz, encoding: UTF-8, repeat: expr, repeat-expr: count}
      - {id: number, type: u1}
      - {id: objects, type: object, repeat: expr, repeat-expr: number}
  object:
    seq:
      - {id: which, type: u1}
      - {id: parts, type: part, repeat: until, repeat-until: 'not _.goes_on'}
      - {id: body, type: {switch-on: last, cases: {'"ab"': u1, '"zz"': u2}}}
    instances:
      last: {value: parts.last.key}
      name: {value: '_parent.names[which]'}
      first_word: {value: 'parts[0].word', if: 'parts[0].goes_on'}
      tag: {value: parts.last.tag}
  part:
    seq:
      - {id: key, type: str, size: 2, encoding: ASCII}
      - {id: word, type: str, size: 2, encoding: UTF-16LE, if: goes_on}
      - {id: tag, size: 1}
    instances:
      goes_on: {value: 'key == "go"'}
"""


def made_row(random: Random) -> bytes:
    kind = random.choice([1, 1, 2, 3, 4, 5, 5, 7, 9])
    name = random.choice([" 12 ", "abcd", "-123", "éa1", "éab", "😀", "€1", "ab\0\0"]).encode()
    wide = random.choice(["ab", "éx", "😀", "€\0"]).encode("utf-16-le")
    rest = {1: b"MR", 5: b"RR"}.get(kind, b"")
    size = len(wide.decode("utf-16-le")) % 3
    code, ascii = random.choice([b"ok", b"\x01\x02", b"zz"]), random.choice([b"ab", b"zz"])
    return bytes([kind]) + name + code + wide + ascii + rest + b"B" * size


def object_of_parts(random: Random) -> bytes:
    key = random.choice([b"ab", b"zz", b"xy"])
    parts = b"".join(b"go" + random.choice([b"x\0", b"\xe9\0"]) + b"T" for _ in range(random.randrange(3)))
    return bytes([random.choice([0, 1, 1, 2, 5])]) + parts + key + b"U" + {b"ab": b"1", b"zz": b"22"}.get(key, b"")


def made(random: Random) -> bytes:
    return b"".join(made_row(random) for _ in range(random.randrange(8)))


def items(random: Random) -> bytes:
    units = (b"".join(object_of_parts(random) for _ in range(size)) for size in range(random.randrange(1, 5)))
    return b"".join(b"\3one\0tw\xc3\xb6\0\0" + bytes([size]) + unit for size, unit in enumerate(units))


OPTIONS: tuple[dict[str, Any], ...] = ({}, {"mode": "dropmalformed"}, {"recover": True}, {"batch_rows": 2})


@pytest.mark.parametrize(("spec", "write", "wanted"), [(MADE, made, ["kind", "tail"]), (ITEMS, items, ["name"])])
def test_both_readers(spec: str, write: Any, wanted: list[str]) -> None:
    format, random = format_of(spec), Random(3)
    assert format.engine_refusal is None
    for _ in range(25):
        good = write(random)
        for options in some(random, OPTIONS):
            agreed(format, good, columns=wanted, **options)
            for data in (good, damaged(random, good)):
                agreed(format, data, **options)


def test_what_is_made() -> None:
    row = b"\5" + "é1ab"[:3].encode() + b"ok" + "😀".encode("utf-16-le") + b"ab" + b"RR" + b"B"
    rows = agreed(format_of(MADE), row)[0]
    shown = ("word", "tail", "code_text", "length", "number", "risky", "chosen")
    found = {name: rows[name][0] for name in shown}
    assert found == {
        "word": "number 5",
        "tail": "1a",
        "code_text": "ok",
        "length": 1,
        "number": 2,
        "risky": "ok",
        "chosen": b"\1\2",
    }


def test_text_that_would_be_too_long_is_damage() -> None:
    spec = spec_text(
        """
        seq: [{id: text, type: str, size: 4, encoding: ASCII}]
        instances: {more: {value: text + text + text}}
        """
    )
    assert agreed(format_of(spec), b"abcd", max_computed=12)[0]["more"] == ["abcd" * 3]
    rows = agreed(format_of(spec), b"abcd", max_computed=11)[0]
    assert rows["more"] == [None]
    assert rows["_error"][0].startswith("limit")
