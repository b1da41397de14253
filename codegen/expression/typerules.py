"""The rules by which types are combined, compared and assigned."""

from __future__ import annotations

from .nodes import IntegerLiteral, Node
from .types import (
    AnyStructType,
    BitsType,
    BooleanType,
    BytesType,
    ComputedFloatType,
    ComputedIntegerType,
    EnumType,
    FloatType,
    IntegerType,
    ListType,
    StreamType,
    StringType,
    Type,
    UnionType,
    UserType,
    VarintType,
)


def is_integer(type: Type) -> bool:
    """Return whether values are integers; a single bit is a boolean instead."""
    if isinstance(type, BitsType):
        return type.width > 1
    return isinstance(type, (IntegerType, ComputedIntegerType, VarintType))


def integer_range(type: Type) -> tuple[int, int] | None:
    """Return the least and the largest value of an integer on the wire; ``None`` for computed ones and other types."""
    match type:
        case IntegerType(size=size, signed=signed):
            return (-(1 << 8 * size - 1), (1 << 8 * size - 1) - 1) if signed else (0, (1 << 8 * size) - 1)
        case BitsType(width=width):
            return 0, (1 << width) - 1
        case VarintType():
            return type.limits
        case _:
            return None


def is_float(type: Type) -> bool:
    """Return whether values are floats."""
    return isinstance(type, (FloatType, ComputedFloatType))


def is_number(type: Type) -> bool:
    """Return whether values are integers or floats."""
    return is_integer(type) or is_float(type)


def is_text(type: Type) -> bool:
    """Return whether values are text."""
    return isinstance(type, StringType)


def is_boolean(type: Type) -> bool:
    """Return whether values are booleans or single bits."""
    return isinstance(type, BooleanType) or (isinstance(type, BitsType) and type.width == 1)


def is_struct(type: Type) -> bool:
    """Return whether values are objects of a type of the spec."""
    return isinstance(type, (UserType, AnyStructType))


def is_byte(node: Node) -> bool:
    """Return whether a typed node is certain to be 0…255, so that a list of such nodes is bytes."""
    if isinstance(node, IntegerLiteral):
        return 0 <= node.value <= 255
    return isinstance(node.type, IntegerType) and node.type.size == 1 and not node.type.signed


def type_name(type: Type) -> str:
    """Return the name of a type in messages."""
    match type:
        case IntegerType(size, signed, endian):
            return f"{'s' if signed else 'u'}{size}{endian or ''}"
        case BitsType(width, endian):
            return f"b{width}{endian}"
        case FloatType(size, endian):
            return f"f{size}{endian or ''}"
        case ComputedIntegerType():
            return "an integer"
        case ComputedFloatType():
            return "a float"
        case BooleanType():
            return "a boolean"
        case BytesType():
            return "bytes"
        case StringType():
            return "text"
        case VarintType(path):
            return f"the varint {'::'.join(path)}"
        case EnumType(path):
            return f"the enum {'::'.join(path)}"
        case UserType(path):
            return f"the type {'::'.join(path)}"
        case ListType(item):
            return f"a list of {type_name(item)}"
        case StreamType():
            return "a stream"
        case AnyStructType():
            return "an object of some type"
    return "a value of several types"


def combined(one: Type, other: Type) -> Type | None:
    """Return the type of a value that has one type or the other; ``None`` if there is none."""
    if one == other:
        return one
    if is_integer(one) and is_integer(other):
        return _wider(one, other)
    if is_number(one) and is_number(other):
        return ComputedFloatType()
    if is_text(one) and is_text(other):
        return StringType()
    if is_boolean(one) and is_boolean(other):
        return BooleanType()
    if is_struct(one) and is_struct(other):
        return AnyStructType()
    if isinstance(one, EnumType) and isinstance(other, EnumType) and one.path == other.path:
        return EnumType(one.path, ComputedIntegerType())
    if isinstance(one, ListType) and isinstance(other, ListType):
        item = combined(one.item, other.item)
        return ListType(item) if item is not None else None
    if isinstance(one, UnionType) or isinstance(other, UnionType):
        return union((one, other))
    return None


def _wider(one: Type, other: Type) -> Type:
    """Return the integer type that contains the values of both, if one of the two does; otherwise that of computed
    integers."""
    if isinstance(one, IntegerType) and isinstance(other, IntegerType) and one.signed == other.signed:
        if one.size == 1 or other.size == 1:
            return other if one.size == 1 else one
        if one.endian == other.endian:
            return one if one.size > other.size else other
    return ComputedIntegerType()


def union(types: tuple[Type, ...]) -> UnionType:
    """Return a union of types, without duplicates and nested unions."""
    members = (member for each in types for member in (each.members if isinstance(each, UnionType) else (each,)))
    return UnionType(tuple(dict.fromkeys(members)))


def combined_all(types: tuple[Type, ...]) -> Type:
    """Return the type of a switch over ``types``: their common type, or a union if there is none."""
    result = types[0]
    for each in types[1:]:
        both = combined(result, each)
        if both is None:
            return union(types)
        result = both
    return result


def comparable(one: Type, other: Type, operator: str) -> str | None:
    """Return ``None`` if the two can be compared, otherwise the sentence that explains why not."""
    ordered = operator not in ("==", "!=")
    if isinstance(one, EnumType) and isinstance(other, EnumType):
        if one.path != other.path:
            return f"can't compare {type_name(one)} and {type_name(other)}"
        return f"enum members have no order: use .to_i on both sides of '{operator}'" if ordered else None
    for same in (is_number, is_text, is_boolean):
        if same(one) and same(other):
            return None
    if isinstance(one, BytesType) and isinstance(other, BytesType):
        return None
    hint = ""
    for this, that in ((one, other), (other, one)):
        if isinstance(this, EnumType) and is_integer(that):
            hint = "; compare with a member (enum::member), or compare .to_i with the number"
        if isinstance(this, BytesType) and is_text(that):
            hint = '; convert the bytes to text with .to_s("ASCII")'
    return f"can't compare {type_name(one)} and {type_name(other)}{hint}"


def assignable(value: Type, target: Type) -> bool:
    """Return whether an argument of type ``value`` fits a parameter of type ``target``."""
    if value == target or (isinstance(target, UnionType) and not target.members):
        return True
    for same in (is_integer, is_float, is_text, is_boolean):
        if same(value) and same(target):
            return True
    if isinstance(target, AnyStructType):
        return is_struct(value)
    if isinstance(value, EnumType) and isinstance(target, EnumType):
        return value.path == target.path
    if isinstance(value, UserType) and isinstance(target, UserType):
        return value.path == target.path
    if isinstance(value, ListType) and isinstance(target, ListType):
        return assignable(value.item, target.item)
    return False
