"""The templates of ``nodes/``: one for each kind of statement and expression in generated code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from jinja2 import Environment, Template

from ..base import template_environment

NODES = Path(__file__).parent / "nodes"


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


def rendered(name: str, use: Use, values: dict[str, object]) -> str:
    """Return the rendered text of a template, without the line break at its end."""
    return _template(name).render(values, use=use).rstrip("\n")


def code(lines: Iterable[str]) -> str:
    """Return statements as text."""
    return "\n".join(lines)


@cache
def _template(name: str) -> Template:
    return _environment().get_template(f"{name}.j2")


@cache
def _environment() -> Environment:
    environment = template_environment(NODES)
    environment.filters["code"] = code
    environment.filters["literal"] = repr
    return environment
