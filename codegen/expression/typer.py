"""Syntax tree → typed tree.

The typer knows the rules of the language, but not the names: these are looked up in a ``Scope``.
"""

from __future__ import annotations

from typing import Protocol

from wireloom.base.dataclass import replace

from ..words import listed, suggestion
from .lexer import ExpressionError
from .methods import METHODS, Method, check_key, family
from .nodes import (
    Binary,
    BooleanLiteral,
    Call,
    Cast,
    Comparison,
    Conditional,
    EnumMember,
    FloatLiteral,
    FormattedString,
    IntegerLiteral,
    ListLiteral,
    Logical,
    MemberAccess,
    Name,
    Node,
    SizeOf,
    StringLiteral,
    Subscript,
    Unary,
)
from .types import (
    AnyStructType,
    BooleanType,
    BytesType,
    ComputedFloatType,
    ComputedIntegerType,
    EnumType,
    IntegerType,
    ListType,
    Path,
    StreamType,
    StringType,
    TableType,
    Type,
    UnionType,
    UserType,
    combined,
    comparable,
    is_boolean,
    is_integer,
    is_number,
    is_text,
    type_name,
)

INTEGER = ComputedIntegerType()
FLOAT = ComputedFloatType()
BOOLEAN = BooleanType()
STRING = StringType()
BYTE = IntegerType(1, False, None)


