"""Paths to the rows of a table: ``batches.body.records``, or ``chunks.body.as<palette>.entries`` through a switch."""

from __future__ import annotations

import re
from itertools import zip_longest

from wireloom.base.dataclass import dataclass

from ..expression.types import BitsType, Path, UserType, type_name
from ..spec.diagnostics import Diagnostics
from ..spec.position import Position
from ..tree import Attribute, Struct
from ..tree.leaves import OwnSize
from ..words import listed, no_attribute, shown
from .symbols import World

CAST = re.compile(r"as<([a-z0-9_:]+)>")


@dataclass(frozen=True)
class PathStep:
    """An attribute of the path. ``cast``: the type to use if a switch chooses it, if given."""

    id: str
    cast: tuple[str, ...] = ()


def steps_of(path: str) -> list[PathStep]:
    """Return the steps of a path.

    >>> steps_of("chunks.body.as<png::palette>")
    [PathStep(id='chunks', cast=()), PathStep(id='body', cast=('png', 'palette'))]
    """
    found: list[PathStep] = []
    for part in path.split("."):
        cast = CAST.fullmatch(part)
        if cast is None:
            found.append(PathStep(part))
        else:
            found[-1] = PathStep(found[-1].id, tuple(cast[1].split("::")))
    return found


def attribute_of(struct: Struct, id: str) -> Attribute | None:
    """Return the attribute with that id, or the one that the instance with that id reads at a position."""
    instance = struct.instance(id)
    read = instance.attribute if instance is not None and instance.pos is not None else None
    return struct.attribute(id) or read


class _WrongPathError(Exception):
    """The path is wrong; the argument says why, and is empty if the error has been reported already. ``position``: that
    of the mistake if it is not in the path, and ``hint`` what to write there."""

    def __init__(self, message: str, position: Position | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.position = position
        self.hint = hint


class RowPathReader:
    """Finds the types along a path. ``position``: the position for error reports."""

    def __init__(self, structs: dict[Path, Struct], world: World, diagnostics: Diagnostics, position: Position) -> None:
        self._structs = structs
        self._world = world
        self._diagnostics = diagnostics
        self._position = position

    def types(self, root: Struct, steps: list[PathStep]) -> list[Struct] | None:
        """Return the types from the root to the row; ``None`` on errors, which are reported."""
        types = [root]
        taken: list[tuple[Path, str, Path]] = []
        try:
            for step, following in zip_longest(steps, steps[1:]):
                struct = self._next(types[-1], step, following)
                taken.append((types[-1].path, step.id, struct.path))
                if taken.count(taken[-1]) > 1:
                    name = f"{shown(step.id)} of {'::'.join(types[-1].path)}"
                    raise _WrongPathError(f"the path to the rows contains {name} twice")
                types.append(struct)
        except _WrongPathError as error:
            if error.args[0]:
                self._diagnostics.error(error.position or self._position, error.args[0], hint=error.hint)
            return None
        return types

    def _next(self, holder: Struct, step: PathStep, following: PathStep | None) -> Struct:
        attribute = self._attribute(holder, step.id)
        struct = self._type(attribute, step, following)
        if attribute.parent is not None:
            raise _WrongPathError(f"{shown(step.id)} has the key 'parent', so it cannot contain rows")
        if struct.message is not None and (following is not None or isinstance(attribute.size, OwnSize)):
            why = "cannot contain rows" if following is not None else "requires a size to be a row"
            raise _WrongPathError(f"{shown(step.id)} is a message, and {why}")
        return struct

    def _attribute(self, struct: Struct, id: str) -> Attribute:
        found = attribute_of(struct, id)
        if found is not None:
            return found
        if self._world.has_failed(struct.path, id):
            raise _WrongPathError("")
        known = [*(each.id for each in struct.attributes), *(each.id for each in struct.instances if each.pos)]
        hint = no_attribute(id, [*known, *self._world.failing(struct.path)], struct.instance(id))
        holder = "the root" if len(struct.path) == 1 else "::".join(struct.path)
        raise _WrongPathError(f"{holder} has no attribute {shown(id)}{hint}")

    def _type(self, attribute: Attribute, step: PathStep, following: PathStep | None) -> Struct:
        """Return the type of a step; that of a switch by its cast, or by the next attribute."""
        kinds = [attribute.type] if attribute.switch is None else [each.type for each in attribute.switch.cases]
        paths = (each.path for each in kinds if isinstance(each, UserType))
        structs = [self._structs[each] for each in dict.fromkeys(paths) if each in self._structs]
        if not structs:
            rule = "each attribute on the path to the rows must have a user-defined type"
            if attribute.repeat is None or following is not None or attribute.switch is not None:
                raise _WrongPathError(f"{rule}, which {shown(step.id)} does not")
            # The path is probably right.
            name, hint = type_name(attribute.type), "give it a type of its own, with an attribute for each column"
            if isinstance(attribute.type, BitsType):
                name, left = f"b{attribute.type.width}", -attribute.type.width % 8
                hint += f"; rows are whole bytes, so add a bit field of {left} bits (type: b{left})" if left else ""
            raise _WrongPathError(f"{rule}, but {shown(step.id)} is {name}", attribute.position, hint)
        meant = structs
        if step.cast:
            meant = [each for each in structs if each.path[-len(step.cast) :] == step.cast]
        elif attribute.switch is not None and following is not None:
            meant = [each for each in structs if attribute_of(each, following.id) is not None]
        if len(meant) == 1:
            return meant[0]
        names = listed("::".join(each.path) for each in meant or structs)
        if meant:
            example = f"{step.id}.as<{meant[0].path[-1]}>"
            raise _WrongPathError(f"{shown(step.id)} has several types: select one, as in {example}: {names}")
        what = "::".join(step.cast)
        if following is not None and not step.cast:
            what = f"with the attribute {shown(following.id)}"
        raise _WrongPathError(f"{shown(step.id)} has no type {what}; expected {names}")
