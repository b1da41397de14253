"""Length fields: those that determine sizes or counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..expression.nodes import Node
from ..expression.types import Path, UserType
from ..model.references import Reference, references
from ..tree import Attribute, Spec, Struct, SwitchCase
from ..wire import ExpressionSize, RepeatCount

Expression = tuple[Node, Path]
"""An expression, and the type that it belongs to."""


def length_fields(spec: Spec) -> frozenset[Reference]:
    """Return the fields that determine sizes or counts, directly or through value instances and arguments of parametric
    types, in the spec and those that it imports. An invalid value of such a field is damage with the reason ``length``.
    """
    waiting: list[Expression] = []
    values: defaultdict[Reference, list[Expression]] = defaultdict(list)
    for struct in spec.family:
        waiting += ((each, struct.path) for attribute in struct.read for each in _lengths(attribute))
        for instance in struct.instances:
            if instance.value is not None:
                values[struct.path, instance.id].append((instance.value, struct.path))
        for reference, argument in _arguments(spec, struct):
            values[reference].append((argument, struct.path))
    found: set[Reference] = set()
    while waiting:
        new = set(references(*waiting.pop())) - found
        found |= new
        waiting += (each for reference in new for each in values.get(reference, ()))
    return frozenset(found)


def _lengths(attribute: Attribute) -> Iterator[Node]:
    cases = attribute.switch.cases if attribute.switch else ()
    sizes = (attribute.size, *(each.size for each in cases))
    yield from (each.expression for each in sizes if isinstance(each, ExpressionSize))
    if isinstance(attribute.repeat, RepeatCount):
        yield attribute.repeat.expression


def _arguments(spec: Spec, struct: Struct) -> Iterator[tuple[Reference, Node]]:
    """Yield the parameters that objects inside those of a type have, each with an argument."""
    for attribute in struct.read:
        forms: tuple[Attribute | SwitchCase, ...] = attribute.switch.cases if attribute.switch else ()
        for each in (attribute, *forms):
            if isinstance(each.type, UserType) and not each.type.opaque:
                names = (parameter.id for parameter in spec.struct(each.type.path).parameters)
                pairs = zip(names, each.arguments, strict=False)
                yield from (((each.type.path, name), argument) for name, argument in pairs)
