"""The last row of an input that may be incomplete: a truncated compressed stream, or a file that still grows.

At the end of an input, the last row may lack the delimiter after it, and is a valid row. If the input breaks off, the
same bytes may be the beginning of a longer row: ``price=20`` of ``price=2000000``. Such a row counts only if its
validity does not depend on the input's end, or if a valid checksum covers its last byte.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ..format.description import Format
from ..input.window import MemoryWindow, Window
from ..rows.reader import Filled, RowReader, Settings, Status

if TYPE_CHECKING:
    from ..objects.structs import Struct

UNPROVEN = "the record is the last one, and no checksum proves that it is complete"
Proof = Callable[[bytes], bool]
"""Returns whether the bytes of a row, including the delimiter before them, prove that it is complete."""


def fill_up_to_break(
    row_reader: RowReader,
    window: Window,
    proof: Proof,
    unpadded: RowReader,
    *,
    capacity: int,
    at_start: bool,
    stop: int,
) -> Filled:
    """Fill like ``RowReader.fill`` from a window after which there is no more input, although the input may not end
    there.

    A last row that is complete only if the input ends here is returned if ``proof`` of its bytes is true; otherwise the
    status is ``TRUNCATED``. ``unpadded``: reads rows without padding, since the bytes after the last row may be
    missing.
    """
    filled = row_reader.fill(_part(window, window.begin, at_end=False), capacity=capacity, at_start=at_start, stop=stop)
    if filled.status is not Status.NEED_INPUT:
        return filled
    begin = filled.consumed
    at_start = at_start and begin == window.begin
    last = row_reader.fill(_part(window, begin, at_end=True), capacity=1, at_start=at_start, stop=stop)
    if not last.rows and not last.damages:
        return replace(
            filled,
            consumed=last.consumed,
            status=last.status,
            position=last.position,
            reason=last.reason,
            error=last.error,
        )
    without = unpadded.fill(_part(window, begin, at_end=False), capacity=1, at_start=at_start, stop=stop)
    if without.consumed == begin and (last.damages or not proof(bytes(window.view[begin : last.consumed]))):
        return replace(filled, status=Status.TRUNCATED, position=window.base + begin, error=UNPROVEN)
    # If there are rows before it, it is left for the next call.
    return last if begin == window.begin else replace(filled, status=Status.BATCH_FULL)


def _part(window: Window, begin: int, *, at_end: bool) -> MemoryWindow:
    part = MemoryWindow(window.view, begin)
    part.base, part.at_end = window.base, at_end
    return part


def has_proof(format: Format, root: Struct | None, content: bytes) -> bool:
    """Return whether a checksum of a valid row covers its last byte. ``content``: the bytes of the row in the input;
    for delimited rows, including the delimiter before it; ``root``: the object whose attributes precede the rows."""
    # Imported here: most inputs have an end, and need no generated classes.
    from ..objects.errors import StuffingError
    from ..objects.streams import MemoryStream
    from ..objects.stuffing import unstuff
    from ..rows.object_reader import ObjectRowReader
    from ..rows.object_rows import IncompleteError, LostError

    row_reader = ObjectRowReader(format, root, Settings())
    try:
        if format.delimiter:
            content = unstuff(content.removeprefix(format.delimiter), format.stuffing)
        _, refused = row_reader.parse(MemoryStream(content), verify=True)
        if refused is not None or not content:
            return False
        _, refused = row_reader.parse(MemoryStream(content[:-1] + bytes((content[-1] ^ 1,))), verify=True)
    except (IncompleteError, LostError, StuffingError):
        return False
    return refused == "checksum"
