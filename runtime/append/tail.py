"""Determines the bytes that are missing at the end of a log so that the next record follows a delimiter."""

from __future__ import annotations

from ..format.description import Format
from ..objects import KaitaiStructError
from ..objects.stuffing import unstuff
from .calls import Calls

WINDOW = 64 * 1024
"""Number of bytes at the end of a file that are searched first for the beginning of its last frame."""


def overlaps_itself(delimiter: bytes) -> bool:
    """Return whether the beginning of a delimiter equals its end, so that after a part of another one it would be found
    too early.

    >>> overlaps_itself(b"\\n\\n"), overlaps_itself(b"\\r\\n")
    (True, False)
    """
    return any(delimiter.startswith(delimiter[size:]) for size in range(1, len(delimiter)))


def missing_delimiter(format: Format, calls: Calls, descriptor: int) -> bytes:
    """Return the missing bytes of the delimiter at the end of the file: none, all, or the rest of a torn one. All of it
    is returned if the end cannot be read.

    A last byte ``FE`` is either the torn half of ``FE FD``, or the last byte of a record whose whole delimiter is
    missing. The record decides: its checksum is valid with or without that byte. If it is valid in neither case, the
    record itself is torn, and nothing can be lost.
    """
    delimiter = format.delimiter
    tail = calls.tail(descriptor, len(delimiter))
    if tail is None:
        return delimiter
    if not tail or tail.endswith(delimiter):
        return b""
    torn = next((size for size in range(len(delimiter) - 1, 0, -1) if tail.endswith(delimiter[:size])), 0)
    # No record ends with the beginning of a delimiter that overlaps itself.
    if torn and not overlaps_itself(delimiter) and _holds(format, _last_frame(format, calls, descriptor)):
        return delimiter
    return delimiter[torn:]


def _last_frame(format: Format, calls: Calls, descriptor: int) -> bytes:
    """Return the bytes after the last delimiter; truncated at the front if they are longer than any record."""
    size = WINDOW
    while True:
        data = calls.tail(descriptor, size) or b""
        at = data.rfind(format.delimiter)
        if at >= 0:
            return data[at + len(format.delimiter) :]
        if len(data) < size or size > format.max_record:
            return data
        size *= 8


def _holds(format: Format, frame: bytes) -> bool:
    """Return whether a frame is a valid record with a valid checksum."""
    try:
        format.row_class.from_bytes(unstuff(frame, format.stuffing))
    except (KaitaiStructError, ValueError, EOFError):
        return False
    return True
