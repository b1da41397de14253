"""``contents`` and ``valid`` as the checks of a value, in the order in which they are made."""

from __future__ import annotations

from collections.abc import Iterator

from ..expression.types import EnumType
from ..model.model import Attribute
from .nodes import Check


def has_checks(attribute: Attribute) -> bool:
    """Whether values of the attribute can be refused."""
    return attribute.contents is not None or attribute.valid is not None


def checks_of(attribute: Attribute) -> tuple[Check, ...]:
    """What a value of the attribute must be."""
    return tuple(_checks(attribute))


def _checks(attribute: Attribute) -> Iterator[Check]:
    if attribute.contents is not None:
        yield Check("contents", contents=attribute.contents)
    valid = attribute.valid
    if valid is None:
        return
    for rule, operand in (("equal", valid.equal), ("at least", valid.minimum), ("at most", valid.maximum)):
        if operand is not None:
            yield Check(rule, (operand,))
    if valid.any_of:
        yield Check("one of", valid.any_of)
    if valid.in_enum and isinstance(attribute.type, EnumType):
        yield Check("in enum")
    if valid.expression is not None:
        yield Check("holds", (valid.expression,))
