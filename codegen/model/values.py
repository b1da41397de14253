"""Values that cannot occur: bounds and cases outside of a type, and divisions by zero. Kaitai's compiler accepts them,
so they are warnings."""

from __future__ import annotations

from collections.abc import Iterator

from ..expression.fold import constant_integer
from ..expression.nodes import Binary, Node
from ..expression.typer import type_of
from ..expression.types import Type, integer_range
from ..expression.walk import expressions_in, walk
from ..spec.diagnostics import Diagnostics
from ..spec.syntax import source_of
from ..tree import Attribute, Struct, Valid


def check_values(struct: Struct, diagnostics: Diagnostics) -> None:
    """Warn about what no value of a type's attributes fulfils, and about divisions by a constant zero."""
    for attribute in struct.all_attributes:
        found = [] if attribute.valid is None else list(_never_valid(attribute.valid, attribute.type))
        for node, why in (*found, *_never_chosen(attribute)):
            _warn(node, node, why, diagnostics)
    for outer in expressions_in((*struct.attributes, *struct.instances)):
        for node in walk(outer):
            if isinstance(node, Binary) and node.operator in "/%" and constant_integer(node.right) == 0:
                _warn(outer, node, "this divides by zero", diagnostics)


def _warn(outer: Node, node: Node, message: str, diagnostics: Diagnostics) -> None:
    """Warn about a part of an expression, unless it is written nowhere."""
    source = source_of(outer)
    if source is not None:
        diagnostics.warning(source.place(node.start, node.end), message)


def _never_valid(valid: Valid, kind: Type) -> Iterator[tuple[Node, str]]:
    limits = integer_range(kind)
    if limits is None:
        return
    low, high = limits
    outside = f"the attribute has values from {low} to {high}"
    for node in (each for each in (valid.equal, *valid.any_of) if each is not None):
        number = constant_integer(node)
        if number is not None and not low <= number <= high:
            yield node, f"this value never occurs: {outside}"
    least, most = (None if each is None else constant_integer(each) for each in (valid.minimum, valid.maximum))
    if valid.minimum is not None and least is not None and least > high:
        yield valid.minimum, f"no value is valid: {outside}"
    if valid.maximum is not None and most is not None and most < (low if least is None else max(low, least)):
        yield valid.maximum, f"no value is valid: {outside if most < low else f'{most} is less than {least}'}"


def _never_chosen(attribute: Attribute) -> Iterator[tuple[Node, str]]:
    switch = attribute.switch
    limits = None if switch is None else integer_range(type_of(switch.on))
    if switch is None or limits is None:
        return
    low, high = limits
    for case in switch.cases:
        number = None if case.match is None else constant_integer(case.match)
        if case.match is not None and number is not None and not low <= number <= high:
            yield case.match, f"this case is never chosen: the value is from {low} to {high}"
