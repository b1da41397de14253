"""``ks-debug``: what an object notes about where its attributes lie, as those of Kaitai's own compiler do."""

from __future__ import annotations

from ...model.model import Attribute
from .scope import ClassScope
from .view import Line, Lines

LIST = "arr"
"""Under this key a repeated attribute has the places of its items."""


def recorded(scope: ClassScope, attribute: Attribute, item: str, lines: Lines) -> Lines:
    """``lines``, which read an attribute or, where ``item`` is ``[-1]``, one item of it, and notes around them."""
    if not scope.module.debug:
        return lines
    place = f"self._debug[{attribute.id!r}]"
    if item:
        items = f"{place}[{LIST!r}]"
        return Line(f"{items}.append({{'start': io.pos()}})"), *lines, Line(f"{items}[-1]['end'] = io.pos()")
    begun = [Line(f"{place}['start'] = io.pos()")]
    if attribute.repeat is not None:
        begun.append(Line(f"{place}[{LIST!r}] = []"))
    return *begun, *lines, Line(f"{place}['end'] = io.pos()")
