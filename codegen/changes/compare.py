"""Comparison of two versions of a spec."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

from ..expression.nodes import Node
from ..expression.written import plain
from ..passes import with_facts
from ..tree import Spec
from .change import AREAS, WIRE, Change, Level, level_of
from .columns import column_changes
from .messages import unit_changes
from .renames import Renames, find_renames, in_words_of
from .settings import setting_changes, word_changes
from .types import Types

OUTSIDE = frozenset(
    (
        *("doc", "doc_ref", "position", "title", "license", "file", "sha256", "parents", "logical"),
        *("imports", "valid"),
    )
)
"""Parts of the model whose changes alone have no effect: documentation and positions, parts derived from others, parts
reported for columns, and parts compared by their meaning.
"""


def compare(old: Spec, new: Spec) -> tuple[Change, ...]:
    """Return all differences, the most severe first.

    Raises ``SpecError`` if a column has no Arrow type.
    """
    renames = find_renames(old, new)
    before, after = in_words_of(new, old, renames), in_words_of(new, new, Renames())
    specs = with_facts(old), with_facts(new)
    tables = [*column_changes(*specs), *unit_changes(*specs)]
    found = list(dict.fromkeys([*tables, *Types(before, after, renames).changes()]))
    found += [*setting_changes(old, new), *word_changes(old, new)]
    if level_of(found) == Level.HARMLESS and _bare(before) != _bare(after):
        # A difference that is not recognised must not be reported as harmless.
        found.append(Change(Level.BREAKING, WIRE, new.name, "the specs differ in a way that is not described here"))
    return tuple(sorted(found, key=lambda each: (-each.level, AREAS.index(each.area))))


def _bare(value: object) -> object:
    """Return the model without documentation and positions, as plain tuples."""
    if isinstance(value, Node):
        return plain(value)
    if is_dataclass(value) and not isinstance(value, type):
        names = [each.name for each in fields(value) if each.name not in OUTSIDE]
        return (type(value).__name__, *((name, _bare(getattr(value, name))) for name in names))
    if isinstance(value, tuple):
        return tuple(_bare(each) for each in value)
    return value
