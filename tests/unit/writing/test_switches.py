"""Columns whose type a switch selects: what was read can be written."""

import struct
from pathlib import Path

import pytest
import wireloom

from ..specs import format_of

SPEC = """meta: {id: t, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types: {row: {seq: [{id: k, type: u1}, {id: v, type: {switch-on: k, cases: {1: f4, 2: f8, 3: s1, 4: u8}}}]}}
"""


@pytest.fixture
def format() -> wireloom.Format:
    return format_of(SPEC)


def test_rows_are_written_as_they_were_read(tmp_path: Path, format: wireloom.Format) -> None:
    data = struct.pack("<BfBdBbBQBBd", 1, 0.1, 2, 0.1, 3, -1, 4, 1 << 52, 9, 2, -0.0)
    table = wireloom.read(format, data)
    assert table["v"].null_count == 1
    wireloom.write(format, table, tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == data


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"k": 3, "v": 1.5}, "1.5"),
        ({"k": 3, "v": 128.0}, "128.0"),
        ({"k": 4, "v": 2.0**64}, "does not fit"),
        ({"k": 3, "v": None}, "v"),
        ({"k": 1, "v": None}, "v"),
        ({"k": 9, "v": 1.0}, "column v"),
    ],
)
def test_what_no_case_can_hold(tmp_path: Path, format: wireloom.Format, row: dict[str, object], message: str) -> None:
    with pytest.raises(wireloom.WireloomError, match=message):
        wireloom.write(format, [row, row], tmp_path / "out")
