"""The pictures of a benchmark fit a screen, regardless of the number of comparisons."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from .report import write


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
    names = write([*rows, absent], [], {"cpu": "avx2"}, 16, 3, tmp_path)
    assert names == ["bench-wide.svg", "bench-layouts.svg", "bench-layouts-2.svg", "bench-layouts-3.svg"]
    shown = []
    for name in names:
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
