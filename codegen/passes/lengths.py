"""Length fields: those that determine sizes or counts."""

from __future__ import annotations

from collections.abc import Iterator

from ..expression.nodes import Node
from ..expression.types import UserType
from ..model.references import Reference, references
from ..tree import Attribute, Spec, Struct
from ..wire import ExpressionSize, RepeatCount


def length_fields(spec: Spec) -> frozenset[Reference]:
    """Return the fields that determine sizes or counts, directly or through value instances and arguments of parametric
    types, in the spec and those that it imports. An invalid value of such a field is damage with the reason ``length``.
    """
    found: set[Reference] = set()
    everything = list(spec.family)
    for struct in everything:
        for attribute in struct.read:
            cases = attribute.switch.cases if attribute.switch else ()
            for size in (attribute.size, *(each.size for each in cases)):
                if isinstance(size, ExpressionSize):
                    found.update(references(size.expression, struct.path))
            if isinstance(attribute.repeat, RepeatCount):
                found.update(references(attribute.repeat.expression, struct.path))
    size_before = -1
    while size_before != len(found):
        size_before = len(found)
        for struct in everything:
            _follow(spec, struct, found)
    return frozenset(found)


def _follow(spec: Spec, struct: Struct, found: set[Reference]) -> None:
    for instance in struct.instances:
        if instance.value is not None and (struct.path, instance.id) in found:
            found.update(references(instance.value, struct.path))
    for attribute in struct.read:
        for kind, arguments in _uses(attribute):
            parameters = spec.struct(kind.path).parameters if not kind.opaque else ()
            for parameter, argument in zip(parameters, arguments, strict=False):
                if (kind.path, parameter.id) in found:
                    found.update(references(argument, struct.path))


def _uses(attribute: Attribute) -> Iterator[tuple[UserType, tuple[Node, ...]]]:
    if isinstance(attribute.type, UserType):
        yield attribute.type, attribute.arguments
    for case in attribute.switch.cases if attribute.switch else ():
        if isinstance(case.type, UserType):
            yield case.type, case.arguments
