"""The steps from the outermost object to the rows of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class NextStep(NamedTuple):
    """A step to the rows of a table. ``unit``: as in ``Format.units``; ``after``: the steps that follow, by number;
    empty if this one leads to a row."""

    unit: str
    after: Mapping[int, NextStep]


Steps = Mapping[int, NextStep]


def steps_of(paths: Sequence[Sequence[int]], units: Sequence[Sequence[str]]) -> Steps:
    """Return the steps of all paths to the rows of a table, by number. The arguments are as in ``Format``."""
    found: dict[int, list[tuple[Sequence[int], Sequence[str]]]] = {}
    for path, kinds in zip(paths, units or [("",) * len(each) for each in paths], strict=True):
        if path:
            found.setdefault(path[0], []).append((path, kinds))
    return {
        number: NextStep(
            max(kinds[0] for _, kinds in each),
            steps_of([path[1:] for path, _ in each], [kinds[1:] for _, kinds in each]),
        )
        for number, each in found.items()
    }
