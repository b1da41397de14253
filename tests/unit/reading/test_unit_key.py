"""The key ``unit``: which items are the innermost units."""

from random import Random

import pytest
import wireloom
from wireloom import Format, SpecError, engine

from tests.differential.agreement import agreed
from tests.differential.damage import damaged

from ...examples import examples
from ..specs import format_of

SPEC = """
meta: {id: log, endian: le, -wireloom: {rows: batches.body.groups.rows, columns: [data]UNIT}}
seq: [{id: batches, type: batch, repeat: eos}END]
types:
  batch:
    seq:
      - {id: len, type: u1}
      - {id: body, type: body, size: len}
  body:
    seq:
      - {id: num_groups, type: u1}
      - {id: groups, type: group, repeat: expr, repeat-expr: num_groups}
  group:
    seq:
      - {id: kind, type: u1, valid: {max: 5}}
      - {id: num_rows, type: u1}
      - {id: rows, type: row, repeat: expr, repeat-expr: num_rows}
      - {id: sum, type: u1, -wireloom: {checksum: {algorithm: sum8, over: rows}}}
  row:
    seq: [{id: len, type: u1}, {id: data, size: len}]
"""


def group(*rows: bytes) -> bytes:
    packed = b"".join(bytes([len(each)]) + each for each in rows)
    return bytes([1, len(rows)]) + packed + bytes([sum(packed) % 256])


def batch(*groups: bytes) -> bytes:
    body = bytes([len(groups)]) + b"".join(groups)
    return bytes([len(body)]) + body


DATA = batch(group(b"a", b"b"), group(b"c")) + batch(group(b"d"), group(b"e", b"f"))


def load(unit: str, end: str = "") -> Format:
    return format_of(SPEC.replace("UNIT", unit and f", unit: {unit}").replace("END", end and f", {end}"))


@pytest.mark.parametrize(
    ("unit", "rows", "damage"),
    [
        ("", [b"a", b"b", b"d", b"e", b"f"], (9, 5)),
        ("batches.body.groups", [b"a", b"b", b"d", b"e", b"f"], (9, 5)),
        ("batches", [b"d", b"e", b"f"], (0, 14)),
    ],
)
@pytest.mark.parametrize("streaming", [True, False])
def test_damage_costs_a_unit(unit: str, rows: list[bytes], damage: tuple[int, int], streaming: bool) -> None:
    format = load(unit, "" if streaming else "{id: end, size: 0}")
    assert format.engine_refusal is None or not engine.available
    changed = bytearray(DATA)
    changed[DATA.index(b"c")] ^= 1
    table, report = wireloom.read_with_report(format, bytes(changed))
    assert table["data"].to_pylist() == rows
    assert [(each.offset, each.length, each.reason) for each in report.files[0].damaged] == [(*damage, "checksum")]


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["batches", "batches.body.groups"])
def test_both_readers_agree(unit: str) -> None:
    format = load(unit)
    for seed in range(examples(80)):
        for options in ({}, {"recover": True}, {"batch_rows": 1}, {"verify": False}):
            agreed(format, damaged(Random(seed), DATA * 2), **options)


@pytest.mark.parametrize("unit", ["batch", "batches.body", "batches.body.groups.rows", "groups"])
def test_mistakes(unit: str) -> None:
    with pytest.raises(SpecError) as caught:
        load(unit)
    assert "must name a repeated attribute on the path to the rows: 'batches' or 'batches.body.groups'" in str(
        caught.value
    )
    assert f"found {unit!r}" in str(caught.value)


def test_rows_that_are_not_inside_of_anything() -> None:
    with pytest.raises(SpecError, match="'unit' requires rows inside repeated attributes, and the rows 'rows' are not"):
        format_of("""
meta: {id: flat, -wireloom: {rows: rows, unit: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types: {row: {seq: [{id: x, type: u1}]}}
""")