class UnknownNameError(Exception):
    """Raised by a scope for an unknown name; ``message`` is the sentence for the author."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Scope(Protocol):
    """The scope in which the typer looks up names. Every method raises ``UnknownNameError`` for unknown ones."""

    def name(self, name: str) -> Type:
        """Return the type of a bare name."""

    def member(self, path: Path, name: str) -> Type:
        """Return the type of ``name`` in a value of the user type ``path``."""

    def enum(self, path: tuple[str, ...], label: str) -> EnumType:
        """Return the enum that ``path`` refers to. It must have the label."""

    def cast(self, target: str) -> Type:
        """Return the type that the name in ``.as<…>`` or ``sizeof<…>`` refers to."""

    def size_in_bits(self, type: Type) -> int:
        """Return the size on the wire of every value of the type, in bits."""

    def own_size_in_bits(self) -> int:
        """Return the size in bits of the type that the expression belongs to (``_sizeof``)."""

    def member_size_in_bits(self, path: Path, name: str) -> int:
        """Return the size in bits of an attribute (``name._sizeof``), including its size key and its repetition."""

    def own_path(self) -> Path:
        """Return the path of the type that the expression belongs to."""


def typed(node: Node, scope: Scope) -> Node:
    """Return a copy of the tree in which every node has a type. Raises ``ExpressionError`` with the position of the
    error."""
    return _Typer(scope).typed(node)


def type_of(node: Node) -> Type:
    """Return the type of a node of a typed tree."""
    if node.type is None:
        raise TypeError("the tree has not been typed")
    return node.type


class _Typer:
    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def typed(self, node: Node) -> Node:
        try:
            return self.visit(node)
        except UnknownNameError as error:
            start = node.value.end + 1 if isinstance(node, MemberAccess) and node.name != "_sizeof" else node.start
            raise ExpressionError(error.message, start, node.end) from None

    def all(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        """Type several parts; the errors of all of them are raised together."""
        done: list[Node] = []
        errors: list[ExpressionError] = []
        for each in nodes:
            try:
                done.append(self.typed(each))
            except ExpressionError as error:
                errors += [error, *error.others]
        if errors:
            first, *others = errors
            first.others = tuple(others)
            raise first
        return tuple(done)

    def visit(self, node: Node) -> Node:
        match node:
            case IntegerLiteral():
                return replace(node, type=INTEGER)
            case FloatLiteral():
                return replace(node, type=FLOAT)
            case BooleanLiteral():
                return replace(node, type=BOOLEAN)
            case StringLiteral():
                return replace(node, type=STRING)
            case FormattedString():
                return self.formatted(node)
            case ListLiteral():
                return self.list_literal(node)
            case Name():
                if node.id == "_sizeof":
                    return self.constant(self.scope.own_size_in_bits(), "byte", node)
                return replace(node, type=self.scope.name(node.id))
            case MemberAccess():
                return self.attribute(node)
            case Call():
                return self.call(node)
            case Subscript():
                return self.subscript(node)
            case Unary():
                return self.unary(node)
            case Binary():
                return self.binary(node)
            case Comparison():
                return self.comparison(node)
            case Logical():
                return self.logical(node)
            case Conditional():
                return self.conditional(node)
            case EnumMember():
                return replace(node, type=self.scope.enum(node.path, node.label))
            case Cast():
                return self.cast(node)
            case SizeOf():
                return self.constant(self.scope.size_in_bits(self.scope.cast(node.target)), node.unit, node)
        raise AssertionError(node)

    def constant(self, bits: int, unit: str, node: Node) -> Node:
        """Return a size as an integer literal, since sizes are known when code is generated."""
        value = bits if unit == "bit" else (bits + 7) // 8
        return IntegerLiteral(value, start=node.start, end=node.end, type=INTEGER)

    # Literals -------------------------------------------------------------------------------------------------------

    def formatted(self, node: FormattedString) -> Node:
        parts = self.all(node.parts)
        for each in parts:
            kind = type_of(each)
            if not (is_text(kind) or is_number(kind) or is_boolean(kind)):
                raise _wrong("text or a number in a formatted string", each)
        return replace(node, parts=parts, type=STRING)

    def list_literal(self, node: ListLiteral) -> Node:
        if not node.items:
            raise ExpressionError("an empty list has no type", node.start, node.end)
        items = self.all(node.items)
        if all(_is_byte(each) for each in items):
            return replace(node, items=items, type=BytesType())
        item = type_of(items[0])
        for each in items[1:]:
            both = combined(item, type_of(each))
            if both is None:
                raise ExpressionError(
                    f"the items of a list must have the same type, found {type_name(item)} and "
                    f"{type_name(type_of(each))}",
                    each.start,
                    each.end,
                )
            item = both
        return replace(node, items=items, type=ListType(item))

    # Members --------------------------------------------------------------------------------------------------------

    def attribute(self, node: MemberAccess) -> Node:
        if node.name == "_sizeof":
            return self.value_size(node)
        value = self.typed(node.value)
        kind = type_of(value)
        result: Type
        if isinstance(kind, UserType):
            result = self.scope.member(kind.path, node.name)
        elif isinstance(kind, AnyStructType) and node.name == "_parent":
            result = AnyStructType()
        elif isinstance(kind, AnyStructType) and node.name == "_io":
            result = StreamType()
        else:
            result = self.method(value, node.name, (), node).result(kind)
        return replace(node, value=value, type=result)

    def value_size(self, node: MemberAccess) -> Node:
        """Return ``value._sizeof``: of an attribute, or of any value whose type has a fixed size."""
        value = self.typed(node.value)
        if isinstance(value, Name) and not value.id.startswith("_"):
            return self.constant(self.scope.member_size_in_bits(self.scope.own_path(), value.id), "byte", node)
        if isinstance(value, MemberAccess) and isinstance(owner := type_of(value.value), UserType):
            return self.constant(self.scope.member_size_in_bits(owner.path, value.name), "byte", node)
        return self.constant(self.scope.size_in_bits(type_of(value)), "byte", node)

    def call(self, node: Call) -> Node:
        value, *others = self.all((node.value, *node.arguments))
        arguments = tuple(others)
        kind = type_of(value)
        method = self.method(value, node.name, arguments, node)
        return replace(node, value=value, arguments=arguments, type=method.result(kind))

    def method(self, value: Node, name: str, arguments: tuple[Node, ...], node: Node) -> Method:
        kind = type_of(value)
        known = METHODS.get(family(kind), {})
        if name not in known:
            hint = suggestion(name, known) or (f"; it has {listed(sorted(known))}" if known else "")
            if isinstance(kind, BytesType) and name == "substring":
                hint += "; to use a part of bytes, declare a value instance with the key 'slice'"
            if isinstance(kind, AnyStructType):
                hint = f"; cast it to its type first: .as<type>.{name}"
            raise ExpressionError(f"{type_name(kind)} has no '{name}'{hint}", value.end + 1, node.end)
        method = known[name]
        method.check(name, kind, arguments, node)
        return method

    def subscript(self, node: Subscript) -> Node:
        value, index = self.all((node.value, node.index))
        if isinstance(kind := type_of(value), TableType):
            check_key(kind, index)
            return replace(node, value=value, index=index, type=kind.value)
        if not is_integer(type_of(index)):
            raise _wrong("an integer as an index", index)
        match type_of(value):
            case ListType(item):
                return replace(node, value=value, index=index, type=item)
            case BytesType():
                return replace(node, value=value, index=index, type=BYTE)
        raise _wrong("a list, bytes or a table before [ ]", value)

    def cast(self, node: Cast) -> Node:
        target = self.scope.cast(node.target)
        value = node.value
        if isinstance(value, ListLiteral) and isinstance(target, BytesType | ListType):
            items = tuple(self.typed(each) for each in value.items)
            if isinstance(target, ListType) or all(_is_byte(each) for each in items):
                # The cast determines the type of the list, which an empty list does not have by itself.
                return replace(node, value=replace(value, items=items, type=target), type=target)
        if isinstance(value, MemberAccess) and value.name != "_sizeof":
            holder = self.typed(value.value)
            if isinstance(kind := type_of(holder), UserType) and kind.opaque:
                # The members of an opaque type are unknown; the cast determines the type.
                return replace(node, value=replace(value, value=holder, type=UnionType(())), type=target)
        return replace(node, value=self.typed(value), type=target)

    # Operators ------------------------------------------------------------------------------------------------------

    def unary(self, node: Unary) -> Node:
        operand = self.typed(node.operand)
        kind = type_of(operand)
        result: Type
        if node.operator == "not":
            if not is_boolean(kind):
                raise _wrong("a boolean after 'not'", operand)
            result = BOOLEAN
        elif node.operator == "~":
            if not is_integer(kind):
                raise _wrong("an integer after '~'", operand)
            result = INTEGER
        else:
            if not is_number(kind):
                raise _wrong(f"a number after '{node.operator}'", operand)
            result = INTEGER if is_integer(kind) else FLOAT
        return replace(node, operand=operand, type=result)

    def binary(self, node: Binary) -> Node:
        left, right = self.all((node.left, node.right))
        kinds = (type_of(left), type_of(right))
        result: Type
        if all(is_integer(each) for each in kinds):
            result = INTEGER
        elif node.operator in "+-*/%" and all(is_number(each) for each in kinds):
            result = FLOAT
        elif node.operator == "+" and all(is_text(each) for each in kinds):
            result = STRING
        else:
            found = f"'{node.operator}' cannot be applied to {type_name(kinds[0])} and {type_name(kinds[1])}"
            hint = ""
            if any(map(is_text, kinds)) and any(map(is_number, kinds)):
                hint = "; '.to_i' is the number in a text" + ", '.to_s' the text of a number" * (node.operator == "+")
            raise ExpressionError(f"{found}{hint}", node.start, node.end)
        return replace(node, left=left, right=right, type=result)

    def comparison(self, node: Comparison) -> Node:
        left, right = self.all((node.left, node.right))
        reason = comparable(type_of(left), type_of(right), node.operator)
        if reason:
            raise ExpressionError(reason, node.start, node.end)
        return replace(node, left=left, right=right, type=BOOLEAN)

    def logical(self, node: Logical) -> Node:
        left, right = self.all((node.left, node.right))
        for each in (left, right):
            kind = type_of(each)
            if not is_boolean(kind):
                raise _wrong(f"booleans around '{node.operator}'", each)
        return replace(node, left=left, right=right, type=BOOLEAN)

    def conditional(self, node: Conditional) -> Node:
        condition, then, otherwise = self.all((node.condition, node.then, node.otherwise))
        kind = type_of(condition)
        if not is_boolean(kind):
            raise _wrong("a boolean before '?'", condition)
        result = combined(type_of(then), type_of(otherwise))
        if result is None:
            raise ExpressionError(
                f"both sides of ':' must have the same type, found {type_name(type_of(then))} and "
                f"{type_name(type_of(otherwise))}",
                then.start,
                otherwise.end,
            )
        return replace(node, condition=condition, then=then, otherwise=otherwise, type=result)


def _wrong(expected: str, node: Node) -> ExpressionError:
    return ExpressionError(f"expected {expected}, found {type_name(type_of(node))}", node.start, node.end)


def _is_byte(node: Node) -> bool:
    """Return whether a typed node is certain to be 0…255, so that a list of such nodes is bytes."""
    if isinstance(node, IntegerLiteral):
        return 0 <= node.value <= 255
    return isinstance(node.type, IntegerType) and node.type.size == 1 and not node.type.signed
