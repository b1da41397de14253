"""Every kind of value for every type of column: what is written reads back as the same value, or is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from wireloom import Format
from wireloom.append import AppendWriter

from ...writing import bytes_of
from ..specs import format_of

SPEC = """
meta: {id: sample, endian: le, -wireloom: {rows: rows, columns: [COLUMNS]}}
seq: [{id: rows, type: row, repeat: eos, -wireloom: {framing: {delimiter: 0, stuffing: cobs}}}]
types:
  row:
    seq:
      - {id: u1, type: u1}
      - {id: s8, type: s8}
      - {id: f4, type: f4}
      - {id: f8, type: f8}
      - {id: flag, type: b1}
      - {id: bits, type: b7}
      - {id: text, type: strz, encoding: UTF-8}
      - {id: len_raw, type: u1}
      - {id: raw, size: len_raw}
      - {id: seconds, type: s8, -wireloom: {timestamp: s}}
      - {id: millis, type: s8, -wireloom: {timestamp: {unit: ms, zone: none}}}
      - {id: price, size: 4, -wireloom: {decimal: {form: packed, scale: 2}}}
      - {id: num_list, type: u1}
      - {id: list, type: s2, repeat: expr, repeat-expr: num_list}
      - {id: num_floats, type: u1}
      - {id: floats, type: f4, repeat: expr, repeat-expr: num_floats}
      - {id: point, type: point}
  point: {seq: [{id: x, type: u1}, {id: names, type: names}]}
  names: {seq: [{id: count, type: u1}, {id: each, type: strz, encoding: UTF-8, repeat: expr, repeat-expr: count}]}
