"""The key ``endian`` with ``switch-on``: byte orders that are determined when an object is read."""

from __future__ import annotations

from ..expression.nodes import Name, Node
from ..expression.typer import type_of
from ..expression.typerules import comparable
from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Expression
from ..wire import ComputedEndian, InheritedEndian
from .order import refuse_names_before_byte_order
from .scope import Typing
from .symbols import Symbol


def computed_endian(
    symbol: Symbol, typing: Typing, diagnostics: Diagnostics
) -> ComputedEndian | InheritedEndian | None:
    """Return the byte order of a type if it is determined when an object is read, else ``None``."""
    if symbol.inherits_endian:
        return InheritedEndian()
    meta = symbol.section.section("meta")
    switch = meta.section("endian") if meta is not None else None
    on_expression = switch.expression("switch-on") if switch is not None else None
    if switch is None or on_expression is None:
        return None
    on = typing.expression(symbol, on_expression)
    cases: list[tuple[Node | None, str]] = []
    for entry in switch.entries("cases"):
        if not isinstance(entry.key, Expression) or on is None:
            continue
        order = getattr(entry.value, "value", "")
        if isinstance(entry.key.node, Name) and entry.key.node.id == "_":
            cases.append((None, order))
            continue
        match = typing.expression(symbol, entry.key)
        reason = comparable(type_of(on), type_of(match), "==") if match is not None else None
        if reason:
            diagnostics.error(entry.key.position, f"this case can never match: {reason}")
        cases.append((match, order))
    refuse_names_before_byte_order(symbol, on_expression, diagnostics)
    return ComputedEndian(on, tuple(cases)) if on is not None else None
