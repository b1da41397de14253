"""Checks of values in ``_check`` of generated classes, with the errors of Kaitai's own classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..declared import UNSET
from ..errors import ChecksumError
from ..fields import find_terminator
from ..kaitai import ConsistencyError, KaitaiStream
from .streams import OpenStream


def check_size(name: str, data: bytes, size: int) -> None:
    """Check the bytes of a field of exactly ``size`` bytes."""
    if len(data) != size:
        raise ConsistencyError(name, size, len(data))


def check_terminated(name: str, data: bytes, terminator: bytes, *, include: bool, eos_error: bool = True) -> None:
    """Check the bytes of a terminated field; with ``include`` they end with the terminator."""
    found = find_terminator(data, terminator)
    last = len(data) - len(terminator)
    if not include:
        if found != -1:
            raise ConsistencyError(name, -1, found)
    elif found == -1 and not eos_error:
        return
    elif not data:
        raise ConsistencyError(name, 0, len(data))
    elif found != last:
        raise ConsistencyError(name, last, found)


def check_limited(
    name: str, data: bytes, size: int, *, terminator: bytes = b"", include: bool = False, pad: int | None = None
) -> None:
    """Check the bytes of a field of ``size`` bytes that may contain a terminator and padding."""
    if len(data) > size:
        raise ConsistencyError(name, size, len(data))
    pads_otherwise = pad is not None and not (terminator and terminator[-1] == pad)
    if terminator:
        # Padding may end the value in place of the terminator, unless it equals the terminator.
        optional = len(data) == size or pads_otherwise
        check_terminated(name, data, terminator, include=include, eos_error=not optional)
        if (data.endswith(terminator) and include) or (not include and size - len(data) >= len(terminator)):
            return
    if pads_otherwise and data and data[-1] == pad:
        raise ConsistencyError(name, pad, data[-1])


def check_count(name: str, values: Sequence[Any], count: int) -> None:
    """Check the items of a field that repeats ``count`` times."""
    if len(values) != max(0, count):
        raise ConsistencyError(name, count, len(values))


def check_some(name: str, values: Sequence[Any]) -> None:
    """Check that a field with ``repeat: until`` has items."""
    if not values:
        raise ConsistencyError(name, 0, len(values))


def check_count_now(io: KaitaiStream, name: str, values: Sequence[Any], count: int) -> None:
    """Like ``check_count``, for a count that is known only while the items are written."""
    if not isinstance(io, OpenStream):
        check_count(name, values, count)


def check_last_now(io: KaitaiStream, name: str, ends: bool, index: int, values: Sequence[Any]) -> None:
    """Like ``check_last``, for a condition that is known only while the items are written."""
    if not isinstance(io, OpenStream):
        check_last(name, ends, index, values)


def check_last(name: str, ends: bool, index: int, values: Sequence[Any]) -> None:
    """Check that only the last item ends the repetition. ``ends``: whether the item at ``index`` does."""
    if ends != (index == len(values) - 1):
        raise ConsistencyError(name, index == len(values) - 1, ends)


def check_bits(name: str, value: int, width: int) -> None:
    """Check an unsigned integer of ``width`` bits."""
    if not 0 <= value < 1 << width:
        raise ConsistencyError(name, f"an unsigned integer of {width} bits", value)


def check_checksum(owner: Any, name: str, computed: int | bytes, src_path: str) -> None:
    """Fill in a checksum that was not assigned; verify one that was."""
    if getattr(owner, name, None) == computed:
        return
    owner._follow(name, computed)
    actual = getattr(owner, name)
    if actual != computed:
        raise ChecksumError(computed, actual, None, src_path)


def cover(
    io: KaitaiStream,
    owner: Any,
    name: str,
    src_path: str,
    begin: int,
    end: int,
    compute: Callable[[bytes], int | bytes],
) -> None:
    """Register a checksum to be computed over the bytes from ``begin`` to ``end`` as soon as they are final.

    This happens while the layout is being found; when the object is finally written, the checksum has its value.
    """
    layout = io.layout if isinstance(io, OpenStream) else None
    if layout is None:
        return

    def at_the_end() -> None:
        computed = compute(io.to_byte_array()[begin:end])
        if owner._follow(name, computed):
            layout.changes.append(name)
        elif getattr(owner, name) != computed:
            layout.refused.append(ChecksumError(computed, getattr(owner, name), None, src_path))

    layout.checksums.append(at_the_end)


ALSO: dict[type, tuple[type, ...]] = {bytes: (bytes, bytearray, memoryview), float: (float, int)}
"""By class: other classes that are accepted in its place."""


def follow_tag(holder: Any, slot: str, owner: Any, tag: str, *cases: tuple[type, object]) -> None:
    """Set the attribute ``tag`` of ``owner`` to the value of the only case with the class of the object that ``holder``
    has in ``slot``, unless it was assigned or already fits. The default case has the value ``None``."""
    value = getattr(holder, slot, None)
    if isinstance(value, list):
        value = value[0] if value else None
    matches = [match for kind, match in cases if isinstance(value, kind)]
    if len(matches) == 1 and matches[0] is not None and getattr(owner, tag, UNSET) != matches[0]:
        owner._follow(tag, matches[0])


def check_case(name: str, value: object, wanted: type, on: str, tag: object) -> None:
    """Check that the content of a switch has the class of the case that the tag selects."""
    if not isinstance(value, ALSO.get(wanted, wanted)):
        expected = f"{wanted.__qualname__}, since {on} is {tag!r}"
        raise ConsistencyError(name, expected, type(value).__qualname__)
