"""Operations on whole columns: Arrow's compute kernels with the semantics of the language's operators."""

from __future__ import annotations

from ...tree import Spec
from .interval import BINARY, Interval
from .message_arrow import field_of
from .refusal import NotForEngineError
from .vectors import Vector, common_type, field_vector, number, refuse_kind, typed_vector

LENGTHS = Interval(0, (1 << 31) - 1)

LARGEST_SHIFT = 62
"""Maximum number of bits to shift by: Arrow returns a number unchanged if it is shifted by its full width."""

COMPARISONS = {
    "==": "pc.equal",
    "!=": "pc.not_equal",
    "<": "pc.less",
    "<=": "pc.less_equal",
    ">": "pc.greater",
    ">=": "pc.greater_equal",
}
OPERATIONS = {
    "+": "pc.add",
    "-": "pc.subtract",
    "*": "pc.multiply",
    "/": "pc.divide",
    "%": "computing.remainder",
    "&": "pc.bit_wise_and",
    "|": "pc.bit_wise_or",
    "^": "pc.bit_wise_xor",
    "<<": "pc.shift_left",
    ">>": "pc.shift_right",
}
"""Kernels on integers of one type that can represent the result; division and remainder require non-negative
numbers."""


def item(spec: Spec, lists: Vector, index: int) -> Vector:
    """Return ``lists[index]``."""
    if lists.items is None or lists.struct is None or field_of(lists.items).key or lists.picked or index < 0:
        refuse_kind()
    text = f"computing.item({lists.text}, {index})"
    return typed_vector(spec, text, lists.items.type, lists.struct, picked=True)


def member(spec: Spec, value: Vector, name: str) -> Vector:
    """Return ``value.name``: a field of a message, or a method without arguments."""
    if value.struct is not None and value.items is None:
        attribute = value.struct.attribute(name)
        if attribute is None:
            raise NotForEngineError(f'an expression uses "{name}" of a message inside a column')
        return field_vector(
            spec, f"computing.member({value.text}, {name!r})", attribute, value.struct, picked=value.picked
        )
    if name in ("size", "length") and (value.items is not None or value.type in ("binary", "utf8")):
        if value.lossy or value.constant:
            raise NotForEngineError("an expression uses the length of text that need not be UTF-8")
        return Vector(f"computing.length({value.text})", "int64", LENGTHS)
    if name == "first" and value.items is not None:
        return item(spec, value, 0)
    if name == "to_i" and value.is_integer:
        return value
    if name == "to_i" and value.type == "bool_":
        return Vector(f"{value.settled}.cast(pa.int64())", "int64", Interval(0, 1))
    raise NotForEngineError(f'an expression uses ".{name}"')


def unary(operator: str, operand: Vector) -> Vector:
    """Return the result of ``not``, ``-``, ``~`` or ``+``."""
    if operator == "not":
        return Vector(f"pc.invert({_boolean(operand)})", "bool_")
    values = operand.integers()
    if operator == "-":
        return binary("-", number(0), operand)
    if operator == "~":
        inverted = Interval(~values.high, ~values.low)
        kind = common_type(values, inverted)
        return Vector(f"pc.bit_wise_not({operand.cast(kind)})", kind, inverted)
    return operand


def binary(operator: str, left: Vector, right: Vector) -> Vector:
    """Return the result of an arithmetic operator. Raises ``NotForEngineError`` if a value may exceed 64 bits."""
    if left.is_float or right.is_float:
        if operator not in "+-*":
            raise NotForEngineError("an expression divides floats")
        return Vector(f"{OPERATIONS[operator]}({left.as_float()}, {right.as_float()})", "float64")
    one, other = left.integers(), right.integers()
    if operator in "/%" and (one.low < 0 or other.low <= 0):
        raise NotForEngineError("an expression divides numbers that may be negative, or by one that may be zero")
    if operator in ("<<", ">>") and not other.within(0, LARGEST_SHIFT):
        raise NotForEngineError(f"an expression shifts by a count that may be outside 0 to {LARGEST_SHIFT}")
    result = BINARY[operator](one, other)
    kind = common_type(one, other, result)
    return Vector(f"{OPERATIONS[operator]}({left.cast(kind)}, {right.cast(kind)})", kind, result)


def comparison(operator: str, left: Vector, right: Vector) -> Vector:
    """Return the result of ``==``, ``<`` etc. on integers, floats, booleans, bytes or text."""
    function = COMPARISONS[operator]
    if left.is_integer and right.is_integer:
        kind = _comparable(left, right)
        return Vector(f"{function}({left.cast(kind)}, {right.cast(kind)})", "bool_")
    if left.is_float and right.is_float:
        return Vector(f"{function}({left.as_float()}, {right.as_float()})", "bool_")
    if left.type != right.type or left.type not in ("binary", "utf8", "bool_") or left.lossy or right.lossy:
        refuse_kind()
    return Vector(f"{function}({left.settled}, {right.settled})", "bool_")


def _comparable(left: Vector, right: Vector) -> str:
    """Return the type in which two columns of integers are compared; if one operand is a constant, that of the
    column."""
    for one, other in ((left, right), (right, left)):
        if other.constant and not one.constant:
            held = other.integers()
            known = _values(one.type)
            if held.within(known.low, known.high):
                return one.type
    return common_type(left.integers(), right.integers())


def _values(type: str) -> Interval:
    bits = int(type.removeprefix("u").removeprefix("int"))
    return Interval(0, (1 << bits) - 1) if type.startswith("u") else Interval(-(1 << bits - 1), (1 << bits - 1) - 1)


def logical(operator: str, left: Vector, right: Vector) -> Vector:
    """Return the result of ``and`` or ``or``; the right operand counts only if the left one does not decide."""
    function = "computing.both" if operator == "and" else "computing.either"
    if left.constant:
        refuse_kind()
    return Vector(f"{function}({_boolean(left)}, lambda: {_boolean(right)})", "bool_")


def conditional(condition: Vector, then: Vector, otherwise: Vector) -> Vector:
    """Return ``condition ? then : otherwise``."""
    if then.is_integer and otherwise.is_integer:
        one, other = then.integers(), otherwise.integers()
        kind = common_type(one, other)
        texts, interval = (then.cast(kind), otherwise.cast(kind)), one.union(other)
        return Vector(f"pc.if_else({_boolean(condition)}, {texts[0]}, {texts[1]})", kind, interval)
    if then.type != otherwise.type or not then.type:
        refuse_kind()
    text = f"pc.if_else({_boolean(condition)}, {then.settled}, {otherwise.settled})"
    return Vector(text, then.type, lossy=then.lossy or otherwise.lossy)


def _boolean(value: Vector) -> str:
    if value.type != "bool_":
        refuse_kind()
    return value.settled
