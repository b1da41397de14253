"""Both executions of a spec give the same rows, damage and report on every input, valid or invalid."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from wireloom import Format, engine

from ...examples import strided
from .cases import ROWS, SPECS, START
from .specs import format_of

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine is not there to agree with")

PLAUSIBLE = [*range(12), 0x20, 0x2C, 0x3B, 0x41, 0xAB, 0xC3, 0xA9, 0xFE, 0xFD, 0xFF]


def inputs(name: str, seed: int, count: int) -> list[bytes]:
    """Return valid rows in any order, most of them with a byte changed, removed or inserted, or cut off."""
    chance = random.Random(seed)
    delimiter = format_of(SPECS[name]).delimiter
    made = []
    for number in range(count):
        rows = chance.choices(ROWS[name], k=chance.randrange(8))
        data = bytearray(START.get(name, b""))
        data += b"".join(engine.stuff(row, b"\1") + delimiter if delimiter else row for row in rows)
        for _ in range(0 if number % 4 == 0 else chance.choice([1, 1, 2, 5])):
            at = chance.randrange(len(data) + 1)
            new = chance.choice([chance.randrange(256), chance.choice(PLAUSIBLE)])
            match chance.choice(["change", "change", "change", "insert", "remove", "cut"]):
                case "change":
                    data[at : at + 1] = bytes([new])
                case "insert":
                    data[at:at] = bytes([new])
                case "remove":
                    del data[at : at + chance.choice([1, 1, 4])]
                case "cut":
                    del data[at:]
        made.append(bytes(data))
    return [*made, *(bytes(chance.choices(PLAUSIBLE, k=chance.randrange(40))) for _ in range(count // 4))]


def outcome(format: Format, data: bytes, **options: Any) -> tuple[Any, Any]:
    """Return rows and report, or the error."""
    columns = [each.name for each in format.columns] + ["_offset", "_error", "_corrupt_record"]
    try:
        table, report = wireloom.read_with_report(format, data, columns=columns, check_format=False, **options)
    except wireloom.WireloomError as error:
        return type(error).__name__, (error.offset, error.reason)
    return [plain(column) for column in table.columns], report.to_dict()["files"]


def plain(column: pa.ChunkedArray) -> list[Any]:
    """Return values that can be compared: without floats that differ from themselves, and times that Python cannot
    represent."""
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.int64())
    return [repr(value) if isinstance(value, float) else value for value in column.to_pylist()]


@pytest.mark.slow
@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("recover", [False, True])
def test_engine_and_objects_agree(name: str, recover: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    format = format_of(SPECS[name])
    assert format.engine_refusal is None
    rows = 0
    for data in inputs(name, seed=recover, count=len(strided(range(240), 10))):
        by_engine = outcome(format, data, recover=recover)
        with monkeypatch.context() as patched:
            patched.setattr(engine, "available", False)
            by_objects = outcome(format, data, recover=recover)
        assert by_engine == by_objects, data.hex()
        # Rows that are not damaged; an error has no columns.
        rows += 0 if isinstance(by_engine[0], str) else by_engine[0][-2].count(None)
    assert rows
