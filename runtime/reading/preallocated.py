"""Files that are allocated before they are written: the end of their records."""

from __future__ import annotations

import dataclasses

from ..input.window import Window
from ..rows.leading_zeros import NOT_ZERO
from ..rows.reader import Filled, RowDamage, Status
from ..rows.zero_runs import ends_in_zeros
from .recovery import without_last

MOST_KEPT = 256 * 1024 * 1024
"""Number of bytes after a damaged record that are kept until it is known whether anything follows it."""


def without_torn(filled: Filled, window: Window, layout: tuple[int, int] | None, *, grows: bool) -> tuple[Filled, bool]:
    """Return a fill without its last row if that row is damaged because it was not written completely, as truncated;
    and whether that is the case. ``layout``: the sizes of a sector and of a record's header, as in ``Format``. In an
    input that ``grows``, the rest of the row may still be written: it ends in zeros."""
    last = filled.damages[-1] if filled.damages else None
    if last is None or last.inside:
        return filled, False
    if filled.status is Status.END and window.at_end and last.end == window.base + len(window.view):
        is_last = True
    else:
        is_last = filled.status is Status.LOST and last.end == filled.position
    is_torn = grows and window.view[last.end - window.base - 1] == 0
    if not is_last or not (is_torn or (layout is not None and _has_empty_sector(last, window, *layout))):
        return filled, False
    base = window.base
    ends = ends_in_zeros(window, last.end, MOST_KEPT, least=0, keep=True)
    filled = dataclasses.replace(filled, consumed=filled.consumed - (window.base - base))
    return (without_last(filled, Status.TRUNCATED, window.base), True) if ends else (filled, False)


def _has_empty_sector(damage: RowDamage, window: Window, sector: int, header: int) -> bool:
    """Return whether a sector of a record consists of zeros."""
    begin = damage.begin + header
    while sector and begin < damage.end:
        end = min(begin - begin % sector + sector, damage.end)
        if NOT_ZERO.search(window.view, begin - window.base, end - window.base) is None:
            return True
        begin = end
    return False
