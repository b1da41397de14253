"""The bytes that a log needs at its end so that the next record follows a delimiter."""

from __future__ import annotations

from ..format.description import Format
from ..objects import KaitaiStructError
from ..objects.stuffing import unstuff
from .calls import Calls

WINDOW = 64 * 1024
"""Bytes at the end of a file that are looked at first for the beginning of its last frame."""


def overlaps_itself(delimiter: bytes) -> bool:
    """Return whether a delimiter begins as it ends, so that after a part of another one it is found too early.

    >>> overlaps_itself(b"\\n\\n"), overlaps_itself(b"\\r\\n")
    (True, False)
    """
    return any(delimiter.startswith(delimiter[size:]) for size in range(1, len(delimiter)))


def missing_delimiter(format: Format, calls: Calls, descriptor: int) -> bytes:
    """Return the bytes of the delimiter that the file lacks: none, all, or the rest of one that was torn. All where its
    end cannot be read.

    A last byte ``FE`` is the torn half of ``FE FD``, or else the last byte of a record whose delimiter is missing as a
    whole. Which of the two is told by the record: it holds with that byte or without it. Where it does neither it is
    torn itself, and nothing can be lost.
    """
    delimiter = format.delimiter
    tail = calls.tail(descriptor, len(delimiter))
    if tail is None:
        return delimiter
    if not tail or tail.endswith(delimiter):
        return b""
    torn = next((size for size in range(len(delimiter) - 1, 0, -1) if tail.endswith(delimiter[:size])), 0)
    # No record ends in the beginning of a delimiter that overlaps itself.
    if torn and not overlaps_itself(delimiter) and _holds(format, _last_frame(format, calls, descriptor)):
        return delimiter
    return delimiter[torn:]


def _last_frame(format: Format, calls: Calls, descriptor: int) -> bytes:
    """Return the bytes after the last delimiter; cut off at the front where they are more than any record has."""
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
    """Return whether a frame is a record, its checksum included."""
    try:
        format.row_class.from_bytes(unstuff(frame, format.stuffing))
    except (KaitaiStructError, ValueError, EOFError):
        return False
    return True
