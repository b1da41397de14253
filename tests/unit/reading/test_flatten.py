"""Structs as a column for each of their fields: both readers agree on them."""

from pathlib import Path

import pytest
import wireloom

from ...differential.agreement import agreed
from ..specs import format_of

SPEC = """
meta:
  id: flat
  endian: le
  -wireloom: {rows: batches.items, flatten: true, selectable: [info]}
seq:
  - {id: batches, type: batch, repeat: eos}
types:
  batch:
    seq:
      - {id: info, type: info}
      - {id: num, type: u1}
      - {id: items, type: item, repeat: expr, repeat-expr: num}
  info:
    seq:
      - {id: source, type: u1}
      - {id: at, type: u4, -wireloom: {timestamp: s}}
      - {id: name, type: strz, encoding: ASCII}
  item:
    seq:
      - {id: kind, type: u1}
      - {id: header, type: header, if: kind > 0}
      - {id: tail, type: u1}
  header:
    seq:
      - {id: tenant, type: u2}
      - {id: place, type: point}
      - {id: mood, type: u1, enum: moods, -wireloom: {labels: true}}
      - {id: tags, type: u1, repeat: expr, repeat-expr: 2}
      - {id: pairs, type: point, repeat: expr, repeat-expr: 1}
  point:
    seq:
      - {id: x, type: s1, valid: {max: 9}}
      - {id: y, type: s1, if: x > 0}
enums: {moods: {1: good, 2: bad}}
"""
DATA = b"\7\1\0\0\0ab\0\2" + b"\0\x09" + b"\1\x10\0\1\2\1\5\6\0\x08"
DATA += b"\x08\1\0\0\0c\0\1" + b"\2\x11\0\xff\2\7\7\1\4\x0a"


@pytest.fixture
def flat() -> wireloom.Format:
    return format_of(SPEC)


def test_fields_of_structs_are_columns(flat: wireloom.Format) -> None:
    table, report = wireloom.read_with_report(flat, DATA)
    assert (report.clean, flat.engine_refusal) == (True, None)
    names = ["kind", "header.tenant", "header.place.x", "header.place.y", "header.mood", "header.tags", "header.pairs"]
    assert table.column_names == [*names, "tail"]
    assert [tuple(each.values()) for each in table.to_pylist()] == [
        (0, None, None, None, None, None, None, 9),
        (1, 16, 1, 2, "good", [5, 6], [{"x": 0, "y": None}], 8),
        (2, 17, -1, None, "bad", [7, 7], [{"x": 1, "y": 4}], 10),
    ]


def test_those_of_structs_around_the_row_can_be_asked_for(flat: wireloom.Format) -> None:
    table = wireloom.read(flat, DATA, columns=["info.name", "header.place.x", "info.source"])
    assert table.to_pylist() == [
        {"info.name": "ab", "header.place.x": None, "info.source": 7},
        {"info.name": "ab", "header.place.x": 1, "info.source": 7},
        {"info.name": "c", "header.place.x": -1, "info.source": 8},
    ]
    with pytest.raises(wireloom.UnknownNameError, match=r"info\.name"):
        wireloom.read(flat, DATA, columns=["info.nam"])


@pytest.mark.slow
def test_both_readers_agree_on_damage(flat: wireloom.Format) -> None:
    agreed(flat, DATA)
    for index in range(len(DATA)):
        agreed(flat, DATA[:index])
        for bits in (1, 0x12, 0x80):
            agreed(flat, DATA[:index] + bytes([DATA[index] ^ bits]) + DATA[index + 1 :])


def test_such_tables_are_written(flat: wireloom.Format, tmp_path: Path) -> None:
    table = wireloom.read(flat, DATA, columns=[each.name for each in flat.columns])
    wireloom.write(flat, table, tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == DATA
