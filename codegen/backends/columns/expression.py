"""Compiles expressions of the language to code for the engine's stack machine."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

from wireloom.base.dataclass import dataclass
from wireloom.format.program import Code
from wireloom.format.program_words import DEEPEST_STACK

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
    FloatLiteral,
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
from ...expression.types import EnumType, StreamType, TableType, UserType, is_float
from .computed_text import Texts, constant_bytes, is_spanned
from .encodings import Encoding
from .interval import BINARY, BOOLEAN, EXACT, FLOAT, LARGEST, TRUNCATED, Interval, checked
from .items import ListItem, Resolved
from .presence import must_be_located
from .refusal import NotForEngineError, blame
from .stack_code import (
    NULL,
    Compare,
    Order,
    StackCode,
    as_float,
    constant,
    float_constant,
    inverted,
    joined,
    optional,
    required,
    where,
)
from .symbols import ConstantTable, HeaderConstant, ListVariable, Scalar, Span, TableVariable

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
_FLOATS = {
    Code[each.name.removeprefix("FLOAT_")]: each
    for each in Code
    if Code.FLOAT_ADD <= each <= Code.FLOAT_GREATER_EQUAL and each is not Code.FLOAT_DIVIDE
} | {Code.FLOOR_DIVIDE: Code.FLOAT_DIVIDE}
"""The codes of floats by those of integers."""
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
    """Compiles expressions; names are resolved as in ``NameResolver``."""

    def compile(self, node: Node) -> StackCode:
        """Return the code of an expression whose value is a number or a boolean. Raises ``NotForEngineError``."""
        result = self._compile(node)
        if result.depth > DEEPEST_STACK:
            error = NotForEngineError(f"an expression is nested more than {DEEPEST_STACK} levels deep")
            blame(error, node)
            raise error
        return result

    def size(self, node: Node) -> tuple[StackCode, int]:
        """Return a size as an expression and a constant to be added to it, so that ``len - 13`` needs no code of its
        own."""
        if isinstance(node, Binary) and node.operator in "+-":
            left, right = self.compile(node.left), self.compile(node.right)
            if left.scalar is not None and right.constant is not None:
                checked(BINARY[node.operator](left.interval, right.interval))
                return left, right.constant if node.operator == "+" else -right.constant
        return self.compile(node), 0

    def _compile(self, node: Node) -> StackCode:
        try:
            found = self._compiled(node)
        except NotForEngineError as error:
            blame(error, node)
            raise
        return as_float(found) if node.type is not None and is_float(node.type) else found

    def _compiled(self, node: Node) -> StackCode:
        self.scope.root.budget.count()
        match node:
            case IntegerLiteral(value=value):
                return constant(value)
            case FloatLiteral(value=value):
                return float_constant(value)
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
            case _:
                raise NotForEngineError("an expression computes with values other than numbers and booleans")

    def _value(self, node: Name | MemberAccess | Subscript | Call | CoveredChecksum) -> StackCode:
        if isinstance(node, MemberAccess) and isinstance(node.value.type, StreamType):
            return self._stream(node.value, node.name)
        if isinstance(node, MemberAccess) and node.name in ("length", "size", "to_i"):
            found = self.resolve(node.value)
            if node.name == "to_i" and isinstance(found, Scalar | StackCode):
                return self._integer(self._read(found))
            if node.name == "to_i" and isinstance(found, Span):
                return self._digits(node.value, found, 10)
            if node.name != "to_i" and isinstance(found, Span):
                return self._span_size(node.value, found)
            if node.name != "to_i" and isinstance(found, ListVariable):
                return StackCode((found.count,), found.count.interval)
            return self._read(self._member(found, node))
        if isinstance(node, Call) and isinstance(node.value.type, TableType):
            return self._has(self.resolve(node.value), node.arguments[0])
        if isinstance(node, Call):
            radix = self._compile(node.arguments[0]).constant if len(node.arguments) == 1 else None
            span = self.resolve(node.value) if node.name == "to_i" else None
            if isinstance(span, Span) and radix is not None and 2 <= radix <= 36:
                return self._digits(node.value, span, radix)
            raise NotForEngineError(f'an expression uses ".{node.name}()"')
        return self._read(self.resolve(node))

    def _has(self, table: Resolved, key: Node) -> StackCode:
        """Return whether a table has a key: its entry is not null."""
        found = self.item_of(table, key) if isinstance(table, TableVariable | ConstantTable) else table
        return joined((self._read(found), NULL), Code.NOT_EQUAL, BOOLEAN)

    @staticmethod
    def _integer(compiled: StackCode) -> StackCode:
        """Return code of the integer part of a float; other values are unchanged."""
        if compiled.interval.is_float:
            return joined((compiled,), Code.FLOAT_TO_INTEGER, TRUNCATED)
        return required(compiled)

    def _attribute(self, node: Node) -> StackCode:
        """Return the code of an expression that may be null: an attribute that is absent, or computed from one."""
        compiled, named = self._compile(node), node
        while isinstance(named, Cast):
            named = named.value
        instance = None
        if isinstance(named, MemberAccess) and isinstance(named.value.type, UserType) and not named.value.type.opaque:
            instance = self.scope.spec.struct(named.value.type.path).instance(named.name)
        elif isinstance(named, Name):
            instance = self.scope.struct.instance(named.id)
        return compiled if instance is None or instance.value is None else optional(compiled)

    def _enum_value(self, node: EnumMember) -> int:
        kind = node.type
        if not isinstance(kind, EnumType):
            raise NotForEngineError(f"the enum member {node.label} has no known value")
        return next(each.value for each in self.scope.spec.enum(kind.path).labels if each.label == node.label)

    def _unary(self, node: Unary) -> StackCode:
        inner = self._compile(node.operand)
        value = inner.constant
        if node.operator == "+":
            return required(inner)
        if node.operator == "-":
            if value is not None:
                return constant(-value)
            if inner.interval.is_float:
                return joined((inner,), Code.FLOAT_NEGATE, FLOAT)
            code, interval = Code.NEGATE, Interval(-inner.interval.high, -inner.interval.low)
        elif node.operator == "~":
            if value is not None:
                return constant(~value)
            code, interval = Code.INVERT, Interval(~inner.interval.high, ~inner.interval.low)
        else:
            if value is not None:
                return constant(int(not value))
            code, interval = Code.BOOLEAN_NOT, BOOLEAN
        return StackCode((*inner.parts, bytes([code])), checked(interval), inner.depth)

    def _binary(self, node: Binary) -> StackCode:
        left, right = self._compile(node.left), self._compile(node.right)
        if node.type is not None and is_float(node.type):
            return joined((as_float(left), as_float(right)), _FLOATS[_BINARY[node.operator]], FLOAT)
        interval = BINARY[node.operator](left.interval, right.interval)
        if left.constant is not None and right.constant is not None and interval.constant:
            return constant(_FOLD[node.operator](left.constant, right.constant))
        is_exact = node.operator == "*" and interval.within(1 - LARGEST, LARGEST - 1)
        return joined((left, right), _BINARY[node.operator], checked(interval), certain=is_exact)

    def _comparison(self, node: Comparison) -> StackCode:
        if self.is_bytes(node.left) or self.is_bytes(node.right):
            return self._comparison_of_bytes(node)
        code, compare = _COMPARISON[node.operator]
        left, right = self._attribute(node.left), self._attribute(node.right)
        if self.scope.struct.message is not None:
            left, right = required(left), required(right)
        if left.interval.is_float or right.interval.is_float:
            return self._comparison_of_floats(left, right, code)
        if left.constant is not None and right.constant is not None:
            return constant(int(compare(left.constant, right.constant)))
        return joined((left, right), code, BOOLEAN)

    @staticmethod
    def _comparison_of_floats(left: StackCode, right: StackCode, code: Code) -> StackCode:
        """Return a comparison of which one operand is a float. An integer that has no equal float is not converted."""
        if code not in (Code.EQUAL, Code.NOT_EQUAL):
            left, right = required(left), required(right)
        if all(_is_exact(each) for each in (left, right)):
            return joined((as_float(left), as_float(right)), _FLOATS[code], BOOLEAN)
        order = Code.FLOAT_ORDER if left.interval.is_float else Code.INTEGER_ORDER
        return joined((joined((left, right), order, FLOAT), float_constant(0)), _FLOATS[code], BOOLEAN)

    def _where_there(
        self, side: Node, span: Span, compared: StackCode, node: Comparison, otherwise: StackCode | None = None
    ) -> StackCode:
        """Return a comparison with bytes or text. ``otherwise``: its value where they are absent; then they equal
        nothing if it is ``None``."""
        present = self.present(side, span)
        if node.operator not in ("==", "!=") or self.scope.struct.message is not None:
            return where(present, compared)
        if present.constant:
            return compared
        otherwise = otherwise or constant(int(node.operator == "!="))
        return joined((present, compared, otherwise), Code.SELECT, BOOLEAN)

    def is_bytes(self, node: Node) -> bool:
        """Return whether the value of an expression is bytes or text."""
        is_it = isinstance(node, Name) and node.id == "_" and isinstance(self.it, Span)
        return is_it or is_spanned(node)

    def _comparison_of_bytes(self, node: Comparison) -> StackCode:
        left, right, compared = node.left, node.right, node.operator
        value = self._fixed_bytes(right)
        if value is None and self._fixed_bytes(left) is not None:
            left, right, value = right, left, self._fixed_bytes(left)
            compared = _MIRRORED.get(compared, compared)
        span = self._compared_span(left)
        wanted = self._as_stored(value, span, compared)
        if value is None or wanted is None:
            return self._comparison_of_spans(node, span, right, compared)
        must_be_located(span)
        order = self._ordered(Order(span, wanted))
        return self._where_there(left, span, joined((order, constant(0)), _COMPARISON[compared][0], BOOLEAN), node)

    def _ordered(self, order: Order | Compare) -> StackCode:
        """Return code of how text compares; outside messages that of null is null."""
        compiled = StackCode((order,), Interval(-1, 1))
        is_message = self.scope.struct.message is not None
        return joined((compiled, constant(0)), Code.ADD, compiled.interval) if is_message else compiled

    def _compared_span(self, node: Node) -> Span:
        span = self.resolve(node) if isinstance(node, Name | MemberAccess | Cast | Subscript) else self.span(node)
        if isinstance(span, ListItem):
            raise NotForEngineError(f'an expression compares text of an item of "{span.series.name}"')
        if not isinstance(span, Span):
            self._read(span)
            raise NotForEngineError("an expression compares bytes or text with another type")
        return span

    def _as_stored(
        self, value: bytes | HeaderConstant | None, span: Span, compared: str
    ) -> bytes | HeaderConstant | None:
        """Return the bytes to compare with those of a span unchanged; ``None`` if that would not reflect the order of
        its text, since text that is invalid in its encoding is ordered by its replacement."""
        if not span.text or span.made or isinstance(value, HeaderConstant):
            return value
        if compared not in ("==", "!=") or value is None or span.encoding is None or b"\xef\xbf\xbd" in value:
            return None
        return value if span.encoding.is_utf8 else _encoded(value, span.encoding)

    def _comparison_of_spans(self, node: Comparison, left: Span, other: Node, compared: str) -> StackCode:
        right = self._compared_span(other)
        for each in (left, right):
            must_be_located(each)
        order = self._ordered(Compare(self._clean(left), self._clean(right)))
        code = joined((order, constant(0)), _COMPARISON[compared][0], BOOLEAN)
        code = self._where_there(other, right, code, node)
        there = self.present(other, right)
        alone = inverted(there) if node.operator == "==" else there
        return self._where_there(node.left, left, code, node, alone)

    def _fixed_bytes(self, node: Node) -> bytes | HeaderConstant | None:
        """Return the bytes of an expression that is the same in all rows; ``None`` if it varies or a span cannot be
        compared with them."""
        found = literal_bytes(node)
        if found is not None:
            return found if len(found) <= LONGEST_LITERAL else None
        known = self.resolve(node) if isinstance(node, Name | MemberAccess) else None
        return known.header if isinstance(known, Span) else None

    def _logical(self, node: Logical) -> StackCode:
        left = self._compile(node.left)
        knowing = self.knowing(node.left) if node.operator == "and" else self
        right = knowing.guarded(left if node.operator == "and" else inverted(left))._compile(node.right)
        if left.constant is not None:
            decides = bool(left.constant) == (node.operator == "or")
            return constant(int(bool(left.constant))) if decides else right
        return joined((left, right), Code.BOOLEAN_AND if node.operator == "and" else Code.BOOLEAN_OR, BOOLEAN)

    def _conditional(self, node: Conditional) -> StackCode:
        condition = self._compile(node.condition)
        if condition.constant is not None and not condition.constant:
            return self._attribute(node.otherwise)
        then = self.knowing(node.condition).guarded(condition)._attribute(node.then)
        if condition.constant:
            return then
        otherwise = self.denying(node.condition).guarded(inverted(condition))._attribute(node.otherwise)
        if then.interval.is_float or otherwise.interval.is_float:
            then, otherwise = as_float(then), as_float(otherwise)
        if otherwise.depth > DEEPEST_STACK // 2:
            # The second operand is computed above one value, the third above two: this allows for more cases.
            condition, then, otherwise = inverted(condition), otherwise, then
        return joined((condition, then, otherwise), Code.SELECT, then.interval.union(otherwise.interval))


def _is_exact(compiled: StackCode) -> bool:
    """Return whether a float represents all values."""
    if compiled.constant is not None:
        return float(compiled.constant) == compiled.constant
    return compiled.interval.is_float or compiled.interval.within(EXACT.low, EXACT.high)


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
