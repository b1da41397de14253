"""Objects that are read from a buffer: those of types in which the size of each field is known before it is read.

A generated class has ``_head``, which unpacks its first fields, and ``_rest``, which reads the other fields from the
buffer and checks all of them. Both single objects and series of objects are read in these two steps. Where the buffer
does not contain all bytes of an object, it reads more from the stream.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from typing import Any, ClassVar, Protocol, Self, TypeVar

from .file_streams import FileStream
from .kaitai import EndOfStreamError, KaitaiStream
from .readable import ReadStruct
from .streams import MemoryStream, retreat
from .structs import Struct
from .windows import NOTHING, Held, window_of

Made = TypeVar("Made")
Make = Callable[[bytes, int, int], Made | None]
"""A function of bytes, a position and an end that makes an object from its first fields; it returns ``None`` if they
are not all before the end."""

FAMILY = ("_io", "_parent", "_root")


def maker(made: type[Made], packer: struct.Struct, names: tuple[str, ...], *family: object) -> Make[Made]:
    """Return the function that makes objects of class ``made``.

    ``packer`` unpacks their first fields; ``names`` are those of the attributes; ``family`` are the stream, the parent
    and the root.
    """
    kind: Any = made
    make: Make[Made] = _factory(kind, packer, names)(*family)
    return make


def unpacker(
    kind: type, packer: struct.Struct, names: tuple[str, ...], *, is_noted: bool
) -> Callable[[Any, bytes, int], None]:
    """Return a function that unpacks values with ``packer`` at a position and assigns them to attributes of an object
    of class ``kind``. ``is_noted``: whether a class that notes assignments notes these."""
    lines, scope = _assignments(kind, names, "unpack_from(data, position)", is_noted=is_noted)
    scope["unpack_from"] = packer.unpack_from
    unpack: Callable[[Any, bytes, int], None] = _compiled(["def made(self, data, position):", *lines], scope)
    return unpack


@cache
def _factory(made: type, packer: struct.Struct, names: tuple[str, ...]) -> Callable[..., Any]:
    """Return the function that returns a maker for a family. It is compiled once for each class: ``setattr`` is slow,
    and so is code that sets attributes of objects of several classes."""
    setting: object = made.__setattr__
    is_noted = setting is object.__setattr__
    lines, scope = _assignments(made, names, "unpack_from(data, position)", is_noted=is_noted)
    family, puts = _assignments(made, FAMILY, "family", is_noted=is_noted)
    scope |= {**puts, "kind": made, "new": made.__new__, "unpack_from": packer.unpack_from, "size": packer.size}
    source = [
        "def made(*family):",
        "    def make(data, position, end):",
        "        if position + size > end:",
        "            return None",
        "        self = new(kind)",
        *(f"    {each}" for each in (*family, *lines)),
        "        return self",
        "    return make",
    ]
    return _compiled(source, scope)


def _assignments(
    kind: type, names: tuple[str, ...], values: str, *, is_noted: bool
) -> tuple[list[str], dict[str, Any]]:
    """Return the statements that assign values, a text of Python, to attributes of ``self``, and the functions that
    these use."""
    if is_noted:
        return [f"    ({''.join(f'self.{each}, ' for each in names)}) = {values}"], {}
    lines = [
        f"    ({''.join(f'value_{each}, ' for each in names)}) = {values}",
        *(f"    put_{each}(self, value_{each})" for each in names),
    ]
    # The setter of a slot takes half the time of the general function.
    return lines, {f"put_{each}": getattr(getattr(kind, each, None), "__set__", partial(_put, each)) for each in names}


def _put(name: str, holder: Any, value: Any) -> None:
    object.__setattr__(holder, name, value)


def _compiled(lines: list[str], scope: dict[str, Any]) -> Callable[..., Any]:
    """Return the function ``made`` that the lines define."""
    exec("\n".join(lines), scope)
    found: Callable[..., Any] = scope["made"]
    return found


class Buffer(Protocol):
    """Bytes of a stream: ``data[position:end]`` are the next ones."""

    data: bytes
    position: int
    end: int

    def fetch(self, begin: int, end: int) -> None:
        """Extend ``data`` so that it contains ``data[begin:end]``. Raises like ``read_bytes`` at ``begin``."""

    def find(self, terminator: bytes, begin: int) -> int:
        """Return the index of the first terminator from ``begin`` on. Raises ``NoTerminatorFoundError``."""

    def at(self, position: int) -> KaitaiStream:
        """Move the stream to ``position`` and return it, for an error about the bytes before it."""


class Pieces:
    """The buffer of a stream that is not a buffer itself: it contains the bytes of one object that were read so far."""

    __slots__ = ("_io", "_position", "data", "end")

    def __init__(self, io: KaitaiStream) -> None:
        self._io = io
        self._position = 0
        self.data = b""
        self.end = 0

    @property
    def position(self) -> int:
        """Return the index at which the next object or field begins."""
        return self._position

    @position.setter
    def position(self, position: int) -> None:
        self._position = position
        self._back(position)

    def fetch(self, begin: int, end: int) -> None:
        """Read the bytes."""
        self._back(begin)
        try:
            # Between the bytes so far and ``begin`` may be some of a head of which the stream has only a part.
            self._add(self._io.read_bytes(end - min(begin, self.end)))
        except EndOfStreamError as error:
            retreat(self._io, error)
            raise

    def find(self, terminator: bytes, begin: int) -> int:
        """Read up to the terminator, and the terminator. Return its index."""
        self._back(begin)
        if begin > self.end:
            self.fetch(self.end, begin)
        self._add(self._io.read_bytes_term(terminator[0], True, True, True))
        return self.end - 1

    def at(self, position: int) -> KaitaiStream:
        """Move back to a position, if the stream can seek."""
        with suppress(OSError):
            self._back(position)
        return self._io

    def _back(self, position: int) -> None:
        """Seek back to a position that the stream has passed."""
        if position < self.end:
            self._io.seek(self._io.pos() - (self.end - position))
            self.data, self.end = self.data[:position], position

    def _add(self, data: bytes) -> None:
        self.data = self.data + data if self.data else data
        self.end = len(self.data)


def buffer_of(io: KaitaiStream) -> Buffer:
    """Return the buffer for one object of a stream. Files are buffered only for series of objects."""
    if isinstance(io, FileStream) and not io.end:
        return Pieces(io)
    window = window_of(io)
    return Pieces(io) if window is NOTHING else window


def _head_names(kind: type[Buffered]) -> tuple[str, ...]:
    """Return the names of the fields of the head."""
    return kind._fields[: len(_codes(kind._head.format))] if kind._head is not None else ()


@cache
def _codes(format: str) -> tuple[str, ...]:
    """Return the codes of the fields in a format of ``struct``, without the byte order at its beginning.

    >>> _codes(">I16sB")
    ('I', '16s', 'B')
    """
    return tuple(re.findall(r"\d*[a-zA-Z]", format))


class Buffered:
    """The data of a buffered type that the classes of all APIs share."""

    __slots__ = ()

    _fields: ClassVar[tuple[str, ...]]
    _head: ClassVar[struct.Struct | None] = None
    """Unpacks the first fields."""
    _head_size: ClassVar[int] = 0
    """Bytes of the first fields."""
    _io: KaitaiStream

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls._head is not None:
            cls._head_size = cls._head.size
            made = unpacker(cls, cls._head, _head_names(cls), is_noted=cls._put is Buffered._put)
            cls._unpack = made  # type: ignore[method-assign, assignment]  # each class gets one compiled for its head

    def _unpack(self, data: bytes, begin: int) -> None:
        """Take the values of the head, which is at ``begin``."""

    @staticmethod
    def _put(holder: Any, name: str, value: Any) -> None:
        """Set an attribute to a value that was read."""
        setattr(holder, name, value)

    def _rest(self, buffer: Buffer, begin: int) -> None:
        """Read the fields after the head, which is at ``begin``, and check all fields. Every generated class has its
        own."""
        raise NotImplementedError  # never reached: not abstract, which would need another metaclass than that of slots

    def _read(self) -> None:
        io = self._io
        if type(io) is MemoryStream and not io.bits_left:
            begin = io.position
            if begin + self._head_size <= io.end:
                self._unpack(io.data, begin)
                self._rest(io, begin)
                return
        self._fill(buffer_of(io))

    def _fill(self, buffer: Buffer) -> None:
        """Read all fields."""
        begin = buffer.position
        if begin + self._head_size > buffer.end:
            self._fetch_head(buffer)
        self._unpack(buffer.data, begin)
        self._rest(buffer, begin)

    @classmethod
    def _part(cls, buffer: Buffer, io: KaitaiStream, parent: Any, root: Any) -> Self:
        """Read an object that is part of another one, at ``buffer.position``."""
        self = cls.__new__(cls)
        self._stand(io, parent, root)
        self._fill(buffer)
        return self

    def _stand(self, io: KaitaiStream, parent: Any, root: Any) -> None:
        for name, value in (("_io", io), ("_parent", parent), ("_root", root)):
            self._put(self, name, value)
        if isinstance(io, MemoryStream) and io.trace is not None:
            io.trace.begin(self)

    @classmethod
    def _series(cls, io: KaitaiStream, parent: Any, root: Any, *, to_end: bool = False) -> Iterator[Self]:
        """Yield objects that follow each other: endlessly, or to the end of the stream."""
        make = cls._maker(io, parent, root)
        with Held(io):
            while True:
                window = window_of(io)
                while (self := make(window.data, begin := window.position, window.end)) is not None:
                    self._rest(window, begin)
                    yield self
                if to_end and io.is_eof():
                    return
                yield cls._alone(io, parent, root)

    @classmethod
    def _alone(cls, io: KaitaiStream, parent: Any, root: Any) -> Self:
        return cls._part(buffer_of(io), io, parent, root)

    @classmethod
    def _maker(cls, io: KaitaiStream, parent: Any, root: Any) -> Make[Self]:
        """Return the function that makes objects."""
        if cls._head is not None:
            return maker(cls, cls._head, _head_names(cls), io, parent, root)

        def make(data: bytes, position: int, end: int) -> Any:
            if position >= end:
                return None
            self = cls.__new__(cls)
            self._stand(io, parent, root)
            return self

        return make

    def _fetch_head(self, buffer: Buffer) -> None:
        """Extend the buffer by the bytes of the head.

        If the stream ends inside the head, its complete fields are checked first, since one of them may be the reason
        why the layout is lost. Otherwise the error is that of the first incomplete field.
        """
        head, begin = self._head, buffer.position
        if head is None:
            # The object begins after the end: its first field raises the error.
            return
        position = begin
        order, codes = head.format[0], _codes(head.format)
        try:
            buffer.fetch(begin, begin + head.size)
        except EndOfStreamError as error:
            stop = min(begin, buffer.end) + error.bytes_available
        else:
            return
        for name, code in zip(_head_names(type(self)), codes, strict=True):
            size = struct.calcsize(order + code)
            if position + size > stop:
                break
            if position + size > buffer.end:
                buffer.fetch(position, position + size)
            self._put(self, name, struct.unpack_from(order + code, buffer.data, position)[0])
            position += size
        self._look(buffer, begin)
        buffer.at(position)
        buffer.fetch(position, position + size)
        raise AssertionError

    def _look(self, buffer: Buffer, begin: int) -> None:
        """Check the fields of the head that have been read."""
        try:
            self._rest(buffer, begin)
        except (AttributeError, EOFError):
            # Errors of a field that was not read, or of what follows it.
            return


class BufferedStruct(Buffered, Struct):
    """An object that is read out of a buffer, and written."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        head = vars(cls).get("_head")
        if head is not None:
            codes = _codes(head.format)
            sizes = (struct.calcsize(head.format[0] + code) for code in codes)
            cls._sizes = (*zip(cls._fields, sizes, strict=False), *vars(cls).get("_sizes", ()))

    def _look(self, buffer: Buffer, begin: int) -> None:
        outermost = self._outermost()
        refusals = getattr(outermost, "_refusals", None)
        if refusals is None:
            super()._look(buffer, begin)
            return
        # Only what loses the layout counts before the end of the input.
        outermost._refusals = []
        try:
            super()._look(buffer, begin)
        finally:
            outermost._refusals = refusals


class BufferedReadStruct(Buffered, ReadStruct):
    """An object with Kaitai's API that is read out of a buffer."""

    __slots__ = ()
