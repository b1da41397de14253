"""``Readable``: constructors from bytes, from a file, and from an open file."""

from __future__ import annotations

from os import PathLike
from typing import IO, Any, ClassVar, Self

from .errors import unset
from .file_streams import FileStream
from .kaitai import KaitaiStream, KaitaiStruct
from .streams import MemoryStream

SHOWN_BYTES = 48
"""The maximum number of bytes of a field that ``repr`` shows."""


class Fielded:
    """An object that equals another one of its class if all fields are equal."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()
    """Names of the attributes, in the order of the wire."""

    # No __hash__ is defined: values change, and equality with them.
    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name, None) == getattr(other, name, None) for name in self._fields)

    def __repr__(self) -> str:
        fields = (f"{name}={shown(getattr(self, name))}" for name in self._fields if hasattr(self, name))
        return f"{type(self).__qualname__}({', '.join(fields)})"


def shown(value: object) -> str:
    """Return a value as the ``repr`` of an object shows it."""
    if isinstance(value, bytes) and len(value) > SHOWN_BYTES:
        return f"{value[:SHOWN_BYTES]!r}… ({len(value)} bytes)"
    return repr(value)


class Readable(Fielded, KaitaiStruct):
    """An object that is read from the stream passed to its constructor."""

    __slots__ = ()

    @classmethod
    def from_bytes(cls, buf: bytes) -> Self:
        """Read an object from bytes in memory."""
        return cls._read_from(MemoryStream(buf))

    @classmethod
    def from_file(cls, filename: str | PathLike[str]) -> Self:
        """Read an object from a file, which stays open until ``close`` or the end of a ``with`` block."""
        file = open(filename, "rb")  # noqa: SIM115 - the object owns it
        try:
            return cls._read_from(FileStream(file))
        except BaseException:
            file.close()
            raise

    @classmethod
    def from_io(cls, io: IO[bytes]) -> Self:
        """Read an object from an open binary file."""
        return cls._read_from(FileStream(io))

    @classmethod
    def _read_from(cls, stream: KaitaiStream) -> Self:
        try:
            return cls(stream)
        except AttributeError as error:
            raise unset(error) from error

    def _read(self) -> None:
        """Read all attributes from ``_io``."""


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
