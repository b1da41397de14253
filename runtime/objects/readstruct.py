"""``ReadStruct``: the base of read-only generated classes with Kaitai's API."""

from __future__ import annotations

from typing import Any, ClassVar

from .kaitai import KaitaiStream, KaitaiStruct
from .readable import Readable


class ReadStruct(Readable):
    """An object that its constructor reads from a stream, like those of Kaitai's own compiler.

    ``from_bytes``, ``from_file`` and ``from_io`` make an object of a type without parameters; the constructor takes the
    parameters, the stream, and, for an object that belongs to another one, its ``_parent`` and ``_root``.
    """

    __slots__ = ("_io", "_parent", "_root")

    _instances: ClassVar[tuple[str, ...]] = ()
    """Names of the instances that are read from the stream on first access."""

    _io: KaitaiStream
    _parent: Any
    _root: Any

    def __init__(self, _io: KaitaiStream, _parent: Any = None, _root: Any = None) -> None:
        self._io = _io
        self._parent = _parent
        self._root = _root
        self._read()

    def _fetch_instances(self) -> None:
        """Read the instances that are read from the stream, of this object and of all objects that belong to it.

        After that nothing else is read from the stream, so it may be closed.
        """
        for name in self._fields:
            _fetch(getattr(self, name, None))
        for name in self._instances:
            _fetch(getattr(self, name))


def _fetch(value: object) -> None:
    if isinstance(value, list):
        for each in value:
            _fetch(each)
    elif isinstance(value, KaitaiStruct) and hasattr(value, "_fetch_instances"):
        value._fetch_instances()
