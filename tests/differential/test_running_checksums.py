"""Running checksums: both readers agree on intact files and on damaged ones."""

import io
from random import Random
from typing import Any

import pytest
import wireloom
from hypothesis import given
from wireloom import Format, engine

from .agreement import agreed
from .damage import damaged
from .strategies import bounded, randoms, some

FLAT = """
meta: {id: flat, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: len, type: u1, valid: {max: 60}}
      - {id: data, size: len}
      - {id: sum, type: u2, -wireloom: {checksum: {algorithm: crc-16/modbus, over: [len, data], continues: _}}}
"""
UNITS = """
meta: {id: units, endian: le, -wireloom: {rows: groups.body.rows, columns: [data, kind, has], selectable: [sum]}}
seq: [{id: groups, type: group, repeat: eos}]
types:
  group:
    seq:
      - {id: kind, type: u1, valid: {max: 5}}
      - {id: len, type: u1}
      - {id: body, type: body, size: len}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: body, continues: _}}}
  body:
    seq:
      - {id: count, type: u1}
      - {id: rows, type: row, repeat: expr, repeat-expr: count}
  row:
    seq:
      - {id: len, type: u1, valid: {max: 60}}
      - {id: data, size: len}
      - {id: has, type: u1}
      - id: sum
        type: u2
        if: has < 200
        -wireloom: {checksum: {algorithm: crc-16/modbus, over: [len, data]}}
"""
LOST = """
meta: {id: lost, endian: le, -wireloom: {rows: records.body.rows.rows, columns: [data, kind]}}
seq: [{id: records, type: record, repeat: eos}]
types:
  record:
    seq:
      - {id: len, type: u1}
      - {id: body, type: body, size: len}
  body:
    seq:
      - {id: kind, type: u1}
      - {id: len_rows, type: u1}
      - {id: rows, type: rows, size: len_rows}
      - id: crc
        type: u4
        -wireloom: {checksum: {algorithm: crc32c, over: [kind, rows], continues: 'kind == 4 ? crc : _'}}
  rows:
    seq: [{id: rows, type: row, repeat: eos}]
  row:
    seq:
      - {id: len, type: u1}
      - {id: data, size: len}
"""
ROWS = [{"data": bytes([each] * (each % 7)), "kind": each // 9 % 3, "has": each % 250} for each in range(60)]
COLUMNS = {FLAT: ("data",), UNITS: ("data", "kind", "has"), LOST: ("data", "kind")}
READERS: tuple[dict[str, Any], ...] = (
    {},
    {"recover": True},
    {"batch_rows": 1},
    {"batch_rows": 3, "recover": True},
    {"mode": "failfast"},
    {"verify": False},
    {"max_record": 30, "recover": True},
)


@pytest.fixture(scope="module", params=COLUMNS, ids=["flat", "units", "lost"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Format, bytes]:
    path = tmp_path_factory.mktemp("running") / "running.ksy"
    path.write_text(request.param)
    format, written = wireloom.load_spec(path), io.BytesIO()
    rows = [{name: each[name] for name in COLUMNS[request.param]} for each in ROWS]
    wireloom.write(format, rows, written)
    return format, written.getvalue()


@bounded(15, thorough=120)
@given(random=randoms)
def test_both_readers_agree(made: tuple[Format, bytes], random: Random) -> None:
    format, good = made
    for data in (good, damaged(random, good), damaged(random, damaged(random, good))):
        for options in some(random, READERS, 3):
            agreed(format, data, **options)


def test_the_engine_reads_them(made: tuple[Format, bytes]) -> None:
    format, good = made
    table, report = wireloom.read_with_report(format, good, batch_rows=7)
    assert (table["data"].to_pylist(), report.clean) == ([each["data"] for each in ROWS], True)
    assert format.engine_refusal is None or not engine.available
