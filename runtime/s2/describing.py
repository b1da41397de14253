"""Describes the fields of a frame, with the names of specs/s2_session.ksy, for inspection of its bytes."""

from __future__ import annotations

from enum import IntEnum

from ..units.described import Part, unit_part
from .frames import COMPRESSION_SHIFT, LENGTH_SIZE, RECONNECT_ADVISED, TERMINAL, problem_of, problem_of_length

STATUS_SIZE = 2


class FrameCompression(IntEnum):
    """The compression, which is two bits of the flag byte."""

    NONE = 0
    ZSTD = 1
    GZIP = 2


def frame_parts(stored: memoryview) -> list[Part]:
    """Return the parts of a frame, see ``wireloom.units.described.Described.described``."""
    if len(stored) < LENGTH_SIZE:
        return []
    length = int.from_bytes(stored[:LENGTH_SIZE], "big")
    problem = problem_of_length(length)
    found = [Part("length", length, 0, LENGTH_SIZE, None if problem is None else problem[1])]
    if problem is not None or len(stored) == LENGTH_SIZE:
        return found
    flag, begin = stored[LENGTH_SIZE], LENGTH_SIZE + 1
    is_terminal = bool(flag & TERMINAL)
    problem = None if is_terminal else problem_of(flag, b"")
    compression = flag >> COMPRESSION_SHIFT & 3
    shown = FrameCompression(compression) if compression in tuple(FrameCompression) else compression
    found += [
        Part("is_terminal", is_terminal, LENGTH_SIZE, begin),
        Part("compression", shown, LENGTH_SIZE, begin, None if problem is None else problem[1]),
        Part("reconnect_advised", bool(flag & RECONNECT_ADVISED), LENGTH_SIZE, begin),
        Part("reserved", flag & 0x0F, LENGTH_SIZE, begin),
    ]
    if is_terminal:
        found.append(_terminal(flag, stored, LENGTH_SIZE + length))
    else:
        found.append(unit_part(begin, length - 1, len(stored), is_packed=bool(compression)))
    return found


def _terminal(flag: int, stored: memoryview, end: int) -> Part:
    begin = LENGTH_SIZE + 1
    body = stored[begin:end]
    problem = problem_of(flag, body)
    sentence = None if problem is None else problem[1]
    if end > len(stored):
        sentence = f"{len(body):,} of {end - begin:,} bytes are present"
    parts = []
    if len(body) >= STATUS_SIZE:
        text = str(body[STATUS_SIZE:], "utf-8", "replace")
        parts = [
            Part("status", int.from_bytes(body[:STATUS_SIZE], "big"), begin, begin + STATUS_SIZE),
            Part("body", text, begin + STATUS_SIZE, begin + len(body)),
        ]
    return Part("terminal", None, begin, begin + len(body), sentence, tuple(parts))
