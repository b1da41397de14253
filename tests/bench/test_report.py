"""The plot of a benchmark is readable on a screen, regardless of the number of comparisons."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from .report import plot


def row(number: int) -> dict[str, Any]:
    return {
        "title": f"comparison {number} of a long list",
        "against": "a peer with a name",
        "ratio": 1.0 + number,
        "lowest_ratio": 0.9 + number,
        "highest_ratio": 1.1 + number,
        "target": None if number % 2 else 1.0,
    }


def size_of(png: Path) -> tuple[int, int]:
    width, height = struct.unpack(">II", png.read_bytes()[16:24])
    return width, height


@pytest.mark.parametrize("count", [24, 25])
def test_the_plot_fits_a_screen(tmp_path: Path, count: int) -> None:
    plot([row(number) for number in range(count)], tmp_path / "bench.png")
    width, height = size_of(tmp_path / "bench.png")
    assert height <= 1_100
    assert width <= 900 * -(-count // 24)
