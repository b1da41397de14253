"""The pictures of a benchmark fit a screen, regardless of the number of comparisons."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from .growth import AXES, exponent
from .report import write

GROWN = {
    "title": "files, scan",
    "unit": "files",
    "counts": [20, 200, 2000],
    "seconds": [0.001, 0.011, 0.13],
    "memory": [0.0, 2e6, 3e8],
    "exponent": 1.073,
    "memory_exponent": 2.18,
    "most": 1.1,
    "most_memory": 0.1,
}


def row(part: str, number: int) -> dict[str, Any]:
    return {
        "part": part,
        "title": f"{part} {number}, a comparison with a long title",
        "work": "wireloom",
        "against": "a peer with a name",
        "note": "",
        "work_speed": 1e9,
        "against_speed": 1e8,
        "ratio": 0.1 + number,
        "lowest_ratio": 0.05 + number,
        "highest_ratio": 1.1 + number,
        "target": None if number % 2 else 1.0,
    }


def test_every_comparison_is_in_a_picture_that_fits_a_screen(tmp_path: Path) -> None:
    rows = [row("wide", 0), *(row("layouts", number) for number in range(41))]
    absent = {**row("wide", 1), "absent": "it cannot be imported"}
    names = write([*rows, absent], [], [GROWN], {"cpu": "avx2"}, 16, 3, tmp_path)
    pictures = ["bench-wide.svg", "bench-layouts.svg", "bench-layouts-2.svg", "bench-layouts-3.svg"]
    assert names == [*pictures, "bench-growth.svg"]
    shown = []
    for name in pictures:
        picture = ElementTree.parse(tmp_path / name).getroot()
        # In points, of which 72 are 96 pixels.
        width, height = (float(picture.attrib[side].removesuffix("pt")) * 96 / 72 for side in ("width", "height"))
        assert width <= 1000
        assert height <= 900
        text = (tmp_path / name).read_text()
        assert "cores" in text
        shown += re.findall(r">(\w+ \d+), a comparison", text)
    assert shown == [each["title"].partition(",")[0] for each in rows]
    page = (tmp_path / "bench.md").read_text()
    assert all(f"({name})" in page for name in names)
    assert "absent: it cannot be imported" in page
    assert "| files, scan | 20 files | 1 · 11 · 130 ms | 1.07 | 0 · 2 · 300 MB | 2.18 | **not reached** |" in page
    assert "files, scan" in (tmp_path / "bench-growth.svg").read_text()


def test_the_exponent_is_that_of_the_last_tenfold() -> None:
    assert exponent([1.0, 1.0, 100.0]) == pytest.approx(2)
    assert exponent([1.0, 5.0, 50.0]) == pytest.approx(1)


@pytest.mark.parametrize("name", AXES)
def test_inputs_that_grow_can_be_read(name: str, tmp_path: Path) -> None:
    AXES[name].prepare(tmp_path, 3)
    AXES[name].work(tmp_path)
