"""Both executions of a spec give the same rows, damage and report on every input, good or bad."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from wireloom import engine
from wireloom.format import Format

from .cases import SPECS
from .specs import format_of

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine is not there to agree with")

PLAUSIBLE = [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 0x20, 0x2C, 0x3B, 0x41, 0xAB, 0xC3, 0xA9, 0xFE, 0xFD, 0xFF]


def inputs(seed: int, count: int) -> list[bytes]:
    """Bytes of all kinds: mostly small numbers, so that lengths are often possible."""
    chance = random.Random(seed)
    made = []
    for _ in range(count):
        size = chance.choice([0, 1, 2, 5, 20, 60, 200])
        weights = chance.choice([(1, 0, 0), (6, 1, 3), (0, 1, 1), (10, 1, 0)])
        kinds = chance.choices(("small", "any", "plausible"), weights, k=size)
        values = {"small": lambda: chance.randrange(12), "any": lambda: chance.randrange(256)}
        made.append(bytes(values.get(kind, lambda: chance.choice(PLAUSIBLE))() for kind in kinds))
    return made


def outcome(format: Format, data: bytes, **options: Any) -> tuple[Any, Any]:
    """Rows and report, or the error."""
    columns = [each.name for each in format.columns] + ["_offset", "_error", "_corrupt_record"]
    try:
        table, report = wireloom.read_with_report(format, data, columns=columns, **options)
    except wireloom.WireloomError as error:
        return type(error).__name__, (error.offset, error.reason)
    return [plain(column) for column in table.columns], report.to_dict()["files"]


def plain(column: pa.ChunkedArray) -> list[Any]:
    """Values that can be compared: no float that differs from itself, no time that Python cannot hold."""
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.int64())
    return [repr(value) if isinstance(value, float) else value for value in column.to_pylist()]


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("recover", [False, True])
def test_engine_and_objects_agree(name: str, recover: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    format = format_of(SPECS[name])
    assert format.engine_refusal is None
    rows = 0
    for data in inputs(seed=len(name) * 2 + recover, count=120):
        by_engine = outcome(format, data, recover=recover)
        with monkeypatch.context() as patched:
            patched.setattr(engine, "available", False)
            by_objects = outcome(format, data, recover=recover)
        assert by_engine == by_objects, data.hex()
        rows += wireloom.read(format, data).num_rows
    assert rows > 20
