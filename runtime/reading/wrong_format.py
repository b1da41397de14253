"""Detection of inputs without results: those of another format, which are not empty and contain no valid record, and
those that are too large to be read as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..base.advice import Advice
from ..base.errors import DamagedInputError, WrongFormatError
from ..base.report import LOST_TAILS
from ..codecs import CodecError
from ..rows.leading_zeros import NOT_ZERO
from .request import grows_by_rows, searches_rows

if TYPE_CHECKING:
    from ..base.report import FileReport
    from ..format.description import Format
    from ..input.window import Window
    from .opening import Opened
    from .request import ScanRequest

NAMED = 3
"""Number of inputs that an error names besides the first; others are only counted."""
FIRST_OF_WHOLE = 64 * 1024
"""Number of bytes that are judged of an input that is read as a whole."""
FEW_ITEMS = 10_000
INSPECT_ADVICE = "name the right format; 'wireloom inspect' shows what a reader finds in the file"
RECOVER_ADVICE = "if only its first record is damaged, {recover=True} searches for the next one"
SEARCHED_TAILS = ("truncated", *LOST_TAILS)
TAKES_IT = "raise max_record to read it"
TOO_LARGE = f"the input is read as a whole and larger than max_record: {TAKES_IT}"
MOST_CHANGED = 64
"""Number of bytes at the beginning and at the end of a unit that are changed."""
MIN_DISTINCTIVE_BYTES = 4
"""Minimum number of bytes of a unit for which only one value is valid, so that it is not of the format by chance."""
LARGEST_HEAD = 1024 * 1024
"""Maximum number of bytes before the rows that are kept to be judged; a larger valid header is proof enough."""


class FormatCheck:
    """Evidence of whether one input is of the format."""

    def __init__(self, request: ScanRequest, report: FileReport) -> None:
        self._request = request
        self._report = report
        self._has_content = False
        self._zeros_end = 0
        self._head: bytes | None = None
        self._whole: bytes | None = None
        self._begin: bytes | None = None
        self.has_held = False
        """Whether something without rows has held: a message, or what is before the rows."""

    def look_at(self, window: Window) -> None:
        """Search for bytes other than zero in the window, until a record is valid: a file of zeros is preallocated
        space, and not another format."""
        if not self._has_content and not self._report.rows and not self.has_held:
            # A window that grows is searched once.
            unseen = max(0, self._zeros_end - window.base)
            self._has_content = NOT_ZERO.search(window.view, unseen) is not None
            self._zeros_end = window.base + len(window.view)
            if window.base == 0 and len(self._begin or b"") < FIRST_OF_WHOLE:
                self._begin = bytes(window.view[:FIRST_OF_WHOLE])

    def take_head(self, head: memoryview) -> None:
        """Take a valid header of the rows into account."""
        if len(head) > LARGEST_HEAD:
            self.has_held = True
        else:
            self._head = bytes(head)

    def take_whole(self, data: memoryview) -> None:
        """Take an input that is read as a whole into account."""
        self._whole = bytes(data[:FIRST_OF_WHOLE])

    def is_wrong(self, opened: Opened) -> bool:
        """Return whether the input, as far as it could be read, contains nothing of the format."""
        self.look_at(opened.window)
        report = self._report
        if report.rows or self.has_held or report.clean or not self._request.judges_format:
            return False
        if opened.misnamed or isinstance(opened.window.error, CodecError):
            return True
        if opened.window.error is not None or not self._has_content:
            return False
        if is_too_large(self._request.format, report):
            return True
        if self._whole and _is_told_apart(self._request.format, self._whole):
            return False
        if self._begin and _first_unit_tells(self._request.format, self._begin[: _sound(report)]):
            return False
        return not (self._head and _tells_formats_apart(self._request.format, self._head, self._request.max_record))


def _tells_formats_apart(format: Format, head: bytes, max_record: int) -> bool:
    """Return whether a valid ``head`` (the bytes before the rows) is evidence of the format, because other bytes would
    have been refused."""
    # Imported here: only few inputs have a head and no rows.
    from ..input.window import MemoryWindow
    from .prologue import read_prologue

    other = MemoryWindow(memoryview(bytes(byte ^ 0xFF for byte in head)))
    root = read_prologue(format, other, max_record, verify=True)
    return root.lost is not None or root.refused is not None


def _is_told_apart(format: Format, data: bytes) -> bool:
    """Return whether the first bytes of an input that is read as a whole are evidence of the format: other bytes in
    their place are refused, while these are accepted or refused at a later position."""
    position, refused = _reach(format, data)
    other, is_other_refused = _reach(format, bytes(byte ^ 0xFF for byte in data))
    return is_other_refused and (not refused or position > other)


def _sound(report: FileReport) -> int:
    """Return the offset up to which an input contains no damage."""
    return min([report.tail_offset, *(each.offset for each in report.damaged[:1])])


def _first_unit_tells(format: Format, data: bytes) -> bool:
    """Return whether the first unit, which has no rows, is valid and is evidence of the format: other values of some
    bytes in it are refused."""
    if not format.streaming or not format.rows_path or format.has_prologue or format.sized_rows:
        return False
    size, refused = _unit(format, data)
    if refused is not None or not size:
        return False
    places = dict.fromkeys((*range(min(size, MOST_CHANGED)), *range(max(0, size - MOST_CHANGED), size)))
    changed = (data[:each] + bytes((data[each] ^ 0xFF,)) + data[each + 1 : size] for each in places)
    return sum(_unit(format, each)[1] in ("value", "checksum", "digest") for each in changed) >= MIN_DISTINCTIVE_BYTES


def _unit(format: Format, data: bytes) -> tuple[int, str | None]:
    """Return the end of the first unit, and the reason why it is refused."""
    # Imported here: only few inputs have no rows.
    from ..objects.streams import MemoryStream
    from ..rows.object_reader import ObjectRowReader
    from ..rows.object_rows import BrokenError, LostError
    from ..rows.reader import Settings

    stream = MemoryStream(data)
    try:
        _, refused = ObjectRowReader(format, None, Settings(max_computed=FEW_ITEMS)).parse(stream, verify=True)
    except BrokenError as error:
        refused = error.reason if isinstance(error, LostError) else "truncated"
    return stream.pos(), refused


def _reach(format: Format, data: bytes) -> tuple[int, bool]:
    """Return how far the root object can be read, and whether a value is refused."""
    # Imported here: only few inputs have no rows.
    from ..objects.streams import MemoryStream
    from ..rows.object_reader import ObjectRowReader
    from ..rows.object_rows import BrokenError, LostError
    from ..rows.reader import Settings

    stream = MemoryStream(data)
    try:
        _, refused = ObjectRowReader(format, None, Settings(max_computed=FEW_ITEMS)).parse(stream, verify=False)
    except BrokenError as error:
        refused = error.reason if isinstance(error, LostError) else None
    return stream.pos(), refused == "value"


def is_too_large(format: Format, file: FileReport) -> bool:
    """Return whether an input that is read as a whole was not read because it is larger than ``max_record``."""
    return file.tail == "limit" and not file.rows and not grows_by_rows(format)


def wrong_format(
    request: ScanRequest, files: Sequence[FileReport], advice: str = INSPECT_ADVICE
) -> DamagedInputError | None:
    """Return the error for files that are not of the format, or too large to be read as a whole; ``None`` if there are
    none. ``advice``: a template of ``Advice``."""
    if not files:
        return None
    format = request.format
    large = next((each for each in files if is_too_large(format, each)), None)
    if large is not None:
        return DamagedInputError(large.error or TOO_LARGE, path=large.path, reason="limit")
    first, others = files[0], [each.path or "bytes" for each in files[1:]]
    more = f"; nor in {', '.join(others[:NAMED])}" if others else ""
    if len(others) > NAMED:
        more += f" and {len(others) - NAMED:,} more"
    is_cut = first.tail == "truncated" and first.bytes and not first.tail_offset
    cut = "it ends inside the first one" if is_cut else ""
    why = f" ({first.error or cut})" if first.error or cut else ""
    return WrongFormatError(
        f"not in the format {format.name}? No record in it is valid{why}{more}",
        path=first.path,
        reason=_reason(first),
        advice=Advice(f"{advice}; {RECOVER_ADVICE}" if _is_searchable(request, first) else advice),
    )


def _is_searchable(request: ScanRequest, file: FileReport) -> bool:
    """Return whether ``recover``, which is not set, would search the file for records."""
    format = request.format.wire
    has_head = not format.has_prologue or file.tail_offset > 0
    return file.tail in SEARCHED_TAILS and has_head and not request.recovers and searches_rows(format)


def _reason(file: FileReport) -> str | None:
    if file.damaged:
        return file.damaged[0].reason
    return file.tail.removeprefix("invalid_")
