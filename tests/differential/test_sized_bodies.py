"""Parts with a size: whatever is inside of one costs what has it, in every table and both readers, and nothing else.
``inspect`` and ``dump`` show what stands before the damage."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import Any

import pytest
import wireloom
from hypothesis import given
from hypothesis import strategies as st
from wireloom import Format
from wireloom.format.registry import get
from wireloom.input.expansion import expand
from wireloom.inspecting import FORMS, Dumper, read_object
from wireloom.reading.request import scan_request

from ..examples import strided
from ..unit.inspecting.agreement import check, shown
from ..unit.specs import format_of
from ..vectors.cases import HERE
from ..writing import bytes_of
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
FIRST = {1: ("x", 2), 2: ("n", 1), 3: ("count", 1), 4: ("n", 1), 5: ("key", 1)}
"""The first value of each kind of body, and its size."""
records = st.sampled_from(sorted(BODIES)).flatmap(lambda kind: st.tuples(st.just(kind), st.sampled_from(BODIES[kind])))


def made(number: int, kind: int, body: bytes) -> bytes:
    return bytes((0xFE, number, kind, len(body))) + body


def rows_of(data: bytes, table: str) -> tuple[list[tuple[Any, ...]], dict[str, Any]]:
    rows, [report] = agreed(format_of(SPEC), data, table=table)
    assert report["tail"] == "clean"
    return list(zip(*rows.values(), strict=True)), report


def dumped(format: Format, data: bytes) -> tuple[dict[str, Any], list[wireloom.WireloomError]]:
    """Return the values that ``dump`` prints, and its errors."""
    text: list[bytes] = []
    with ExitStack() as resources:
        whole = read_object(scan_request(format, columns=["_offset"]), expand(data)[0], resources)
        errors = [*whole.refusals.new()]
        Dumper(FORMS["json"](text.append, 1 << 20), "hex", errors.append).write(whole.struct, whole.failure)
    found: dict[str, Any] = json.loads(b"".join(text))
    return found, errors


@st.composite
def damaged_bodies(draw: Any) -> tuple[list[bytes], list[bytes], int]:
    """Return records, the same with another body in one of them, and its number."""
    given_records = draw(st.lists(records, min_size=1, max_size=8))
    parts = [made(number, *each) for number, each in enumerate(given_records)]
    hit = draw(st.integers(0, len(parts) - 1))
    body = draw(st.binary(max_size=12).map(lambda body: body.replace(b"\xfe", b"\0")))
    return parts, [*parts[:hit], made(hit, given_records[hit][0], body), *parts[hit + 1 :]], hit


@bounded(20)
@given(damaged_bodies())
def test_a_body_costs_the_rows_in_it(given_parts: tuple[list[bytes], list[bytes], int]) -> None:
    parts, damaged, hit = given_parts
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


@bounded(20)
@given(damaged_bodies())
def test_what_stands_before_the_damage_is_shown(given_parts: tuple[list[bytes], list[bytes], int]) -> None:
    parts, damaged, hit = given_parts
    format, data = format_of(SPEC), b"".join(damaged)
    _, report = rows_of(data, "records")
    for table in TABLES:
        check(format.of_table(table), data)
    begin, kind, body = sum(map(len, parts[:hit])), damaged[hit][2], damaged[hit][4:]
    name, size = FIRST[kind]
    first = int.from_bytes(body[:size], "little") if len(body) >= size else None
    found, errors = dumped(format, data)
    assert found["records"][:hit] == dumped(format, b"".join(parts))[0]["records"][:hit]
    assert bool(errors) == bool(report["damaged"])
    assert len(found["records"]) == (hit + 1 if errors else len(parts))
    held = found["records"][hit]
    assert (held["number"], held["kind"], held["size"]) == (hit, kind, len(body))
    assert held["body"].get(name) == first
    if errors:
        assert str(errors[0].field).startswith(f"records[{hit}].body")
    record = next(each for each in shown(format.of_table("records"), data) if each.begin == begin)
    inside = next(each for each in record.fields if each.name == "body").children
    assert [each.value for each in inside if each.name == name and each.problem is None] == [first] * (
        first is not None
    )
    assert any(each.problem for found in record.fields for _, each in found.walk()) == bool(errors)


def columns_with_offset(table: str) -> list[str]:
    return [each.name for each in format_of(SPEC).of_table(table).columns] + ["_offset", "_error", "_corrupt_record"]


PIECES = """
meta:
  id: pieces
  -wireloom:
    rows: blocks.pieces
    columns: [data]
    fragments: {kind: kind, data: data, full: 1, first: 2, middle: 3, last: 4, block: 32}
seq:
  - {id: blocks, type: block, size: '_io.size - _io.pos < 32 ? _io.size - _io.pos : 32', repeat: eos}
types:
  block:
    seq:
      - id: pieces
        type: piece
        repeat: until
        repeat-until: '_io.size == 32 ? _io.size - _io.pos < 2 : _io.eof'
      - {id: padding, size-eos: true}
  piece: {seq: [{id: kind, type: u1}, {id: len, type: u1}, {id: data, size: len}]}
"""


def logs() -> dict[str, tuple[Format, bytes]]:
    made = format_of(PIECES)
    rows = [{"data": bytes(range(size))} for size in (3, 0, 40, 7, 21)]
    return {
        "made": (made, bytes_of(made, rows)),
        "leveldb_log": (get("leveldb_log"), (HERE / "leveldb_log" / "transactions.log").read_bytes()),
        "prometheus_wal": (get("prometheus_wal"), (HERE / "prometheus_wal" / "torn").read_bytes()[:200]),
    }


def pieces_of(dump: dict[str, Any]) -> list[Any]:
    """Return the pieces in the blocks of a log."""
    [blocks] = dump.values()
    return [piece for block in blocks for each in block.values() if isinstance(each, list) for piece in each]


@pytest.mark.parametrize("name", ["made", "leveldb_log", "prometheus_wal"])
def test_the_beginning_of_a_log_of_blocks_is_not_damaged(name: str) -> None:
    format, log = logs()[name]
    whole, known = pieces_of(dumped(format, log)[0]), 0
    for size in strided(range(len(log) + 1), 1 if name == "made" else 9):
        for table in format.tables or ("",):
            options = {"table": table} if table else {}
            _, [report] = agreed(format, log[:size], **options)
            assert not report["damaged"], (size, table)
            check(format.of_table(table) if table else format, log[:size])
        found, errors = dumped(format, log[:size])
        complete = pieces_of(found)[: -1 if errors else None]
        assert complete == whole[: len(complete)], size
        assert len(errors) <= 1, size
        assert known <= len(complete), size
        known = len(complete)
    assert known
