"""Where the bytes of a stuffed frame are in its content."""

from __future__ import annotations

from ..format.program import Stuffing
from ..objects.stuffing import COBS_RUN, FIRST_RUN, LATER_RUN, RADIX, WORD_DELIMITER


def places(stuffed: bytes, stuffing: Stuffing) -> list[int]:
    """Return for each byte of a frame that ``unstuff`` accepts its index in the content; -1 for stuffing.

    >>> places(b"\\x02a\\x02b", Stuffing.COBS)
    [-1, 0, -1, 2]
    """
    if stuffing is Stuffing.WORD:
        return _words(stuffed)
    return _cobs(stuffed) if stuffing is Stuffing.COBS else list(range(len(stuffed)))


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
        code = stuffed[position]
        found += [-1, *range(content, content + code - 1)]
        position += code
        content += code - 1 + (1 if code <= COBS_RUN else 0)
    return found
