"""Statements of generated code that contain others, as text, in the form that a linter requires."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..base import indented
from .view import Lines


def code(lines: Iterable[str]) -> str:
    """Return statements as text."""
    return "\n".join(lines)


def block(head: str, body: Iterable[str]) -> str:
    """Return a statement that contains others.

    >>> print(block("with lock:", ["a = 1", "b = 2"]))
    with lock:
        a = 1
        b = 2
    """
    return f"{head}\n    {indented(code(body))}"


def when(condition: str, body: Iterable[str], otherwise: Lines = ()) -> str:
    """Return statements under a condition; ``otherwise`` is executed if it is not met.

    >>> print(when("a", ["b = 1"], ("b = 2",)))
    if a:
        b = 1
    else:
        b = 2
    """
    return code((block(f"if {condition}:", body), *([block("else:", otherwise)] if otherwise else [])))


def branched(variable: str, branches: Iterable[tuple[str, Lines]], otherwise: Lines) -> str:
    """Return branches on the value of a variable.

    Args:
        variable: The name of the variable.
        branches: Conditions, without the variable, and the statements under each.
        otherwise: The statements if no condition is met.

    >>> print(branched("a", [("== 1", ("b = 1",)), ("in (2, 3)", ("b = 2",))], ()))
    if a == 1:
        b = 1
    elif a in (2, 3):
        b = 2
    """
    texts = [block(f"elif {variable} {condition}:", body) for condition, body in branches]
    texts += [block("else:", otherwise)] if otherwise else []
    return code(texts).removeprefix("el")


def attempt(body: Iterable[str], error: str, handler: Iterable[str]) -> str:
    """Return statements with a handler of an error; ``error`` is the text after ``except``.

    >>> print(attempt(["a = 1 / b"], "ZeroDivisionError", ["a = 0"]))
    try:
        a = 1 / b
    except ZeroDivisionError:
        a = 0
    """
    return code((block("try:", body), block(f"except {error}:", handler)))


def loop(item: str, values: str, body: Lines) -> str:
    """Return a loop over the items of a list; it has an index if a statement uses it.

    Args:
        item: The name of the variable with the item.
        values: The text of the list.
        body: The statements of the loop.
    """
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
