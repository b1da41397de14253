"""Blocks of Snappy and S2: by the engine, and without it by a decompressor that is written out here."""

from __future__ import annotations

from .. import engine

LITERAL, NEAR_COPY, MIDDLE_COPY = 0, 1, 2
SHORT_LITERAL = 60
REPEATS = ((4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (8, 1), (260, 2), (65540, 3))
"""Of copies from the last offset: the least size by its code, and the number of bytes that are added to it."""
SNAPPY_SHIFT, S2_SHIFT = 5, 22
"""Binary logarithms of more content than a stored byte can have."""


def expand(data: bytes | memoryview, limit: int, repeats: bool) -> bytes:
    """Return the content of a block: of Snappy or, with ``repeats``, of S2, which has copies from the last offset.

    Raises ``ValueError`` if the block is damaged, and ``OverflowError`` if it states more than ``limit`` bytes.
    """
    if engine.available:
        return engine.expand_snappy(data, limit, repeats)
    return written_out(data, limit, repeats)


def written_out(data: bytes | memoryview, limit: int, repeats: bool) -> bytes:
    """Return the same as ``expand``, without the engine."""
    # A slice of bytes is faster than one of a view, and data that ends early has zeros.
    end, data = len(data), bytes(data) + bytes(8)
    size, at = _stated(data, end)
    if not at or size >> 32 or size >> (S2_SHIFT if repeats else SNAPPY_SHIFT) > end:
        raise ValueError(f"it states no size that {end} bytes could have")
    if size > limit:
        raise OverflowError(f"{size} bytes are more than the limit of {limit}")
    content, offset, damaged = bytearray(), 0, ValueError(f"its elements do not give {size} bytes")
    while at < end:
        kind, code = data[at] & 3, data[at] >> 2
        at += 1
        length, more = code + 1, 4 if kind > MIDDLE_COPY else kind
        if kind == LITERAL:
            if length > SHORT_LITERAL:
                more = length - SHORT_LITERAL
                length = int.from_bytes(data[at : at + more], "little") + 1
            at += more + length
            if at > end or len(content) + length > size:
                raise damaged
            content += data[at - length : at]
            continue
        found = int.from_bytes(data[at : at + more], "little")
        at += more
        if kind == NEAR_COPY:
            found |= code >> 3 << 8
            length = 4 + (code & 7)
            if found == 0 and repeats:
                least, more = REPEATS[code & 7]
                length, found = least + int.from_bytes(data[at : at + more], "little"), offset
                at += more
        offset, begin = found, len(content) - found
        if at > end or offset == 0 or begin < 0 or len(content) + length > size:
            raise damaged
        piece = content[begin : begin + length]
        content += piece if length <= offset else (piece * (length // offset + 1))[:length]
    if len(content) != size:
        raise damaged
    return bytes(content)


def _stated(data: bytes, end: int) -> tuple[int, int]:
    """Return the size that a block states, and that of the statement; 0 if there is none."""
    size = 0
    for number, each in enumerate(data[: min(end, 5)]):
        size |= (each & 0x7F) << 7 * number
        if each < 0x80:
            return size, number + 1
    return 0, 0
