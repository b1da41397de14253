"""Loops and conditions around statements, in the form that a linter requires."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..render import code
from ..scope import ClassScope
from ..view import Lines


def loop(scope: ClassScope, item: str, values: str, body: Iterable[str]) -> str:
    """Return a loop over the items of a list; it has an index if a statement uses it."""
    lines = tuple(body)
    text = code(lines)
    template = "readwrite/items"
    if _mentions(text, "index"):
        template = "readwrite/numbered_items" if _mentions(text, item) else "readwrite/numbers_of_items"
    return scope.code(template, item=item, values=values, body=lines)


def _mentions(text: str, name: str) -> bool:
    """Return whether the text uses a variable of that name, as opposed to a member or a string."""
    return re.search(rf"(?<![.'\w]){name}\b(?!')", text) is not None


def when(scope: ClassScope, conditions: Iterable[str], lines: Lines) -> str:
    """Return ``lines`` under all conditions; nested conditions are merged into one."""
    parts = list(conditions)
    head, *body = code(lines).split("\n")
    if head.startswith("if ") and all(each[:4] == "    " for each in body):
        parts.append(head.removeprefix("if ").removesuffix(":"))
        lines = ("\n".join(each[4:] for each in body),)
    if len(parts) > 1:
        parts = [f"({each})" if " or " in each or " if " in each else each for each in parts]
    return scope.code("readwrite/when_all", conditions=parts, body=lines)
