"""Values are not truncated on terminals of all usual widths: fields are shown below the bytes if they do not fit beside
them."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
import wireloom
from rich.console import Console
from wireloom.format.registry import get
from wireloom.input.expansion import expand
from wireloom.inspecting import Painter, Wanted, record_scan, records

ROW = {"fmt": 0, "tenant": 17, "ts_millis": 1_790_000_000_000, "payload": b'{"event":"search"}'}
VALUES = ["0x5e2b31e5 ✓ holds", "1790000000000", '\'{"event":"search"}\'', "2026-09-21T14:13:20.000Z"]


def painted(path: Path, width: int) -> str:
    format, wanted = get("edgemq_segment"), Wanted(0, 1, 1, False)
    out = io.StringIO()
    console = Console(file=out, width=width, no_color=True, highlight=False)
    scan = record_scan(format, expand(str(path))[0], wanted)
    for each in records(scan):
        Painter(format, console, 512).print(each)
    return out.getvalue()


@pytest.mark.parametrize("width", [80, 100, 110, 120, 125, 130, 160, 240])
def test_short_values_are_not_broken(width: int, tmp_path: Path) -> None:
    wireloom.write("edgemq_segment", [ROW], tmp_path / "a.wal")
    text = painted(tmp_path / "a.wal", width)
    assert [value for value in VALUES if value not in text] == []
    beside = any("000000  " in line and "len" in line for line in text.splitlines())
    assert beside == (width >= 130)


@pytest.mark.slow
def test_long_values_have_room_to_be_folded_in(tmp_path: Path) -> None:
    wireloom.write("edgemq_segment", [ROW | {"payload": b"x" * 500}], tmp_path / "a.wal")
    for width in range(80, 200, 7):
        # The column of characters beside the hex has 16 of them in a line.
        assert "x" * 30 in painted(tmp_path / "a.wal", width)
