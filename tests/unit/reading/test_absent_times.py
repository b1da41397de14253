"""Timestamps of which one count means that there is no time: null in tables, and written for null."""

from __future__ import annotations

import io
import itertools
import struct
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import wireloom
from wireloom import Format, WireloomError
from wireloom.base.iso_times import time_range

from ...writing import bytes_of
from ..specs import format_of
from .running import ROW_READERS, read

HEAD = "meta: {id: times, endian: le, -wireloom: {rows: rows}}\nseq: [{id: rows, type: row, repeat: eos}]\n"
SPEC = (
    HEAD.replace(
        "rows: rows", "rows: rows, columns: [ms, ns, raw, large, flag, maybe, one, num, many], selectable: [later]"
    )
    + """
types:
  row:
    seq:
      - {id: ms, type: s8, -wireloom: {timestamp: {unit: ms, absent: -1}}}
      - {id: ns, type: u8be, -wireloom: {timestamp: {unit: ns, absent: 0}}}
      - {id: raw, type: u8, -wireloom: {default: 5}}
      - {id: large, type: u8, -wireloom: {timestamp: {unit: us, absent: 0xffffffffffffffff}}}
      - {id: flag, type: u1}
      - {id: maybe, type: s4, if: flag == 1, -wireloom: {timestamp: {unit: s, absent: 0}}}
      - {id: one, type: pair}
      - {id: num, type: u1}
      - {id: many, type: pair, repeat: expr, repeat-expr: num}
    instances:
      later: {value: raw + 1, -wireloom: {timestamp: {unit: s, absent: 6}}}
  pair:
    seq:
      - {id: n, type: u1}
      - {id: at, type: u4, -wireloom: {timestamp: {unit: s, absent: 0xffffffff}}}
      - {id: known, type: s2, if: n == 1, -wireloom: {timestamp: {unit: s, zone: none, absent: -1}}}
"""
)
Row = dict[str, Any]
NONE32 = 2**32 - 1


def pair(n: int, at: int | None, known: int | None = None) -> tuple[Row, bytes]:
    row = {"n": n, "at": at, "known": known}
    data = struct.pack("<BI", n, NONE32 if at is None else at)
    return row, data + (struct.pack("<h", -1 if known is None else known) if n == 1 else b"")


PAIRS = [pair(0, None), pair(0, 0), pair(1, 5, None), pair(1, None, 0), pair(1, 7, 8)]


def rows_and_bytes() -> tuple[list[Row], bytes]:
    rows, data = [], b""
    choices = itertools.product((None, -2, 0), (None, 1), (None, 3), ((0, None), (1, None), (1, -1)))
    for number, (ms, ns, large, (flag, maybe)) in enumerate(choices):
        one, many = PAIRS[number % 5], PAIRS[: number % 6]
        rows.append(
            {"ms": ms, "ns": ns, "raw": number, "large": large, "flag": flag, "maybe": maybe, "one": one[0]}
            | {"num": len(many), "many": [each for each, _ in many]}
        )
        data += struct.pack("<q", -1 if ms is None else ms) + struct.pack(">Q", ns or 0)
        data += struct.pack("<QQB", number, 2**64 - 1 if large is None else large, flag)
        data += struct.pack("<i", maybe or 0) * flag + one[1] + bytes((len(many),)) + b"".join(each for _, each in many)
    return rows, data


ROWS, DATA = rows_and_bytes()
COLUMNS = [*ROWS[0], "later"]


@pytest.fixture(scope="module")
def format() -> Format:
    return format_of(SPEC, "times")


def counts(kind: pa.DataType) -> pa.DataType:
    """Return the type with integers in place of times."""
    if pa.types.is_timestamp(kind):
        return pa.int64()
    if pa.types.is_list(kind):
        return pa.list_(counts(kind.value_type))
    return pa.struct([(each.name, counts(each.type)) for each in kind]) if pa.types.is_struct(kind) else kind


def counted(table: pa.Table) -> list[Row]:
    return table.cast(pa.schema([(each.name, counts(each.type)) for each in table.schema])).to_pylist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_it_is_null(row_reader: str, format: Format) -> None:
    for chunk in (None, 64):
        table, report = read(row_reader, format, DATA, columns=COLUMNS, chunk=chunk, streamed=chunk is not None)
        later = [None if each["raw"] == 5 else each["raw"] + 1 for each in ROWS]
        assert counted(table) == [row | {"later": at} for row, at in zip(ROWS, later, strict=True)]
        assert report["tail"] == "clean"


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_what_is_written_for_null(row_reader: str, format: Format) -> None:
    table = read(row_reader, format, DATA)[0]
    for given in (table, table.to_batches(max_chunksize=7), table.to_pylist(), ROWS):
        assert bytes_of(format, given) == DATA
    # Of objects too: null, and nothing at all.
    row = format.row_class(ms=None, raw=5, large=3, flag=0, one=format.class_of("Times.Pair")(n=0), many=[])
    assert row.to_bytes() == struct.pack("<q8xQQB", -1, 5, 3, 0) + struct.pack("<BIB", 0, NONE32, 0)


