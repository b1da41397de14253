"""Code of whether the value of an expression is there: it is not where it needs something absent.

The object parser evaluates from left to right and ends at the first thing that is absent, or that fails. So the code
here has no value itself where something fails before anything absent is reached.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from wireloom.format.program import Code

from ...expression.nodes import (
    Attribute,
    Binary,
    Call,
    Cast,
    Comparison,
    Conditional,
    Logical,
    Name,
    Node,
    Subscript,
    Unary,
)
from ...expression.types import BooleanType, UserType
from .compiled import Compiled, constant, joined
from .expression import Compiler
from .finding import Asked, Finder, facts_of
from .interval import BOOLEAN
from .items import Answer, Item
from .refusal import NotForEngineError
from .scope import Argument, Scalar, Scope, Span

YES = constant(1)


def presence(compiler: Compiler, node: Node) -> Compiled:
    """Return code of whether the value of an integer or boolean expression is there; ``compiler`` is one for which
    what is absent has no value.

    Raises ``NotForEngineError``.
    """
    try:
        compiler.strict.compile(node)
    except NotForEngineError as refusal:
        found = _presence(compiler, node)
        if found is None:
            raise refusal from None
        return found
    return YES


def _presence(compiler: Compiler, node: Node) -> Compiled | None:
    match node:
        case Unary(_, operand) | Cast(operand):
            return presence(compiler, operand)
        case Binary(_, left, right):
            return _in_turn(compiler, left, presence(compiler, left), presence(compiler, right))
        case Comparison(operator, left, right) if not compiler.is_bytes(left) and not compiler.is_bytes(right):
            first, second = (_compared(compiler, each, operator) for each in (left, right))
            return _in_turn(compiler, left, first, second)
        case Logical(operator, left, right):
            knowing = compiler.knowing(left if operator == "and" else None)
            second = presence(knowing, right)
            ways = (second, YES) if operator == "and" else (YES, second)
            return _both(presence(compiler, left), _chosen(compiler.compile(left), *ways))
        case Conditional(condition, then, otherwise):
            ways = (presence(compiler.knowing(condition), then), presence(compiler.denying(condition), otherwise))
            return _both(presence(compiler, condition), _chosen(compiler.compile(condition), *ways))
        case Subscript(value, index):
            base = _of_path(compiler, value) if isinstance(value, Name | Attribute) else None
            return None if base is None else _both(base, presence(compiler, index))
        case Call(value, "to_i"):
            return _of_path(compiler, value) if isinstance(value, Name | Attribute) else None
        case Name() | Attribute():
            return _of_path(compiler, node)
    return None


def _compared(compiler: Compiler, node: Node, operator: str) -> Compiled:
    """Return a side of a comparison: what is absent equals nothing."""
    is_path = operator in ("==", "!=") and isinstance(node, Name | Attribute | Cast)
    return YES if is_path and isinstance(compiler.compared(node, operator), Scalar) else presence(compiler, node)


def _of_path(compiler: Compiler, node: Name | Attribute) -> Compiled | None:
    if isinstance(node, Name):
        return _of_member(compiler, compiler.scope, node.id)
    owner = node.value.type
    if isinstance(owner, UserType):
        holder = compiler.resolve(node.value)
        if isinstance(holder, Scope):
            return _of_member(compiler, holder, node.name)
        return _inside(compiler, node)
    # What is asked about bytes, text or a list.
    return _of_path(compiler, node.value) if isinstance(node.value, Name | Attribute) else None


def _inside(compiler: Compiler, node: Attribute) -> Compiled | None:
    """Code for a member of an item of a list, or of an object that a function has read."""
    found = compiler.resolve(node)
    if not isinstance(found, Item | Answer):
        return None
    asked = replace(found, path=Presence(found.path, type=BooleanType()))
    value = asked.value(absent_fails=True)
    if isinstance(asked, Answer) and not compiler.knows(asked.object):
        return _both(Compiled((asked.object.there,), BOOLEAN), value)
    return value


def _of_member(compiler: Compiler, scope: Scope, name: str) -> Compiled | None:
    found = scope.members.get(name)
    if isinstance(found, Argument):
        return presence(compiler.within(found.scope), found.node)
    if isinstance(found, Scalar | Span):
        return None if found.there is None else Compiled((found.there,), BOOLEAN)
    instance = scope.struct.instance(name)
    if found is not None or instance is None or instance.value is None:
        return None
    within = compiler.within(scope)
    if instance.condition is None:
        return presence(within, instance.value)
    held = within.compile(instance.condition)
    knowing = replace(within, assumed=(*within.assumed, *facts_of(scope, instance.condition)))
    return _both(presence(within, instance.condition), _both(held, presence(knowing, instance.value)))


def _in_turn(compiler: Compiler, left: Node, first: Compiled, second: Compiled) -> Compiled:
    """Both operands are there, of which the left one has a value before the other is looked at."""
    if second is YES:
        return first
    value = compiler.compile(left)
    has_value = YES if not value.may_fail else joined((value, value), Code.EQUAL, BOOLEAN)
    return _both(first, _both(has_value, second))


def _both(first: Compiled, second: Compiled) -> Compiled:
    if first is YES or second is YES:
        return second if first is YES else first
    return joined((first, second), Code.BOOLEAN_AND, BOOLEAN)


def _chosen(condition: Compiled, then: Compiled, otherwise: Compiled) -> Compiled:
    if then is YES and otherwise is YES:
        return YES
    return joined((condition, then, otherwise), Code.SELECT, BOOLEAN)


@dataclass(frozen=True)
class Presence(Asked):
    """The question whether the value of an expression is there."""

    value: Node

    def compiled(self, compiler: Finder) -> Compiled:
        """Return its code."""
        assert isinstance(compiler, Compiler)
        return presence(compiler, self.value)
