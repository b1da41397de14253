"""Statements of generated code as text: those inside of others, and those of the templates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from ..base import indented, template_environment
from .view import Lines

FOLDER = Path(__file__).parent
TEMPLATES = ("reading.py.j2", "writing.py.j2", "readwrite.py.j2")
"""The templates of statements that have several parts; each statement is a macro."""


class Use:
    """Access to the runtime's functions and classes for templates: ``use.NAME`` imports the name and returns its local
    name.
    """

    def __init__(self, use: Callable[[str], str]) -> None:
        self._use = use

    def __getattr__(self, name: str) -> str:
        return self._use(name)

    def __getitem__(self, name: str) -> str:
        return self._use(name)


def macros(use: Callable[[str], str]) -> dict[str, Callable[..., str]]:
    """Return the macros of the templates by name.

    Args:
        use: Imports a name of the runtime into the generated module, and returns its local name.
    """
    environment = template_environment(FOLDER)
    found: dict[str, Callable[..., str]] = {}
    for name in TEMPLATES:
        found |= vars(environment.get_template(name).make_module({"use": Use(use)}))
    return found


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