@pytest.mark.parametrize(
    ("column", "value"),
    [("ms", datetime(1969, 12, 31, 23, 59, 59, 999000, UTC)), ("ns", 0), ("maybe", 0), ("one", {"n": 0, "at": NONE32})],
)
def test_a_time_that_would_be_read_as_null(column: str, value: Any, format: Format) -> None:
    with pytest.raises(
        WireloomError, match=f"row 1, column {column}: the count .* means that there is no time: give n"
    ):
        wireloom.write(format, [ROWS[0], ROWS[2] | {"flag": 1, column: value}], io.BytesIO())


UNITS_AND_ABSENT = {
    f"{unit}_{'none' if absent is None else absent}".replace("-", "m"): (unit, absent)
    for unit in ("s", "ms", "us", "ns")
    for absent in (None, -1, 0, 3)
}


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("kind", ["s8", "u8be", "s2", "computed"])
def test_blocks_of_rows(kind: str, row_reader: str) -> None:
    """Rows of one size, of which many are read together, alone and by predicates."""
    code = {"s8": "<q", "u8be": ">Q", "s2": "<h", "computed": "<q"}[kind]
    low, high = {"Q": (0, 2**64 - 1), "h": (-(2**15), 2**15 - 1), "q": (-(2**63), 2**63 - 1)}[code[1]]
    columns = {name: (unit, low if absent == -1 else absent) for name, (unit, absent) in UNITS_AND_ABSENT.items()}
    times = {
        name: f"-wireloom: {{timestamp: {{unit: {unit}{'' if absent is None else f', absent: {absent}'}}}}}"
        for name, (unit, absent) in columns.items()
    }
    row = f"seq: [{', '.join(f'{{id: {name}, type: {kind}, {each}}}' for name, each in times.items())}]"
    if kind == "computed":
        values = ", ".join(f"{name}: {{value: raw * 1, {each}}}" for name, each in times.items())
        row = f"seq: [{{id: raw, type: s8}}], instances: {{{values}}}"
    head = HEAD.replace("rows: rows", f"rows: rows, columns: [{', '.join(times)}]")
    format = format_of(f"{head}types: {{row: {{{row}}}}}\n")
    edges = [low, high, *range(-2, 5)]
    edges += [edge + more for unit in ("s", "ms", "us", "ns") for edge in time_range(unit) for more in (-1, 0, 1)]
    numbers = [each for each in edges if low <= each <= high] * 9
    data = b"".join(struct.pack(code, each) * (1 if kind == "computed" else len(times)) for each in numbers)
    for columns_read in (None, ["ms_3"]):
        table = read(row_reader, format, data, columns=columns_read)[0]
        for name in table.column_names:
            unit, absent = columns[name]
            least, most = time_range(unit)
            wanted = [each if least <= each <= most and each != absent else None for each in numbers]
            assert table[name].cast(pa.int64()).to_pylist() == wanted
    for name in ("ms_3", "us_0", "ns_m1"):
        at, two = pc.field(name), pa.scalar(2, table_type(format, name))
        for expression in (at.is_null(), at.is_valid(), at < two, ~(at >= two), (at == two) | at.is_null()):
            found = read(row_reader, format, data, columns=[name], filter=expression)[0]
            all_rows = read(row_reader, format, data, columns=[name])[0]
            assert found[name].cast(pa.int64()).equals(all_rows.filter(expression)[name].cast(pa.int64()))


def table_type(format: Format, name: str) -> pa.DataType:
    return format.schema.field(name).type


def test_tables_of_two_types_of_rows() -> None:
    text = (
        "meta: {id: times, endian: le, -wireloom: {rows: [parts.a, parts.b], unit: parts}}\n"
        "seq: [{id: parts, type: part, repeat: eos}]\n"
        "types:\n  part: {seq: [{id: n, type: u1}, {id: a, type: one, if: n == 1}, {id: b, type: two, if: n == 2}]}\n"
        "  one: {seq: [{id: at, type: s4, -wireloom: {timestamp: {unit: s, absent: -1}}}]}\n"
        "  two: {seq: [{id: at, type: s4, -wireloom: {timestamp: s}}]}\n"
    )
    with pytest.raises(WireloomError, match=r"two types: timestamp\[s, UTC\] and timestamp\[s, UTC\] with -1 for no t"):
        format_of(text)
