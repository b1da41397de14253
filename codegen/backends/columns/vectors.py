"""Whole columns in expressions: the source code that computes them, and the known range of their values."""

from __future__ import annotations

from typing import NoReturn

from ...dataclass import dataclass
from ...expression.types import BooleanType, BytesType, FloatType, IntegerType, StringType, Type, UserType
from ...tree import Attribute, Spec, Struct
from ...wire import Timestamp
from .arrow import integer_interval
from .interval import INT64, Interval, of_bytes
from .message_arrow import field_of
from .refusal import NotForEngineError

UINT64 = of_bytes(8, signed=False)


@dataclass(frozen=True)
class Vector:
    """An array or, with ``constant``, one value for all rows. ``type``: the name of Arrow's function for its type
    (``uint32``); empty for lists and structs.

    ``picked``: the code creates a ``wireloom.rows.messages.computing.Picked``. ``lossy``: text whose form differs
    between objects and columns. ``items``: for a list, the repeated field. ``struct``: for a struct, its type.
    """

    text: str
    type: str
    interval: Interval | None = None
    constant: bool = False
    picked: bool = False
    lossy: bool = False
    items: Attribute | None = None
    struct: Struct | None = None

    @property
    def settled(self) -> str:
        """Return the code of the array itself, without ``Picked``."""
        return f"computing.settled({self.text})" if self.picked else self.text

    @property
    def is_integer(self) -> bool:
        """Return whether the values are integers."""
        return self.interval is not None

    @property
    def is_float(self) -> bool:
        """Return whether the values are floats."""
        return self.type in ("float32", "float64")

    def integers(self) -> Interval:
        """Return the range of the values. Raises ``NotForEngineError`` if they are not integers."""
        if self.interval is None:
            refuse_kind()
        return self.interval

    def cast(self, type: str) -> str:
        """Return the code of the values as ``type``, which must be able to represent all of them."""
        if self.constant and self.interval is not None:
            return f"constant({self.interval.low}, pa.{type}())"
        return self.settled if self.type == type else f"{self.settled}.cast(pa.{type}())"

    def as_float(self) -> str:
        """Return the code of the values as ``float64``, rounded if necessary."""
        if self.constant and self.interval is not None:
            return f"constant({float(self.interval.low)!r}, pa.float64())"
        return self.settled if self.type == "float64" else f"{self.settled}.cast(pa.float64(), safe=False)"


def refuse_kind() -> NoReturn:
    """Raise ``NotForEngineError`` for an operation on values of an unsupported type."""
    raise NotForEngineError("an expression uses an operation that Arrow does not support for whole columns")


def number(value: int) -> Vector:
    """Return an integer constant."""
    return Vector(str(value), common_type(Interval(value, value)), Interval(value, value), constant=True)


def common_type(*intervals: Interval) -> str:
    """Return the type that represents all values of all intervals. Raises ``NotForEngineError`` if none does."""
    for name, held in (("int64", INT64), ("uint64", UINT64)):
        if all(each.within(held.low, held.high) for each in intervals):
            return name
    raise NotForEngineError("an expression may exceed 64 bits")


def field_vector(spec: Spec, text: str, attribute: Attribute, owner: Struct, *, picked: bool = False) -> Vector:
    """Return the column of a field, given its code."""
    if isinstance(attribute.logical, Timestamp):
        raise NotForEngineError(f'an expression computes with the timestamp "{attribute.id}"')
    if field_of(attribute).json:
        raise NotForEngineError(f'an expression uses "{attribute.id}", which is JSON text in columns')
    if field_of(attribute).label == "repeated":
        return Vector(text, "", picked=picked, items=attribute, struct=owner)
    return typed_vector(spec, text, attribute.type, owner, picked=picked)


def typed_vector(spec: Spec, text: str, type: Type, owner: Struct, *, picked: bool = False) -> Vector:
    """Return a column of values of ``type``, for a field of ``owner``."""
    interval = integer_interval(type)
    base = type.on_wire
    match base:
        case BooleanType():
            return Vector(text, "bool_", picked=picked)
        case IntegerType(size=size, signed=signed):
            return Vector(text, f"{'' if signed else 'u'}int{8 * size}", interval, picked=picked)
        case FloatType(size=size):
            return Vector(text, f"float{8 * size}", picked=picked)
        case BytesType():
            return Vector(text, "binary", picked=picked)
        case StringType():
            lossy = owner.message is not None and owner.message.syntax == "proto2"
            return Vector(text, "utf8", picked=picked, lossy=lossy)
        case UserType(path=path):
            return Vector(text, "", picked=picked, struct=spec.struct(path))
    refuse_kind()
