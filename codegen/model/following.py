"""What follows from what when objects are written: the sizes, counts and positions of a spec, and its arguments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import compress

from ..expression.nodes import Name, Node
from ..expression.types import Path, UserType
from ..expression.walk import walk
from ..wire import ExpressionSize, RepeatCount
from .model import Spec, Struct
from .solving import solutions
from .walking import attributes_of, family

Followers = dict[Path, set[str]]
"""By type: the attributes and parameters that follow from sizes, counts and positions."""


@dataclass(frozen=True)
class Measure:
    """An expression of ``struct`` that comes to what a writer knows. ``what``: the words for it."""

    struct: Struct
    expression: Node
    what: str
    is_position: bool = False


@dataclass(frozen=True)
class Argument:
    """What ``user`` gives a parameter, by its name, where an attribute has the parametric type."""

    user: Struct
    kind: Path
    parameter: str
    expression: Node


def measures(struct: Struct) -> Iterator[Measure]:
    """The sizes, counts and positions of a type."""
    for attribute in attributes_of(struct):
        cases = attribute.switch.cases if attribute.switch else ()
        for size in (attribute.size, *(case.size for case in cases)):
            if isinstance(size, ExpressionSize):
                yield Measure(struct, size.expression, f"the size of '{attribute.id}'")
        if isinstance(attribute.repeat, RepeatCount):
            yield Measure(struct, attribute.repeat.expression, f"the number of '{attribute.id}'")
    for instance in struct.instances:
        if instance.pos is not None:
            yield Measure(struct, instance.pos, f"the position of '{instance.id}'", is_position=True)


def arguments(spec: Spec, struct: Struct) -> Iterator[Argument]:
    """The arguments that a type gives to the types of its attributes."""
    for attribute in attributes_of(struct):
        forms = [(attribute.type, attribute.arguments)]
        forms += [(case.type, case.arguments) for case in (attribute.switch.cases if attribute.switch else ())]
        for kind, given in forms:
            if isinstance(kind, UserType) and not kind.opaque and given:
                names = (each.id for each in spec.struct(kind.path).parameters)
                yield from (Argument(struct, kind.path, *each) for each in zip(names, given, strict=False))


def followers(spec: Spec) -> Followers:
    """What follows in a spec and in what it imports. What follows from a parameter is what its argument stands on."""
    found: Followers = {}
    everything = list(family(spec))
    waiting = [(each.struct, each.expression) for struct in everything for each in measures(struct)]
    given = [each for struct in everything for each in arguments(spec, struct)]
    while waiting:
        for struct, expression in waiting:
            for each in solutions(spec, struct, expression):
                found.setdefault(each.struct, set()).add(each.name)
        reached = [each.parameter in found.get(each.kind, ()) for each in given]
        waiting = [(each.user, each.expression) for each in compress(given, reached) if is_steady(each.expression)]
        given = [each for each, is_reached in zip(given, reached, strict=True) if not is_reached]
    return found


def is_steady(argument: Node) -> bool:
    """Whether an argument does not depend on the number of the item that it is given to."""
    return not any(isinstance(each, Name) and each.id == "_index" for each in walk(argument))
