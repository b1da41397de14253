"""``ReadWriteStruct``: the base of classes with Kaitai's read-write API."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import IO, Any, ClassVar, Self

from ..errors import with_reason
from ..kaitai import (
    ConsistencyError,
    KaitaiStream,
    KaitaiStruct,
    ReadWriteKaitaiStruct,
    ValidationFailedError,
)
from ..streams import FileStream, MemoryStream
from ..structs import UNSET, shown
from .layout import Layout
from .solving import Solution, first_free
from .streams import FixedStream, GrowingStream, OpenStream, TrackedStream

MAX_ROUNDS = 32
"""How often the attributes of an object and of those below it may follow from each other."""

_put = object.__setattr__


class ReadWriteStruct(ReadWriteKaitaiStruct):
    """Something that a spec describes: ``_read`` reads it, ``_check`` says whether it holds, ``_write`` writes it.

    Sizes, counts, positions, fixed contents and checksums that follow from the spec need not be assigned: those that
    are not set, and those that were read, take the value that the others ask for. One that was assigned must hold.
    """

    _fields: ClassVar[tuple[str, ...]] = ()
    """Names of the attributes, in the order of the wire."""
    _sizes: ClassVar[tuple[tuple[str, int], ...]] = ()
    """The attributes that are read several at once, with the bytes that each of them has."""
    _checksums: ClassVar[tuple[str, ...]] = ()
    """Names of the attributes that hold checksums."""
    _m_children: ClassVar[tuple[str, ...]] = ()
    """Names of the attributes that hold objects, or lists of them."""
    _m_placed: ClassVar[tuple[str, ...]] = ()
    """Names of the instances that stand at positions of their own."""
    _m_solved: ClassVar[tuple[str, ...]] = ()
    """Names of the attributes that follow from sizes, counts and positions."""
    _m_has_instances: ClassVar[bool] = True
    """Whether objects of the class, or below them, have instances that stand at positions of their own."""
    _m_has_layout: ClassVar[bool] = True
    """Whether anything in them follows from where things stand, and has to be found by writing."""
    _m_is_plain: ClassVar[bool] = False
    """Whether they hold if they held before and none of their attributes was assigned since."""

    _io: KaitaiStream
    _parent: Any
    _root: Any
    _dirty: bool
    _m_given: set[str] | None = None
    """The attributes that were assigned since the object was made or read, as far as any were."""
    _m_moved: dict[str, tuple[object, object]] | None = None
    """The attributes that followed, each with the value before and behind, as far as any did."""

    def __init__(self, _io: KaitaiStream | None = None, _parent: Any = None, _root: Any = None) -> None:
        attributes = self.__dict__
        attributes["_io"] = _io
        attributes["_parent"] = _parent
        attributes["_root"] = self if _root is None else _root
        attributes["_dirty"] = True

    def __setattr__(self, name: str, value: object) -> None:
        _put(self, name, value)
        if name[:1] != "_" or name in ("_parent", "_root") or name.startswith("_unnamed"):
            attributes = self.__dict__
            attributes["_dirty"] = True
            given = attributes.get("_m_given")
            if given is None:
                attributes["_m_given"] = {name}
            else:
                given.add(name)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        attributes = self.__dict__
        attributes["_dirty"] = True
        if self._m_given is not None:
            self._m_given.discard(name)

    @classmethod
    def from_bytes(cls, buf: bytes) -> Self:
        """An object that ``_read`` will read from bytes in memory."""
        return cls(MemoryStream(buf))

    @classmethod
    def from_file(cls, filename: str | PathLike[str]) -> Self:
        """An object that ``_read`` will read from a file, which stays open until ``close``."""
        return cls(FileStream(open(filename, "rb")))

    @classmethod
    def from_io(cls, io: IO[bytes]) -> Self:
        """An object that ``_read`` will read from an open binary file."""
        return cls(FileStream(io))

    # What generated classes use -----------------------------------------------------------------------------------

    def _has_read(self) -> None:
        """All attributes have been read: none of them counts as assigned."""
        attributes = self.__dict__
        attributes["_m_given"] = None
        attributes["_dirty"] = False

    def _is_given(self, name: str) -> bool:
        """Whether an attribute was assigned since the object was made or read."""
        return self._m_given is not None and name in self._m_given

    def _follow(self, name: str, value: object) -> bool:
        """Sets an attribute to what it follows to be, unless it was assigned; whether it had another value."""
        before = getattr(self, name, UNSET)
        if (before is not UNSET and before == value) or self._is_given(name):
            return False
        _put(self, name, value)
        moved = self._m_moved or {}
        moved[name] = (None if before is UNSET else before, value)
        self._m_moved = moved
        return True

    def _solve(self, wanted: int, *solutions: Solution) -> None:
        """Sets the attribute that a size or a count follows from, so that it comes to ``wanted``."""
        found = first_free(solutions)
        if found is not None:
            found.follow(wanted)

    def _is_there(self, instance: str) -> bool:
        """Whether an instance has its value; one that can still be read has it when it is needed."""
        if hasattr(self, f"_m_{instance}"):
            return True
        if self._io is not None:
            return False
        what = f"{instance} of {type(self).__qualname__} is not set"
        raise AttributeError(f"{what}: assign it, or set {instance}__enabled to False", name=instance, obj=self)

    def _adopt(self, name: str, child: Any, parent: Any, *, is_root: bool = False) -> None:
        """Checks that ``child`` stands below ``parent``; one that stands nowhere yet takes its place there."""
        root = child if is_root else self._root
        ours = isinstance(child, ReadWriteStruct)
        if child._root is not root:
            if not ours or child._root is not child:
                raise ConsistencyError(name, root, child._root)
            _put(child, "_root", root)
        if child._parent is not parent:
            if not ours or child._parent is not None:
                raise ConsistencyError(name, parent, child._parent)
            _put(child, "_parent", parent)

    def _forget(self, *slots: str) -> None:
        """Drops values that are computed again when they are asked for."""
        for slot in slots:
            self.__dict__.pop(slot, None)

    def _refuse(self, error: ValidationFailedError, reason: str) -> None:
        """A value is refused."""
        raise with_reason(error, reason)

    def _text(self, data: bytes, encoding: str, src_path: str) -> str:
        """``data`` as text. Raises ``UnicodeDecodeError``, as Kaitai's own classes do."""
        return data.decode(encoding)

    # Kaitai's protocol --------------------------------------------------------------------------------------------

    def _read(self) -> None:
        """Reads all attributes from ``_io``."""
        self._has_read()

    def _check(self) -> None:
        """Fills in what follows from the other attributes, and checks that all of them can stand together.

        Raises ``ConsistencyError`` or a ``ValidationFailedError``. The objects below are checked by theirs.
        """
        self.__dict__["_dirty"] = False

    def _fetch_instances(self) -> None:
        """Reads or, while the object is written, writes the instances, here and below."""
        if not self._m_has_instances:
            return
        for child in self._children():
            child._fetch_instances()
        for name in self._m_placed:
            for child in _structs(getattr(self, name)):
                child._fetch_instances()

    def _write__seq(self, io: KaitaiStream | None = None) -> None:
        """Writes the attributes of ``seq`` to ``io``, or to the stream that the object has."""
        if io is not None:
            self.__dict__["_io"] = io
        if self._dirty:
            self._check()

    def _write(self, io: KaitaiStream | IO[bytes] | None = None) -> None:
        """Writes the object, after all of it has been checked and what follows has been filled in.

        To a ``KaitaiStream`` of a size, which has to suffice. To an open binary file, an empty ``KaitaiStream`` or a
        ``GrowingStream`` as many bytes as it takes. Without ``io`` to the stream that the object has, or where it has
        none to write to, to a new one, which ``_io`` then is.
        """
        target = self._io if io is None else io
        made_here = io is None and (target is None or isinstance(target, TrackedStream | MemoryStream))
        self._load()
        self._check_all()
        floating = self._begin()
        if isinstance(target, KaitaiStream) and not made_here and not _grows(target):
            if self._m_has_layout:
                self._settle(target.pos(), target.size(), floating)
            self._write_to(target)
            return
        stream = self._written(floating)
        if not made_here:
            _append(target, stream.to_byte_array())

    def _to_bytes(self) -> bytes:
        """The bytes that ``_write`` writes."""
        io = GrowingStream()
        self._write(io)
        return io.to_byte_array()

    # How writing goes ---------------------------------------------------------------------------------------------

    def _children(self) -> Iterator[Any]:
        """The objects that the attributes hold."""
        for name in self._m_children:
            yield from _structs(getattr(self, name, None))

    def _tree(self) -> Iterator[Any]:
        """This object and all below it, those above before those below."""
        waiting: list[Any] = [self]
        seen: set[int] = set()
        while waiting:
            current = waiting.pop()
            if id(current) in seen:
                continue
            seen.add(id(current))
            yield current
            if isinstance(current, ReadWriteStruct) and (current._m_children or current._m_placed):
                below = list(current._children())
                for name in current._m_placed:
                    below.extend(_structs(getattr(current, f"_m_{name}", None)))
                waiting.extend(reversed(below))

    def _load(self) -> None:
        """Reads the instances that were not needed so far, as long as the stream is there that they stand in."""
        if not self._m_has_instances:
            return
        for each in self._tree():
            if isinstance(each, ReadWriteStruct) and each._io is not None:
                for name in each._m_placed:
                    if not hasattr(each, f"_m_{name}"):
                        getattr(each, name)

    def _check_all(self) -> None:
        """Checks this object and all below it, as often as attributes follow from others that followed."""
        for _ in range(MAX_ROUNDS):
            moved, refused = self._check_once()
            if moved:
                continue
            if refused is not None:
                raise _explained(refused)
            return
        name, (before, behind) = next(iter(moved.items()))
        raise ConsistencyError(name, before, behind)

    def _check_once(self) -> tuple[dict[str, tuple[object, object]], Exception | None]:
        """Checks everything once: what followed, and the first error."""
        moved: dict[str, tuple[object, object]] = {}
        refused: Exception | None = None
        objects: list[ReadWriteStruct] = []
        for each in self._tree():
            if isinstance(each, ReadWriteStruct):
                objects.append(each)
                if each._m_is_plain and not each._dirty:
                    continue
            try:
                each._check()
            except (AttributeError, ConsistencyError) as error:
                refused = refused or error
        for each in objects:
            if each._m_moved:
                moved.update(each._m_moved)
                _put(each, "_m_moved", None)
        return moved, refused

    def _settle(self, start: int, assumed: int | None, floating: set[tuple[int, str]]) -> OpenStream:
        """Finds the sizes and positions that follow from what is written; the stream that it was written to."""
        layout = Layout()
        layout.floating.update(floating)
        stream = layout.settle(self._write_to, start, assumed)
        self._check_all()
        return stream

    def _begin(self) -> set[tuple[int, str]]:
        """Gives 0 to what follows from nothing yet, each named by its object: what it measures is absent, or has no
        place."""
        found: set[tuple[int, str]] = set()
        for each in self._tree():
            if isinstance(each, ReadWriteStruct):
                for name in each._m_solved:
                    if not hasattr(each, name):
                        _put(each, name, 0)
                        found.add((id(each), name))
        return found

    def _written(self, floating: set[tuple[int, str]]) -> KaitaiStream:
        """Writes everything to a new stream of the size that it takes."""
        source, end = self._io, 0 if self._io is None else _position(self._io)
        stream: TrackedStream = OpenStream()
        if not self._m_has_layout:
            self._write_to(stream)
        if self._m_has_layout or stream.was_asked:
            stream = FixedStream(self._settle(0, None, floating).extent)
            self._write_to(stream)
        if source is not None and end == stream.pos():
            stream.fill(source)
        return stream

    def _write_to(self, io: KaitaiStream) -> None:
        """Writes everything to ``io``, as Kaitai's own classes do."""
        self._write__seq(io)
        self._fetch_instances()
        self._io.write_back_child_streams()

    # With this there is no __hash__: values change, and equality with them.
    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name, None) == getattr(other, name, None) for name in self._fields)

    def __repr__(self) -> str:
        fields = (f"{name}={shown(getattr(self, name))}" for name in self._fields if hasattr(self, name))
        return f"{type(self).__qualname__}({', '.join(fields)})"


