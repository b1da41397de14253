"""What a writer has to be given: integers that sizes and counts depend on and that cannot be solved for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..expression.nodes import Attribute as Member
from ..expression.nodes import Name, Node
from ..expression.walk import walk
from .model import Attribute, ExpressionSize, Position, RepeatCount, Spec, Struct
from .solving import is_derivable, solutions
from .types import Path, UserType


@dataclass(frozen=True)
class Unsolved:
    """An attribute that has to be given, and why: ``measured`` is what its value decides about."""

    attribute: str
    measured: str
    position: Position | None

    @property
    def message(self) -> str:
        """A sentence for who writes the spec."""
        return (
            f"a writer has to be given '{self.attribute}', which does not follow from {self.measured}: give it, "
            "or make it the only unknown of a size or count that adds, subtracts or multiplies by a constant"
        )


def unsolved(spec: Spec, *, in_place: bool = False) -> tuple[Unsolved, ...]:
    """All of a spec that is no protobuf message, in the order of the spec.

    None of one whose table is one of messages: what frames those is written by the runtime. ``in_place``: for classes
    that read and write, which also solve for what other objects hold, as far as the numbers beside it are given.
    """
    if spec.units is not None:
        return ()
    elsewhere = _solved_in_place(spec) if in_place else set()
    found: dict[tuple[Path, str], Unsolved] = {}
    for struct in _structs(spec.root):
        if struct.message is not None:
            continue
        for expression, measured in _measures(struct):
            for holder, attribute in _integers(spec, struct, expression):
                key = (holder.path, attribute.id)
                solved = key in elsewhere or (
                    holder.path == struct.path and any(each.attribute == attribute.id for each in holder.derivations)
                )
                if not solved and not _is_constant(attribute) and key not in found:
                    found[key] = Unsolved(attribute.id, measured, attribute.position)
    return tuple(found.values())


def _solved_in_place(spec: Spec) -> set[tuple[Path, str]]:
    return {
        (each.struct, each.name)
        for struct in _structs(spec.root)
        for expression, _ in _measures(struct)
        for each in solutions(spec, struct, expression)
    }


def _structs(struct: Struct) -> Iterator[Struct]:
    yield struct
    for each in struct.structs:
        yield from _structs(each)


def _measures(struct: Struct) -> Iterator[tuple[Node, str]]:
    """The sizes and counts of a type, each with what it is one of."""
    for attribute in struct.attributes:
        if isinstance(attribute.size, ExpressionSize):
            yield attribute.size.expression, f"the size of '{attribute.id}'"
        if isinstance(attribute.repeat, RepeatCount):
            yield attribute.repeat.expression, f"the number of '{attribute.id}'"


def _integers(spec: Spec, struct: Struct, expression: Node) -> Iterator[tuple[Struct, Attribute]]:
    """The integers that an expression depends on, through value instances too."""
    waiting: list[tuple[Struct, Node]] = [(struct, expression)]
    seen: set[tuple[Path, str]] = set()
    while waiting:
        holder, whole = waiting.pop()
        for each in walk(whole):
            owner, name = _member(spec, holder, each)
            if owner is None or (owner.path, name) in seen:
                continue
            seen.add((owner.path, name))
            attribute, instance = owner.attribute(name), owner.instance(name)
            if attribute is not None and is_derivable(attribute):
                yield owner, attribute
            if instance is not None and instance.value is not None:
                waiting.append((owner, instance.value))


def _member(spec: Spec, holder: Struct, node: Node) -> tuple[Struct | None, str]:
    match node:
        case Name(id):
            return holder, id
        case Member(value, name) if isinstance(value.type, UserType) and not value.type.opaque:
            return spec.struct(value.type.path), name
    return None, ""


def _is_constant(attribute: Attribute) -> bool:
    return attribute.valid is not None and attribute.valid.equal is not None
