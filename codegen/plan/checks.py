"""``contents`` and ``valid`` as checks of a value, in the order in which they are applied."""

from __future__ import annotations

from collections.abc import Iterator

from ..expression.nodes import IntegerLiteral
from ..expression.types import ComputedIntegerType, EnumType, VarintType
from ..tree import Attribute, Instance
from .nodes import Check


def checks_of(member: Attribute | Instance) -> Iterator[Check]:
    """Yield the checks of a value of the attribute or instance."""
    if isinstance(member, Attribute) and member.contents is not None:
        yield Check("contents", contents=member.contents)
    if isinstance(member, Attribute) and isinstance(member.type, VarintType) and member.type.top < 127:
        for rule, limit in zip(("at least", "at most"), member.type.limits, strict=True):
            if limit != 0:
                yield Check(rule, (IntegerLiteral(limit, type=ComputedIntegerType()),))
    valid = member.valid
    if valid is None:
        return
    for rule, operand in (("equal", valid.equal), ("at least", valid.minimum), ("at most", valid.maximum)):
        if operand is not None:
            yield Check(rule, (operand,))
    if valid.any_of:
        yield Check("one of", valid.any_of)
    if valid.in_enum and isinstance(member.type, EnumType):
        yield Check("in enum")
    if valid.expression is not None:
        yield Check("holds", (valid.expression,))
