"""Loops and conditions around statements, as a linter wants them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..render import code
from ..view import Line, Lines, block


def loop(item: str, values: str, body: Iterable[Line]) -> Line:
    """A loop over the items of a list; they are counted where a statement asks for the number."""
    lines = tuple(body)
    if not _mention(lines, "index"):
        return block(f"for {item} in {values}:", lines)
    if not _mention(lines, item):
        return block(f"for index in range(len({values})):", lines)
    return block(f"for index, {item} in enumerate({values}):", lines)


def _mention(lines: Lines, name: str) -> bool:
    """Whether there is the variable, not a member or a text of that name."""
    variable = re.compile(rf"(?<![.'\w]){name}\b(?!')")
    return any(variable.search(each.text) or _mention(each.body, name) for each in lines)


def when(conditions: Iterable[str], lines: Lines) -> Line:
    """``lines`` where all conditions hold; one condition where another would stand inside."""
    parts = list(conditions)
    head, *body = code(lines).split("\n")
    if head.startswith("if ") and all(each[:4] == "    " for each in body):
        parts.append(head.removeprefix("if ").removesuffix(":"))
        lines = (Line("\n".join(each[4:] for each in body)),)
    if len(parts) > 1:
        parts = [f"({each})" if " or " in each or " if " in each else each for each in parts]
    return block(f"if {' and '.join(parts)}:", lines)
