"""Further errors in a member that has an error: its other expressions are checked too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from ..expression.nodes import BooleanLiteral, Name
from ..spec.syntax import Expression, Items, ProcessReference, Section, TypeReference
from .scope import UNKNOWN, Surroundings, Typing
from .symbols import Member, Symbol

AMOUNTS = ("size", "repeat-expr", "pos")


class Checker(Protocol):
    """The checks of the expressions of a member, each by its key; see ``build.Builder``."""

    typing: Typing

    @property
    def checks(self) -> Mapping[str, Any]:
        """Return, by key, the check of its expression, for keys that do not depend on the attribute's type."""
        ...

    def checked(self, symbol: Symbol, section: Section, key: str, check: Any, around: Surroundings) -> Any:
        """Check the expression of a key."""
        ...

    def amount(self, symbol: Symbol, expression: Expression, what: str, around: Surroundings) -> Any:
        """Check an expression of a size, count or position."""
        ...


def check_leftovers(builder: Checker, symbol: Symbol, member: Member) -> None:
    """Report errors of a member's expressions that are independent of its known error."""
    section = member.section
    for key, value in section.values.items():
        if key in builder.checks:
            builder.checked(symbol, section, key, builder.checks[key], UNKNOWN)
        elif key in AMOUNTS and isinstance(value, Expression):
            builder.amount(symbol, value, f"'{key}'", UNKNOWN)
    for expression in _others(section):
        builder.typing.expression(symbol, expression, UNKNOWN)


def _others(section: Section) -> Iterator[Expression]:
    """Yield the expressions in which nothing but the names can be checked."""
    for key in ("valid", "type", "process", "value", "parent"):
        value = section.values.get(key)
        if not (isinstance(value, Expression) and isinstance(value.node, BooleanLiteral)):
            yield from _inside(value)


def _inside(value: object) -> Iterator[Expression]:
    match value:
        case Expression():
            yield value
        case TypeReference(arguments=arguments):
            yield from (value.argument(index) for index in range(len(arguments)))
        case ProcessReference(arguments=arguments):
            yield from arguments
        case Items(items=items):
            for each in items:
                yield from _inside(each)
        case Section():
            for each in value.values.values():
                yield from _inside(each)
            for entry in value.entries("cases") if value.table == "switch" else ():
                if isinstance(entry.key, Expression) and entry.key.node != Name("_"):
                    yield entry.key
                yield from _inside(entry.value)
