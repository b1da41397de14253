"""Options of a format that determine the number of unused bytes after each row, chosen by examining the first rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..input.window import MemoryWindow, Window
from ..rows.reader import FillResult, RowReader, Settings, Status
from .request import ScanRequest
from .row_resync import defer_unverified

if TYPE_CHECKING:
    from .scan_readers import ScanReaders

ROWS = 64
"""Number of rows that are examined. A valid row with a valid checksum is hardly ever accidental."""
DAMAGED_BYTES = 64 * 1024
"""Number of bytes that are examined after the first damage if there has been no evidence before it."""


def decide(request: ScanRequest, readers: ScanReaders, window: Window) -> tuple[int, dict[str, str]]:
    """Return the number of bytes between rows, and the value of each option: the given one, or the first one for which
    most of the first rows are valid. Extends the window as needed."""
    found = candidates(request)
    if len(found) == 1:
        return found[0]
    return found[_most_rows(request, readers, window, found)]


def candidates(request: ScanRequest) -> list[tuple[int, dict[str, str]]]:
    """Return the candidates: for each, the bytes between rows and the value of each option."""
    found: list[tuple[int, dict[str, str]]] = [(0, {})]
    for choice in request.format.choices:
        given = request.choices[choice.name]
        if choice.variable:
            found = [(more, options | {choice.name: given}) for more, options in found if given != "auto"] or found
            continue
        found = [
            (bytes_between + more, options | {choice.name: value})
            for bytes_between, options in found
            for value, more in choice.padding
            if given in ("auto", value)
        ]
    return found


def _most_rows(
    request: ScanRequest, readers: ScanReaders, window: Window, found: list[tuple[int, dict[str, str]]]
) -> int:
    """Return the index of the candidate with which most of the first rows are valid."""
    paddings = [padding for padding, _ in found]
    row_readers = [
        readers.rows(Settings(padding=padding, max_record=request.max_record, max_computed=request.max_computed))
        for padding in paddings
    ]
    if not window.view:
        window.extend()
    while True:
        fills = [row_reader.fill(window, capacity=ROWS, at_start=True) for row_reader in row_readers]
        rows = [each.rows for each in fills]
        # Two consecutive rows are evidence. A single one is not, if more input may come.
        if max(rows) >= 2:
            return rows.index(max(rows))
        damaged = min(_first_damage(each, window.base) for each in fills)
        if not any(each.status is Status.NEED_INPUT for each in fills) or not window.extend():
            break
    # One of the first rows is damaged, or there are no more: examine what follows.
    limit = damaged + DAMAGED_BYTES
    while window.base + len(window.view) < limit and window.extend():
        pass
    start = MemoryWindow(window.view[: limit - window.base], window.begin)
    start.base = window.base
    rows = [
        _rows_after_rows(row_reader, start, padding) for row_reader, padding in zip(row_readers, paddings, strict=True)
    ]
    is_whole = window.at_end and window.error is None and len(start.view) == len(window.view)
    if is_whole and not any(rows) and fills[0].status is Status.LOST:
        # No row follows another: what remains is which of them leaves no byte over.
        tiled = (number for number, padding in enumerate(paddings) if _is_tiled(row_readers[number], start, padding))
        return next(tiled, 0)
    return rows.index(max(rows))


def _is_tiled(row_reader: RowReader, start: MemoryWindow, padding: int) -> bool:
    """Return whether few rows, with all of the padding after the last of them too, fill the input."""
    end, ends = len(start.view) - padding, list[Status]()
    for size in (end - 1, end):
        part = MemoryWindow(start.view[: max(size, 0)], start.begin)
        part.base = start.base
        ends.append(row_reader.fill(part, capacity=ROWS, at_start=True).status)
    return end > start.begin and ends == [Status.TRUNCATED, Status.END]


def _first_damage(filled: FillResult, base: int) -> int:
    """Return the offset of the first invalid row."""
    return min([base + filled.consumed, *(each.begin for each in filled.damages[:1])])


def _rows_after_rows(row_reader: RowReader, start: MemoryWindow, padding: int) -> int:
    """Return the number of valid rows that begin at the end of the previous row; rows found by a search do not
    count."""
    window = MemoryWindow(start.view, start.begin)
    window.base = start.base
    count, follows = 0, False
    while True:
        filled = row_reader.fill(window, capacity=len(window.view) + 1)
        count += filled.rows
        starts_well = not filled.damages or filled.damages[0].begin != window.base + window.begin
        if filled.rows and starts_well and not follows:
            count -= 1
        follows = filled.status is Status.BATCH_FULL
        if follows:
            window.begin = filled.consumed
            continue
        _, deferred = defer_unverified(filled, window, padding, full=True)
        lost = filled.consumed if deferred is None else deferred.begin - window.base
        found, index = row_reader.resync(window, lost + 1) if lost < len(window.view) else (False, 0)
        if not found:
            return count
        window.begin = index
