"""Code of whether the value of an expression is present. It is absent if it requires an absent value.

The object parser evaluates from left to right and stops at the first operand that is absent or fails. So this code has
no value if something fails before an absent operand is reached.
"""

from __future__ import annotations

from wireloom.format.program import Code

from ...dataclass import dataclass, replace
from ...expression.nodes import (
    Binary,
    Call,
    Cast,
    Comparison,
    Conditional,
    Logical,
    MemberAccess,
    Name,
    Node,
    StringLiteral,
    Subscript,
    Unary,
)
from ...expression.types import BooleanType, UserType
from .compiled import Compiled, constant, joined
from .computed_text import is_spanned
from .expression import Compiler, uncast
from .facts import facts_of
from .finding import NOTHING, Asked, Finder, Found
from .interval import BOOLEAN
from .items import Answer, Item
from .refusal import NotForEngineError
from .scope import Argument, Chosen, Scalar, Scope, Span

YES = constant(1)


def presence(compiler: Compiler, node: Node) -> Compiled:
    """Return code of whether the value of an integer or boolean expression is present. In ``compiler``, absent values
    must have no value.

    Raises ``NotForEngineError``.
    """
    try:
        if is_spanned(node):
            return _of_text(compiler, node)
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
        case Binary(_, left, right) if is_spanned(node):
            return _both(presence(compiler, left), presence(compiler, right)) if _joins_paths(left) else None
        case Binary(_, left, right):
            return _in_turn(compiler, left, presence(compiler, left), presence(compiler, right))
        case Comparison(operator, left, right) if not compiler.is_bytes(left) and not compiler.is_bytes(right):
            optional = compiler.optional_side(node)
            first, second = (_compared(compiler, each, operator, optional) for each in (left, right))
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
            base = _of_path(compiler, value) if isinstance(value, Name | MemberAccess) else None
            return None if base is None else _both(base, presence(compiler, index))
        case Call(value, "to_i"):
            return _of_path(compiler, value) if isinstance(value, Name | MemberAccess) else None
        case Name() | MemberAccess():
            return _of_path(compiler, node)
    return None


def _joins_paths(node: Node) -> bool:
    """Return whether text is concatenated from texts that have a value if they are present."""
    if isinstance(node, Binary):
        return _joins_paths(node.left) and _joins_paths(node.right)
    return isinstance(node, Name | MemberAccess | StringLiteral)


def _of_text(compiler: Compiler, node: Node) -> Compiled:
    """Return code of whether text or bytes are present."""
    found = compiler.resolve(node) if isinstance(node, Name | MemberAccess | Cast | Subscript) else None
    if isinstance(found, Item | Answer):
        raise NotForEngineError("an expression uses an item that may be absent")
    compiler.strict.span(node)
    return YES


def _compared(compiler: Compiler, node: Node, operator: str, optional: Name | MemberAccess | None) -> Compiled:
    """Return an operand of a comparison: an absent value equals nothing, like ``optional``."""
    if optional is not None and uncast(node) is optional:
        return presence_of(compiler, optional)[1]
    is_path = operator in ("==", "!=") and isinstance(node, Name | MemberAccess | Cast)
    if not is_path or not isinstance(compiler.compared(node, operator), Scalar):
        return presence(compiler, node)
    named = uncast(node)
    return of_object(compiler, named.value) if isinstance(named, MemberAccess) else YES


def presence_of(compiler: Compiler, node: Name | MemberAccess) -> tuple[Compiled, Compiled]:
    """Return code of whether the value of a path is present, and code of whether the object that contains it is."""
    around = YES
    if isinstance(node, MemberAccess) and isinstance(node.value.type, UserType):
        found = compiler.resolve(node.value)
        around = _asked(compiler, found) if isinstance(found, Item | Answer) else of_object(compiler, node.value)
    return presence(compiler, node), around


def _of_path(compiler: Compiler, node: Name | MemberAccess) -> Compiled | None:
    if isinstance(node, Name):
        return _of_member(compiler, compiler.scope, node.id)
    owner = node.value.type
    if isinstance(owner, UserType):
        holder = compiler.resolve(node.value)
        if isinstance(holder, Scope):
            around, found = of_object(compiler, node.value), _of_member(compiler, holder, node.name)
            return None if found is None else _both(around, found)
        return _inside(compiler, node)
    # A property of bytes, text or a list.
    return _of_path(compiler, node.value) if isinstance(node.value, Name | MemberAccess) else None


def of_object(compiler: Compiler, node: Node) -> Compiled:
    """Return code of whether the object that an expression refers to is present. It has no value if an object of
    another type is present."""
    found = compiler.resolve(node)
    if not isinstance(found, Scope | Chosen) or compiler.knows(found):
        return YES
    match node:
        case Cast(value):
            return _both(of_object(compiler, value), _of_type(compiler.resolve(value), found))
        case MemberAccess(value, name):
            holder = compiler.resolve(value)
            around = of_object(compiler, value)
        case Name(name):
            holder, around = compiler.scope, YES
        case _:
            return YES
    instance = holder.struct.instance(name) if isinstance(holder, Scope) else None
    if instance is not None and instance.value is not None and isinstance(holder, Scope):
        within = compiler.within(holder)
        there = of_object(within, instance.value)
        if instance.condition is not None:
            held = within.compile(instance.condition)
            there = _both(presence(within, instance.condition), _both(held, there))
        return _both(around, there)
    return around if found.there is None else _both(around, Compiled((found.there,), BOOLEAN))


def _of_type(value: Found, found: Scope | Chosen) -> Compiled:
    """Return code that has no value if the object that is present is not ``found``."""
    if not isinstance(value, Chosen) or found.there is None:
        return YES
    return joined((Compiled((found.there,), BOOLEAN), YES, NOTHING), Code.SELECT, BOOLEAN)


def _inside(compiler: Compiler, node: MemberAccess) -> Compiled | None:
    """Return code for a member of an item of a list, or of an object that a function has read; ``None`` for other
    members."""
    found = compiler.resolve(node)
    if not isinstance(found, Item | Answer):
        return None
    return _asked(compiler, found)


def _asked(compiler: Compiler, found: Item | Answer) -> Compiled:
    """Return code of whether something is present, computed where the item or the object is read."""
    asked = replace(found, path=Presence(found.path, type=BooleanType()))
    value = asked.value(absent_fails=True)
    if isinstance(asked, Answer) and not compiler.knows(asked.object):
        return _both(Compiled((asked.object.there,), BOOLEAN), value)
    return value


def _of_member(compiler: Compiler, scope: Scope, name: str) -> Compiled | None:
    found = scope.members.get(name)
    if isinstance(found, Argument):
        return presence(replace(compiler.within(found.scope), given=True), found.node)
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
    """Return code of whether both operands are present; the left one must have a value before the right one is
    evaluated."""
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
    """The question whether the value of an expression is present."""

    value: Node

    def compiled(self, compiler: Finder) -> Compiled:
        """Return the code."""
        assert isinstance(compiler, Compiler)
        is_object = isinstance(self.value.type, UserType)
        return of_object(compiler, self.value) if is_object else presence(compiler, self.value)
