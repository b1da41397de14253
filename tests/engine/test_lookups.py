"""Look-ups whose indices are the largest possible numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from wireloom import engine

from ..unit.messages.hand_made import RECORDS, RECORDS_FORMAT, decoder_of, delimited, enveloped, format_of, record
from ..unit.messages.units import placed

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine is not there")


@pytest.mark.parametrize("mask", [2**64 - 1, 2**32 - 1])
@pytest.mark.parametrize("index", [1, 2**32 - 1, 2**63, 2**64 - 2, 2**64 - 1])
def test_the_largest_indices(index: int, mask: int) -> None:
    program = replace(RECORDS, columns=(replace(RECORDS.columns[0], mask=mask), *RECORDS.columns[1:]))
    format = format_of(program, RECORDS_FORMAT.schema)
    unit = enveloped(delimited(1, b"k") + record(0, b"x") + record(index, b"y"))
    decoded = decoder_of(format).decode(*placed([unit]), capacity=10)
    if index & mask:
        [problem] = decoded.problems
        assert (problem.reason, decoded.rows) == ("index", 1)
        assert decoded.arrays[0].to_pylist() == ["k"]
    else:
        assert decoded.arrays[0].to_pylist() == ["k", "k"]
