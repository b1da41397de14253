"""``ReadWriteStruct``: the base of classes with Kaitai's read-write API."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from types import MappingProxyType
from typing import IO, Any, ClassVar, NoReturn, Self

from ..declared import UNSET
from ..errors import reason_of, too_deep, with_reason
from ..file_streams import FileStream
from ..kaitai import ConsistencyError, KaitaiStream, KaitaiStruct, ValidationFailedError
from ..readable import Fielded
from ..streams import MemoryStream
from .assembling import AssembledStruct
from .assigned import put, put_dirty, put_stream
from .explaining import explained
from .layout import Before, settle
from .solving import Solution, first_free, lead
from .streams import (
    MAX_GAP,
    FixedStream,
    GrowingStream,
    OpenStream,
    TrackedStream,
    WrittenLayout,
    append,
    grows,
    position_of,
    size_of,
)

MAX_ROUNDS = 32
"""Maximum number of rounds in which attributes of an object and those below it are derived from each other."""


class ReadWriteStruct(Fielded, AssembledStruct):
    """An object of a type of a spec: ``_read`` reads it, ``_check`` validates it, ``_write`` writes it.

    Sizes, counts, positions, fixed contents and checksums are derived and need not be assigned: if they are unset or
    were read, they get the value that the other attributes require. Values that were assigned must be consistent.
    """

    _sizes: ClassVar[tuple[tuple[str, int], ...]] = ()
    """Attributes that are read several at once, with the size of each in bytes."""
    _checksums: ClassVar[tuple[str, ...]] = ()
    """Names of the attributes that are checksums."""
    _m_children: ClassVar[tuple[str, ...]] = ()
    """Names of the attributes that are objects or lists of objects."""
    _m_placed: ClassVar[tuple[str, ...]] = ()
    """Names of the instances that are at positions of their own."""
    _m_solved: ClassVar[tuple[str, ...]] = ()
    """Names of the attributes that are derived from sizes, counts and positions."""
    _m_has_instances: ClassVar[bool] = True
    """Whether objects of the class, or below them, have instances that are at positions of their own."""
    _m_has_layout: ClassVar[bool] = True
    """Whether anything in them depends on positions, and has to be found by writing."""
    _m_is_plain: ClassVar[bool] = False
    """Whether objects that were consistent stay so as long as no attribute is assigned."""

    _m_sources: Mapping[str, tuple[Solution, ...]] = MappingProxyType({})
    """By parameter: the attributes of the enclosing object that it is derived from, as far as checked."""
    _m_misfits: Mapping[int, str] = MappingProxyType({})
    """Sizes and counts that cannot be derived, each with the reason."""
    _m_parameters: ClassVar[tuple[str, ...]] = ()
    """Names of the parameters."""

    @classmethod
    def from_bytes(cls, buf: bytes) -> Self:
        """Return an object to be read by ``_read`` from bytes in memory."""
        return cls(MemoryStream(buf))

    @classmethod
    def from_file(cls, filename: str | PathLike[str]) -> Self:
        """Return an object to be read by ``_read`` from a file, which stays open until ``close``."""
        return cls(FileStream(open(filename, "rb")))

    @classmethod
    def from_io(cls, io: IO[bytes]) -> Self:
        """Return an object to be read by ``_read`` from an open binary file."""
        return cls(FileStream(io))

    # Used by generated classes --------------------------------------------------------------------------------------

    def _is_given(self, name: str) -> bool:
        """Return whether an attribute is not derived: it was assigned, or is an argument that cannot be derived."""
        if self._was_assigned(name):
            return True
        sources = self._m_sources.get(name)
        return sources is not None and first_free(sources) is None

    def _follow(self, name: str, value: object) -> bool:
        """Set an attribute to its derived value, unless it was assigned. Return whether that changed anything.

        For an argument, the attribute of the enclosing object that it depends on is set as well.
        """
        if not self._m_sources and getattr(self, name, UNSET) == value:
            return False
        if self._was_assigned(name):
            return False
        sources = self._m_sources.get(name)
        led = False if sources is None else lead(sources, value)
        if led is None and sources and isinstance(value, int):
            self._m_misfits = {**self._m_misfits, value: sources[0].misfit(value)}
        before = getattr(self, name, UNSET)
        if led is None or (before is not UNSET and before == value):
            return bool(led)
        put(self, name, value)
        moved = self._m_moved or {}
        moved[name] = (None if before is UNSET else before, value)
        self._m_moved = moved
        return True

    def _solve(self, wanted: int, *solutions: Solution) -> None:
        """Set the attribute that a size or a count depends on so that it becomes ``wanted``."""
        found = first_free(solutions)
        if found is None:
            return
        found.follow(wanted)
        if found.value_for(wanted) is None:
            self._m_misfits = {**self._m_misfits, wanted: found.misfit(wanted)}

    def _follow_computed(self, name: str, compute: Callable[[], object]) -> None:
        """Set an attribute to the only value that the spec allows, unless it was assigned. A value that depends on
        sizes or positions is set when the object is written."""
        try:
            self._follow(name, compute())
        except AttributeError as error:
            if error.name not in getattr(error.obj, "_m_solved", ()):
                raise

    def _make_room(self, name: str, content: int, ending: int, *solutions: Solution) -> None:
        """Make the size of a field large enough for ``content`` bytes and the ``ending`` after them.

        A size that is large enough is not changed. A field that was read without an ending needs none.
        """
        found = first_free(solutions)
        if found is None:
            return
        was_read = found.is_set and not self._is_given(name)
        if not found.holds(content if was_read else content + ending):
            found.make_room(content + ending)

    def _is_there(self, instance: str) -> bool:
        """Return whether an instance has a value, or can still be read."""
        if hasattr(self, f"_m_{instance}"):
            return True
        if self._io is not None:
            return False
        what = f"{instance} of {type(self).__qualname__} is not set"
        raise AttributeError(f"{what}: assign it, or set {instance}__enabled to False", name=instance, obj=self)

    def _adopt(self, name: str, child: Any, parent: Any, *, is_root: bool = False) -> None:
        """Check that ``parent`` is the parent of ``child``, and set it if there is none."""
        root = child if is_root else self._root
        ours = isinstance(child, ReadWriteStruct)
        if not ours and not isinstance(child, KaitaiStruct):
            raise ConsistencyError(name, "an object", child)
        if child._root is not root:
            if not ours or child._root is not child:
                raise ConsistencyError(name, root, child._root)
            put(child, "_root", root)
        if child._parent is not parent:
            if not ours or child._parent is not None:
                raise ConsistencyError(name, parent, child._parent)
            put(child, "_parent", parent)

    def _forget(self, *slots: str) -> None:
        """Drop cached values, which are computed again on access."""
        for slot in slots:
            if hasattr(self, slot):
                object.__delattr__(self, slot)

    def _lose(self, error: ValidationFailedError, reason: str) -> NoReturn:
        """Refuse a value: raise the error."""
        raise with_reason(error, reason)

    def _refuse(self, error: ValidationFailedError, reason: str = "") -> None:
        """Refuse a value: raise the error."""
        self._lose(error, reason or reason_of(error))

    def _text(self, data: bytes, encoding: str, src_path: str) -> str:
        """Return ``data`` as text. Raises ``UnicodeDecodeError``, as Kaitai's own classes do."""
        return data.decode(encoding)

    # Kaitai's protocol --------------------------------------------------------------------------------------------

    def _read(self) -> None:
        """Read all attributes from ``_io``."""
        self._has_read()

    def _check(self) -> None:
        """Fill in derived attributes, and check that all attributes are consistent.

        Raises ``ConsistencyError`` or a ``ValidationFailedError``. Objects below are checked by their own ``_check``.
        """
        put_dirty(self, False)

    def _fetch_instances(self) -> None:
        """Read or, while the object is written, write the instances, here and below."""
        if not self._m_has_instances:
            return
        for child in self._children():
            child._fetch_instances()
        for name in self._m_placed:
            for child in _structs(getattr(self, name)):
                child._fetch_instances()

    def _write__seq(self, io: KaitaiStream | None = None) -> None:
        """Write the attributes of ``seq`` to ``io``, or to the object's own stream."""
        if io is not None:
            put_stream(self, io)
        if self._dirty:
            self._check()

    def _write(self, io: KaitaiStream | IO[bytes] | None = None) -> None:
        """Check the object, fill in derived attributes, and write it.

        ``io``: a ``KaitaiStream`` of sufficient size; or an open binary file, an empty ``KaitaiStream`` or a
        ``GrowingStream``, which grows as needed. Without ``io``, the object's own stream, or a new one, which becomes
        ``_io``.
        """
        target = self._io if io is None else io
        made_here = io is None and (target is None or isinstance(target, TrackedStream | MemoryStream))
        sized = target if isinstance(target, KaitaiStream) and not made_here and not grows(target) else None
        data = self._assembled(sized)
        if data is not None:
            if sized is None and not made_here:
                append(target, data)
            return
        try:
            self._load()
            self._check_all(layout_is_known=not self._m_has_layout)
            floating = self._begin()
            if sized is not None:
                if self._m_has_layout:
                    self._settle(sized.pos(), sized.size(), floating)
                self._write_to(sized)
                return
            stream = self._written(floating)
        except RecursionError as error:
            raise too_deep(error) from None
        except Exception as error:
            raise explained(error) from None
        if not made_here:
            append(target, stream.to_byte_array())

    def _to_bytes(self) -> bytes:
        """Return the bytes that ``_write`` writes."""
        data = self._assembled(None)
        if data is not None:
            return data
        io = GrowingStream()
        self._write(io)
        return io.to_byte_array()

    # Steps of writing -----------------------------------------------------------------------------------------------

    def _children(self) -> Iterator[Any]:
        """Yield the objects in the attributes."""
        for name in self._m_children:
            yield from _structs(getattr(self, name, None))

    def _tree(self) -> Iterator[Any]:
        """Yield this object and all objects below it, parents before children."""
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
        """Read the instances that have not been read, while their stream is available."""
        if not self._m_has_instances:
            return
        for each in self._tree():
            if isinstance(each, ReadWriteStruct) and each._io is not None:
                for name in each._m_placed:
                    if not hasattr(each, f"_m_{name}"):
                        getattr(each, name)

    def _check_all(self, *, layout_is_known: bool = True) -> None:
        """Check this object and all below it until derived attributes no longer change.

        Unless the layout is ``layout_is_known``, attributes that depend on it may have outdated values.
        """
        for _ in range(MAX_ROUNDS):
            moved, refused = self._check_once(layout_is_known)
            if moved:
                continue
            if refused is not None:
                raise refused
            return
        name, (holder, before, after) = next(iter(moved.items()))
        raise explained(ConsistencyError(name, before, after), holder)

    def _check_once(self, layout_is_known: bool) -> tuple[dict[str, tuple[Any, object, object]], Exception | None]:
        """Check everything once. Return the attributes that were derived, with their objects, and the first error."""
        moved: dict[str, tuple[Any, object, object]] = {}
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
                refused = refused or explained(error, each)
            except ValidationFailedError as error:
                if layout_is_known or not _may_follow(error, each):
                    refused = refused or explained(error, each)
        for each in objects:
            if each._m_moved:
                moved.update((name, (each, *values)) for name, values in each._m_moved.items())
                put(each, "_m_moved", None)
        return moved, refused

    def _settle(
        self, start: int, assumed: int | None, floating: set[tuple[int, str]], before: Before | None = None
    ) -> int:
        """Find sizes and positions by writing, and return the size of the stream."""
        layout = WrittenLayout()
        layout.floating.update(floating)
        size = settle(layout, self._write_to, start, assumed, before)
        self._check_all()
        return size

    def _begin(self) -> set[tuple[int, str]]:
        """Set derived attributes without a value to 0, since the attribute that they measure is absent or has no
        position."""
        found: set[tuple[int, str]] = set()
        for each in self._tree():
            if isinstance(each, ReadWriteStruct):
                for name in each._m_solved:
                    if not hasattr(each, name):
                        put(each, name, 0)
                        found.add((id(each), name))
        return found

    def _written(self, floating: set[tuple[int, str]]) -> KaitaiStream:
        """Write everything to a new stream of the required size."""
        source, before = self._io, Before(size_of(self._io), position_of(self._io))
        stream: TrackedStream = OpenStream()
        try:
            if not self._m_has_layout:
                self._write_to(stream)
            if self._m_has_layout or stream.was_asked:
                # The outermost object is likely to have the same size as before.
                likely = before if self._parent is None and 0 < before.size <= MAX_GAP else None
                stream = FixedStream(self._settle(0, None, floating, likely))
                self._write_to(stream)
        except BaseException:
            put(self, "_io", source)
            raise
        if source is not None and before.end == stream.pos():
            stream.fill(source)
        return stream

    def _write_to(self, io: KaitaiStream) -> None:
        """Write everything to ``io``, as Kaitai's own classes do."""
        self._write__seq(io)
        self._fetch_instances()
        self._io.write_back_child_streams()


def _structs(value: object) -> Iterator[Any]:
    """Yield the objects in a value: itself, or the items of a list."""
    if isinstance(value, list):
        yield from (each for each in value if isinstance(each, KaitaiStruct))
    elif isinstance(value, KaitaiStruct):
        yield value


def _may_follow(error: ValidationFailedError, owner: ReadWriteStruct) -> bool:
    """Return whether the refused value is that of a derived attribute, by the path in the error."""
    kind, _, index = str(error.src_path).rpartition("/")
    name = owner._fields[int(index)] if kind.endswith("/seq") and index.isdecimal() else ""
    return name in owner._m_solved and not owner._is_given(name)
