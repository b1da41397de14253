"""``-wireloom: {ranges: search}`` in ``meta``: byte ranges of inputs begin where a search finds a unit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Section
from ..tree import Rows, Struct


def is_searched(
    section: Section | None, root: Struct, tables: Sequence[Rows], structs: Iterable[Struct], diagnostics: Diagnostics
) -> bool:
    """Return whether byte ranges begin where a search finds a unit. Reports tables that do not support this."""
    if section is None or "ranges" not in section or section.faulty:
        return False
    problem = ""
    if not tables or any(not each.streaming or each.fragments is not None or each.inside for each in tables):
        problem = "requires units that are read one by one up to the end of the input"
    elif any(each.framing is not None for each in root.attributes):
        problem = "requires units without delimiters"
    elif any(each.variable for each in root.instances) or "options" in section:
        problem = "cannot be used with variables or 'options'"
    sums = [each.checksum for struct in structs for each in struct.attributes if each.checksum is not None]
    if not problem and (not sums or any(each.continues is not None for each in sums)):
        problem = "requires a checksum in each unit that does not continue another checksum"
    if problem:
        diagnostics.error(section.position_of("ranges"), f"'ranges' {problem}")
    return not problem
