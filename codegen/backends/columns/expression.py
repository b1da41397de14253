"""Expressions of the language as code for the engine's stack machine."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from wireloom.format.program import Code
from wireloom.format.program_limits import DEEPEST_STACK

from ...expression.fold import fold
from ...expression.nodes import (
    Attribute,
    Binary,
    BooleanLiteral,
    Cast,
    Comparison,
    Conditional,
    EnumMember,
    IntegerLiteral,
    ListLiteral,
    Logical,
    Name,
    Node,
    StringLiteral,
    Unary,
)
from ...expression.types import BytesType, EnumType, StreamType, StringType
from ...expression.walk import names_in
from ...plan import Instance
from .compiled import Compiled, Order, constant, joined
from .interval import BINARY, BOOLEAN, Interval, checked
from .refusal import NotForEngineError
from .scope import Argument, Fact, Known, Member, Scalar, Scope, Span, Unavailable

MAX_NESTING = 64
"""How many instances may depend on each other before the lowering gives up on an expression."""

_BINARY = {
    "+": Code.ADD,
    "-": Code.SUBTRACT,
    "*": Code.MULTIPLY,
    "/": Code.FLOOR_DIVIDE,
    "%": Code.MODULO,
    "&": Code.AND,
    "|": Code.OR,
    "^": Code.XOR,
    "<<": Code.SHIFT_LEFT,
    ">>": Code.SHIFT_RIGHT,
}
_COMPARISON: dict[str, tuple[Code, Callable[[int, int], bool]]] = {
    "==": (Code.EQUAL, operator.eq),
    "!=": (Code.NOT_EQUAL, operator.ne),
    "<": (Code.LESS, operator.lt),
    "<=": (Code.LESS_EQUAL, operator.le),
    ">": (Code.GREATER, operator.gt),
    ">=": (Code.GREATER_EQUAL, operator.ge),
}
_NO_TEXT = re.compile("[\ufffd\ud800-\udfff]")
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_FOLD: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}


LONGEST_LITERAL = 255
"""Bytes that a span can be compared with."""


def conjuncts(node: Node) -> tuple[Node, ...]:
    """The conditions that all hold where ``node`` does: ``a and b`` gives both."""
    if isinstance(node, Logical) and node.operator == "and":
        return (node, *conjuncts(node.left), *conjuncts(node.right))
    return (node,)


def facts_of(scope: Scope, condition: Node) -> tuple[Fact, ...]:
    """Return the facts that hold if ``condition``, written in ``scope``, is true."""
    return tuple(Fact(scope, each) for each in conjuncts(condition))


@dataclass(frozen=True)
class Compiler:
    """Compiles expressions written in ``scope``; ``it`` is what ``_`` stands for.

    The code is run only where ``facts`` hold. ``assumed`` are those that a part of the expression itself tests: the
    engine runs that part also where they do not hold, and ignores the result. ``of_stream``: the position, the size or
    the end of what an object is read from, at the place where the code is run; ``keep`` puts a
    value into a register there. ``absent_fails``: what needs something absent may be code without a value.
    """

    scope: Scope
    facts: tuple[Fact, ...] = ()
    it: Scalar | Span | Scope | None = None
    nesting: int = 0
    assumed: tuple[Fact, ...] = ()
    of_stream: Callable[[Scope, str], Compiled] | None = None
    keep: Callable[[Compiled, str], Scalar] | None = None
    absent_fails: bool = False

    def compile(self, node: Node) -> Compiled:
        """The code of an integer or boolean expression. Raises ``NotForEngineError``."""
        result = self._compile(node)
        if result.depth > DEEPEST_STACK:
            raise NotForEngineError("an expression is too deep")
        return result

    def size(self, node: Node) -> tuple[Compiled, int]:
        """A size as an expression and a number to be added to it, so that ``len - 13`` needs no code of its own."""
        if isinstance(node, Binary) and node.operator in "+-":
            left, right = self.compile(node.left), self.compile(node.right)
            if left.scalar is not None and right.constant is not None:
                checked(BINARY[node.operator](left.interval, right.interval))
                return left, right.constant if node.operator == "+" else -right.constant
        return self.compile(node), 0

    def _compile(self, node: Node) -> Compiled:
        self.scope.root.effort.count()
        match node:
            case IntegerLiteral(value=value):
                return constant(value)
            case BooleanLiteral(value=value):
                return constant(int(value))
            case EnumMember():
                return constant(self._enum_value(node))
            case Name() | Attribute():
                return self._value(node)
            case Cast(value=value):
                return self._compile(value)
            case Unary():
                return self._unary(node)
            case Binary():
                return self._binary(node)
            case Comparison():
                return self._comparison(node)
            case Logical():
                return self._logical(node)
            case Conditional():
                return self._conditional(node)
            case _:
                raise NotForEngineError("an expression computes with something else than integers and booleans")

    def _enum_value(self, node: EnumMember) -> int:
        kind = node.type
        if not isinstance(kind, EnumType):
            raise NotForEngineError(f"the enum member {node.label} has no known value")
        return next(each.value for each in self.scope.plan.enum(kind.path).labels if each.label == node.label)

    def _unary(self, node: Unary) -> Compiled:
        inner = self._compile(node.operand)
        value = inner.constant
        if node.operator == "+":
            return inner
        if node.operator == "-":
            if value is not None:
                return constant(-value)
            code, interval = Code.NEGATE, Interval(-inner.interval.high, -inner.interval.low)
        elif node.operator == "~":
            if value is not None:
                return constant(~value)
            code, interval = Code.INVERT, Interval(~inner.interval.high, ~inner.interval.low)
        else:
            if value is not None:
                return constant(int(not value))
            code, interval = Code.BOOLEAN_NOT, BOOLEAN
        return Compiled((*inner.parts, bytes([code])), checked(interval), inner.depth)

    def _binary(self, node: Binary) -> Compiled:
        left, right = self._compile(node.left), self._compile(node.right)
        interval = BINARY[node.operator](left.interval, right.interval)
        if left.constant is not None and right.constant is not None:
            return constant(_FOLD[node.operator](left.constant, right.constant))
        return joined((left, right), _BINARY[node.operator], checked(interval))

    def _comparison(self, node: Comparison) -> Compiled:
        if self._is_bytes(node.left) or self._is_bytes(node.right):
            return self._comparison_of_bytes(node)
        # What is absent equals nothing.
        strict = node.operator in ("==", "!=")
        left, right = (
            (self.strict if strict and isinstance(each, Name | Attribute | Cast) else self)._compile(each)
            for each in (node.left, node.right)
        )
        code, compare = _COMPARISON[node.operator]
        if left.constant is not None and right.constant is not None:
            return constant(int(compare(left.constant, right.constant)))
        return joined((left, right), code, BOOLEAN)

    def _is_bytes(self, node: Node) -> bool:
        """Return whether an expression is bytes or text."""
        is_it = isinstance(node, Name) and node.id == "_" and isinstance(self.it, Span)
        return is_it or isinstance(node.type, BytesType | StringType)

    def _comparison_of_bytes(self, node: Comparison) -> Compiled:
        left, right, compared = node.left, node.right, node.operator
        value = self._fixed_bytes(right)
        if value is None:
            left, value = right, self._fixed_bytes(left)
            compared = _MIRRORED.get(compared, compared)
        span = self.resolve(left) if isinstance(left, Name | Attribute | Cast) else None
        if value is None or not isinstance(span, Span):
            raise NotForEngineError(
                "an expression compares bytes or text with something else than a literal or bytes of the root"
            )
        if span.text and compared not in ("==", "!="):
            # Text that is not in its encoding is ordered as what it is replaced with.
            raise NotForEngineError(f'an expression orders the text "{span.name}"')
        self.must_be_found(span)
        return joined(
            (Compiled((Order(span, value),), Interval(-1, 1)), constant(0)), _COMPARISON[compared][0], BOOLEAN
        )

    def _fixed_bytes(self, node: Node) -> bytes | Known | None:
        """The bytes that an expression is in all rows, if a span can be compared with them."""
        found = literal_bytes(node)
        if found is not None:
            return found if len(found) <= LONGEST_LITERAL else None
        known = self.resolve(node) if isinstance(node, Name | Attribute) else None
        return known if isinstance(known, Known) else None

    def _logical(self, node: Logical) -> Compiled:
        left = self._compile(node.left)
        right = self._knowing(node.left if node.operator == "and" else None)._compile(node.right)
        if left.constant is not None:
            decides = bool(left.constant) == (node.operator == "or")
            return constant(int(bool(left.constant))) if decides else right
        return joined((left, right), Code.BOOLEAN_AND if node.operator == "and" else Code.BOOLEAN_OR, BOOLEAN)

    def _conditional(self, node: Conditional) -> Compiled:
        condition = self._compile(node.condition)
        if condition.constant is not None:
            return self._compile(node.then if condition.constant else node.otherwise)
        then = self._knowing(node.condition)._compile(node.then)
        otherwise = self._compile(node.otherwise)
        return joined((condition, then, otherwise), Code.SELECT, then.interval.union(otherwise.interval))

    def _knowing(self, condition: Node | None) -> Compiler:
        if condition is None:
            return self
        return replace(self, assumed=(*self.assumed, *facts_of(self.scope, condition)))

    # Names -----------------------------------------------------------------------------------------------------------

    def _value(self, node: Name | Attribute) -> Compiled:
        if isinstance(node, Attribute) and isinstance(node.value.type, StreamType):
            return self._stream(node.value, node.name)
        if isinstance(node, Attribute) and node.name in ("length", "size", "to_i"):
            found = self.resolve(node.value)
            if node.name == "to_i" and isinstance(found, Scalar | Compiled):
                return self._read(found)
            if node.name != "to_i" and isinstance(found, Span):
                return self._span_size(found)
        return self._read(self.resolve(node))

    def _stream(self, stream: Node, name: str) -> Compiled:
        if self.of_stream is None:
            raise NotForEngineError(f'an expression uses "_io.{name}" at a place where the engine does not have it')
        return self.of_stream(self.holder_of(stream), name)

    def holder_of(self, stream: Node) -> Scope:
        """The object that is read from a stream. Raises ``NotForEngineError``."""
        found = self.resolve(stream.value) if isinstance(stream, Attribute) and stream.name == "_io" else None
        holder = self.scope if isinstance(stream, Name) and stream.id == "_io" else found
        if not isinstance(holder, Scope):
            raise NotForEngineError("an expression uses the stream of something else than an object around it")
        return holder

    def _read(self, found: Member | Scope | Compiled) -> Compiled:
        if isinstance(found, Compiled):
            return found
        if isinstance(found, Unavailable):
            raise NotForEngineError(found.sentence)
        if not isinstance(found, Scalar):
            raise NotForEngineError("an expression computes with something else than integers and booleans")
        if found.checked is not None and self.absent_fails and not self._knows(found):
            return Compiled((found.checked,), found.interval)
        self.must_be_present(found)
        # An absent field's register holds 0.
        certain = set(found.facts) <= set(self.facts)
        return Compiled((found,), found.interval if certain else found.interval.union(Interval(0, 0)))

    def _span_size(self, span: Span) -> Compiled:
        if span.text and not span.single:
            raise NotForEngineError(f'an expression uses the length of the text "{span.name}"')
        self.must_be_present(span)
        if span.size is not None:
            return constant(span.size)
        return Compiled((span,), Interval(0, (1 << 31) - 1))

    def must_be_present(self, member: Scalar | Span) -> None:
        """Raise ``NotForEngineError`` where the field may be absent at this place."""
        if not self._knows(member):
            raise NotForEngineError(f'an expression uses "{member.name}" where it may be absent')

    def _knows(self, member: Scalar | Span) -> bool:
        return set(member.facts) <= {*self.facts, *self.assumed}

    @property
    def strict(self) -> Compiler:
        """The same for expressions that may not need anything absent."""
        return replace(self, absent_fails=False)

    def must_be_found(self, span: Span) -> None:
        """Raise ``NotForEngineError`` where no step finds the bytes, or they may be absent at this place."""
        if not span.found:
            raise NotForEngineError(f'an expression uses the bytes of "{span.name}", which is no column')
        self.must_be_present(span)

    def resolve(self, node: Node) -> Member | Scope | Compiled:
        """Return what a name or a path of names refers to. Raises ``NotForEngineError``."""
        if isinstance(node, Cast):
            return self.resolve(node.value)
        if isinstance(node, Name):
            return self._name(node.id)
        if isinstance(node, Attribute):
            if isinstance(node.value.type, StreamType):
                return self._stream(node.value, node.name)
            owner = self.resolve(node.value)
            if isinstance(owner, Scope):
                return replace(self, scope=owner, it=None)._name(node.name)
            return self._compile_method(node.name)
        return self._compile(node)

    @staticmethod
    def _compile_method(name: str) -> Unavailable:
        return Unavailable(f'an expression uses ".{name}"')

    def _name(self, name: str) -> Member | Scope | Compiled:
        scope = self.scope
        if name == "_" and self.it is not None:
            return self.it
        if name == "_root":
            return scope.root
        if name == "_parent" and scope.parent is not None:
            return scope.parent
        found = scope.members.get(name)
        if isinstance(found, Argument):
            return self._within(found.scope)._resolve_or_compile(found.node)
        if found is not None:
            return found
        instance = scope.struct.instance(name)
        known = {*self.facts, *self.assumed}
        if (
            instance is not None
            and instance.value is not None
            and (instance.condition is None or set(facts_of(scope, instance.condition)) <= known)
        ):
            value = self._within(scope)._resolve_or_compile(instance.value)
            return self._kept(instance, value) if "_io" in names_in(instance.value) else value
        return Unavailable(f'an expression uses "{name}", which the engine does not have at that point')

    def _kept(self, instance: Instance, found: Member | Scope | Compiled) -> Member | Scope | Compiled:
        """The register of an instance about a stream, which has the value that it had when it was first asked for."""
        if not isinstance(found, Compiled) or self.keep is None or self.assumed:
            raise NotForEngineError(f'an expression uses "{instance.id}" at a place where the engine does not have it')
        kept = self.keep(found, instance.id)
        self.scope.members[instance.id] = kept
        return kept

    def _within(self, scope: Scope) -> Compiler:
        if self.nesting >= MAX_NESTING:
            raise NotForEngineError("an expression is too deep")
        return replace(self, scope=scope, it=None, nesting=self.nesting + 1)

    def _resolve_or_compile(self, node: Node) -> Member | Scope | Compiled:
        return self.resolve(node) if isinstance(node, Name | Attribute | Cast) else self._compile(node)


def literal_bytes(node: Node) -> bytes | None:
    """Return the bytes that a literal of bytes or text is on the wire; ``None`` for any other expression.

    Text with U+FFFD is none: the object parser has that character for bytes that are not text.
    """
    folded = fold(node)
    if isinstance(folded, StringLiteral) and not _NO_TEXT.search(folded.value):
        return folded.value.encode()
    if isinstance(folded, ListLiteral) and all(isinstance(each, IntegerLiteral) for each in folded.items):
        values = [each.value for each in folded.items if isinstance(each, IntegerLiteral)]
        return bytes(values) if all(0 <= each < 256 for each in values) else None
    return None
