"""Compiles expressions of the language to code for the engine's stack machine."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

from wireloom.format.program import Code
from wireloom.format.program_limits import DEEPEST_STACK

from ...dataclass import dataclass, replace
from ...expression.fold import fold
from ...expression.nodes import (
    Binary,
    BooleanLiteral,
    Call,
    Cast,
    Comparison,
    Conditional,
    CoveredChecksum,
    EnumMember,
    IntegerLiteral,
    ListLiteral,
    Logical,
    MemberAccess,
    Name,
    Node,
    StringLiteral,
    Subscript,
    Unary,
)
from ...expression.types import EnumType, UserType
from .compiled import Compare, Compiled, Order, constant, inverted, joined
from .computed_text import Texts, constant_bytes, is_spanned
from .encodings import Encoding
from .facts import denied, facts_of
from .finding import NOTHING, Asked
from .interval import BINARY, BOOLEAN, Interval, checked
from .items import Item
from .refusal import NotForEngineError
from .scope import Fact, Known, Scalar, Scope, Span

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
_NO_TEXT = re.compile("[\ud800-\udfff]")
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
"""Maximum number of bytes that a span can be compared with."""


@dataclass(frozen=True)
class Compiler(Texts):
    """Compiles expressions; names are resolved as in ``Finder``. ``presence_of`` returns code for whether the value of
    a name or a path is present, and code for whether the object that contains it is."""

    presence_of: Callable[[Compiler, Name | MemberAccess], tuple[Compiled, Compiled]] | None = None

    def compile(self, node: Node) -> Compiled:
        """Return the code of an integer or boolean expression. Raises ``NotForEngineError``."""
        result = self._compile(node)
        if result.depth > DEEPEST_STACK:
            raise NotForEngineError("an expression is nested too deeply")
        return result

    def size(self, node: Node) -> tuple[Compiled, int]:
        """Return a size as an expression and a constant to be added to it, so that ``len - 13`` needs no code of its
        own."""
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
            case Name() | MemberAccess() | Subscript() | Call() | CoveredChecksum():
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
            case Asked():
                return node.compiled(self)
            case _:
                raise NotForEngineError("an expression computes with values other than integers and booleans")

    def _enum_value(self, node: EnumMember) -> int:
        kind = node.type
        if not isinstance(kind, EnumType):
            raise NotForEngineError(f"the enum member {node.label} has no known value")
        return next(each.value for each in self.scope.spec.enum(kind.path).labels if each.label == node.label)

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
        if left.constant is not None and right.constant is not None and interval.constant:
            return constant(_FOLD[node.operator](left.constant, right.constant))
        return joined((left, right), _BINARY[node.operator], checked(interval))

    def _comparison(self, node: Comparison) -> Compiled:
        if self.is_bytes(node.left) or self.is_bytes(node.right):
            return self._comparison_of_bytes(node)
        code, compare = _COMPARISON[node.operator]
        try:
            left, right = (self.compared(each, node.operator) for each in (node.left, node.right))
        except NotForEngineError:
            optional = self.optional_side(node)
            if optional is None:
                raise
            return self._comparison_of_path(node, optional)
        if isinstance(left, Scalar) or isinstance(right, Scalar):
            return self._comparison_of_optional(node, left, right)
        if left.constant is not None and right.constant is not None:
            return constant(int(compare(left.constant, right.constant)))
        return joined((left, right), code, BOOLEAN)

    def compared(self, node: Node, operator: str) -> Compiled | Scalar:
        """Return an operand, or its scalar if it may be absent: an absent value equals nothing."""
        if operator not in ("==", "!=") or not isinstance(node, Name | MemberAccess | Cast):
            return self._compile(node)
        named = uncast(node)
        if isinstance(named, MemberAccess) and not self._may_be_nothing(named):
            # Only the object that contains it may be absent, and then there is no value.
            return self._compile(node)
        found = self.resolve(node)
        if isinstance(found, Scalar) and not self.knows(found) and found.there is not None:
            return found
        return self.strict._compile(node)

    def _may_be_nothing(self, node: MemberAccess) -> bool:
        """Return whether a member of an object that is present may itself be absent."""
        owner = node.value.type
        field = self.scope.spec.struct(owner.path).attribute(node.name) if isinstance(owner, UserType) else None
        return field is None or field.optional

    def optional_side(self, node: Comparison) -> Name | MemberAccess | None:
        """Return the side of ``==`` or ``!=`` that is a path whose value may be absent, in which case it equals
        nothing; ``None`` if neither is."""
        if node.operator not in ("==", "!=") or not self.absent_fails or self.presence_of is None:
            return None
        sides = (uncast(each) for each in (node.left, node.right))
        optional = [each for each in sides if isinstance(each, Name | MemberAccess) and not self._is_certain(each)]
        return optional[0] if len(optional) == 1 else None

    def _is_certain(self, node: Node) -> bool:
        try:
            self.strict._compile(node)
        except NotForEngineError:
            return False
        return True

    def _comparison_of_path(self, node: Comparison, optional: Name | MemberAccess) -> Compiled:
        assert self.presence_of is not None
        there, around = self.presence_of(self, optional)
        sides = (self._compile(node.left), self._compile(node.right))
        compared = joined(sides, _COMPARISON[node.operator][0], BOOLEAN)
        otherwise = constant(int(node.operator == "!="))
        return joined(
            (around, joined((there, compared, otherwise), Code.SELECT, BOOLEAN), NOTHING), Code.SELECT, BOOLEAN
        )

    def _comparison_of_optional(self, node: Comparison, left: Compiled | Scalar, right: Compiled | Scalar) -> Compiled:
        optional, other = (left, right) if isinstance(left, Scalar) else (right, left)
        if isinstance(optional, Compiled) or isinstance(other, Scalar):
            raise NotForEngineError("an expression compares two values that may both be absent")
        value = Compiled((optional,), optional.interval.union(Interval(0, 0)))
        found = self._where_there(optional, joined((value, other), _COMPARISON[node.operator][0], BOOLEAN), node)
        return self._of_owner(node.left if isinstance(left, Scalar) else node.right, found)

    def _of_owner(self, node: Node, compared: Compiled) -> Compiled:
        """Return a comparison with a member of an object; it has no value if the object is absent."""
        named = uncast(node)
        owner = self.resolve(named.value) if isinstance(named, MemberAccess) else None
        return self._of(owner, compared) if isinstance(owner, Scope) else compared

    def _where_there(self, optional: Scalar | Span, compared: Compiled, node: Comparison) -> Compiled:
        """Return a comparison with an optional value, which equals nothing if it is absent."""
        if self.knows(optional):
            return compared
        if node.operator not in ("==", "!=") or optional.there is None:
            self.must_be_present(optional)
        assert optional.there is not None
        otherwise = constant(int(node.operator == "!="))
        return joined((Compiled((optional.there,), BOOLEAN), compared, otherwise), Code.SELECT, BOOLEAN)

    def is_bytes(self, node: Node) -> bool:
        """Return whether the value of an expression is bytes or text."""
        is_it = isinstance(node, Name) and node.id == "_" and isinstance(self.it, Span)
        return is_it or is_spanned(node)

    def _comparison_of_bytes(self, node: Comparison) -> Compiled:
        left, right, compared = node.left, node.right, node.operator
        value = self._fixed_bytes(right)
        if value is None and self._fixed_bytes(left) is not None:
            left, right, value = right, left, self._fixed_bytes(left)
            compared = _MIRRORED.get(compared, compared)
        span = self._compared_span(left)
        wanted = self._as_stored(value, span, compared)
        if value is None or wanted is None:
            return self._comparison_of_spans(node, span, right, compared)
        if not span.found:
            self.must_be_found(span)
        order = Compiled((Order(span, wanted),), Interval(-1, 1))
        found = self._where_there(span, joined((order, constant(0)), _COMPARISON[compared][0], BOOLEAN), node)
        return self._of_owner(left, found)

    def _compared_span(self, node: Node) -> Span:
        span = self.resolve(node) if isinstance(node, Name | MemberAccess | Cast | Subscript) else self.span(node)
        if isinstance(span, Item):
            raise NotForEngineError(f'an expression compares text of an item of "{span.series.name}"')
        if not isinstance(span, Span):
            self._read(span)
            raise NotForEngineError("an expression compares bytes or text with another type")
        return span

    def _as_stored(self, value: bytes | Known | None, span: Span, compared: str) -> bytes | Known | None:
        """Return the bytes to compare with those of a span unchanged; ``None`` if that would not reflect the order of
        its text, since text that is invalid in its encoding is ordered by its replacement."""
        if not span.text or span.made or isinstance(value, Known):
            return value
        if compared not in ("==", "!=") or value is None or span.encoding is None or b"\xef\xbf\xbd" in value:
            return None
        return value if span.encoding.is_utf8 else _encoded(value, span.encoding)

    def _comparison_of_spans(self, node: Comparison, left: Span, other: Node, compared: str) -> Compiled:
        right = self._compared_span(other)
        if not (self.knows(left) or self.knows(right)):
            raise NotForEngineError("an expression compares two values that may both be absent")
        for each in (left, right):
            if not each.found:
                self.must_be_found(each)
        order = Compiled((Compare(self._clean(left), self._clean(right)),), Interval(-1, 1))
        code = joined((order, constant(0)), _COMPARISON[compared][0], BOOLEAN)
        found = self._where_there(right, self._where_there(left, code, node), node)
        return self._of_owner(node.left, self._of_owner(node.right, found))

    def _fixed_bytes(self, node: Node) -> bytes | Known | None:
        """Return the bytes of an expression that is the same in all rows; ``None`` if it varies or a span cannot be
        compared with them."""
        found = literal_bytes(node)
        if found is not None:
            return found if len(found) <= LONGEST_LITERAL else None
        known = self.resolve(node) if isinstance(node, Name | MemberAccess) else None
        return known if isinstance(known, Known) else None

    def _logical(self, node: Logical) -> Compiled:
        left = self._compile(node.left)
        knowing = self.knowing(node.left if node.operator == "and" else None)
        right = knowing.guarded(left if node.operator == "and" else inverted(left))._compile(node.right)
        if left.constant is not None:
            decides = bool(left.constant) == (node.operator == "or")
            return constant(int(bool(left.constant))) if decides else right
        return joined((left, right), Code.BOOLEAN_AND if node.operator == "and" else Code.BOOLEAN_OR, BOOLEAN)

    def _conditional(self, node: Conditional) -> Compiled:
        condition = self._compile(node.condition)
        if condition.constant is not None and not condition.constant:
            return self._compile(node.otherwise)
        then = self.knowing(node.condition).guarded(condition)._compile(node.then)
        if condition.constant:
            return then
        otherwise = self.denying(node.condition).guarded(inverted(condition))._compile(node.otherwise)
        return joined((condition, then, otherwise), Code.SELECT, then.interval.union(otherwise.interval))

    def knowing(self, condition: Node | None) -> Compiler:
        """Return a compiler for code that runs only if the condition holds."""
        if condition is None:
            return self
        return replace(self, assumed=(*self.assumed, *facts_of(self.scope, condition)))

    def denying(self, condition: Node) -> Compiler:
        """Return a compiler for code that runs only if the condition does not hold."""
        return replace(self, assumed=(*self.assumed, *(Fact(self.scope, each) for each in denied(condition))))


def uncast(node: Node) -> Node:
    """Return the operand of a cast, or any other expression unchanged."""
    while isinstance(node, Cast):
        node = node.value
    return node


def _encoded(value: bytes, encoding: Encoding) -> bytes | None:
    """Return text as bytes in an encoding; ``None`` if the encoding lacks it, or if other bytes may decode to it
    too."""
    try:
        found = value.decode().encode(encoding.name)
    except UnicodeError:
        return None
    characters = encoding.table
    pairs = [characters[at : at + 2] for at in range(0, len(characters), 2)]
    same = any(pairs.count(pairs[each]) > 1 for each in found if pairs)
    return None if same or len(found) > LONGEST_LITERAL else found


def literal_bytes(node: Node) -> bytes | None:
    """Return the bytes on the wire of a literal of bytes or text; ``None`` for other expressions."""
    folded = fold(node)
    if isinstance(folded, StringLiteral) and not _NO_TEXT.search(folded.value):
        return folded.value.encode()
    return constant_bytes(folded.items) if isinstance(folded, ListLiteral) else None
