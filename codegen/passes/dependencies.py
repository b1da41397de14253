"""Dependencies between values: sizes, counts and positions of a spec, arguments, the fields that these depend on, and
those that a writer derives from them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import compress

from wireloom.base.dataclass import dataclass

from ..expression.nodes import Node
from ..expression.types import Path, UserType
from ..expression.walk import names_in
from ..model.layout import Reference, references
from ..tree import Spec, Struct, literal_size
from ..tree.leaves import ExpressionSize, RepeatCount
from .solving import solutions

DerivedValues = dict[Path, set[str]]
"""By type: the fields and parameters that are derived from sizes, counts and positions."""


@dataclass(frozen=True)
class Measure:
    """An expression of ``struct`` whose value a writer knows. ``what``: its description in messages."""

    struct: Struct
    expression: Node
    what: str
    is_position: bool = False


@dataclass(frozen=True)
class Argument:
    """The argument that ``user`` passes to a parameter of the parametric type of a field."""

    user: Struct
    kind: Path
    parameter: str
    expression: Node


def measures(struct: Struct) -> Iterator[Measure]:
    """Yield the sizes, counts and positions of a type, except sizes that are numbers in the spec."""
    for field in struct.all_attributes:
        for size in field.sizes:
            if isinstance(size, ExpressionSize) and literal_size(size) is None:
                yield Measure(struct, size.expression, f"the size of '{field.id}'")
        if isinstance(field.repeat, RepeatCount):
            yield Measure(struct, field.repeat.expression, f"the number of '{field.id}'")
    for instance in struct.instances:
        if instance.pos is not None:
            yield Measure(struct, instance.pos, f"the position of '{instance.id}'", is_position=True)


def arguments(spec: Spec, struct: Struct) -> Iterator[Argument]:
    """Yield the arguments that a type passes to the types of its fields."""
    for field in struct.all_attributes:
        for form in field.alternatives:
            if isinstance(form.type, UserType) and not form.type.opaque and form.arguments:
                names = (each.id for each in spec.struct(form.type.path).parameters)
                pairs = zip(names, form.arguments, strict=False)
                yield from (Argument(struct, form.type.path, *each) for each in pairs)


def length_fields(spec: Spec) -> frozenset[Reference]:
    """Return the fields that determine sizes or counts, directly or through value instances and arguments of parametric
    types, in the spec and those that it imports. An invalid value of such a field is damage with the reason ``length``.
    """
    waiting: list[tuple[Node, Path]] = []
    values: defaultdict[Reference, list[tuple[Node, Path]]] = defaultdict(list)
    for struct in spec.family:
        waiting += ((each.expression, struct.path) for each in measures(struct) if not each.is_position)
        for instance in struct.instances:
            if instance.value is not None:
                values[struct.path, instance.id].append((instance.value, struct.path))
        for each in arguments(spec, struct):
            values[each.kind, each.parameter].append((each.expression, struct.path))
    found: set[Reference] = set()
    while waiting:
        new = set(references(*waiting.pop())) - found
        found |= new
        waiting += (each for reference in new for each in values.get(reference, ()))
    return frozenset(found)


def derived_values(spec: Spec) -> DerivedValues:
    """Return the derived values of a spec and its imports. A value derived from a parameter is traced to what its
    argument depends on."""
    found: DerivedValues = {}
    everything = list(spec.family)
    waiting = [(each.struct, each.expression) for struct in everything for each in measures(struct)]
    left = [each for struct in everything for each in arguments(spec, struct)]
    while waiting:
        for struct, expression in waiting:
            for each in solutions(spec, struct, expression):
                found.setdefault(each.struct, set()).add(each.name)
        reached = [each.parameter in found.get(each.kind, ()) for each in left]
        waiting = [(each.user, each.expression) for each in compress(left, reached) if ignores_index(each.expression)]
        left = [each for each, is_reached in zip(left, reached, strict=True) if not is_reached]
    return found


def ignores_index(argument: Node) -> bool:
    """Return whether an argument does not depend on the index of the item that it is passed to."""
    return "_index" not in names_in(argument)
