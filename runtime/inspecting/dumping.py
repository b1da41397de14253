"""All values of an input, nested as in the spec: attributes and instances, as JSON or YAML."""

from __future__ import annotations

import base64
import keyword
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from enum import IntEnum
from functools import lru_cache
from itertools import pairwise
from typing import Any

from ..base.dataclass import dataclass
from ..base.errors import UnsupportedError, WireloomError
from ..input.inputs import FileInput, Input
from ..objects.errors import FAILURES, reason_of
from ..objects.file_streams import FileStream
from ..objects.kaitai import KaitaiStream, KaitaiStruct, KaitaiStructError
from ..objects.messages import Message
from ..objects.streams import MemoryStream
from ..objects.structs import Struct
from ..reading.opening import open_input
from ..reading.request import ScanRequest
from ..reading.whole_extractor import load_whole
from .field import instance_names, sentence_of
from .tree_text import TreeText
from .unfinished import Unfinished, offset_of, path_of, unfinished

BYTES: dict[str, Callable[[bytes], str]] = {
    "hex": bytes.hex,
    "base64": lambda data: base64.b64encode(data).decode(),
    "utf8": lambda data: data.decode(errors="replace"),
}
NAMES = 4096
"""Number of names whose spelling in specs is cached."""
MOST_REFUSALS = 100
"""Maximum number of refused values that are reported individually."""


@dataclass
class DumpedInput:
    """The object of a whole input, as far as it could be read. ``failure``: the error that ended the reading."""

    struct: Struct
    failure: Exception | None
    refusals: Refusals
    storage_error: WireloomError | None


class Refusals(list[KaitaiStructError]):
    """The first errors of refused values after which reading continued, and their total number."""

    total = 0
    _told = 0

    def append(self, error: KaitaiStructError, /) -> None:
        """Count an error, and keep it if it is one of the first."""
        self.total += 1
        if len(self) < MOST_REFUSALS:
            super().append(error)

    def new(self) -> Iterator[WireloomError]:
        """Yield the errors since the last call, as they are printed: with the attribute, and where its object ends."""
        for each in self[self._told :]:
            self._told += 1
            position = re.search(r"\bat pos (\d+): validation failed", str(each))
            end = f" before byte {position[1]} of its stream" if position else ""
            yield WireloomError(f"{each.src_path}{end}: {sentence_of(each)}", reason=reason_of(each))


def read_object(request: ScanRequest, source: Input, resources: ExitStack) -> DumpedInput:
    """Return the outermost object of an input, whose instances can be read until ``resources`` are closed.

    Uncompressed files may have any size; other inputs are read into memory, at most ``max_record`` bytes. Raises
    ``WireloomError`` if the input cannot be opened or is larger, and ``UnsupportedError`` for a table of messages.
    """
    format, storage_error = request.format.input_format, None
    if format.message is not None:
        raise UnsupportedError(
            f"{format.name} is a format of messages, not of one object: 'wireloom decode' prints its rows, and "
            "'wireloom"
            " inspect' its messages"
        )
    struct: Struct = format.root_class()
    if type(source) is FileInput and request.codec == "none":
        assert source.path is not None
        file = open(source.path, "rb")  # noqa: SIM115 - ``resources`` close it
        struct._io = FileStream(resources.enter_context(file))
    else:
        opened = open_input(request, source)
        resources.callback(opened.close)
        if not load_whole(opened.window, request.max_record):
            limit = request.max_record
            raise WireloomError(
                f"the input is read as a whole and larger than {limit} bytes: raise max_record to read it",
                path=source.path,
                reason="limit",
            )
        struct._io, storage_error = MemoryStream(bytes(opened.window.view)), opened.window.error
    struct._refusals = refusals = Refusals()
    struct._is_shown = True
    failure = None
    try:
        struct._read()
    except FAILURES as error:
        failure = error
    return DumpedInput(struct, failure, refusals, storage_error)


