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
    most of the first rows hold; the first of several that are equal in that. Extends the window as far as one row."""
    names = [choice.name for choice in plan.format.choices]
    given = [
        [each for each in choice.padding if plan.choices[choice.name] in ("auto", each[0])]
        for choice in plan.format.choices
    ]
    best: tuple[tuple[str, int], ...] = ()
    most = -1
    for candidate in product(*given):
        rows = 0
        if max(map(len, given), default=0) > 1:
            rows = _rows(plan, root, window, sum(padding for _, padding in candidate))
        if rows > most:
            best, most = candidate, rows
    return sum(padding for _, padding in best), dict(zip(names, (value for value, _ in best), strict=True))


def _rows(plan: Plan, root: Struct | None, window: Window, padding: int) -> int:
    """How many of the first rows hold with that padding."""
    settings = Settings(padding=padding, max_record=plan.max_record)
    feeder = make(plan.engine, plan.format, root, settings)
    while True:
        filled = feeder.fill(window, capacity=ROWS, at_start=True)
        # Two rows are evidence, and so is one that has another beginning behind it.
        enough = filled.rows > 1 or filled.status is not Status.NEED_INPUT
        if enough or not window.extend():
            return filled.rows
