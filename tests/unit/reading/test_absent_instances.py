"""Value instances that depend on absent values are null, and their row is valid."""

from __future__ import annotations

import pytest
import wireloom
from wireloom import DamagedInputError, Format

from ..specs import format_of

SPEC = """
meta: {id: optional, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq: [{id: a, type: u1}, {id: b, type: u2, if: a > 1}MORE]
    instances:
      v: {value: b + 1}
      above: {value: v * 2}
      either: {value: 'a > 1 ? b + a : 7'}
      same: {value: b == 0x505}
      asked: {value: a, if: b > 3}
"""
DATA = bytes((1, 2, 5, 5, 1))
EXPECTED = {
    "a": [1, 2, 1],
    "b": [None, 0x505, None],
    "v": [None, 0x506, None],
    "above": [None, 0xA0C, None],
    "either": [7, 0x507, 7],
    "same": [False, True, False],
    "asked": [None, 2, None],
}


def loaded(more: str = "") -> Format:
    return format_of(SPEC.replace("MORE", more))


@pytest.mark.parametrize("engine", ["", "objects"])
def test_they_are_null(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIRELOOM_ENGINE", engine)
    found = loaded()
    assert wireloom.read(found, DATA, mode="failfast").to_pydict() == EXPECTED
    for name in EXPECTED:
        assert wireloom.read(found, DATA, mode="failfast", columns=[name]).to_pydict() == {name: EXPECTED[name]}


def test_a_layout_that_needs_one_is_damage() -> None:
    found = loaded(", {id: tail, size: v % 2}")
    with pytest.raises(DamagedInputError) as caught:
        wireloom.read(found, DATA, mode="failfast")
    assert caught.value.reason == "value"