class Dumper:
    """Writer of objects as text. ``found`` is called with each error, which has the path to the value and, if known,
    the byte offset in the input.
    """

    def __init__(self, text: TreeText, as_bytes: str, found: Callable[[WireloomError], None]) -> None:
        self._text = text
        self._bytes = BYTES[as_bytes]
        self._found = found
        self._path: list[str] = []
        self._unfinished: dict[int, Unfinished] = {}
        """The incomplete object at which the reading of an object or list ended, by the ``id`` of the latter."""
        self._ended: dict[int, Struct] = {}
        """The objects that were not read to their end, whose instances are not evaluated."""

    def write(self, struct: Struct, failure: Exception | None) -> None:
        """Write an object, as far as it was read, with all of its attributes and instances."""
        if failure is not None:
            self._note(failure, struct)
        self.write_value(struct)

    def write_value(self, whole: Any) -> None:
        """Write an object, a list or a single value; ``NamedValues`` is a mapping of such values."""
        if not isinstance(whole, list | dict | KaitaiStruct):
            self._text.scalar(self._scalar(whole))
            return
        enclosing: list[Any] = [whole]
        inside = {id(whole)}
        waiting = [self._parts(whole)]
        self._text.begin(is_list=_is_list(whole))
        # Iterative, since objects may be nested deeper than Python's recursion limit allows with several calls per
        # level.
        while waiting:
            each = next(waiting[-1], None)
            if each is None:
                waiting.pop()
                inside.discard(id(enclosing.pop()))
                self._text.end()
                del self._path[-1:]
                continue
            part, value = each
            if isinstance(value, KaitaiStream) or id(value) in inside:
                # An instance may be a stream, or one of the enclosing objects.
                continue
            if not part.startswith("["):
                self._text.key(_spelled(part))
                part = f".{part}"
            if isinstance(value, list | dict | KaitaiStruct):
                self._path.append(part)
                self._text.begin(is_list=_is_list(value))
                waiting.append(self._parts(value))
                enclosing.append(value)
                inside.add(id(value))
            else:
                self._text.scalar(self._scalar(value))

    def _parts(self, value: Any) -> Iterator[tuple[str, Any]]:
        if isinstance(value, Struct):
            return self._members(value)
        if isinstance(value, list):
            return self._items(value)
        if isinstance(value, NamedValues):
            return iter(value.items())
        if isinstance(value, dict):
            return ((f"[{key}]", NamedValues(key=key, value=each)) for key, each in value.items())
        # An object of a class that the spec only names.
        return ((name, each) for name, each in vars(value).items() if name[0] != "_" and each is not None)

    def _members(self, struct: Struct) -> Iterator[tuple[str, Any]]:
        for name in struct._fields:
            value = getattr(struct, name, None)
            if value is not None and name[0] != "_":
                yield name, value
        inner = self._unfinished.get(id(struct))
        if inner is not None and inner.name[0] != "_":
            yield inner.name, inner.struct
        for name in instance_names(type(struct)) if id(struct) not in self._ended else ():
            try:
                value = getattr(struct, name)
            except FAILURES as error:
                value = self._note(error, struct, name)
            if value is not None:
                yield name, value

    def _items(self, items: list[Any]) -> Iterator[tuple[str, Any]]:
        for number, each in enumerate(items):
            yield f"[{number}]", each
        inner = self._unfinished.get(id(items))
        if inner is not None:
            yield f"[{len(items)}]", inner.struct

    def _note(self, error: Exception, struct: Struct, instance: str = "") -> Any:
        """Report the error that ended the reading of an object, or of its ``instance``; return the part of the instance
        that was read.
        """
        objects = unfinished(error, struct)
        for holder, inner in pairwise(objects):
            self._unfinished[id(holder.struct if inner.items is None else inner.items)] = inner
        for each in objects[1:] if instance else objects:
            self._ended[id(each.struct)] = each.struct
        before = "".join(self._path)
        path = f"{before}.{path_of(objects, error, instance)}".lstrip(".")
        # An instance of its own leaves the stream where it was: at the end of the object.
        offset = None if instance and len(objects) == 1 else offset_of(objects)
        self._found(WireloomError(sentence_of(error), offset=offset, field=path, reason=reason_of(error)))
        if not instance or len(objects) == 1:
            return None
        # Only this instance is incomplete, not the object itself.
        self._unfinished.pop(id(struct), None)
        return objects[1].struct if objects[1].items is None else objects[1].items

    def _scalar(self, value: Any) -> bool | int | float | str:
        if isinstance(value, bytes):
            return self._bytes(value)
        if isinstance(value, IntEnum):
            return _label(value.name)
        return value if isinstance(value, bool | int | float | str) else repr(value)


class NamedValues(dict[str, Any]):
    """A mapping of names to values, such as an entry of a map of a message."""


def _is_list(value: Any) -> bool:
    return not isinstance(value, KaitaiStruct | NamedValues)


@lru_cache(NAMES)
def _spelled(name: str) -> str:
    """Return the name in the spec of the Python attribute ``name``."""
    plain = name.removesuffix("_")
    reserved = (
        keyword.iskeyword(plain) or hasattr(Message, plain) or plain in ("self", "cls", "property", "classmethod")
    )
    return plain if reserved else name


@lru_cache(NAMES)
def _label(name: str) -> str:
    plain = name.removesuffix("_")
    return plain if keyword.iskeyword(plain) or hasattr(IntEnum, plain) or plain in ("mro", "name", "value") else name