"""
POINT = {"x": 1, "names": {"count": 1, "each": ["a"]}}
ROW = {
    "bits": 3, "u1": 1, "s8": 2, "f4": 0.5, "f8": 0.25, "flag": True, "text": "a", "raw": b"a", "seconds": 5,
    "millis": 5, "price": Decimal("1.25"), "list": [1], "floats": [0.5], "point": POINT,
}  # fmt: skip
AT = datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)
VALUES: list[Any] = [
    0, 1, 2, 255, 256, -1, 2**53 + 1, 2**63, 0.0, 1.0, 0.5, 1.255, 1e39, 2.0**63, math.inf, math.nan, True, False,
    "a", "é", "7", "007", "nan", "true", "2024-01-02T03:04:05Z", b"a", b"7", b"\xff", Decimal(7), Decimal("1.255"),
    Decimal("1.2"), AT, AT.replace(tzinfo=None), AT + timedelta(microseconds=1), AT + timedelta(milliseconds=1),
    date(2024, 1, 2), [1, 2], [], [40000], [1.5], [1e39], [True], ["7"], [AT], (1, 2), POINT, {"x": 1},
    {"x": 300, "names": POINT["names"]}, {"x": 1, "names": {"count": 1, "each": [1.5]}}, None,
]  # fmt: skip
LISTS = (pa.list_, pa.large_list, pa.list_view, pa.large_list_view, lambda kind: pa.list_(kind, 2))
ARRAYS: list[pa.Array] = [
    *(pa.array([[1, 2]], of(kind)) for of in LISTS for kind in (pa.int8(), pa.int64(), pa.float64())),
    *(pa.array([[1e39]], of(pa.float64())) for of in LISTS[:4]),
    pa.array([{"x": 1, "names": {"count": 1, "each": ["b"]}}], pa.struct({
        "x": pa.int64(), "names": pa.struct({"count": pa.int8(), "each": pa.list_view(pa.string_view())}),
    })),
    *(pa.array([2**24 + 1], kind) for kind in (pa.int32(), pa.int64(), pa.uint64(), pa.float64())),
    *(pa.array([value]).cast(kind) for value in (0, 1, 2) for kind in (pa.int8(), pa.uint64(), pa.float16())),
    pa.array([7], pa.decimal128(20, 0)), pa.array([Decimal("1.25")], pa.decimal256(40, 4)),
    pa.array([1704164645_123456789], pa.timestamp("ns")), pa.array([1704164645_000000000], pa.timestamp("ns", "UTC")),
    pa.array(["a"]).dictionary_encode(), pa.array([5]).dictionary_encode(), pa.array([b"ab"], pa.binary(2)),
    pa.array([b"a"], pa.binary_view()), pa.array(["a"], pa.large_string()), pa.array([2.5], pa.float32()),
]  # fmt: skip


TIMES = ("seconds", "millis")


def same(given: Any, found: Any, exact: bool = True) -> bool:
    """Return whether a value that was read is the one that was given, whatever its type. ``exact``: not a number that a
    float of four bytes rounds."""
    match given, found:
        case dict(), dict():
            return all(same(given.get(name), value, exact) for name, value in found.items() if name != "count")
        case bytes(), list():
            return list(given) == found
        case list() | tuple(), list():
            return len(given) == len(found) and all(same(a, b, exact) for a, b in zip(given, found, strict=True))
        case str() | bytes(), int() | float() | bool() | Decimal():
            # The text of a number, also of a label, is a number.
            text = given.decode() if isinstance(given, bytes) else given
            return text == str(found).lower() or (text.isdigit() and int(text) == found)
        case str(), datetime():
            return datetime.fromisoformat(given).replace(tzinfo=None) == found.replace(tzinfo=None)
        case str(), bytes():
            return given.encode() == found
        case bytes(), str():
            return given == found.encode()
        case int(), str():
            return str(given) == found
        case bool(), datetime():
            return False
        case int() | float() | Decimal(), datetime():
            unit = 1000 if found.tzinfo is None else 1
            return found.replace(tzinfo=UTC) == datetime(1970, 1, 1, tzinfo=UTC) + timedelta(
                seconds=float(given) / unit
            )
        case datetime(), datetime():
            return given.replace(tzinfo=None) == found.replace(tzinfo=None)
        case date(), datetime():
            return given == found.date() and not (found.hour or found.minute or found.second or found.microsecond)
        case ((int() | float() | Decimal()), float()):
            near = math.isclose(given, found, rel_tol=1e-15 if exact else 1e-7)
            return near or (math.isnan(given) and math.isnan(found))
        case float(), Decimal():
            return given == float(found)
    return bool(given == found)


@pytest.fixture(scope="module")
def format() -> Format:
    return format_of(SPEC.replace("COLUMNS", ", ".join(ROW)))


def appended(format: Format, row: dict[str, Any], log: Path) -> bytes:
    log.unlink(missing_ok=True)
    with AppendWriter(log, format) as writer:
        writer.append(**row)
    return log.read_bytes()


def refused_or_same(format: Format, write: Callable[[], bytes], column: str, given: Any) -> None:
    try:
        written = write()
    except wireloom.WireloomError:
        return
    table, report = wireloom.read_with_report(format, written)
    assert report.clean
    if column in TIMES and isinstance(given, int | float) and abs(given) > 2**40:
        return  # Python has no such time.
    [found] = table[column].to_pylist()
    assert same(given, found, exact=column not in ("f4", "floats")), (column, given, found)


Given = Callable[[str, Any], Any]
FORMS: dict[str, Given] = {
    "mappings": lambda column, value: [{**ROW, column: value}],
    "columns": lambda column, value: {**{name: [each] for name, each in ROW.items()}, column: [value]},
    "table": lambda column, value: pa.Table.from_pylist([{**ROW, column: value}]),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("column", ROW)
def test_a_value_is_written_as_it_is_or_refused(format: Format, column: str, form: str) -> None:
    for value in VALUES:
        try:
            rows = FORMS[form](column, value)
        except (pa.ArrowException, OverflowError):
            continue  # Arrow has no such column.
        refused_or_same(format, partial(bytes_of, format, rows), column, value)


@pytest.mark.parametrize("column", ROW)
def test_a_value_is_appended_as_it_is_or_refused(format: Format, column: str, tmp_path: Path) -> None:
    for value in VALUES:
        row = {**ROW, column: value}
        refused_or_same(format, partial(appended, format, row, tmp_path / "some.log"), column, value)


@pytest.mark.parametrize("column", ROW)
def test_an_array_is_written_as_it_is_or_refused(format: Format, column: str) -> None:
    plain = pa.Table.from_pylist([ROW])
    for array in ARRAYS:
        rows = plain.set_column(plain.schema.get_field_index(column), column, array)
        refused_or_same(format, partial(bytes_of, format, rows), column, array[0].as_py())
