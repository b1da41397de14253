"""Searches open files for delimiters and zeros, block by block."""

from __future__ import annotations

from ...input.inputs import Stream

BLOCK = 256 * 1024
"""Number of bytes that are searched at a time."""


def read_at(stream: Stream, begin: int, end: int) -> bytes:
    """Return the bytes ``begin`` … ``end``; fewer if the file ends earlier."""
    stream.seek(begin)
    buffer = bytearray(end - begin)
    view, filled = memoryview(buffer), 0
    while filled < len(buffer) and (count := stream.readinto(view[filled:])):
        filled += count
    return bytes(view[:filled])


def find_last(stream: Stream, delimiter: bytes, begin: int, end: int) -> int | None:
    """Return the offset of the last delimiter within ``begin`` … ``end``; ``None`` if there is none."""
    while end - begin >= len(delimiter):
        start = max(begin, end - BLOCK)
        found = read_at(stream, start, end).rfind(delimiter)
        if found >= 0:
            return start + found
        if start == begin:
            break
        end = start + len(delimiter) - 1
    return None


def find_first(stream: Stream, delimiter: bytes, begin: int, end: int) -> int | None:
    """Return the offset of the first delimiter within ``begin`` … ``end``; ``None`` if there is none."""
    while end - begin >= len(delimiter):
        stop = min(end, begin + BLOCK)
        found = read_at(stream, begin, stop).find(delimiter)
        if found >= 0:
            return begin + found
        if stop == end:
            break
        begin = stop - len(delimiter) + 1
    return None


def start_of_zeros(stream: Stream, begin: int, end: int) -> int:
    """Return the start of the run of zeros that ends at ``end``, but not less than ``begin``."""
    while end > begin:
        start = max(begin, end - BLOCK)
        found = len(read_at(stream, start, end).rstrip(b"\0"))
        if found:
            return start + found
        end = start
    return begin


def find_nonzero(stream: Stream, begin: int, end: int) -> int:
    """Return the offset of the first byte that is not zero within ``begin`` … ``end``; ``end`` if there is none."""
    while begin < end:
        found = read_at(stream, begin, min(end, begin + BLOCK))
        rest = len(found.lstrip(b"\0"))
        if rest or not found:
            return begin + len(found) - rest if rest else end
        begin += len(found)
    return end
