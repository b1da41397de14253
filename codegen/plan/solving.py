"""Solves expressions for one of their attributes: ``factor * attribute + addend``."""

from __future__ import annotations

from dataclasses import dataclass

from ..expression.fold import constant_integer, fold
from ..expression.nodes import Attribute as Member
from ..expression.nodes import Binary, Cast, IntegerLiteral, Name, Node, Subscript, Unary
from ..expression.types import ComputedIntegerType, Path, UserType
from ..expression.walk import depth, mapped, walk
from .nodes import is_number
from .types import Plan, TypePlan

INTEGER = ComputedIntegerType()
ZERO = IntegerLiteral(0, type=INTEGER)
ONE = IntegerLiteral(1, type=INTEGER)

MAX_DEPTH = 50
MAX_NODES = 300
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


def solutions(plan: Plan, struct: TypePlan, expression: Node) -> tuple[Solution, ...]:
    """Return the solutions of an expression in ``struct``: for each integer that occurs in it once and that nothing
    else determines."""
    if not _may_be_solved(plan, struct, expression):
        return ()
    whole = _inlined(plan, struct, expression)
    if whole is None:
        return ()
    found: list[Solution] = []
    for target in walk(whole):
        place = _place(plan, struct, target)
        if place is not None and sum(1 for each in walk(whole) if each == target) == 1:
            parts = _parts(whole, target)
            if parts is not None:
                owner, holder, name = place
                found.append(Solution(owner, holder.path, name, fold(parts[0]), fold(parts[1])))
    return tuple(found)


def _may_be_solved(plan: Plan, struct: TypePlan, expression: Node) -> bool:
    """Return whether linear operations alone lead to an attribute or parameter, or may do so: most expressions need not
    be inlined to see that none does."""
    waiting = [expression]
    for _ in range(MAX_NODES):
        if not waiting:
            return False
        match waiting.pop():
            case Unary("+" | "-", operand) | Cast(operand) | Binary("<<", operand, _):
                waiting.append(operand)
            case Binary("+" | "-" | "*", left, right):
                waiting += (left, right)
            case node:
                value = _instance_value(plan, struct, node)
                if value is not None:
                    waiting.append(value)
                elif _place(plan, struct, node) is not None:
                    return True
    return True


def _place(plan: Plan, struct: TypePlan, node: Node) -> tuple[Node | None, TypePlan, str] | None:
    """Return the owner, the owner's type and the name of the attribute or parameter that a node refers to; ``None`` for
    other nodes."""
    match node:
        case Name(id):
            return (None, struct, id) if _may_follow(struct, id) else None
        case Member(value, name) if isinstance(value.type, UserType) and not value.type.opaque:
            holder = _holder(plan, value.type)
            if holder is not None and _may_follow(holder, name):
                return value, holder, name
    return None


def _may_follow(struct: TypePlan, name: str) -> bool:
    field, parameter = struct.field(name), struct.parameter(name)
    if field is not None:
        return field.solvable
    return parameter is not None and is_number(parameter.type)


def _holder(plan: Plan, kind: UserType) -> TypePlan | None:
    try:
        return plan.type(kind.path)
    except KeyError:
        return None


def _parts(node: Node, target: Node) -> tuple[Node, Node] | None:
    """Return the factor and the addend of ``target`` in an expression; ``None`` if it is not linear in it."""
    factor: Node = ONE
    addend: Node = ZERO
    while node != target:
        match node:
            case Unary("+", operand) | Cast(operand):
                node = operand
            case Unary("-", operand):
                node, factor = operand, _negative(factor)
            case Binary("+" | "-" | "*" | "<<" as operator, left, right):
                inside = _contains(left, target)
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


def _contains(node: Node, target: Node) -> bool:
    return any(each == target for each in walk(node))


# Value instances -----------------------------------------------------------------------------------------------------


def _inlined(plan: Plan, struct: TypePlan, expression: Node) -> Node | None:
    """Return the expression with value instances inlined; ``None`` if it would become too large."""
    node = expression
    while True:
        replaced = _replaced(plan, struct, node)
        if replaced is node:
            return node
        node = replaced
        if depth(node) > MAX_DEPTH or sum(1 for _ in walk(node)) > MAX_NODES:
            return None


def _replaced(plan: Plan, struct: TypePlan, node: Node) -> Node:
    value = _instance_value(plan, struct, node)
    if value is not None:
        return value
    if isinstance(node, Name | Subscript):
        return node
    return mapped(node, lambda child: _replaced(plan, struct, child))


def _instance_value(plan: Plan, struct: TypePlan, node: Node) -> Node | None:
    """Return the expression of the value instance that a node refers to; ``None`` for other nodes."""
    match node:
        case Name(id):
            instance = struct.instance(id)
            return instance.value if instance is not None else None
        case Member(value, name) if isinstance(value.type, UserType) and not value.type.opaque:
            holder = _holder(plan, value.type)
            instance = holder.instance(name) if holder is not None else None
            if instance is not None and instance.value is not None:
                return _rebased(instance.value, value)
    return None


def _rebased(node: Node, owner: Node) -> Node:
    """Return an expression of the type of ``owner``, rewritten for the scope of ``owner``."""
    if isinstance(node, Name):
        return Member(owner, node.id, type=node.type)
    return mapped(node, lambda child: _rebased(child, owner))
