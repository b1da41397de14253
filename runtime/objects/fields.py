"""Steps that generated readers and writers share: repetition, arrays, terminators, padding."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from operator import index
from typing import Any, TypeVar

from ..base.errors import WireloomError
from ..format.program_words import MOST_IDLE
from .computing import take_items
from .errors import StalledError
from .kaitai import ConsistencyError, EndOfStreamError, KaitaiStream
from .processing import count_items
from .streams import retreat

Kind = TypeVar("Kind")
Value = TypeVar("Value")


class Progress:
    """Stops a repetition whose items may be empty, which could otherwise be endless."""

    __slots__ = ("_idle", "_io", "_position", "_src_path")

    def __init__(self, io: KaitaiStream, src_path: str) -> None:
        self._io = io
        self._src_path = src_path
        self._position = io.pos()
        self._idle = 0

    def check(self) -> None:
        """Count an item, after it has been read. Raises ``StalledError`` after ``MOST_IDLE`` items without bytes, and
        ``ComputedError`` if the record has too many of them."""
        position = self._io.pos()
        if position != self._position:
            self._idle, self._position = 0, position
            return
        self._idle += 1
        if self._idle > MOST_IDLE:
            raise StalledError(self._src_path)
        take_items(1)


def read_numbers(io: KaitaiStream, byte_order: str, code: str, count: int) -> list[int]:
    """Read ``count`` integers of ``struct`` code ``code``; an empty list if the count is negative."""
    return list(_numbers(io, byte_order, code, count)) if count > 0 else []


def read_floats(io: KaitaiStream, byte_order: str, code: str, count: int) -> list[float]:
    """Read ``count`` floats of ``struct`` code ``code``; an empty list if the count is negative."""
    return list(_numbers(io, byte_order, code, count)) if count > 0 else []


def _numbers(io: KaitaiStream, byte_order: str, code: str, count: int) -> tuple[Any, ...]:
    width = struct.calcsize(byte_order + code)
    try:
        data = io.read_bytes(count * width)
    except EndOfStreamError as error:
        # The error is that of a single incomplete number.
        retreat(io, error)
        available = max(0, error.bytes_available)  # less than zero after the end
        io.read_bytes(available - available % width)
        io.read_bytes(width)
        raise
    count_items(io, count)
    return struct.unpack(f"{byte_order}{count}{code}", data)


def within(value: int, width: int, name: str) -> int:
    """Return ``value``, checked to be an unsigned integer of ``width`` bits; a truth value is one of one bit."""
    number = index(value) if hasattr(value, "__index__") else -1
    if not 0 <= number < 1 << width:
        raise ConsistencyError(name, f"an unsigned integer of {width} bits", value)
    return number


def sized(data: bytes, size: int, name: str) -> bytes:
    """Return ``data``, checked to have ``size`` bytes."""
    if len(data) != size:
        raise ConsistencyError(f"{name} (size)", size, len(data))
    return data


def to_end(data: bytes, room: int | None, name: str) -> bytes:
    """Return ``data`` of a field that extends to the end of its stream, in which ``room`` bytes are left, if that is
    known."""
    return data if room is None else sized(data, room, name)


def terminated(
    data: bytes, terminator: bytes, name: str, *, include: bool, consume: bool, room: int | None = None
) -> bytes:
    """Return ``data`` unchanged and ``data`` with its terminator; with ``include`` it already ends with it.

    Without ``consume`` the terminator belongs to what follows, even if it is part of the value, and is not written
    here. ``room`` is given if the end of the stream also ends the value.
    """
    found = find_terminator(data, terminator)
    if found >= 0 and not (include and found == len(data) - len(terminator)):
        raise ConsistencyError(name, f"a value without {terminator!r} inside", data)
    if len(data) == room:
        return data
    if include and found < 0:
        raise ConsistencyError(name, f"a value that ends with {terminator!r}", data)
    if not consume:
        return data.removesuffix(terminator)
    return data if include else data + terminator


def filled(data: bytes, size: int | None, name: str) -> bytes:
    """Return ``data`` padded with zeros to ``size`` bytes, if that is given."""
    if size is None:
        return data
    if len(data) > size:
        raise ConsistencyError(f"{name} (size)", size, len(data))
    return data.ljust(size, b"\0")


def differs(before: Sequence[object], now: Sequence[object]) -> bool:
    """Return whether one of the values that were set before, those that are not ``None``, is another one now."""
    return any(old is not None and old != new for old, new in zip(before, now, strict=True))


def unchanged(now: object, before: object, name: str) -> None:
    """Refuse a value that depends on lengths or counts that were filled in, if it now differs from ``before``."""
    if now != before:
        raise ConsistencyError(name, "the same value with the computed lengths", now)


def padded(
    data: bytes, size: int | None, name: str, *, pad: int | None = None, terminator: bytes = b"", include: bool = False
) -> bytes:
    """Return ``data`` padded to ``size`` bytes: with its terminator, if it has one and there is room, then with ``pad``
    or 0.

    Without a size the field is as long as the value and its terminator. A value that reading would not return is
    refused: one that contains its terminator, or that ends with ``pad``.
    """
    wanted = len(data) + (0 if include else len(terminator)) if size is None else size
    fill = bytes((pad or 0,))
    ended = include
    if terminator:
        found = find_terminator(data, terminator)
        if found >= 0 and not (include and found == len(data) - len(terminator)):
            raise ConsistencyError(name, f"a value without {terminator!r}", data)
        if not include and len(data) + len(terminator) <= wanted:
            data, ended = data + terminator, True
    if not ended and (data.endswith(fill) if pad is not None else len(data) < wanted):
        raise ConsistencyError(name, f"a value of {wanted} bytes that can be told apart from its padding", data)
    return filled(data, wanted, name) if fill == b"\0" else sized(data.ljust(wanted, fill), wanted, name)


def cut(data: bytes, terminator: bytes, *, include: bool) -> bytes:
    """Return ``data`` up to its first terminator, or all of it if there is none."""
    found = find_terminator(data, terminator)
    if found < 0:
        return data
    return data[: found + len(terminator)] if include else data[:found]


INTEGERS = frozenset("bBhHiIlLqQ")
"""Letters of the ``struct`` module."""


def packed(packer: struct.Struct, names: str, *values: float | bytes) -> bytes:
    """Return ``values`` as packed by ``packer``. Raises ``WireloomError``, which names the value that does not fit.

    ``names``: those of the attributes, separated by spaces. A float without a fraction is written if the field is an
    integer, since a column with both contains only floats.
    """
    try:
        return packer.pack(*values)
    except struct.error:
        codes = _codes(packer)
        whole = [_whole(code, value) for code, value in zip(codes, values, strict=True)]
        try:
            return packer.pack(*whole)
        except struct.error:
            refuse_misfit(packer, names, *values)
            raise


def _codes(packer: struct.Struct) -> list[str]:
    return re.findall(r"\d*[a-zA-Z]", packer.format)


def _whole(code: str, value: float | bytes) -> float | bytes:
    return int(value) if code in INTEGERS and isinstance(value, float) and value.is_integer() else value


def refuse_misfit(packer: struct.Struct, names: str, *values: float | bytes) -> None:
    """Raise a ``WireloomError`` that names the first of ``values`` that ``packer`` cannot write."""
    for name, code, value in zip(names.split(), _codes(packer), values, strict=True):
        try:
            struct.pack(packer.format[0] + code, value)
        except struct.error as error:
            raise WireloomError(f"{name} = {value!r} does not fit its field: {error}", reason="value") from error


def check_fields(holder: object, packer: struct.Struct, names: str) -> None:
    """Raise a ``WireloomError`` that names the attribute of ``holder`` that ``packer`` cannot write."""
    refuse_misfit(packer, names, *(getattr(holder, name) for name in names.split()))


def pack_numbers(byte_order: str, code: str, name: str, values: Sequence[Any]) -> bytes:
    """Return the bytes of a list of numbers, as ``read_numbers`` and ``read_floats`` read them."""
    one = struct.Struct(byte_order + code)
    try:
        return struct.pack(f"{byte_order}{len(values)}{code}", *values)
    except struct.error:
        return b"".join(packed(one, f"{name}[{index}]", value) for index, value in enumerate(values))


def write_numbers(io: KaitaiStream, byte_order: str, code: str, name: str, values: Sequence[Any]) -> None:
    """Append a list of numbers. An empty one does not align the stream to a byte, as for a reader."""
    if len(values) > 0:  # the truth value of numpy arrays is ambiguous
        io.write_bytes(pack_numbers(byte_order, code, name, values))


def of_case(kind: type[Kind], value: object, name: str) -> Kind:
    """Return the value of an attribute whose type is selected by a switch, checked to be of that type."""
    if not isinstance(value, kind):
        raise ConsistencyError(name, f"{kind.__qualname__}, as selected by the switch", type(value).__qualname__)
    return value


def counted(values: list[Value], count: int, name: str) -> list[Value]:
    """Return ``values``, checked to have ``count`` items."""
    if len(values) != max(0, count):
        raise ConsistencyError(f"{name} (count)", count, len(values))
    return values


def at_least_one(values: list[Value], name: str) -> list[Value]:
    """Return ``values``, checked not to be empty: only an item can end the repetition."""
    if not values:
        raise ConsistencyError(f"{name} (count)", "at least 1", 0)
    return values


def check_end(holds: bool, index: int, count: int, name: str) -> None:
    """Check that the condition that ends a repetition is true for the last item and for no other."""
    if holds != (index == count - 1):
        expected = "only the last item to satisfy repeat-until"
        raise ConsistencyError(name, expected, f"item {index} of {count}, which {'does' if holds else 'does not'}")


def find_terminator(data: bytes, terminator: bytes) -> int:
    """Return the index of the first terminator at a multiple of its width; -1 if there is none."""
    width = len(terminator)
    found = data.find(terminator)
    while found >= 0 and found % width:
        found = data.find(terminator, found + width - found % width)
    return found
