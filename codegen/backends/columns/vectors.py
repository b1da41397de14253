"""Whole columns inside expressions: the source code that makes them, and what is known of their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from ...expression.types import BooleanType, BytesType, EnumType, FloatType, IntegerType, StringType, Type, UserType
from ...plan import Field, Plan, TypePlan
from ...wire import Timestamp
from .arrow import integer_interval
from .interval import INT64, Interval, of_bytes
from .message_types import field_of
from .refusal import NotForEngineError

UINT64 = of_bytes(8, signed=False)


@dataclass(frozen=True)
class Vector:
    """An array, or with ``constant`` one value for all rows. ``type``: Arrow's function of its type (``uint32``), empty
    for lists and structs.

    ``picked``: the code makes a ``wireloom.rows.messages.computing.Picked``. ``lossy``: text of which the objects have
    another form than the columns. ``items``: for a list, the repeated field. ``struct``: for a struct, its type.
    """

    text: str
    type: str
    interval: Interval | None = None
    constant: bool = False
    picked: bool = False
    lossy: bool = False
    items: Field | None = None
    struct: TypePlan | None = None

    @property
    def settled(self) -> str:
        """Return the code of the array itself."""
        return f"computing.settled({self.text})" if self.picked else self.text

    @property
    def is_integer(self) -> bool:
        """Return whether it is one of integers."""
        return self.interval is not None

    @property
    def is_float(self) -> bool:
        """Return whether it is one of floats."""
        return self.type in ("float32", "float64")

    def integers(self) -> Interval:
        """Return the values that it can have. Raises ``NotForEngineError`` if it is not a column of integers."""
        if self.interval is None:
            refuse_kind()
        return self.interval

    def cast(self, type: str) -> str:
        """Return the code of it as that type, which can hold all its values."""
        if self.constant and self.interval is not None:
            return f"pa.scalar({self.interval.low}, pa.{type}())"
        return self.settled if self.type == type else f"{self.settled}.cast(pa.{type}())"

    def as_float(self) -> str:
        """Return the code of it as ``float64``, rounded where it has to be."""
        if self.constant and self.interval is not None:
            return f"pa.scalar({float(self.interval.low)!r}, pa.float64())"
        return self.settled if self.type == "float64" else f"{self.settled}.cast(pa.float64(), safe=False)"


def refuse_kind() -> NoReturn:
    """Raise the refusal of operations on values of other types."""
    raise NotForEngineError("an expression does with whole columns what no kernel of Arrow does")


def number(value: int) -> Vector:
    """Return a constant."""
    return Vector(str(value), common_type(Interval(value, value)), Interval(value, value), constant=True)


def common_type(*intervals: Interval) -> str:
    """Return the type that holds all values of all. Raises ``NotForEngineError`` if none does."""
    for name, held in (("int64", INT64), ("uint64", UINT64)):
        if all(each.within(held.low, held.high) for each in intervals):
            return name
    raise NotForEngineError("an expression can reach values beyond 64 bits")


def field_vector(plan: Plan, text: str, attribute: Field, owner: TypePlan, *, picked: bool = False) -> Vector:
    """Return the column that a field makes, given the code of it."""
    if isinstance(attribute.logical, Timestamp):
        raise NotForEngineError(f'an expression computes with the timestamp "{attribute.id}"')
    if field_of(attribute).json:
        raise NotForEngineError(f'an expression uses "{attribute.id}", which columns have as JSON text')
    if field_of(attribute).label == "repeated":
        return Vector(text, "", picked=picked, items=attribute, struct=owner)
    return typed_vector(plan, text, attribute.type, owner, picked=picked)


def typed_vector(plan: Plan, text: str, type: Type, owner: TypePlan, *, picked: bool = False) -> Vector:
    """Return a column of values of a type of ``owner``'s field."""
    interval = integer_interval(type)
    base = type.base if isinstance(type, EnumType) else type
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
            return Vector(text, "", picked=picked, struct=plan.type(path))
    refuse_kind()
