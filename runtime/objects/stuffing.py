"""Byte stuffing: codes that keep a delimiter out of the content. See ``stuff`` and ``unstuff``.

The *word code* (Backtrace) removes the delimiter FE FD. A block is a header and that many literals; a block shorter
than its maximum is followed by an implied delimiter, unless it ends the record. The first header is one byte
(0…252), later ones are two in little-endian radix 253 (0…64008). *COBS* (Cheshire and Baker) removes 00 in the same
manner with one-byte headers that count themselves (1…255, maximum 254 literals); for another delimiter each byte is
XORed with it. *COBS/R* (McQueen) puts the last byte in place of the last header, if it is not less than that. With
*escapes*, as in SLIP and HDLC, a byte that must not occur is replaced by an escape byte and a code.
"""

from __future__ import annotations

from collections.abc import Callable

from ..format.stuffings import Stuffing, StuffingKind
from .errors import StuffingError, UnfinishedError
from .kaitai import ConsistencyError

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


def _unplain(data: bytes, limit: int | None = None) -> bytes:
    _within(len(data), limit)
    return bytes(data)


def _within(size: int, limit: int | None) -> None:
    if limit is not None and size > limit:
        raise StuffingError(f"the frame exceeds {limit} bytes", "limit")


def _stuff_cobs_variant(data: bytes, stuffing: Stuffing) -> bytes:
    stuffed = bytearray(stuff_cobs(data))
    if stuffing.kind is StuffingKind.COBS_REDUCED:
        code = _last_code(stuffed)
        if code + 1 < len(stuffed) and stuffed[-1] >= stuffed[code]:
            stuffed[code] = stuffed.pop()
    return _xored(bytes(stuffed), stuffing.value)


def _unstuff_cobs_variant(data: bytes, stuffing: Stuffing, limit: int | None) -> bytes:
    if stuffing.value in data:
        raise StuffingError(f"a byte {stuffing.value:02x} inside a COBS frame")
    plain = _xored(data, stuffing.value)
    try:
        return unstuff_cobs(plain, limit)
    except UnfinishedError as error:
        if stuffing.kind is not StuffingKind.COBS_REDUCED:
            raise
        # The last header is the last byte: what follows it is shorter than the block that it would begin.
        content = error.content + bytes((plain[_last_code(plain)],))
    _within(len(content), limit)
    return content


def _last_code(plain: bytes | bytearray) -> int:
    """Return the index of the last header of bytes in COBS/R."""
    code = 0
    while code + plain[code] < len(plain):
        code += plain[code]
    return code


def _xored(data: bytes, value: int) -> bytes:
    return data.translate(bytes(each ^ value for each in range(256))) if value else data


def _stuff_escaped(data: bytes, stuffing: Stuffing) -> bytes:
    if not data:
        raise ConsistencyError("a row", "content that is not empty, since readers pass over empty frames", data)
    codes, escape = stuffing.escapes, stuffing.value
    if not any(each in data for each in codes):
        return data
    return b"".join([bytes((escape, codes[each])) if each in codes else bytes((each,)) for each in data])


def _unstuff_escaped(data: bytes, stuffing: Stuffing, limit: int | None) -> bytes:
    out = bytearray()
    position, meanings = 0, stuffing.meanings
    while (found := data.find(stuffing.value, position)) >= 0:
        out += data[position:found]
        position = found + 2
        if position > len(data):
            raise UnfinishedError(f"the frame ends after an escape {stuffing.value:02x}", bytes(out))
        code = data[found + 1]
        if code not in meanings:
            raise StuffingError(f"{code:02x} is no code after an escape {stuffing.value:02x}")
        out.append(meanings[code])
    out += data[position:]
    _within(len(out), limit)
    return bytes(out)


_Stuff = Callable[[bytes, Stuffing], bytes]
_Unstuff = Callable[[bytes, Stuffing, int | None], bytes]
_CODES: dict[StuffingKind, tuple[_Stuff, _Unstuff]] = {
    StuffingKind.NONE: (lambda data, _: bytes(data), lambda data, _, limit: _unplain(data, limit)),
    StuffingKind.WORD: (lambda data, _: stuff_words(data), lambda data, _, limit: unstuff_words(data, limit)),
    StuffingKind.COBS: (lambda data, _: stuff_cobs(data), lambda data, _, limit: unstuff_cobs(data, limit)),
    StuffingKind.ESCAPE: (_stuff_escaped, _unstuff_escaped),
    StuffingKind.COBS_OTHER: (_stuff_cobs_variant, _unstuff_cobs_variant),
    StuffingKind.COBS_REDUCED: (_stuff_cobs_variant, _unstuff_cobs_variant),
}


def stuff(data: bytes, stuffing: Stuffing) -> bytes:
    """Return ``data`` in the code ``stuffing``, without a delimiter. Raises ``ConsistencyError`` for empty data with
    escapes: a reader passes over empty frames.

    >>> from wireloom.format.stuffings import HDLC, SLIP
    >>> stuff(b"a\\xc0", SLIP).hex(" "), stuff(b"a\\x7e", HDLC).hex(" ")
    ('61 db dc', '61 7d 5e')
    """
    return _CODES[stuffing.kind][0](data, stuffing)


def unstuff(data: bytes, stuffing: Stuffing, limit: int | None = None) -> bytes:
    """Return the bytes that ``stuff`` was given. Raises ``StuffingError`` for bytes that violate the code or exceed
    ``limit`` bytes."""
    return _CODES[stuffing.kind][1](data, stuffing, limit)
