"""Batches of the engine that are filled from several pieces of an input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..input.window import Window
from .reader import Extend, Status

Fill = Callable[..., tuple[Any, ...]]
"""``fill_slab`` of the engine with all arguments but those about the window and the first row."""
IN_ORDER = (Status.NEED_INPUT, Status.BATCH_FULL, Status.END)


def filled(fill: Fill, window: Window, *, at_start: bool = False, first_row: int = 0) -> tuple[Any, ...]:
    """Return the result of one call for a window. ``first_row``: number of rows that earlier calls have filled in."""
    view, begin = window.view, window.begin
    where = {"base_offset": window.base, "at_end": window.at_end, "at_start": at_start}
    return fill(view, begin, len(view), first_row=first_row, **where)


def filled_on(fill: Fill, result: tuple[Any, ...], window: Window, extend: Extend) -> tuple[Any, ...]:
    """Return the result of a fill that continues after ``result`` as long as the window can be extended, and all rows
    are valid. ``window.begin`` is moved to the index up to which rows were read before the last extension.

    The rows after the last extension are left for the next fill if something is wrong with them: what is reported about
    them needs a window that contains all of them.
    """
    rows = 0
    while result[3] == Status.NEED_INPUT and not result[7] and result[0] > rows:
        rows, dropped, window.begin, _, *_, nulls, used, items, unit, pause = result
        continues = extend()
        result = (rows, dropped, window.begin, Status.BATCH_FULL, 0, 0, 0, 0, nulls, used, items, unit, pause)
        if not continues:
            break
        more = filled(fill, window, first_row=rows)
        if more[3] not in IN_ORDER or more[7]:
            break
        result = (*more[:8], tuple(map(int.__add__, nulls, more[8])), *more[9:])
    return result
