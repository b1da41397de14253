"""Statements of generated code that contain others, as text."""

from __future__ import annotations

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
