"""``-wireloom: {preallocated: …}`` in ``meta``: files that are allocated before they are written."""

from __future__ import annotations

from collections.abc import Sequence

from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Section
from ..tree import Rows
from ..wire import Preallocated


def read_preallocated(section: Section, tables: Sequence[Rows], diagnostics: Diagnostics) -> Preallocated | None:
    """Return the description of zeros at the end of files; ``None`` if there is none, or on errors."""
    keys = section.section("preallocated")
    if keys is None and not section.flag("preallocated"):
        return None
    if any(not each.streaming and not each.block for each in tables) or (not tables and not section.faulty):
        message = (
            "'preallocated' requires records, or blocks of them, that are read one by one up to the end of the input"
        )
        diagnostics.error(section.position_of("preallocated"), message)
        return None
    if keys is not None and any(not each.streaming for each in tables):
        diagnostics.error(section.position_of("preallocated"), "'sector' requires records outside of blocks")
        return None
    if keys is None:
        return Preallocated()
    return None if keys.faulty else Preallocated(keys.integer("sector") or 0, keys.integer("header") or 0)
