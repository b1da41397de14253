"""Values that a writer makes of lists, and objects, as Python text."""

from __future__ import annotations

from collections.abc import Callable

from ...expression.nodes import Aggregate, ForEach, Made, Node
from ...expression.types import UserType
from .module import Module
from .names import field_name

Text = Callable[[Node], str]
"""Returns the text of an expression."""


def made_text(module: Module, node: Made, text: Text) -> str:
    """Return the text of an object."""
    assert isinstance(node.type, UserType)
    given = (f"{field_name(name)}={text(value)}" for name, value in zip(node.names, node.values, strict=True))
    return f"{module.class_of(node.type.path)}({', '.join(given)})"


def for_each_text(module: Module, node: ForEach, noted: str, text: Text) -> str:
    """Return the text of what has been ``noted``, a list, of the items written before."""
    if node.function in ("item", "total"):
        return f"*{noted}" if node.function == "item" else f"sum({noted})"
    return _extreme(module, node, noted, text)


def aggregate_text(module: Module, node: Aggregate, text: Text, text_of_item: Text) -> str:
    """Return the text of the largest or smallest value in a list. ``text_of_item``: returns the text of an expression
    about the item ``each``."""
    condition = "" if node.condition is None else f" if {text_of_item(node.condition)}"
    values = f"[{text_of_item(node.value)} for each in {text(node.items)}{condition}]"
    return _extreme(module, node, values, text)


def _extreme(module: Module, node: Aggregate | ForEach, values: str, text: Text) -> str:
    otherwise = "" if node.otherwise is None else f", {text(node.otherwise)}"
    return f"{module.use(node.function)}({values}{otherwise})"