def _explained(error: Exception) -> Exception:
    """An error that says what to do about an attribute that is not set."""
    if isinstance(error, AttributeError) and isinstance(error.obj, ReadWriteStruct) and error.name in error.obj._fields:
        holder = type(error.obj).__qualname__
        text = f"{error.name} of {holder} is not set, and nothing says what it must be: assign it"
        return AttributeError(text, name=error.name, obj=error.obj)
    return error


def _structs(value: object) -> Iterator[Any]:
    """The objects that a value is, or is a list of."""
    if isinstance(value, list):
        yield from (each for each in value if isinstance(each, KaitaiStruct))
    elif isinstance(value, KaitaiStruct):
        yield value


def _position(io: KaitaiStream) -> int:
    """Where a stream stands; -1 where that cannot be said any more."""
    try:
        return io.pos()
    except (OSError, ValueError):
        return -1


def _grows(io: KaitaiStream) -> bool:
    """Whether a stream takes as many bytes as are written to it."""
    return isinstance(io, OpenStream) or (not isinstance(io, MemoryStream) and io.size() == 0)


def _append(target: KaitaiStream | IO[bytes], data: bytes) -> None:
    """Writes all bytes at once."""
    if isinstance(target, KaitaiStream) and not isinstance(target, OpenStream):
        target._io.write(data)
        target._size = target.size()
    elif isinstance(target, KaitaiStream):
        target.write_bytes(data)
    else:
        target.write(data)
