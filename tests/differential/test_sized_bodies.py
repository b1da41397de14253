"""Parts with a size: whatever is inside of one costs what has it, in every table and both readers, and nothing else."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ..unit.specs import format_of
from .agreement import agreed
from .strategies import bounded

SPEC = """
meta:
  id: bodies
  endian: le
  -wireloom:
    tables:
      plain: {rows: records.body.as<plain>, columns: [x, y]}
      counted: {rows: records.body.as<counted>, columns: [items]}
      nested: {rows: records.body.as<nested>.items, columns: [len, inner]}
      records: {rows: records, columns: [number, kind, size]}
seq: [{id: records, type: record, repeat: eos}]
instances:
  known: {-wireloom: {variable: {keys: integer, values: integer}}}
types:
  record:
    seq:
      - {id: magic, contents: [0xfe]}
      - {id: number, type: u1}
      - {id: kind, type: u1, valid: {min: 1, max: 5}}
      - {id: size, type: u1}
      - id: body
        size: size
        type: {switch-on: kind, cases: {1: plain, 2: counted, 3: nested, 4: node, 5: declared}}
  plain: {seq: [{id: x, type: u2}, {id: y, type: strz, encoding: ASCII}]}
  counted: {seq: [{id: n, type: u1}, {id: items, type: u2, repeat: expr, repeat-expr: n}]}
  nested: {seq: [{id: count, type: u1}, {id: items, type: item, repeat: expr, repeat-expr: count}]}
  item: {seq: [{id: len, type: u1}, {id: inner, type: counted, size: len}, {id: last, type: u1}]}
  node: {seq: [{id: n, type: u1}, {id: nodes, type: part, repeat: expr, repeat-expr: n}]}
  part: {seq: [{id: len, type: u1}, {id: node, type: node, size: len}]}
  declared:
    seq: [{id: key, type: u1}, {id: value, size: '_root.known.has(key) ? _root.known[key] : 1'}, {id: next, type: u1}]
    instances:
      set: {value: next, -wireloom: {sets: '_root.known[key]'}}
"""
BODIES = {
    1: [b"\1\0one\0"],
    2: [b"\0", b"\2\1\0\2\0"],
    3: [b"\1\3\1\5\0\x09", b"\0"],
    4: [b"\0", b"\1\1\0", b"\1\4\1\2\0\0"],
    5: [b"\1\0\1"],
}
TABLES = ("plain", "counted", "nested", "records")
records = st.sampled_from(sorted(BODIES)).flatmap(lambda kind: st.tuples(st.just(kind), st.sampled_from(BODIES[kind])))


def made(number: int, kind: int, body: bytes) -> bytes:
    return bytes((0xFE, number, kind, len(body))) + body


def rows_of(data: bytes, table: str) -> tuple[list[tuple[Any, ...]], dict[str, Any]]:
    rows, [report] = agreed(format_of(SPEC), data, table=table)
    assert report["tail"] == "clean"
    return list(zip(*rows.values(), strict=True)), report


@bounded(20)
@given(st.lists(records, min_size=1, max_size=8), st.data())
def test_a_body_costs_the_rows_in_it(given_records: list[tuple[int, bytes]], source: st.DataObject) -> None:
    parts = [made(number, *each) for number, each in enumerate(given_records)]
    hit = source.draw(st.integers(0, len(parts) - 1))
    kind, _ = given_records[hit]
    body = source.draw(st.binary(max_size=12).map(lambda body: body.replace(b"\xfe", b"\0")))
    damaged = [*parts[:hit], made(hit, kind, body), *parts[hit + 1 :]]
    begin = sum(map(len, parts[:hit]))
    moved = len(damaged[hit]) - len(parts[hit])
    for table in TABLES:
        before, _ = rows_of(b"".join(parts), table)
        after, _ = rows_of(b"".join(damaged), table)
        at = columns_with_offset(table).index("_offset")
        end = begin + len(parts[hit])
        kept = [(*row[:at], row[at] + moved * (row[at] >= end), *row[at + 1 :]) for row in before]
        kept = [row for row, old in zip(kept, before, strict=True) if not begin <= old[at] < end]
        assert [row for row in after if not begin <= row[at] < end + moved] == kept


def columns_with_offset(table: str) -> list[str]:
    return [each.name for each in format_of(SPEC).of_table(table).columns] + ["_offset", "_error", "_corrupt_record"]
