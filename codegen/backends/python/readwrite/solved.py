"""Sizes, counts and positions as the solutions that a writer fills in."""

from __future__ import annotations

from collections.abc import Iterator

from ....expression.nodes import IntegerLiteral, Node
from ....model.model import Attribute, ExpressionSize, RepeatCount, Spec, Struct
from ....model.solving import Solution, solutions
from ....model.types import Path, UserType
from ..expressions import PRODUCT
from ..layout import structs
from ..names import field_name
from ..scope import ClassScope
from ..view import Line


def solution_texts(scope: ClassScope, node: Node, attribute: Attribute) -> tuple[str, ...]:
    """The solutions of an expression of ``attribute``, as the runtime takes them."""
    found = solutions(scope.spec, scope.struct, node)
    return tuple(_text(scope, each, attribute, late=len(found) > 1) for each in found)


def _text(scope: ClassScope, solution: Solution, attribute: Attribute, *, late: bool) -> str:
    """``late``: its numbers may hold what another solution gives, so they are computed only when they are needed."""

    def number(node: Node) -> str:
        text = scope.text(node, attribute)
        return f"lambda: {text}" if late and not isinstance(node, IntegerLiteral) else text

    owner = "self" if solution.owner is None else scope.text(solution.owner, attribute)
    arguments = [owner, repr(field_name(solution.name))]
    if not _is(solution.factor, 1) or not _is(solution.addend, 0):
        arguments.append(number(solution.factor))
    if not _is(solution.addend, 0):
        arguments.append(number(solution.addend))
    return f"{scope.use('Solution')}({', '.join(arguments)})"


def _is(node: Node, value: int) -> bool:
    return isinstance(node, IntegerLiteral) and node.value == value


def solve_line(scope: ClassScope, node: Node, attribute: Attribute, wanted: str) -> tuple[Line, ...]:
    """Has the attribute that an expression of ``attribute`` follows from take the value with which it is ``wanted``."""
    found = solutions(scope.spec, scope.struct, node)
    if not found:
        return ()
    only = found[0]
    if len(found) == 1 and only.owner is None and _is(only.factor, 1):
        if _is_decided(scope, attribute, only.name):
            return ()
        addend = "" if _is(only.addend, 0) else f" - {scope.translator(attribute.position).text(only.addend, PRODUCT)}"
        return (Line(f"self._follow({field_name(only.name)!r}, {wanted}{addend})"),)
    return (Line(f"self._solve({wanted}, {', '.join(solution_texts(scope, node, attribute))})"),)


def _is_decided(scope: ClassScope, attribute: Attribute, name: str) -> bool:
    """Whether an attribute before this one always gives ``name`` its value; this one is then checked against it."""
    for each in scope.struct.attributes:
        if each.id == attribute.id:
            return False
        if each.condition is not None or each.switch is not None or isinstance(each.type, UserType):
            continue
        counted = each.repeat.expression if isinstance(each.repeat, RepeatCount) else None
        sized = each.size.expression if isinstance(each.size, ExpressionSize) and each.repeat is None else None
        for node in (counted, sized):
            found = solutions(scope.spec, scope.struct, node) if node is not None else ()
            if len(found) == 1 and found[0].owner is None and found[0].name == name:
                return True
    return False


def solved_names(scope: ClassScope) -> tuple[str, ...]:
    """The attributes of a type that follow from sizes, counts and positions, here or in other types of the spec."""
    names = _solved(scope.spec).get(scope.struct.path, set())
    return tuple(field_name(each.id) for each in scope.struct.attributes if each.id in names)


def _solved(spec: Spec) -> dict[Path, set[str]]:
    found: dict[Path, set[str]] = {}
    for struct in structs(spec.root):
        for node in _measures(struct):
            for each in solutions(spec, struct, node):
                found.setdefault(each.struct, set()).add(each.name)
    return found


def _measures(struct: Struct) -> Iterator[Node]:
    """The expressions that sizes, counts and positions of a type are."""
    placed = [each.attribute for each in struct.instances if each.attribute is not None]
    for attribute in (*struct.attributes, *placed):
        sizes = [attribute.size, *(case.size for case in (attribute.switch.cases if attribute.switch else ()))]
        yield from (each.expression for each in sizes if isinstance(each, ExpressionSize))
        if isinstance(attribute.repeat, RepeatCount):
            yield attribute.repeat.expression
    yield from (each.pos for each in struct.instances if each.pos is not None)
