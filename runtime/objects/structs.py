"""``Struct``: the base of every generated class."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NoReturn, TypeVar

# Registers an encoding that Python lacks.
from ..base import ebcdic  # noqa: F401
from ..base.errors import WireloomError
from .checksums import RunningChecksums
from .declared import UNSET, StructType, kept
from .errors import ComputedError, EncodingError, ProcessError, reason_of, too_deep, unset, with_reason
from .fields import check_fields
from .kaitai import KaitaiStream, KaitaiStructError
from .processing import undone_stream
from .readable import Readable
from .row_log import RowLog, log_at
from .streams import MemoryStream, range_of
from .write_stream import WriteStream


def as_given(made: Any, name: str, *default: Any) -> Any:
    """Return the value of a value instance that a writer was given for an object; otherwise the default of the
    instance, or its computed value if it has no default."""
    given: Mapping[str, Any] = getattr(made, "_given", {})
    if name in given:
        return given[name]
    return default[0] if default else getattr(made, name)


Made = TypeVar("Made", bound="Struct")


def made_from(made: Made, name: str, value: Any) -> Made:
    """Return an object whose attributes a writer fills in so that a value instance has a value."""
    made._given = {name: value}
    made._append(WriteStream())
    return made


class Struct(Readable, metaclass=StructType):
    """An object of a type of a spec, read from a stream or made from values.

    ``from_bytes``, ``from_file``, ``from_io`` and the constructor with a stream read at once. Without a stream the
    attributes are unset; they are assigned, or passed to the constructor by name, and ``to_bytes`` then returns the
    wire form. Lengths, counts, checksums and fixed contents need not be given: writing fills them in.
    """

    _sizes: ClassVar[tuple[tuple[str, int], ...]] = ()
    """Attributes that are read several at once, with the size of each in bytes."""
    _checksums: ClassVar[tuple[str, ...]] = ()
    """Names of the attributes that are verified as checksums."""
    _json: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """The members of its JSON text: the name, empty if a member is the text itself; the attribute; and for a map the
    paths of key and value, for a time the unit, the zone's suffix and the count that means none. Empty: all fields."""
    _first: ClassVar[Mapping[str, int]] = {}
    """Of an outermost class: the first values that options give to variables."""

    _io: KaitaiStream = UNSET
    _parent: Any = UNSET
    _root: Any = UNSET
    _refusals: list[KaitaiStructError] | None = kept(init=False)
    """Of an outermost object: if set, refused values are collected here and reading continues, see ``_refuse``."""
    _is_shown: bool = kept(init=False)
    """Of an outermost object: set if it is shown with all that could be read, see ``_refuse_part``."""
    _row_log: RowLog | None = kept(init=False)
    """Of an outermost object: if set, the rows inside objects are recorded here."""
    _given: Mapping[str, Any] = kept(init=False)
    """For a writer: values of value instances, from which defaults of attributes are computed."""
    _running_checksums: RunningChecksums = kept(init=False)
    """For each checksum that the next item's continues from: its value in the last item, see ``RunningChecksums``."""

    def __init__(
        self, _io: KaitaiStream | None = None, _parent: Any = None, _root: Any = None, *values: Any, **fields: Any
    ) -> None:
        self._parent = _parent
        self._root = self if _root is None else _root
        if _io is not None:
            self._io = _io
            if isinstance(_io, MemoryStream) and _io.trace is not None:
                _io.trace.begin(self)
            self._read()
        else:
            self._assign(dict(zip(self._fields, values, strict=False), **fields) if values else fields)

    def _assign(self, fields: Mapping[str, Any]) -> None:
        """Set the attributes that were passed to a constructor. Raises ``TypeError`` for a name that is not a field."""
        known = self._fields
        for name, value in fields.items():
            if name not in known:
                raise TypeError(f"{type(self).__qualname__} has no field {name!r}; it has {', '.join(known)}")
            if value is not UNSET:
                setattr(self, name, value)

    def _append(self, io: WriteStream) -> None:
        """Write all attributes to the end of ``io``, filling in what is derived."""

    def _write(self, io: KaitaiStream | None = None) -> None:
        """Write the object to ``io``, or to its own stream, and fill in lengths, counts, checksums and contents."""
        (self._io if io is None else io).write_bytes(self.to_bytes())

    def _check(self) -> None:
        """Fill in what is derived, and raise the errors that writing would raise."""
        self.to_bytes()

    def to_bytes(self) -> bytes:
        """Return the object in its wire format, and fill in lengths, counts, checksums and contents.

        Raises ``ConsistencyError`` or a ``ValidationFailedError`` if values contradict each other, and ``UnsetError``
        if one is missing.
        """
        io = WriteStream()
        try:
            self._append(io)
        except RecursionError as error:
            raise too_deep(error) from None
        except AttributeError as error:
            raise unset(error) from error
        return io.to_byte_array()

    @property
    def _covers_bytes(self) -> bool:
        """Return whether checksums of this object or inside it cover any byte. Otherwise valid checksums are no
        evidence that the bytes are such an object."""
        return False

    def _lose(self, error: KaitaiStructError, reason: str) -> NoReturn:
        """Refuse a value that determines the positions of others: raise ``error``."""
        raise with_reason(error, reason)

    def _refuse(self, error: KaitaiStructError, reason: str = "") -> None:
        """Refuse a value whose end is known: raise ``error``, or append it to the refusals that the outermost object
        collects.

        The default of ``reason`` is ``checksum`` for a ``ChecksumError``, else ``value``."""
        reason = reason or reason_of(error)
        refusals = getattr(self._outermost(), "_refusals", None)
        if refusals is None:
            raise with_reason(error, reason)
        refusals.append(with_reason(error, reason))

    def _refuse_inner(self, error: Exception) -> None:
        """Refuse an object that cannot be read, in bytes whose end is known: a wrong checksum of these says more.
        Raises ``error`` if nothing collects refusals."""
        if getattr(self._outermost(), "_refusals", None) is None:
            raise error
        reason = reason_of(error)
        self._refuse(ProcessError(str(error), "length" if reason == "truncated" else reason))

    def _refuse_part(self, error: Exception, *rows_before: int) -> None:
        """Like ``_refuse_inner``, for an object in bytes that nothing else shows. If it is shown, raises ``error``, so
        that it has what stands before the damage. ``rows_before``: the steps to rows that stand before it, in the same
        object: these are not lost."""
        if self._is_to_be_shown():
            raise error
        log = log_at(self, *rows_before)
        if log is None:
            self._refuse_inner(error)
        else:
            log.lose_rest(range_of(self._io, 0), error, compressed=getattr(self._io, "block", None) is not None)

    def _raise_unless_shown(self, error: Exception) -> None:
        """Raise ``error``, unless the object is shown: then an empty object takes the place of one that ``process``
        made too large, or of an invalid message, and what follows it is read."""
        if not self._is_to_be_shown():
            raise error

    def _is_to_be_shown(self) -> bool:
        """Return whether the outermost object is shown with all that could be read."""
        return getattr(self._outermost(), "_is_shown", False)

    def _unread(self, slot: str) -> None:
        """Forget an instance of which only a part could be read: it is read again on the next access."""
        if hasattr(self, slot):
            delattr(self, slot)

    def _outermost(self) -> Any:
        outermost = self._root
        while outermost._parent is not None:
            outermost = outermost._parent._root
        return outermost

    def _undone(self, src_path: str, undo: Callable[..., bytes], *arguments: Any) -> bytes:
        """Return the bytes of a field with ``process`` undone; if that fails, refuse the field and return no bytes."""
        stream = self._undone_stream(src_path, undo, *arguments)
        content: bytes = b"" if stream is None else stream.data
        return content

    def _undone_stream(self, src_path: str, undo: Callable[..., bytes], *arguments: Any) -> Any:
        """Return a stream of the bytes of a field with ``process`` undone; if that fails, refuse the field and return
        ``None``, from which the constructor of an object reads nothing."""
        try:
            return undone_stream(self._io, undo, *arguments)
        except ProcessError as error:
            error.src_path = src_path
            self._refuse(error, error.reason)
            return None

    def _refuse_computed(self, error: ComputedError, src_path: str) -> None:
        """Record that ``process`` made too many items, or too much text, from a field. The end of the field is
        known."""
        error.src_path = src_path
        self._refuse(error, error.reason)

    def _text(self, data: bytes, encoding: str, src_path: str) -> str:
        """Return ``data`` decoded as text; if it is invalid in the encoding, refuse it."""
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            self._refuse(EncodingError(encoding, data, getattr(self, "_io", None), src_path), "encoding")
            return data.decode(encoding, "replace")

    def _check_fields(self, packer: struct.Struct, names: str) -> None:
        """Raise ``WireloomError``, which names the attribute that ``packer`` cannot write."""
        check_fields(self, packer, names)

    def _adopt(self, child: Struct, *, parent: Any = UNSET, root: Any = UNSET) -> Struct:
        """Make this object (or ``parent``) the parent of one that is about to be written. With a ``root`` of ``None``
        the child is its own root."""
        child._parent = self if parent is UNSET else parent
        child._root = self._root if root is UNSET else child
        return child

    def _repr_html_(self) -> str:
        """Return the HTML for notebooks."""
        from .struct_html import html_of_struct

        return html_of_struct(self)


def refuse_rest(holder: Struct, made: Any, name: str) -> None:
    """Raise ``WireloomError`` if bytes of ``holder`` follow an object of it that was read from them: the object says
    nothing about these."""
    io = getattr(made, "_io", None)
    if isinstance(io, MemoryStream) and made._parent is holder and io.position < io.end:
        rest = io.end - io.position
        raise WireloomError(
            f"{rest} bytes after {name} would be lost, which are no part of it: delete the attribute {name} to write "
            "the bytes that it is in"
        )


def enclosed(child: Struct, size: int | None = None) -> bytes:
    """Return the wire format of an object in a stream of its own, of ``size`` bytes if that is known.

    With a size, a field that reaches to the end of the stream knows its own size. Fewer bytes are returned if no field
    reaches there.
    """
    io = WriteStream(size)
    child._append(io)
    return io.to_byte_array()
