"""Values that are null in most rows: long runs of nulls between them, across invalid units, rows and calls."""

from __future__ import annotations

from typing import Any

import pytest
from wireloom import engine
from wireloom.format import registry
from wireloom.rows.select import decoder_of as make_decoder

from .units import outcome
from .wire_inputs import delimited, varint

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine is not there to agree with")

RARE: dict[int, tuple[str, bytes, Any]] = {
    0: ("body_string", delimited(1, b"first"), "first"),
    9: ("body_int", varint(3 << 3) + varint(7), 7),
    17: ("body_string", delimited(1, b""), ""),
    18: ("body_bool", varint(2 << 3) + varint(1), True),
    90: ("body_string", delimited(1, b"a" * 70), "a" * 70),
    # The last member of a oneof replaces the others.
    91: ("body_bytes", varint(3 << 3) + varint(9) + delimited(1, b"x") + delimited(7, b"\xff"), b"\xff"),
    299: ("body_int", varint(3 << 3) + varint(-1), -1),
}
NAMES = ["body_string", "body_bool", "body_int", "body_double", "body_bytes", "attributes"]
ROWS = 300


def record(number: int) -> bytes:
    """Return a log record whose body, if it has any, is also the value of its second attribute."""
    if number not in RARE:
        return delimited(6, delimited(1, b"a"))
    value = RARE[number][1]
    return (
        delimited(5, value) + delimited(6, delimited(1, b"a")) + delimited(6, delimited(1, b"b") + delimited(2, value))
    )


def message(numbers: range) -> bytes:
    return delimited(1, delimited(2, b"".join(delimited(2, record(each)) for each in numbers)))


@pytest.mark.parametrize("size", [1, 7, 100, ROWS])
@pytest.mark.parametrize("null_rows", [False, True])
def test_they_are_where_they_were_written(size: int, null_rows: bool) -> None:
    format = registry.get("otlp_logs")
    wanted = [number for number, each in enumerate(format.columns) if each.name in NAMES]
    units = []
    for first in range(0, ROWS, size):
        # An invalid unit has values before its end, which must leave nothing.
        units += [message(range(80, 100)) + b"\x0a\x7f", message(range(first, min(ROWS, first + size)))]
    found = {
        name: outcome(make_decoder(name, format, wanted, null_rows=null_rows), format, wanted, units, capacity=50)
        for name in ("engine", "objects")
    }
    assert found["engine"].rows == found["objects"].rows
    invalid = len(units) // 2
    assert found["engine"].counts == found["objects"].counts
    assert len(found["engine"].problems) == invalid
    rows = [row for row in found["engine"].rows if row["attributes"] is not None]
    assert len(rows) == ROWS
    assert len(found["engine"].rows) == ROWS + (invalid if null_rows else 0)
    for number, row in enumerate(rows):
        name, _, value = RARE.get(number, ("", b"", None))
        for each in NAMES[:-1]:
            assert row[each] == (value if each == name else None)
        assert len(row["attributes"]) == (2 if name else 1)
        if name:
            inner = row["attributes"][1]["value"]
            assert {key: part for key, part in inner.items() if part is not None} == {
                name.removeprefix("body_") + "_value": value
            }
