"""The text of docs/flow.svg stays inside its boxes, in the widest font that readers are likely to have."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

SVG = "{http://www.w3.org/2000/svg}"
FLOW = ElementTree.parse(Path(__file__).parents[2] / "docs" / "flow.svg").getroot()
MARGIN = 8
"""Least distance in pixels between a text and the border of its box."""
FONTS = {
    "name": (14, FontProperties(family="DejaVu Sans", weight="bold")),
    "note": (12, FontProperties(family="DejaVu Sans")),
}
"""Size in pixels and font of each class of text. DejaVu Sans is wider than Arial, Helvetica, Roboto and Segoe UI."""


def place(element: ElementTree.Element) -> tuple[float, float]:
    return float(element.attrib["x"]), float(element.attrib["y"])


def box_of(text: ElementTree.Element) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of the box that a text begins in."""
    x, y = place(text)
    boxes = [each for each in FLOW.iter(f"{SVG}rect") if "box" in each.get("class", "")]
    for each in boxes:
        left, top = place(each)
        right, bottom = left + float(each.attrib["width"]), top + float(each.attrib["height"])
        if left <= x <= right and top <= y <= bottom:
            return left, top, right, bottom
    raise AssertionError(f"{text.text!r} begins in no box")


@pytest.mark.parametrize("text", list(FLOW.iter(f"{SVG}text")), ids=lambda each: str(each.text))
def test_texts_stay_inside_their_boxes(text: ElementTree.Element) -> None:
    size, font = FONTS[text.attrib["class"]]
    _, _, right, bottom = box_of(text)
    x, y = place(text)
    # Points and pixels are the same here: both are units of the picture.
    extents = TextPath((0, 0), text.text or "", size=size, prop=font).get_extents()
    assert x + extents.xmax <= right - MARGIN
    assert y - extents.ymin <= bottom - MARGIN / 2
