"""Byte stuffing: codes that keep a delimiter out of the content. See ``stuff`` and ``unstuff``.

The *word code* (Backtrace) removes the delimiter FE FD. A block is a header and that many literals; a block shorter
than its maximum is followed by an implied delimiter, unless it ends the record. The first header is one byte
(0…252), later ones are two in little-endian radix 253 (0…64008). *COBS* (Cheshire and Baker) removes 00 in the same
manner with one-byte headers that count themselves (1…255, maximum 254 literals).
"""

from __future__ import annotations

from collections.abc import Callable

from ..format.program import Stuffing
from .errors import StuffingError, UnfinishedError

WORD_DELIMITER = b"\xfe\xfd"
RADIX = 253
FIRST_RUN = RADIX - 1
LATER_RUN = RADIX * RADIX - 1
COBS_RUN = 254


def stuff_words(data: bytes) -> bytes:
    """Return the word code of ``data``: free of FE FD, 1 byte longer up to 251 bytes, 3 up to 64259.

    >>> stuff_words(b"a\\xfe\\xfdb").hex(" ")
    '01 61 01 00 62'
    """
    out = bytearray()
    position, maximum, size = 0, FIRST_RUN, len(data)
    while True:
        window = min(maximum, size - position)
        found = data.find(WORD_DELIMITER, position, position + window)
        run = window if found < 0 else found - position
        out += bytes((run,)) if maximum == FIRST_RUN else bytes((run % RADIX, run // RADIX))
        out += data[position : position + run]
        position += run
        if run < maximum:
            if position == size:
                return bytes(out)
            position += len(WORD_DELIMITER)
        maximum = LATER_RUN


def unstuff_words(data: bytes, limit: int | None = None) -> bytes:
    """Return the bytes that ``stuff_words`` was given. Accepts everything that the reference accepts, including runs
    that no encoder makes.

    Raises ``StuffingError`` for bytes that violate the code, and if the result would exceed ``limit`` bytes.
    """
    out = bytearray()
    size = len(data)
    if not size:
        raise StuffingError("an empty frame is not a record")
    run, position, maximum = data[0], 1, FIRST_RUN
    while True:
        if run > maximum:
            raise StuffingError(f"a run of {run} bytes is longer than {maximum}")
        end = position + run
        if end > size:
            content = bytes(out) + data[position:]
            raise UnfinishedError(f"a run of {run} bytes begins {size - position} bytes before the end", content)
        out += data[position:end]
        _within(len(out), limit)
        position = end
        if run < maximum:
            if position == size:
                return bytes(out)
            out += WORD_DELIMITER
        if position + 2 > size:
            raise UnfinishedError("the record ends before the header of a run", bytes(out))
        run = data[position] + RADIX * data[position + 1]
        position += 2
        maximum = LATER_RUN


def stuff_cobs(data: bytes) -> bytes:
    """Return ``data`` in COBS, in the shorter form: a final run of a multiple of 254 bytes is not followed by 01.

    >>> stuff_cobs(b"a\\0b").hex(" ")
    '02 61 02 62'
    """
    out = bytearray()
    segments = data.split(b"\0")
    last = len(segments) - 1
    for number, segment in enumerate(segments):
        position, size = 0, len(segment)
        while size - position >= COBS_RUN:
            out.append(COBS_RUN + 1)
            out += segment[position : position + COBS_RUN]
            position += COBS_RUN
        if number < last or position < size or not size:
            out.append(size - position + 1)
            out += segment[position:]
    return bytes(out)


def unstuff_cobs(data: bytes, limit: int | None = None) -> bytes:
    """Return the bytes that ``stuff_cobs`` was given; accepts the paper's longer form as well. Empty input gives empty
    output.

    Raises ``StuffingError`` for a zero byte or a missing literal, and if the result would exceed ``limit`` bytes.
    """
    if 0 in data:
        raise StuffingError("a zero byte inside a COBS frame")
    out = bytearray()
    position, size = 0, len(data)
    while position < size:
        code = data[position]
        end = position + code
        if end > size:
            content = bytes(out) + data[position + 1 :]
            raise UnfinishedError(
                f"a run of {code - 1} bytes begins {size - position - 1} bytes before the end", content
            )
        out += data[position + 1 : end]
        _within(len(out), limit)
        position = end
        if code <= COBS_RUN and position < size:
            out.append(0)
    return bytes(out)


def _plain(data: bytes) -> bytes:
    return bytes(data)


def _unplain(data: bytes, limit: int | None = None) -> bytes:
    _within(len(data), limit)
    return bytes(data)


def _within(size: int, limit: int | None) -> None:
    if limit is not None and size > limit:
        raise StuffingError(f"the frame exceeds {limit} bytes", "limit")


_STUFF: dict[Stuffing, Callable[[bytes], bytes]] = {
    Stuffing.NONE: _plain,
    Stuffing.WORD: stuff_words,
    Stuffing.COBS: stuff_cobs,
}
_UNSTUFF: dict[Stuffing, Callable[[bytes, int | None], bytes]] = {
    Stuffing.NONE: _unplain,
    Stuffing.WORD: unstuff_words,
    Stuffing.COBS: unstuff_cobs,
}


def stuff(data: bytes, stuffing: Stuffing) -> bytes:
    """Return ``data`` in the code ``stuffing``, without a delimiter."""
    return _STUFF[stuffing](data)


def unstuff(data: bytes, stuffing: Stuffing, limit: int | None = None) -> bytes:
    """Return the bytes that ``stuff`` was given. Raises ``StuffingError`` for bytes that violate the code or exceed
    ``limit`` bytes."""
    return _UNSTUFF[stuffing](data, limit)
