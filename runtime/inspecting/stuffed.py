"""Where the bytes of a stuffed frame are in its content."""

from __future__ import annotations

from ..format.stuffings import Stuffing, StuffingKind
from ..objects.stuffing import COBS_RUN, FIRST_RUN, LATER_RUN, RADIX, WORD_DELIMITER


def places(stuffed: bytes, stuffing: Stuffing) -> list[int]:
    """Return for each byte of a frame that ``unstuff`` accepts its index in the content; -1 for stuffing.

    >>> places(b"\\x02a\\x02b", Stuffing.COBS)
    [-1, 0, -1, 2]
    """
    match stuffing.kind:
        case StuffingKind.NONE:
            return list(range(len(stuffed)))
        case StuffingKind.WORD:
            return _words(stuffed)
        case StuffingKind.ESCAPE:
            return _escaped(stuffed, stuffing.value)
    return _cobs(bytes(each ^ stuffing.value for each in stuffed))


def _escaped(stuffed: bytes, escape: int) -> list[int]:
    found: list[int] = []
    content, is_code = 0, False
    for each in stuffed:
        is_code = not is_code and each == escape
        found.append(-1 if is_code else content)
        content += not is_code
    return found


def _words(stuffed: bytes) -> list[int]:
    found: list[int] = []
    position, content, header, longest = 0, 0, 1, FIRST_RUN
    while position + header <= len(stuffed):
        run = stuffed[position] + (RADIX * stuffed[position + 1] if header == 2 else 0)
        found += [-1] * header + list(range(content, content + run))
        position += header + run
        content += run + (len(WORD_DELIMITER) if run < longest else 0)
        header, longest = 2, LATER_RUN
    return found


def _cobs(stuffed: bytes) -> list[int]:
    found: list[int] = []
    position, content = 0, 0
    while position < len(stuffed):
        code, left = stuffed[position], len(stuffed) - position - 1
        if code - 1 > left:  # COBS/R: the last byte is in place of the header
            return [*found, content + left, *range(content, content + left)]
        found += [-1, *range(content, content + code - 1)]
        position += code
        content += code - 1 + (1 if code <= COBS_RUN else 0)
    return found
