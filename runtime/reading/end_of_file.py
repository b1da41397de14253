"""The end of an input: what follows the last row, and whether the last row is complete.

*Preallocated files* end in zeros that a writer has allocated and not written. If the spec declares them
(``preallocated``), zero bytes from the end of the last row to the end of the input are no row and no damage, however
many they are and whatever the layout makes of them; zeros before other bytes are damage. The readers of the formats
have the same rule: LevelDB's and RocksDB's skip a header of zeros without a report, Pebble's ends there, etcd's ends at
a length of 0, and Bitcoin Core's searches for the next magic number, which none follows. Readers that wait for more
(``tail="growing"``) continue where the zeros begin, with any format.

*Inputs that break off*: at the end of an input, the last row may lack the delimiter after it, and is a valid row. In a
truncated compressed stream, or a file that still grows, the same bytes may be the beginning of a longer row:
``price=20`` of ``price=2000000``. Such a row counts only if its validity does not depend on the input's end, or if a
valid checksum covers its last byte.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ..format.description import Format
from ..input.window import MemoryWindow, Window
from ..rows.reader import FillResult, RowDamage, RowReader, Settings, Status
from ..rows.zero_runs import NOT_ZERO
from .extraction import Ended, Lost
from .row_resync import without_last

if TYPE_CHECKING:
    from ..base.report import FileReport
    from ..objects.structs import Struct
    from .opening import Opened

LEAST_ZEROS = 64
"""Minimum number of zeros at the end of a file that does not declare them, so that a report names them."""
MOST_KEPT = 256 * 1024 * 1024
"""Number of bytes after a damaged record that are kept until it is known whether anything follows it."""
AT_ONCE = 256 * 1024
"""Number of bytes in which the last one that is not zero is searched for at once."""
HEADER = 8
"""Number of missing bytes of a header, in a block that breaks off, that are completed."""
UNPROVEN = "the record is the last one, and no checksum proves that it is complete"
Proof = Callable[[bytes], bool]
"""Returns whether the bytes of a row, including the delimiter before them, prove that it is complete."""


def ends_in_zeros(window: Window, offset: int, most: int, *, least: int = LEAST_ZEROS, keep: bool = False) -> bool:
    """Return whether there are only zeros, at least ``least`` of them, from an offset on to the end of the input. At
    most about ``most`` bytes that are not available yet are examined. Moves the window after the examined bytes, unless
    ``keep``."""
    begin = offset - window.base
    limit = window.base + len(window.view) + most
    if begin < 0:
        return False
    while _is_unwritten(window, begin):
        reached = window.base + len(window.view)
        if window.at_end:
            return window.error is None and reached - offset >= least
        if reached >= limit:
            return False
        if not keep:
            window.begin = len(window.view)
            window.skip_hole(0)
        window.extend()
        begin = max(reached - window.base, 0)
    return False


def _is_unwritten(window: Window, begin: int) -> bool:
    """Return whether the window has only zeros from an index on, or what an obfuscated input has in place of them."""
    pattern = window.unwritten
    if pattern == b"\0":
        return NOT_ZERO.search(window.view, begin) is None
    turned = (window.base + begin) % len(pattern)
    expected = (pattern[turned:] + pattern[:turned]) * ((len(window.view) - begin) // len(pattern) + 1)
    return window.view[begin:] == expected[: len(window.view) - begin]


def first_of_zeros(filled: FillResult, window: Window) -> int | None:
    """Return the offset of the first invalid row of a fill from which on the window has only zeros; ``None`` if there
    is none."""
    begins = [each.begin for each in filled.damages]
    if filled.status in (Status.TRUNCATED, Status.LOST):
        begins.append(filled.position)
    other, end = -1, window.base + len(window.view)
    for begin in begins:
        if other < begin < end:
            found = NOT_ZERO.search(window.view, begin - window.base)
            if found is None:
                return begin
            other = window.base + found.start()
    return None


def skip_to_content(window: Window, block: int) -> bool:
    """Move ``window.begin`` from zeros to the beginning of the block with the next byte that is not zero, and return
    whether there is one; otherwise to the end of the input."""
    while (found := NOT_ZERO.search(window.view, window.begin)) is None:
        window.begin = max(window.begin, len(window.view) - block)
        window.skip_hole(block)
        if not window.extend():
            window.begin = len(window.view)
            return False
    offset = window.base + found.start()
    window.begin = max(window.begin, offset - offset % block - window.base)
    return True


def unwritten(offset: int, report: FileReport, *, grows: bool) -> Lost | Ended:
    """Return the result for zeros that reach from an offset to the end of the input: space that was allocated and not
    written. In an input that ``grows``, a row may still be written there."""
    if grows:
        return Lost(offset, "truncated", "truncated", is_read=True)
    report.tail_zeros = True
    return Ended(offset, is_read=True)


def end_of_written(opened: Opened) -> int | None:
    """Return the offset after the last byte of an input that is not zero; 0 if there is none. The window of the input
    is restored. ``None``: the input can only be read sequentially."""
    if opened.begin_at is None or (opened.decoder is not None and opened.size is None):
        return None
    begin = opened.window.base + opened.window.begin
    end = opened.size if opened.size is not None else opened.window.base + len(opened.window.view)
    found = 0
    while end > 0 and not found:
        first = max(0, end - AT_ONCE)
        window = opened.restart(first)
        while not window.at_end and window.base + len(window.view) < end and window.extend():
            pass
        last = first + len(bytes(window.view[first - window.base : end - window.base]).rstrip(b"\0"))
        found = last if last > first else 0
        end = first
    opened.restart(begin)
    return found


def without_torn(
    filled: FillResult, window: Window, layout: tuple[int, int] | None, *, grows: bool
) -> tuple[FillResult, bool]:
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
    filled = replace(filled, consumed=filled.consumed - (window.base - base))
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


def fill_up_to_break(
    row_reader: RowReader,
    window: Window,
    proof: Proof,
    unpadded: RowReader,
    *,
    capacity: int,
    at_start: bool,
    stop: int,
) -> FillResult:
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


def truncated_row(filled: FillResult, window: Window, block: int, row_reader: Callable[[], RowReader]) -> int | None:
    """Return the offset of a row with which an input of blocks breaks off, in a last block that is shorter than others;
    ``None`` if there is none. In a complete block, which a ``row_reader`` reads, the row would end with some
    of the bytes that may follow: zeros, or ones after zeros that complete its header."""
    end, last = window.base + len(window.view), filled.damages[-1] if filled.damages else None
    if not window.at_end or not end % block or last is None or last.end != end or last.reason != "length":
        return None
    begin = last.begin - last.begin % block
    if end - begin >= block or NOT_ZERO.search(window.view, last.begin - window.base) is None:
        return None
    there = bytes(window.view[begin - window.base :])
    for zeros in (block, *range(HEADER)):
        whole = MemoryWindow(memoryview((there + bytes(zeros))[:block].ljust(block, b"\1")))
        found = row_reader().fill(whole, capacity=block)
        if not any(each.begin == last.begin - begin and each.reason == "length" for each in found.damages):
            return last.begin
    return None
