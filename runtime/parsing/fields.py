"""Steps that generated readers and writers share: repetition, arrays, terminators, padding."""

from __future__ import annotations

import struct

from .errors import StalledError
from .kaitai import ConsistencyError, InvalidArgumentError, KaitaiStream

MAX_IDLE = 1 << 16
"""How many items in a row may take no bytes before a repetition counts as endless."""


class Progress:
    """Watches a repetition whose items may be empty, so that no input can make it endless."""

    __slots__ = ("_idle", "_io", "_position", "_src_path")

    def __init__(self, io: KaitaiStream, src_path: str) -> None:
        self._io = io
        self._src_path = src_path
        self._position = io.pos()
        self._idle = 0

    def check(self) -> None:
        """To be called after each item. Raises ``StalledError`` after ``MAX_IDLE`` items without a byte."""
        position = self._io.pos()
        self._idle = self._idle + 1 if position == self._position else 0
        self._position = position
        if self._idle > MAX_IDLE:
            raise StalledError(self._src_path)


def read_numbers(io: KaitaiStream, byte_order: str, code: str, count: int) -> list[int]:
    """``count`` integers of ``struct`` code ``code``, at once; none for a negative count."""
    if count <= 0:
        return []
    data = io.read_bytes(count * struct.calcsize(byte_order + code))
    return list(struct.unpack(f"{byte_order}{count}{code}", data))


def read_floats(io: KaitaiStream, byte_order: str, code: str, count: int) -> list[float]:
    """``count`` floats of ``struct`` code ``code``, at once; none for a negative count."""
    if count <= 0:
        return []
    data = io.read_bytes(count * struct.calcsize(byte_order + code))
    return list(struct.unpack(f"{byte_order}{count}{code}", data))


def within(value: int, width: int, name: str) -> int:
    """``value``, which must be an unsigned integer of ``width`` bits."""
    if not 0 <= value < 1 << width:
        raise ConsistencyError(name, f"an unsigned integer of {width} bits", value)
    return value


def sized(data: bytes, size: int, name: str) -> bytes:
    """``data``, which must have ``size`` bytes."""
    if len(data) != size:
        raise ConsistencyError(f"{name} (size)", size, len(data))
    return data


def terminated(data: bytes, terminator: bytes, name: str, *, include: bool, consume: bool) -> bytes:
    """``data`` as it stands before and with its terminator; with ``include`` it ends with it already.

    Without ``consume`` and ``include`` the terminator belongs to what follows and is not written here.
    """
    found = _find(data, terminator)
    if include:
        if found != len(data) - len(terminator):
            raise ConsistencyError(name, f"a value that ends with its only {terminator!r}", data)
        return data
    if found >= 0:
        raise ConsistencyError(name, f"a value without {terminator!r}", data)
    return data + terminator if consume else data


def padded(
    data: bytes, size: int, name: str, *, pad: int | None = None, terminator: bytes = b"", include: bool = False
) -> bytes:
    """``data`` filled up to ``size`` bytes: with its terminator, where it has one and there is room, then ``pad`` or 0.

    What reading would not give back is refused: a value that holds its terminator, or that ends with ``pad``.
    """
    fill = bytes((pad or 0,))
    ended = include
    if terminator:
        found = _find(data, terminator)
        if found >= 0 and not (include and found == len(data) - len(terminator)):
            raise ConsistencyError(name, f"a value without {terminator!r}", data)
        if not include and len(data) + len(terminator) <= size:
            data, ended = data + terminator, True
    if not ended and (data.endswith(fill) if pad is not None else len(data) < size):
        raise ConsistencyError(name, f"a value that {size} bytes can hold and tell from its padding", data)
    if len(data) > size:
        raise ConsistencyError(f"{name} (size)", size, len(data))
    return data.ljust(size, fill)


def checked_size(size: int) -> int:
    """A size that an expression gave, before it is used to write."""
    if size < 0:
        raise InvalidArgumentError(f"a size of {size} bytes")
    return size


def _find(data: bytes, terminator: bytes) -> int:
    """Index of the first terminator at a multiple of its width; -1: none."""
    width = len(terminator)
    found = data.find(terminator)
    while found >= 0 and found % width:
        found = data.find(terminator, found + width - found % width)
    return found
