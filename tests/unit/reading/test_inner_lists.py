"""Value instances that show lists and objects inside objects are columns like these: both readers, and writers."""

import io
import random
from pathlib import Path

import wireloom
from wireloom.codegen.explore import load_format

from ...differential.agreement import agreed
from ...examples import examples
from ..specs import format_of

SPEC = """
meta: {id: shown, endian: le, -wireloom: {rows: rows, columns: [number, pairs, first, many]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: number, type: u1}
      - {id: len_box, type: u1}
      - {id: box, type: box, size: len_box}
      - {id: maybe, type: box, size: 3, if: number > 1}
    instances:
      pairs: {value: box.pairs}
      first: {value: box.head}
      many: {value: maybe.pairs}
  box:
    seq:
      - {id: head, type: head}
      - {id: pairs, type: pair, repeat: eos, -wireloom: {map: {key: key, value: value}}}
  head: {seq: [{id: flags, type: u1}]}
  pair: {seq: [{id: key, type: u1, valid: {max: 99}}, {id: value, type: u1}]}
"""


def test_columns_have_the_values_of_what_they_show() -> None:
    format = format_of(SPEC)
    data = b"\1\5\x09\1\2\3\4" + b"\2\1\x08\7\1\2" + b"\1\3\0\x63\1"
    table = wireloom.read(format, data, columns=["number", "pairs", "first"], mode="failfast")
    assert table.to_pylist() == [
        {"number": 1, "pairs": [(1, 2), (3, 4)], "first": {"flags": 9}},
        {"number": 2, "pairs": [], "first": {"flags": 8}},
        {"number": 1, "pairs": [(99, 1)], "first": {"flags": 0}},
    ]
    chance = random.Random(2)
    for _ in range(examples(100)):
        damaged = bytearray(data)
        damaged[chance.randrange(len(data))] = chance.randrange(256)
        agreed(format, bytes(damaged), columns=["number", "pairs", "first"])


def test_such_columns_are_written(tmp_path: Path) -> None:
    path = tmp_path / "shown.ksy"
    path.write_text(
        SPEC.replace(", many]", "]").replace("      - {id: maybe, type: box, size: 3, if: number > 1}\n", "")
    )
    path.write_text(path.read_text().replace("      many: {value: maybe.pairs}\n", ""))
    data = b"\1\5\x09\1\2\3\4" + b"\2\1\x08"
    format, written = load_format(path), io.BytesIO()
    wireloom.write(format, wireloom.read(format, data), written)
    assert written.getvalue() == data
