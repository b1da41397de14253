"""Objects whose attributes simply follow each other: they are checked and written in one pass.

All other objects, and those that are refused here, are written in the general way, which reports why.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..kaitai import KaitaiStream
from .assigned import AssignedStruct, put, put_dirty, put_stream
from .streams import OpenStream

MAX_ROUNDS = 32
"""Maximum number of rounds in which the attributes of an object are derived from each other."""

GENERAL = frozenset(("_check", "_fetch_instances", "_write", "_write__seq"))
"""Methods that a class may override, so that its objects are written in the general way."""


class UnassembledError(Exception):
    """The object cannot be written in one pass."""


class AssembledStruct(AssignedStruct):
    """An object that may be written in one pass."""

    _m_fills_stream: ClassVar[bool] = False
    """Whether objects that are written in one pass extend to the end of their stream."""
    _m_moved: dict[str, tuple[object, object]] | None = None
    """The attributes that were derived, each with its previous and new value."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = vars(cls)
        if "_assemble" not in own and not GENERAL.isdisjoint(own):
            cls._assemble = AssembledStruct._assemble  # type: ignore[method-assign]  # what it would inherit is undone

    def _assemble(self, parts: list[bytes], objects: list[Any]) -> None:
        """Append the bytes of the object to ``parts``, and the objects below it to ``objects``.

        Raises any error if that is not enough to write the object.
        """
        raise UnassembledError

    def _check(self) -> None:
        """Overridden by every generated class."""
        raise NotImplementedError  # never reached: Kaitai's base class is not abstract, and neither is this one

    def _check_alone(self) -> None:
        """Check an object on which no other depends, until its derived attributes no longer change."""
        for _ in range(MAX_ROUNDS):
            self._check()
            if not self._m_moved:
                return
            put(self, "_m_moved", None)
        raise UnassembledError

    def _assembled(self, target: KaitaiStream | None) -> bytes | None:
        """Write the object in one pass to a stream of a given size or to a new stream, and return the bytes.

        Returns ``None`` if that is not possible; nothing has been written then.
        """
        parts: list[bytes] = []
        objects: list[Any] = [self]
        try:
            self._assemble(parts, objects)
            data = b"".join(parts)
            if target is not None and not self._fits(target, len(data)):
                return None
        # The general way raises the same error, after it has written what comes before.
        except Exception:
            return None
        stream = OpenStream.holding(data) if target is None else target
        for each in objects:
            put_stream(each, stream)
            if each._dirty:
                put_dirty(each, False)
        if target is not None:
            target.write_bytes(data)
        return data

    def _fits(self, target: KaitaiStream, size: int) -> bool:
        """Return whether a stream has room for so many bytes, and exactly so many if they must fill it."""
        whole = target.size()
        if type(target) is not KaitaiStream or target.bits_left or whole != target._size:
            return False
        room = whole - target.pos()
        return room == size if self._m_fills_stream else room >= size
