"""The types of attributes and expressions. They are frozen, comparable and do not refer to the model: a user type or an
enum is named by its absolute path, and ``Spec.struct(path)`` or ``Spec.enum(path)`` finds it."""

from __future__ import annotations

from wireloom.base.dataclass import dataclass

Path = tuple[str, ...]
"""Absolute path of a type or an enum: the spec's id, then the names of the nested types, as written in the spec."""


@dataclass(frozen=True)
class Type:
    """Base of all types."""

    @property
    def on_wire(self) -> Type:
        """Return the type on the wire: that of the numbers of an enum."""
        return self


@dataclass(frozen=True)
class IntegerType(Type):
    """``u1 … s8``. ``size``: in bytes (1, 2, 4, 8); ``endian``: ``le`` or ``be``, ``computed`` if the type's
    ``Struct.endian`` decides, ``None`` for a single byte and for values that are not on the wire (parameters, casts).
    """

    size: int
    signed: bool
    endian: str | None


@dataclass(frozen=True)
class BitsType(Type):
    """``bN[le|be]``: ``width`` bits. One bit is a boolean, as in Kaitai's language."""

    width: int
    endian: str


@dataclass(frozen=True)
class VarintType(Type):
    """An integer in groups of seven bits, one per byte; the highest bit of a byte says that another one follows.

    ``order``: ``le`` if the first group is the lowest, else ``be``. ``groups``: the number of lowest groups that count.
    ``most``: the maximum number of bytes, the last of which is at most ``top``; 0 if unlimited. ``zigzag``: even
    numbers represent 0, 1, 2 …, odd ones -1, -2 …
    """

    path: Path
    """The type of the spec that describes it."""
    order: str
    groups: int
    most: int = 0
    top: int = 127
    zigzag: bool = False

    @property
    def big_endian(self) -> bool:
        """Return whether the first group is the highest."""
        return self.order == "be"

    @property
    def limits(self) -> tuple[int, int]:
        """Return the smallest and the largest value.

        >>> VarintType(("varint",), "le", 10, most=10, top=1, zigzag=True).limits == (-(2**63), 2**63 - 1)
        True
        """
        count = ((self.top + 1) if self.groups == self.most else 128) << 7 * (self.groups - 1)
        return (-(count // 2), count // 2 - 1) if self.zigzag else (0, count - 1)


@dataclass(frozen=True)
class FloatType(Type):
    """``f4``, ``f8``; ``endian`` as for integers."""

    size: int
    endian: str | None


@dataclass(frozen=True)
class ComputedIntegerType(Type):
    """An integer of any size that an expression computes."""


@dataclass(frozen=True)
class ComputedFloatType(Type):
    """A float that an expression computes."""


@dataclass(frozen=True)
class BooleanType(Type):
    """``true`` or ``false``."""


@dataclass(frozen=True)
class BytesType(Type):
    """Bytes."""


@dataclass(frozen=True)
class StringType(Type):
    """Text; ``encoding`` is the canonical name of its encoding (``UTF-8``), ``None`` for text that an expression
    computes."""

    encoding: str | None = None


@dataclass(frozen=True)
class EnumType(Type):
    """An integer with names. ``base`` is the type on the wire."""

    path: Path
    base: Type

    @property
    def on_wire(self) -> Type:
        """Return the type on the wire."""
        return self.base


@dataclass(frozen=True)
class UserType(Type):
    """A type of the spec, of an imported spec, or an opaque one that the user provides."""

    path: Path
    opaque: bool = False


@dataclass(frozen=True)
class ListType(Type):
    """A list: a repeated attribute, or a list literal."""

    item: Type


@dataclass(frozen=True)
class TableType(Type):
    """A table: at most one value for each key."""

    key: Type
    value: Type


@dataclass(frozen=True)
class StreamType(Type):
    """``_io``."""


@dataclass(frozen=True)
class AnyStructType(Type):
    """``struct``: a user type that is not known at generation time (``_parent`` of a type with several parents)."""


@dataclass(frozen=True)
class UnionType(Type):
    """The type of a ``switch-on`` whose cases have no common type. Without members: anything (``any``)."""

    members: tuple[Type, ...]


# How types are combined, compared and assigned -------------------------------------------------------------------


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


def is_single(kind: Type) -> bool:
    """Return whether values of a type are single ones: no objects, lists, tables or streams."""
    return not isinstance(kind, UserType | ListType | TableType | StreamType | UnionType | AnyStructType)


def is_struct(type: Type) -> bool:
    """Return whether values are objects of a type of the spec."""
    return isinstance(type, (UserType, AnyStructType))


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
        case TableType(key, value):
            return f"a table from {type_name(key)} to {type_name(value)}"
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
