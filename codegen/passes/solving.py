"""Solves expressions for one of their attributes: ``factor * attribute + addend``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from wireloom.base.dataclass import dataclass

from ..expression.fold import constant_integer, fold
from ..expression.nodes import Binary, Cast, IntegerLiteral, MemberAccess, Name, Node, Subscript, Unary
from ..expression.types import ComputedIntegerType, Path, is_integer
from ..expression.walk import children, depth, mapped, walk
from ..tree import Spec, Struct

INTEGER = ComputedIntegerType()
ZERO = IntegerLiteral(0, type=INTEGER)
ONE = IntegerLiteral(1, type=INTEGER)

MAX_DEPTH = 150
MAX_NODES = 1000
"""Maximum number of levels and of nodes of an expression to be solved, after value instances are inlined."""


@dataclass(frozen=True)
class Solution:
    """An expression equals ``factor * owner.name + addend``: ``name`` is an attribute or a parameter. ``owner`` is
    ``None`` for the object that the expression belongs to; ``struct`` is the type of the owner."""

    owner: Node | None
    struct: Path
    name: str
    factor: Node = ONE
    addend: Node = ZERO


def solutions(spec: Spec, struct: Struct, expression: Node) -> tuple[Solution, ...]:
    """Return the solutions of an expression: one for each integer that occurs in it once and that nothing else
    determines.

    Args:
        spec: The spec; solutions are cached in it.
        struct: The type in whose scope the expression is.
        expression: The expression, typed.
    """
    key = struct.path, expression
    if key not in spec.solved:
        whole = inlined(spec, struct, expression)
        spec.solved[key] = () if whole is None else tuple(_solutions(spec, struct, whole))
    found: tuple[Solution, ...] = spec.solved[key]
    return found


def _solutions(spec: Spec, struct: Struct, whole: Node) -> Iterator[Solution]:
    """Yield the solutions of an expression without value instances."""
    places = ((each, _place(spec, struct, each)) for each in walk(whole))
    found = [(each, place) for each, place in places if place is not None]
    counts = Counter(each for each, _ in found)
    for target, (owner, holder, name) in found:
        parts = _parts(whole, target) if counts[target] == 1 else None
        if parts is not None:
            yield Solution(owner, holder.path, name, fold(parts[0]), fold(parts[1]))


def _place(spec: Spec, struct: Struct, node: Node) -> tuple[Node | None, Struct, str] | None:
    """Return the owner, the owner's type and the name of the attribute or parameter that a node refers to; ``None`` for
    other nodes. A name with a colon stands for a value instance of an object: see ``lengths``."""
    if isinstance(node, Name) and ":" in node.id:
        return None, struct, node.id
    found = spec.member(struct, node)
    if found is None or not _may_follow(*found):
        return None
    return node.value if isinstance(node, MemberAccess) else None, *found


def _may_follow(struct: Struct, name: str) -> bool:
    field, parameter = struct.attribute(name), struct.parameter(name)
    if field is not None:
        return field.solvable
    return parameter is not None and is_integer(parameter.type)


def _parts(node: Node, target: Node) -> tuple[Node, Node] | None:
    """Return the factor and the addend of ``target``, which occurs once, in an expression; ``None`` if it is not linear
    in it."""
    factor: Node = ONE
    addend: Node = ZERO
    path = _path(node, target)
    while node != target:
        match node:
            case Unary("+", operand) | Cast(operand):
                node = operand
            case Unary("-", operand):
                node, factor = operand, _negative(factor)
            case Binary("+" | "-" | "*" | "<<" as operator, left, right):
                inside = id(left) in path
                node, other = (left, right) if inside else (right, left)
                if operator == "<<":
                    bits = constant_integer(other)
                    if not inside or bits is None or not 0 <= bits <= 64:
                        return None
                    factor = _times(factor, IntegerLiteral(1 << bits, type=INTEGER))
                elif operator == "*":
                    factor = _times(factor, other)
                elif operator == "+" or inside:
                    change = _times(factor, other)
                    addend = _sum(addend, change if operator == "+" else _negative(change))
                else:
                    addend, factor = _sum(addend, _times(factor, other)), _negative(factor)
            case _:
                return None
    return factor, addend


def _negative(node: Node) -> Node:
    return Unary("-", node, type=INTEGER)


def _times(left: Node, right: Node) -> Node:
    return right if left == ONE else left if right == ONE else Binary("*", left, right, type=INTEGER)


def _sum(left: Node, right: Node) -> Node:
    return right if left == ZERO else Binary("+", left, right, type=INTEGER)


def _path(node: Node, target: Node) -> set[int]:
    """Return the identities of ``target``, which occurs once, and of the nodes that contain it. They are found once for
    the whole expression: a chain of value instances is as deep as it is long."""
    parents: dict[int, Node] = {}
    waiting = [node]
    while waiting[-1] != target:
        parent = waiting.pop()
        for each in children(parent):
            parents[id(each)] = parent
            waiting.append(each)
    path = {id(waiting[-1])}
    above = parents.get(id(waiting[-1]))
    while above is not None:
        path.add(id(above))
        above = parents.get(id(above))
    return path


# Value instances -----------------------------------------------------------------------------------------------------


def inlined(spec: Spec, struct: Struct, expression: Node) -> Node | None:
    """Return the expression with value instances replaced by their expressions.

    Args:
        spec: The spec; inlined instances are cached in it.
        struct: The type in whose scope the expression is.
        expression: The expression, typed.

    Returns:
        The expression; ``None`` if it would become too large.
    """
    known = spec.inlined
    waiting = _instances_in(spec, struct, expression)
    # Without recursion, since chains of instances may be longer than Python's calls may be deep.
    while waiting:
        holder, name, value = waiting[-1]
        if (holder.path, name) in known:
            waiting.pop()
            continue
        inner = [each for each in _instances_in(spec, holder, value) if (each[0].path, each[1]) not in known]
        if inner:
            waiting += inner
        else:
            known[holder.path, name] = _substituted(spec, holder, value)
            waiting.pop()
    return _substituted(spec, struct, expression)


def _substituted(spec: Spec, struct: Struct, expression: Node) -> Node | None:
    """Return the expression with the values of instances, all of which are in ``spec.inlined``; ``None`` if it would
    become too large."""
    try:
        node = _replaced(spec, struct, expression)
    except _TooLargeError:
        return None
    return None if depth(node) > MAX_DEPTH or sum(1 for _ in walk(node)) > MAX_NODES else node


class _TooLargeError(Exception):
    """The value of an instance is too large to be inlined."""


def _replaced(spec: Spec, struct: Struct, node: Node) -> Node:
    found = _instance(spec, struct, node)
    if found is not None:
        value = spec.inlined[found[0].path, found[1]]
        if value is None:
            raise _TooLargeError
        return _rebased(value, _replaced(spec, struct, node.value)) if isinstance(node, MemberAccess) else value
    if isinstance(node, Name | Subscript):
        return node
    return mapped(node, lambda child: _replaced(spec, struct, child))


def _instances_in(spec: Spec, struct: Struct, expression: Node) -> list[tuple[Struct, str, Node]]:
    """Return the value instances that an expression refers to: their type, name and value."""
    found, waiting = [], [expression]
    while waiting:
        node = waiting.pop()
        instance = _instance(spec, struct, node)
        if instance is not None:
            found.append(instance)
        if isinstance(node, MemberAccess) or (instance is None and not isinstance(node, Subscript)):
            waiting += children(node)
    return found


def _instance(spec: Spec, struct: Struct, node: Node) -> tuple[Struct, str, Node] | None:
    """Return the type, name and value of the value instance that a node refers to; ``None`` for other nodes."""
    found = spec.instance(struct, node)
    return None if found is None or found[1].value is None else (found[0], found[1].id, found[1].value)


def _rebased(node: Node, owner: Node) -> Node:
    """Return an expression of the type of ``owner``, rewritten for the scope of ``owner``."""
    if isinstance(node, Name):
        return MemberAccess(owner, node.id, type=node.type)
    return mapped(node, lambda child: _rebased(child, owner))
