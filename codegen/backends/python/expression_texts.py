"""Methods of the expression language, and values that a writer makes of lists and objects, as Python text."""

from __future__ import annotations

from collections.abc import Callable

from ...expression.nodes import SLICE, Aggregate, ForEach, Node, ObjectLiteral
from ...expression.types import (
    BooleanType,
    BytesType,
    ComputedFloatType,
    EnumType,
    FloatType,
    ListType,
    StreamType,
    StringType,
    TableType,
    Type,
    UserType,
)
from .module import Module
from .names import field_name

Text = Callable[[Node], str]
"""Returns the text of an expression."""


def object_text(module: Module, node: ObjectLiteral, text: Text) -> str:
    """Return the text of an object."""
    assert isinstance(node.type, UserType)
    arguments = (f"{field_name(name)}={text(value)}" for name, value in zip(node.names, node.values, strict=True))
    return f"{module.class_of(node.type.path)}({', '.join(arguments)})"


def for_each_text(module: Module, node: ForEach, noted: str, text: Text) -> str:
    """Return the text of a value or of objects that are computed from the items written before.

    Args:
        module: The module under construction.
        node: The expression.
        noted: The text of the list that has one entry for each item for which the condition holds.
        text: Returns the text of an expression.
    """
    if node.function in ("item", "total"):
        return f"*{noted}" if node.function == "item" else f"sum({noted})"
    return _extreme(module, node, noted, text)


def aggregate_text(module: Module, node: Aggregate, text: Text, text_of_item: Text) -> str:
    """Return the text of the largest or smallest value in a list.

    Args:
        module: The module under construction.
        node: The expression.
        text: Returns the text of an expression.
        text_of_item: Returns the text of an expression about the item ``each``.
    """
    condition = "" if node.condition is None else f" if {text_of_item(node.condition)}"
    values = f"[{text_of_item(node.value)} for each in {text(node.items)}{condition}]"
    return _extreme(module, node, values, text)


def _extreme(module: Module, node: Aggregate | ForEach, values: str, text: Text) -> str:
    otherwise = "" if node.otherwise is None else f", {text(node.otherwise)}"
    return f"{module.use(node.function)}({values}{otherwise})"


METHODS: dict[tuple[type[Type], str], tuple[str, ...]] = {
    (StringType, "length"): ("len({})",),
    (StringType, "reverse"): ("{}[::-1]",),
    (StringType, "substring"): ("{substring}({}, {}, {})", "substring"),
    (StringType, "to_i"): ("{to_integer}({})", "to_integer"),
    (BytesType, "length"): ("len({})",),
    (BytesType, "size"): ("len({})",),
    (BytesType, "first"): ("{item}({}, 0)", "item"),
    (BytesType, "last"): ("{last}({})", "last"),
    (BytesType, "min"): ("{smallest}({})", "smallest"),
    (BytesType, "max"): ("{largest}({})", "largest"),
    (BytesType, SLICE): ("{part}({}, {}, {})", "part"),
    (ListType, "size"): ("len({})",),
    (ListType, "length"): ("len({})",),
    (ListType, "min"): ("{smallest}({})", "smallest"),
    (ListType, "max"): ("{largest}({})", "largest"),
    (FloatType, "to_i"): ("{truncate}({})", "truncate"),
    (ComputedFloatType, "to_i"): ("{truncate}({})", "truncate"),
    (BooleanType, "to_i"): ("int({})",),
    (EnumType, "to_i"): ("int({})",),
    (TableType, "has"): ("{}.has({})",),
    (StreamType, "eof"): ("{}.is_eof()",),
    (StreamType, "size"): ("{}.size()",),
    (StreamType, "pos"): ("{}.pos()",),
}
"""By method: its text, in which ``{}`` are the value and the arguments, and the name of the runtime function that it
uses.
"""


def integer_text(value: int, radix: int = 10) -> str:
    """Return an integer as a Python literal.

    >>> integer_text(202, 16), integer_text(0b1110_0000, 2), integer_text(3, 2), integer_text(7)
    ('0xca', '0b1110_0000', '0b11', '7')
    """
    return format(value, {16: "#x", 8: "#o", 2: "#_b"}.get(radix, "d"))
