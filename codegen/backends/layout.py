"""What several backends ask about a layout: sizes that are known beforehand, runs of such fields, what a field rules.

Both executions of a spec (objects and column programs) must treat every input alike, so what "a run" is stands here
once: its bytes are asked for at once, and its fields are checked in order after they are all there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache

from ..expression.nodes import Attribute as Member
from ..expression.nodes import Cast, IntegerLiteral, Name, Node
from ..model.model import Attribute, ExpressionSize, FixedSize, Instance, RepeatCount, Spec, Struct, TerminatedSize
from ..model.types import (
    BitsType,
    BytesType,
    EnumType,
    FloatType,
    IntegerType,
    Path,
    StringType,
    Type,
    UserType,
)

FieldName = tuple[Path, str]
"""A field by the absolute path of its type and its name."""


def fixed_size(attribute: Attribute) -> int | None:
    """The bytes that an attribute takes on any input, for one that can be part of a run; otherwise ``None``.

    That is: an integer, a float, an enum of an integer, ``contents``, or bytes and text of a size that is a number in
    the spec; without condition, repetition, switch and process.
    """
    if attribute.condition or attribute.repeat or attribute.switch or attribute.process:
        return None
    base = attribute.type.base if isinstance(attribute.type, EnumType) else attribute.type
    if isinstance(base, IntegerType | FloatType):
        return base.size
    if isinstance(base, BytesType | StringType):
        if isinstance(attribute.size, FixedSize):
            return attribute.size.size
        if isinstance(attribute.size, ExpressionSize) and isinstance(attribute.size.expression, IntegerLiteral):
            return attribute.size.expression.value
    return None


def runs(struct: Struct) -> tuple[tuple[Attribute, ...], ...]:
    """The attributes of a type in order, grouped: neighbours that have a ``fixed_size`` are one run, all others alone."""
    groups: list[tuple[Attribute, ...]] = []
    open_run = False
    for attribute in struct.attributes:
        fixed = fixed_size(attribute) is not None
        if fixed and open_run:
            groups[-1] = (*groups[-1], attribute)
        else:
            groups.append((attribute,))
        open_run = fixed
    return tuple(groups)


def minimum_size(spec: Spec, attribute: Attribute) -> int:
    """A number of bytes that every item of the attribute takes at least (bits count as a byte); 0 where unknown."""
    return _minimum(spec, attribute, ())


def _minimum(spec: Spec, attribute: Attribute, inside: tuple[Path, ...]) -> int:
    if attribute.condition or attribute.switch:
        return 0
    base = attribute.type.base if isinstance(attribute.type, EnumType) else attribute.type
    if isinstance(base, IntegerType | FloatType):
        return base.size
    if isinstance(base, BitsType):
        return 1
    if isinstance(attribute.size, FixedSize):
        return attribute.size.size
    if isinstance(attribute.size, ExpressionSize):
        size = attribute.size.expression
        return size.value if isinstance(size, IntegerLiteral) else 0
    terminator = attribute.terminator
    if isinstance(attribute.size, TerminatedSize) and terminator and terminator.consume and terminator.eos_error:
        return len(terminator.value)
    if isinstance(base, UserType) and not base.opaque and base.path not in inside:
        members = spec.struct(base.path).attributes
        return sum(_minimum(spec, each, (*inside, base.path)) for each in members if each.repeat is None)
    return 0


def nodes(value: object) -> Iterator[Node]:
    """Every expression node in a node, an attribute, an instance or any other part of the model, outermost first."""
    if isinstance(value, Node):
        yield value
    if isinstance(value, tuple):
        for each in value:
            yield from nodes(each)
    elif is_dataclass(value) and not isinstance(value, Type):
        for each in fields(value):
            if each.name not in ("type", "position"):
                yield from nodes(getattr(value, each.name))


def structs(struct: Struct) -> Iterator[Struct]:
    """A type and all that are nested in it, outermost first."""
    yield struct
    for each in struct.structs:
        yield from structs(each)


@cache
def length_fields(spec: Spec) -> frozenset[FieldName]:
    """The fields that say how long or how many something is: those in a size or a count, directly or by way of value
    instances and of the arguments of parametric types. A refused value of one is damage of reason ``length``."""
    found: set[FieldName] = set()
    everything = list(structs(spec.root))
    for struct in everything:
        for attribute in _attributes(struct):
            if isinstance(attribute.size, ExpressionSize):
                found |= _mentioned(struct, attribute.size.expression)
            if isinstance(attribute.repeat, RepeatCount):
                found |= _mentioned(struct, attribute.repeat.expression)
    size = -1
    while size != len(found):
        size = len(found)
        for struct in everything:
            for instance in struct.instances:
                if instance.value is not None and (struct.path, instance.id) in found:
                    found |= _mentioned(struct, instance.value)
            for attribute in _attributes(struct):
                for type_, arguments in _uses(attribute):
                    parameters = spec.struct(type_.path).parameters if not type_.opaque else ()
                    for parameter, argument in zip(parameters, arguments, strict=False):
                        if (type_.path, parameter.id) in found:
                            found |= _mentioned(struct, argument)
    return frozenset(found)


def reason_of(spec: Spec, struct: Struct, attribute: Attribute) -> str:
    """The reason of a refused value of ``attribute``: ``length`` or ``value``."""
    return "length" if (struct.path, attribute.id) in length_fields(spec) else "value"


def _attributes(struct: Struct) -> Iterator[Attribute]:
    yield from struct.attributes
    for instance in struct.instances:
        if instance.attribute is not None:
            yield instance.attribute


def _uses(attribute: Attribute) -> Iterator[tuple[UserType, tuple[Node, ...]]]:
    if isinstance(attribute.type, UserType):
        yield attribute.type, attribute.arguments
    for case in attribute.switch.cases if attribute.switch else ():
        if isinstance(case.type, UserType):
            yield case.type, case.arguments


def _mentioned(struct: Struct, expression: Node) -> set[FieldName]:
    found: set[FieldName] = set()
    for node in nodes(expression):
        if isinstance(node, Name):
            found.add((struct.path, node.id))
        elif isinstance(node, Member):
            holder = node.value.type
            if isinstance(holder, UserType):
                found.add((holder.path, node.name))
    return found


def element(attribute: Attribute | Instance) -> Type:
    """The type of one item of a field, without its enum."""
    return attribute.type.base if isinstance(attribute.type, EnumType) else attribute.type


def unwrapped(node: Node) -> Node:
    """A node without the casts around it."""
    while isinstance(node, Cast):
        node = node.value
    return node
