"""Attributes that determine the position of later bytes (``Attribute.frames_layout``).

These are the ones that appear in a size, a count, a condition or a switch, directly or through value instances,
parameters and other objects; and fixed contents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..expression.nodes import Node
from ..expression.types import Path, UserType
from ..expression.walk import names_in, updated
from ..tree import Attribute, Struct
from ..wire import ExpressionSize, RepeatCount, RepeatUntil, WithinSize
from .references import Reference, references


def framing_members(structs: Iterable[Struct]) -> frozenset[Reference]:
    """Return the members of all ``structs`` that determine the position of later bytes."""
    known = list(structs)
    after = _after(known)
    found: set[Reference] = set()
    waiting = [each for struct in known for each in _direct(struct)]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting.extend(after.get(current, ()))
    return frozenset(found)


def mark(struct: Struct, framing: frozenset[Reference]) -> Struct:
    """Return a copy of the struct with ``frames_layout`` filled in, also in nested structs."""
    attributes = tuple(
        updated(each, frames_layout=each.contents is not None or (struct.path, each.id) in framing)
        for each in struct.attributes
    )
    return updated(struct, attributes=attributes, structs=tuple(mark(each, framing) for each in struct.structs))


def _direct(struct: Struct) -> Iterator[Reference]:
    for attribute in struct.attributes:
        for node in _deciding(attribute):
            yield from references(node, struct.path)
            if "_" in names_in(node):
                yield struct.path, attribute.id


def _deciding(attribute: Attribute) -> Iterator[Node]:
    """Yield the expressions of an attribute that determine its size: none if it is in bytes that were read before."""
    if isinstance(attribute.size, WithinSize):
        return
    if attribute.condition is not None:
        yield attribute.condition
    if isinstance(attribute.size, ExpressionSize):
        yield attribute.size.expression
    if isinstance(attribute.repeat, (RepeatCount, RepeatUntil)):
        yield attribute.repeat.expression
    if attribute.switch is not None:
        yield attribute.switch.on
        for case in attribute.switch.cases:
            if case.match is not None:
                yield case.match
            if isinstance(case.size, ExpressionSize):
                yield case.size.expression


def _after(structs: list[Struct]) -> dict[Reference, list[Reference]]:
    """Return the members that the value of a member depends on: an instance on its expression, a parameter on the
    arguments."""
    parameters: dict[Path, list[str]] = {each.path: [one.id for one in each.parameters] for each in structs}
    after: dict[Reference, list[Reference]] = {}
    for struct in structs:
        for instance in struct.instances:
            nodes = [each for each in (instance.value, instance.condition) if each is not None]
            for node in nodes:
                after.setdefault((struct.path, instance.id), []).extend(references(node, struct.path))
            for variable in () if instance.sets is None else references(instance.sets, struct.path):
                after.setdefault(variable, []).append((struct.path, instance.id))
        fields = (*struct.attributes, *(each.attribute for each in struct.instances if each.attribute is not None))
        for attribute in fields:
            for type, arguments in _uses(attribute):
                for name, node in zip(parameters.get(type.path, ()), arguments, strict=False):
                    after.setdefault((type.path, name), []).extend(references(node, struct.path))
    return after


def _uses(attribute: Attribute) -> Iterator[tuple[UserType, tuple[Node, ...]]]:
    if isinstance(attribute.type, UserType):
        yield attribute.type, attribute.arguments
    if attribute.switch is not None:
        for case in attribute.switch.cases:
            if isinstance(case.type, UserType):
                yield case.type, case.arguments
