"""Loops and conditions around statements, as a linter wants them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..render import code
from ..scope import ClassScope
from ..view import Lines


def loop(scope: ClassScope, item: str, values: str, body: Iterable[str]) -> str:
    """Return a loop over the items of a list; they are counted where a statement asks for the number."""
    lines = tuple(body)
    text = code(lines)
    template = "readwrite/items"
    if _mentions(text, "index"):
        template = "readwrite/numbered_items" if _mentions(text, item) else "readwrite/numbers_of_items"
    return scope.code(template, item=item, values=values, body=lines)


def _mentions(text: str, name: str) -> bool:
    """Return whether there is the variable, not a member or a text of that name."""
    return re.search(rf"(?<![.'\w]){name}\b(?!')", text) is not None


def when(scope: ClassScope, conditions: Iterable[str], lines: Lines) -> str:
    """``lines`` where all conditions hold; one condition where another would be inside."""
    parts = list(conditions)
    head, *body = code(lines).split("\n")
    if head.startswith("if ") and all(each[:4] == "    " for each in body):
        parts.append(head.removeprefix("if ").removesuffix(":"))
        lines = ("\n".join(each[4:] for each in body),)
    if len(parts) > 1:
        parts = [f"({each})" if " or " in each or " if " in each else each for each in parts]
    return scope.code("readwrite/when_all", conditions=parts, body=lines)
