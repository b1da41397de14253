"""The checksum functions that generated classes call, and checksums that continue from those of the previous items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import checksums
from .errors import UnsetError
from .streams import wire_bytes


def checksum_function(algorithm: str, initial: int | None = None, final_xor: int | None = None) -> Callable[..., Any]:
    """Return the function that computes a checksum; its second argument, if given, is the checksum of the preceding
    bytes. Digests are bytes. ``initial`` and ``final_xor`` default to those of the algorithm.

    >>> hex(checksum_function("crc32c")(b"123456789")), hex(checksum_function("crc32", 0, 0)(b"123456789"))
    ('0xe3069283', '0x2dfd2d88')
    >>> checksum_function("md5")(b"").hex()
    'd41d8cd98f00b204e9800998ecf8427e'
    """
    return checksums.function(checksums.algorithm(algorithm, initial, final_xor))


def covered(holder: Any, slot: str) -> bytes:
    """Return the bytes that a checksum covers which is the value of an instance of ``holder``; their positions in its
    stream are in the attribute ``slot``. Raises ``UnsetError`` for an object that was not read."""
    runs = getattr(holder, slot, None)
    if runs is None:
        raise UnsetError(holder, slot.removeprefix("_covered_"))
    return b"".join(wire_bytes(holder._io, begin, end) for begin, end in runs)


def replaced(data: bytes, begin: int, size: int, value: int) -> bytes:
    """Return ``data`` with ``size`` bytes from ``begin`` on overwritten by ``value``, for a checksum that covers
    itself."""
    return data[:begin] + bytes((value,)) * size + data[begin + size :]


RunningChecksums = dict[str, tuple[Any, int | None, int | None]]
"""By attribute: the item that was read or written last, the checksum in the item before it, and its own."""

UNKNOWN: RunningChecksums = {"": (None, None, None)}
"""The state of a list whose previous items are not known."""


def before(parent: Any, item: Any, name: str, nothing: int) -> int | None:
    """Return the value of the attribute ``name`` in the item before ``item``; for the first item ``nothing``, the
    checksum of no bytes; and ``None`` if the previous item is not known. ``parent``: the object that contains the
    items."""
    running: RunningChecksums = getattr(parent, "_running_checksums", None) or {}
    last, previous, current = running.get(name) or running.get("") or (None, nothing, nothing)
    return previous if last is item else current


def written_before(parent: Any, item: Any, name: str, nothing: int) -> int:
    """Like ``before``, for an item that is being written, perhaps again: the items before it have already been
    written."""
    return before(parent, item, name, nothing) or 0


def note(parent: Any, item: Any, name: str, previous: int | None, current: int | None) -> None:
    """Record the value of the attribute in ``item`` and in the item before it; ``None`` if it is not known."""
    if parent is None:
        return
    running = getattr(parent, "_running_checksums", None)
    if running is None:
        running = parent._running_checksums = {}
    running[name] = (item, previous, current)
