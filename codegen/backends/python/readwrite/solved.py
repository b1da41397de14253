"""Sizes, counts and positions as the solutions that a writer fills in."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from ....expression.nodes import IntegerLiteral, Node
from ....expression.types import UserType
from ....passes.solving import Solution, solutions
from ....tree import Attribute
from ....tree.leaves import ExpressionSize, Parameter, RepeatCount
from ..expressions import PRODUCT
from ..names import field_name
from ..scope import ClassScope
from ..statements import when
from ..view import Lines
from .deferral import is_deferred


def solution_texts(scope: ClassScope, node: Node, field: Attribute) -> tuple[str, ...]:
    """Return the solutions of an expression of ``field`` as arguments for the runtime."""
    found = solutions(scope.spec, scope.struct, node)
    return tuple(_text(scope, each, field, deferred=len(found) > 1) for each in found)


def _text(scope: ClassScope, solution: Solution, field: Attribute, *, deferred: bool) -> str:
    """Return the text of a solution. ``deferred``: its numbers may depend on another solution, so they are computed on
    demand.
    """

    def number(node: Node) -> str:
        text = scope.text(node, field)
        return f"lambda: {text}" if deferred and not isinstance(node, IntegerLiteral) else text

    owner = "self" if solution.owner is None else scope.text(solution.owner, field)
    arguments = [owner, repr(field_name(solution.name))]
    if not _is(solution.factor, 1) or not _is(solution.addend, 0):
        arguments.append(number(solution.factor))
    if not _is(solution.addend, 0):
        arguments.append(number(solution.addend))
    return f"{scope.use('Solution')}({', '.join(arguments)})"


def _is(node: Node, value: int) -> bool:
    return isinstance(node, IntegerLiteral) and node.value == value


def solve_line(scope: ClassScope, node: Node, field: Attribute, wanted: str) -> tuple[str, ...]:
    """Return the statement that sets the field on which an expression depends, so that the expression has a value.

    Args:
        scope: The scope of the class.
        node: The expression, such as a size.
        field: The field that the expression belongs to.
        wanted: The text of the value.
    """
    found = solutions(scope.spec, scope.struct, node)
    if not found:
        return ()
    if _follows_alone(found):
        alone = followed_alone(scope, node, field, wanted)
        return tuple(f"self._follow({name!r}, {text})" for name, text in alone)
    return (f"self._solve({', '.join((wanted, *solution_texts(scope, node, field)))})",)


def _follows_alone(found: tuple[Solution, ...]) -> bool:
    return len(found) == 1 and found[0].owner is None and _is(found[0].factor, 1)


def followed_alone(scope: ClassScope, node: Node, field: Attribute, wanted: str) -> tuple[tuple[str, str], ...]:
    """Return the field of the same object that alone determines an expression, with the text of its derived value.

    Args:
        scope: The scope of the class.
        node: The expression, such as a size.
        field: The field that the expression belongs to.
        wanted: The text of the value that the expression has to have.

    Returns:
        The field and the text; empty if there is none, if there is a choice, or if an earlier field determines it.
    """
    found = solutions(scope.spec, scope.struct, node)
    if not _follows_alone(found) or _is_decided(scope, field, found[0].name):
        return ()
    addend = found[0].addend
    if isinstance(addend, IntegerLiteral):
        rest = f" {'-' if addend.value > 0 else '+'} {abs(addend.value)}" if addend.value else ""
    else:
        rest = f" - {scope.translator(field.position).text(addend, PRODUCT)}"
    return ((field_name(found[0].name), f"{wanted}{rest}"),)


def with_room(scope: ClassScope, field: Attribute, content: str, check: str) -> Lines:
    """Return the ``check`` of a field that may be longer than its content, after statements that make its size large
    enough for the content and its terminator.
    """
    node = field.size.expression if isinstance(field.size, ExpressionSize) else None
    found = solutions(scope.spec, scope.struct, node) if node is not None else ()
    if node is None or not found:
        return (check,)
    others = [each for each in scope.struct.attributes if each.id != field.id]
    if len(found) == 1 and found[0].owner is None and _decide(scope, others, found[0].name):
        # The field that determines the size may come after this one.
        return (when(f"hasattr(self, {field_name(found[0].name)!r})", [check]),)
    end = field.terminator
    ending = len(end.value) if end is not None and not end.include else 0
    parts = repr(field_name(field.id)), content, str(ending), *solution_texts(scope, node, field)
    return f"self._make_room({', '.join(parts)})", check


def _is_decided(scope: ClassScope, field: Attribute, name: str) -> bool:
    """Return whether an earlier field always determines ``name``; this field is then checked against it."""
    before = takewhile(lambda each: each.id != field.id, scope.struct.attributes)
    return _decide(scope, before, name)


def _decide(scope: ClassScope, fields: Iterable[Attribute], name: str) -> bool:
    """Return whether one of the fields always determines ``name``."""
    for each in fields:
        if each.condition is not None or each.switch is not None or isinstance(each.type, UserType):
            continue
        counted = each.repeat.expression if isinstance(each.repeat, RepeatCount) else None
        exact = each.repeat is None and each.terminator is None and each.pad_right is None
        sized = each.size.expression if isinstance(each.size, ExpressionSize) and exact else None
        for node in (counted, sized):
            found = solutions(scope.spec, scope.struct, node) if node is not None else ()
            if len(found) == 1 and found[0].owner is None and found[0].name == name:
                return True
    return False


def solved_names(scope: ClassScope) -> tuple[str, ...]:
    """Return the fields and parameters of a type that are derived from sizes, counts, positions and computed values."""
    names = scope.module.derived_values.get(scope.struct.path, set())
    parts: tuple[Attribute | Parameter, ...] = (*scope.struct.parameters, *scope.struct.attributes)
    deferred = {each.id for each in scope.struct.attributes if is_deferred(scope, each)}
    return tuple(field_name(each.id) for each in parts if each.id in names | deferred)
