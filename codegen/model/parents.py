"""The types that contain each type, which give the type of ``_parent``."""

from __future__ import annotations

from ..expression.nodes import BooleanLiteral
from ..expression.typer import type_of
from ..expression.types import Type, UserType
from .fields import Field
from .scope import Typing
from .symbols import Symbol, World

MAX_ROUNDS = 20
"""Maximum number of rounds for ``parent`` expressions that depend on each other."""


def find_parents(world: World, typing: Typing) -> None:
    """Fill in ``Symbol.parents``. As in Kaitai's language, a use in another spec does not add a parent."""
    explicit: list[tuple[Symbol, Field]] = []
    for symbol in world.all():
        symbol.file.unknown_holders |= symbol.unknown_members
        for member in symbol.members.values():
            if member.field is None:
                symbol.file.unknown_holders |= member.failed and "value" not in member.section.keys
                continue
            if "parent" in member.section:
                explicit.append((symbol, member.field))
            else:
                for path in _contained(member.field):
                    _add(world, symbol, path)
    # The type of a parent expression may depend on parents from other such expressions: repeat until no
    # expression adds one. Errors are reported when the field itself is built.
    for _ in range(min(len(explicit), MAX_ROUNDS)):
        added = sum(_explicit(world, typing, symbol, field) for symbol, field in explicit)
        if not added:
            break
    if explicit:
        _forget_instances(world)


def _forget_instances(world: World) -> None:
    """Forget the types of value instances, which may depend on parents that were incomplete."""
    for symbol in world.all():
        for member in symbol.members.values():
            if member.value is not None and "enum" not in member.section:
                member.type = None
            if "value" in member.section:
                member.value = None
                member.failed = member.section.faulty or (member.type is None and "enum" in member.section)


def _contained(field: Field) -> list[UserType]:
    types: list[Type] = [field.type]
    if field.switch is not None:
        types = [each.type for each in field.switch.cases]
    return [each for each in types if isinstance(each, UserType)]


def _explicit(world: World, typing: Typing, symbol: Symbol, field: Field) -> int:
    """Add the parents that the field's expression names. Return how many were new."""
    expression = field.section.expression("parent")
    if expression is None or isinstance(expression.node, BooleanLiteral):
        return 0
    quiet = typing.quiet()
    node = quiet.expression(symbol, expression)
    holder = type_of(node) if node is not None else None
    found = world.at(holder.path) if isinstance(holder, UserType) else None
    if found is None:
        return 0
    return sum(_add(world, found, contained) for contained in _contained(field))


def _add(world: World, parent: Symbol, contained: UserType) -> bool:
    child = world.at(contained.path)
    if child is None or child.file is not parent.file or parent in child.parents:
        return False
    child.parents.append(parent)
    return True
