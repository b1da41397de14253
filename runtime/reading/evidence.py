"""Evidence in the first bytes of an input that it has another format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.report import LOST_TAILS
from ..codecs import CODECS
from ..input.window import MemoryWindow
from ..objects.errors import ChecksumError, EncodingError, StuffingError, UnfinishedError, reason_of
from ..objects.kaitai import EndOfStreamError, ValidationFailedError, ValidationNotAnyOfError, ValidationNotEqualError
from ..objects.streams import MemoryStream
from ..objects.stuffing import unstuff
from ..rows.object_reader import ObjectRowReader
from ..rows.object_rows import BrokenError
from ..rows.reader import Settings
from ..units.framing_detection import first_bytes
from .prologue import field_of, read_prologue

if TYPE_CHECKING:
    from ..base.report import FileReport
    from ..format.description import Format

CONSTANTS = (ValidationNotEqualError, ValidationNotAnyOfError)
"""Errors of values for which a spec lists all valid ones."""
SUMS = (ChecksumError, EncodingError)
"""Errors of values that are invalid until they are written completely."""
FEW_ITEMS = 10_000
EXAMINED = 64
"""Number of bytes at the beginning of an input that are changed."""
CHANGED_SIZE = 4096
"""Number of bytes that are read again for each of them."""
FEW_BYTES = 8
"""Number of bytes that are shown in a sentence."""
LEAST_DISTINCTIVE = 4
"""Minimum number of bytes for which only one value is valid, so that an input is not of the format by chance."""
OTHER_KINDS = {
    b"PAR1": "it is a Parquet file",
    b"ARROW1": "it is an Arrow file",
    b"\x02\x21\x4c\x18": "it is compressed with lz4 in its legacy format",
    b"7z\xbc\xaf\x27\x1c": "it is an archive of 7-Zip",
    b"SQLite format 3\0": "it is an SQLite database",
}
TEXT = bytes(range(0x20, 0x7F)) + b"\t\r\n"
LEAST_TEXT = 16
"""Number of characters that are hardly ever accidental."""


def evidence_in(format: Format, data: bytes, max_record: int) -> str | None:
    """Return what shows that an input that begins with ``data`` is of another format; ``None`` if nothing does: it may
    be damaged, or end inside its first record."""
    problems, needed, is_complete = _problems(format, data, max_record)
    if needed > (format.block or max_record):
        return f"its first record would have {needed:,} bytes"
    evident = CONSTANTS if is_complete else (ValidationFailedError, StuffingError)
    # A wrong bit in a length or a count makes a checksum over it wrong, too.
    is_explained = any(isinstance(each, ChecksumError) for each in problems)
    for each in problems:
        if reason_of(each) == "length":
            is_evidence = not is_explained
        else:
            is_evidence = isinstance(each, evident) and not isinstance(each, SUMS)
        if is_evidence:
            name = field_of(format, each)
            return f"the first {name} is invalid{_instead(each)}" if name else "the first record is invalid"
    return None


def _instead(error: Exception) -> str:
    """Return what the only valid value is, if it is short."""
    if not isinstance(error, ValidationNotEqualError):
        return ""
    found, wanted = error.actual, error.expected
    if isinstance(found, bytes) and isinstance(wanted, bytes) and len(found) == len(wanted) <= FEW_BYTES:
        return f": {found.hex()} instead of {wanted.hex()}"
    return f": {found} instead of {wanted}" if isinstance(found, int) and isinstance(wanted, int) else ""


def message_evidence(format: Format, report: FileReport, data: bytes) -> str | None:
    """Return the same for an input of messages, for which there is a ``report``."""
    if report.tail in LOST_TAILS and not report.tail_offset:
        return "the first length is invalid"
    assert format.message is not None
    if format.message.framing == "whole" and data[0] not in first_bytes(format):
        return "it does not begin with a field of the message"
    return None


def is_distinctive(format: Format, data: bytes, max_record: int) -> bool:
    """Return whether an input that begins with ``data`` is of the format although something in it is invalid: for
    several of its bytes all other values, or the checksum over them, would be invalid as well."""
    data = data[:CHANGED_SIZE]
    known = _marks(format, data, max_record)
    changed = (data[:each] + bytes((data[each] ^ 0xFF,)) + data[each + 1 :] for each in range(min(len(data), EXAMINED)))
    return sum(bool(_marks(format, each, max_record) - known) for each in changed) >= LEAST_DISTINCTIVE


def _marks(format: Format, data: bytes, max_record: int) -> set[tuple[type, str | None]]:
    """Return the constants and checksums that are invalid."""
    problems, _, _ = _problems(format, data, max_record)
    return {
        (type(each), getattr(each, "src_path", None))
        for each in problems
        if isinstance(each, (*CONSTANTS, ChecksumError))
    }


def _problems(format: Format, data: bytes, max_record: int) -> tuple[list[Exception], int, bool]:
    """Return the problems of the header or, after a valid header, of the first record or unit; the number of bytes that
    it needs, if it is incomplete; and whether it is complete."""
    root, begin, is_complete = None, 0, True
    if format.has_prologue:
        prologue = read_prologue(format, MemoryWindow(memoryview(data)), max_record, verify=True)
        if prologue.problems:
            return prologue.problems, 0, prologue.lost is None
        root, begin = prologue.struct, prologue.size
    content = data[begin:]
    if format.delimiter:
        frame = content if 0 in format.delimiter else content.lstrip(b"\0")
        while frame.startswith(format.delimiter):
            frame = frame[len(format.delimiter) :]
        frame, found, _ = frame.partition(format.delimiter)
        is_complete, begin = bool(found), 0
        if not is_complete and format.delimiter.startswith(frame):
            return [], 0, False
        try:
            content = unstuff(frame, format.stuffing)
        except UnfinishedError as error:
            if is_complete:
                return [error], 0, True
            content = error.content
        except StuffingError as error:
            return ([error] if frame else []), 0, is_complete
    row_reader = ObjectRowReader(format, root, Settings(max_computed=FEW_ITEMS))
    stream, problems, needed = MemoryStream(content, begin), list[Exception](), 0
    try:
        row_reader.parse(stream, verify=True)
    except BrokenError as error:
        cause, is_complete = error.__cause__, False
        if isinstance(cause, EndOfStreamError):
            needed = stream.pos() - begin + cause.bytes_needed
        elif isinstance(cause, Exception):
            problems.append(cause)
    return problems + list(row_reader.refusals), needed, is_complete


def kind_of(begin: bytes) -> str | None:
    """Return a sentence about what an input that begins with these bytes is; ``None`` if that is unknown.

    >>> kind_of(b'{"resourceLogs": [')
    'it seems to be JSON text'
    """
    named = next((kind for magic, kind in OTHER_KINDS.items() if begin.startswith(magic)), None)
    if named is not None:
        return named
    codec = next((each.name for each in CODECS.values() if begin.startswith(each.magics)), None)
    if codec is not None:
        return f"it seems to be compressed with {codec}"
    start = begin[:64]
    if start.lstrip()[:2] in (b'{"', b"[{", b"{}", b"[]"):
        return "it seems to be JSON text"
    return "it seems to be text" if len(start) >= LEAST_TEXT and not start.strip(TEXT) else None
