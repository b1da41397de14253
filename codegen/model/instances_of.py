"""The key ``instances-of`` of a type: value instances copied from other types, under the same names.

They are declared in the type with the key, so names in their expressions refer to its members. They are computed from
parameters of the type that they come from: the type with the key must have members with the names of these parameters.
"""

from __future__ import annotations

from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Section, Text
from ..words import shown
from .computed_checksums import has_checksum
from .resolve import find_type, may_be_type, unknown_type
from .symbols import Symbol, World

MOST_TAKEN = 20_000
"""Maximum number of instances that the types of a spec and its imports copy from other types."""

Declared = list[tuple[Text, Section]]
"""Instances by name, as a spec declares them."""


def instances_in(section: Section) -> Declared:
    """Return the instances that a type declares itself."""
    entries = section.entries("instances")
    return [(e.key, e.value) for e in entries if isinstance(e.key, Text) and isinstance(e.value, Section)]


def instances_of_others(world: World, symbol: Symbol, diagnostics: Diagnostics) -> Declared:
    """Return the instances that a type copies from others, directly and indirectly."""
    waiting = [(symbol, each) for each in _named(symbol)]
    found: Declared = []
    seen = {symbol.path}
    while waiting:
        holder, name = waiting.pop(0)
        other = find_type(world, holder, name.value)
        if other is None:
            if holder is symbol and not may_be_type(world, holder, name.value):
                diagnostics.error(name.position, unknown_type(world, holder, name.value))
            symbol.unknown_members = True
        elif other.path not in seen:
            seen.add(other.path)
            _check(symbol, other, name, diagnostics)
            inner = instances_in(other.section)
            world.taken += len(inner)
            if world.taken > MOST_TAKEN:
                message = f"a spec and its imports can have at most {MOST_TAKEN} instances through 'instances-of'"
                diagnostics.error(name.position, message)
                symbol.unknown_members = True
                return []
            found += inner
            waiting += [(other, each) for each in _named(other)]
    return found


def _named(symbol: Symbol) -> tuple[Text, ...]:
    extensions = symbol.section.extensions if symbol.section.table == "type" else None
    return extensions.texts("instances-of") if extensions is not None else ()


def _check(symbol: Symbol, other: Symbol, name: Text, diagnostics: Diagnostics) -> None:
    """Report members that the type lacks for the instances of another one, and instances that cannot be copied."""
    known = {*symbol.members, *(key.value for key, _ in instances_in(symbol.section))}
    for parameter in other.section.sections("params"):
        wanted = parameter.text("id")
        if wanted is not None and wanted.value not in known and not symbol.unknown_members:
            message = f"the instances of {shown(name.value)} require an attribute or instance {shown(wanted.value)}"
            diagnostics.error(name.position, message)
    for key, section in instances_in(other.section):
        if "value" not in section.keys and not has_checksum(section) and not section.faulty:
            message = (
                f"{shown(key.value)} of {shown(name.value)} is a parse instance: 'instances-of' requires value "
                "instances"
            )
            diagnostics.error(name.position, message)
