"""Options of a format that say how many unused bytes follow each row, decided by looking at the first rows."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from .feeders import Settings, Status, make
from .plan import Plan
from .window import Window

if TYPE_CHECKING:
    from .parsing.structs import Struct

ROWS = 64
"""Rows that are looked at. One that holds, and whose checksum does, is hardly ever there by accident."""


def decide(plan: Plan, root: Struct | None, window: Window) -> tuple[int, dict[str, str]]:
    """The bytes between rows, and the value of each option: the one that was asked for, or the one under which the
    most of the first rows hold; the first of several that are equal in that. Extends the window as far as needed."""
    names = [choice.name for choice in plan.format.choices]
    given = [
        [each for each in choice.padding if plan.choices[choice.name] in ("auto", each[0])]
        for choice in plan.format.choices
    ]
    candidates = list(product(*given))
    best = candidates[0]
    if len(candidates) > 1:
        best = candidates[_most_rows(plan, root, window, [_padding(each) for each in candidates])]
    return _padding(best), dict(zip(names, (value for value, _ in best), strict=True))


def _padding(candidate: tuple[tuple[str, int], ...]) -> int:
    return sum(padding for _, padding in candidate)


def _most_rows(plan: Plan, root: Struct | None, window: Window, paddings: list[int]) -> int:
    """The index of the padding under which most of the first rows hold."""
    feeders = [
        make(plan.engine, plan.format, root, Settings(padding=padding, max_record=plan.max_record))
        for padding in paddings
    ]
    if not window.view:
        window.extend()
    while True:
        fills = [feeder.fill(window, capacity=ROWS, at_start=True) for feeder in feeders]
        rows = [each.rows for each in fills]
        # Two rows one behind the other are evidence. A single one is none, if more input may come.
        undecided = max(rows) < 2 and any(each.status is Status.NEED_INPUT for each in fills)
        if not undecided or not window.extend():
            return rows.index(max(rows))
