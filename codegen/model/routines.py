"""The routines that a spec names, and their permission: see ``wireloom.format.routines``."""

from __future__ import annotations

from collections.abc import Iterator

from wireloom.base.dataclass import dataclass, field
from wireloom.base.errors import WireloomError
from wireloom.format.message_rules import FRAMINGS
from wireloom.format.routines import (
    BUILT_IN,
    how_to_allow,
    is_installed,
    is_permitted,
    is_registered,
    load,
    module_of,
    process_place,
)

from ..expression.types import UserType
from ..spec.diagnostic import Diagnostic
from ..spec.diagnostics import ERROR, WARNING
from ..spec.position import Position
from ..tree import Spec


@dataclass(frozen=True)
class Routine:
    """A class that a spec names: ``name`` is its name under ``key``, ``place`` is ``module:Class``."""

    key: str
    name: str
    place: str
    position: Position | None = field(default=None, compare=False)

    @property
    def module(self) -> str:
        """Return the module of the class."""
        return module_of(self.place)

    @property
    def sentence(self) -> str:
        """Return what the name refers to, as the beginning of a sentence."""
        return f"'{self.key}: {self.name}' is the class {self.place.partition(':')[2]} of the module '{self.module}'"


def routines(spec: Spec) -> tuple[Routine, ...]:
    """Return the routines of a spec, each once, without those of imported specs."""
    return tuple(dict.fromkeys(_routines(spec)))


def _routines(spec: Spec) -> Iterator[Routine]:
    units = spec.units
    if units is not None:
        named = {"framing": units.framing, "packing": units.packing, "hooks": units.hooks}
        for key, place in named.items():
            if place and place not in FRAMINGS:
                yield Routine(key, place, place, units.positions.get(key))
    for struct in spec.root.all_structs:
        for attribute in struct.all_attributes:
            if attribute.indexer:
                yield Routine("indexer", attribute.indexer, attribute.indexer, attribute.position)
            sum = attribute.checksum
            if sum is not None and sum.routine is not None:
                yield Routine("routine", sum.routine.name, process_place(sum.routine.name), sum.routine.position)
            process = attribute.process
            if process is not None and process.is_routine:
                yield Routine("process", process.name, process_place(process.name), process.position)


def opaque_modules(spec: Spec) -> tuple[tuple[str, Position | None], ...]:
    """Return the modules of opaque types (``ks-opaque-types``), with the first attribute of each. Modules with Kaitai's
    API import them; formats cannot have such types."""
    found: dict[str, Position | None] = {}
    for attribute in (each for struct in spec.root.all_structs for each in struct.all_attributes):
        cases = () if attribute.switch is None else attribute.switch.cases
        for kind in (attribute.type, *(each.type for each in cases)):
            if isinstance(kind, UserType) and kind.opaque:
                found.setdefault(kind.path[0], attribute.position)
    return tuple(found.items())


def is_allowed(routine: Routine, spec: Spec) -> bool:
    """Return whether the routine is registered, or in a module that the caller allows."""
    return is_permitted(routine.place, spec.allow_modules)


def refused_routines(spec: Spec) -> tuple[Diagnostic, ...]:
    """Return diagnostics of the routines that are not permitted. No code is generated for these."""
    refused = (each for each in routines(spec) if not is_allowed(each, spec))
    return tuple(Diagnostic.at(_place(each, spec), ERROR, refusal(each)) for each in refused)


def refusal(routine: Routine) -> str:
    """Return why a routine is refused, and what to do."""
    return (
        f"{routine.sentence}, which is neither registered nor allowed: a spec cannot decide which code runs; if you "
        f"trust this module, allow it ({how_to_allow([routine.place])})"
    )


def _place(routine: Routine, spec: Spec) -> Position:
    return routine.position or Position(spec.file, 1, 1)


def routine_diagnostics(whole: Spec) -> tuple[list[Diagnostic], list[tuple[Position | None, str]]]:
    """Return the diagnostics of the routines of a spec and its imports: problems, and notes with their places. Imports
    only registered or allowed modules.

    A missing routine is an error if the spec describes a table, which could not be read; otherwise a warning.
    """
    problems: list[Diagnostic] = []
    notes: list[tuple[Position | None, str]] = []
    severity = WARNING if not whole.tables and whole.units is None else ERROR
    for spec in (whole, *whole.imports):
        for routine in routines(spec):
            problem = _problem(routine, spec)
            if problem is not None:
                problems.append(Diagnostic.at(_place(routine, spec), severity, f"{routine.sentence}, {problem}"))
            elif routine.place in BUILT_IN:
                continue
            elif is_registered(routine.place):
                notes.append((routine.position, f"{routine.sentence}, which is registered"))
            elif is_allowed(routine, spec):
                notes.append((routine.position, f"{routine.sentence}, which is allowed"))
            else:
                how = how_to_allow([routine.place])
                sentence = f"{routine.sentence}, which readers and writers must allow ({how})"
                notes.append((routine.position, sentence))
        for module, position in opaque_modules(spec):
            sentence = (
                f"the type '{module}' is not defined in the spec: 'generate --kaitai' imports it from the module of "
                "that name"
            )
            notes.append((position, sentence))
    return problems, notes


def _problem(routine: Routine, spec: Spec) -> str | None:
    if not is_installed(routine.module):
        return "but there is no such module: install it, add its folder to PYTHONPATH, or correct the name"
    if not is_allowed(routine, spec):
        # The module would have to be run to know whether it has the class.
        return None
    try:
        found = load(routine.place)
    except WireloomError as error:
        return f"which cannot be used: {error.message}"
    if routine.key == "process" and not callable(getattr(found, "decode", None)):
        return "which cannot be used: it has no method decode(data)"
    return None
