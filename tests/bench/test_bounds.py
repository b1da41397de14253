"""Every row of the table of bounds reads its input, and its bound does work."""

from __future__ import annotations

import pytest
import wireloom

from .bounds import ROWS, Row
from .measure import missing


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.title}, {row.bound.__name__}")
def test_rows_and_their_bounds_run(row: Row) -> None:
    if missing(*row.needs):
        pytest.skip("the peer of this row is only in the environment of the benchmarks")
    if not wireloom.engine.available:
        pytest.skip("rows are those of the engine")
    input = row.make(400_000)
    against = row.bound(input)
    against.run()
    row.reads(input)()
    assert against.bytes >= max(map(len, input.pieces))
