"""Pictures: texts of docs/flow.svg stay inside their boxes in any likely font, docs/damage.svg shows real reads."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

from .damage import PICTURE, drawn

SVG = "{http://www.w3.org/2000/svg}"
DOCS = Path(__file__).parents[2] / "docs"
FLOW = ElementTree.parse(DOCS / "flow.svg").getroot()
MARGIN = 8
"""Minimum distance in pixels between a text and the border of its box."""
FONTS = {
    "name": (14, FontProperties(family="DejaVu Sans", weight="bold")),
    "note": (12, FontProperties(family="DejaVu Sans")),
}
"""Size in pixels and font of each class of text. DejaVu Sans is wider than Arial, Helvetica, Roboto and Segoe UI."""


def place(element: ElementTree.Element) -> tuple[float, float]:
    return float(element.attrib["x"]), float(element.attrib["y"])


def box_of(text: ElementTree.Element) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of the box in which a text begins."""
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


def test_what_damage_costs_is_drawn_as_it_is_read() -> None:
    """The picture equals what is read; ``python -m tests.docs.damage`` draws it again."""
    assert PICTURE.read_text("utf-8") == drawn()
