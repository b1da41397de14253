"""Loops and conditions around statements, in the form that a linter requires."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..statements import block, code, when
from ..view import Lines


def loop(item: str, values: str, body: Lines) -> str:
    """Return a loop over the items of a list; it has an index if a statement uses it."""
    text = code(body)
    if not _mentions(text, "index"):
        return block(f"for {item} in {values}:", body)
    if _mentions(text, item):
        return block(f"for index, {item} in enumerate({values}):", body)
    return block(f"for index in range(len({values})):", body)


def _mentions(text: str, name: str) -> bool:
    """Return whether the text uses a variable of that name, as opposed to a member or a string."""
    return re.search(rf"(?<![.'\w]){name}\b(?!')", text) is not None


def when_all(conditions: Iterable[str], lines: Lines) -> str:
    """Return ``lines`` under all conditions; nested conditions are merged into one."""
    parts = list(conditions)
    head, *body = code(lines).split("\n")
    if head.startswith("if ") and all(each[:4] == "    " for each in body):
        parts.append(head.removeprefix("if ").removesuffix(":"))
        lines = ("\n".join(each[4:] for each in body),)
    if len(parts) > 1:
        parts = [f"({each})" if " or " in each or " if " in each else each for each in parts]
    return when(" and ".join(parts), lines)
