"""Values as the text that makes their bytes: the inverse of ``reading.bytes_text``."""

from __future__ import annotations

from wireloom.format.routines import process_place

from ...expression.nodes import Attribute as Member
from ...expression.nodes import Node
from ...expression.types import BytesType, StreamType, StringType, UserType
from ...model.model import Attribute
from ...wire import EndOfStreamSize, ExpressionSize, FixedSize, OwnSize, Process, TerminatedSize
from .mentions import mentions
from .processing import SIZE_PRESERVING
from .reading import codec, parent_text
from .scope import ClassScope

FUNCTIONS = {"zlib": "compress", "xor": "xor", "rol": "rotate_right", "ror": "rotate_left"}
"""What makes the bytes that a process of Kaitai's language undoes."""


def has_bytes(attribute: Attribute) -> bool:
    """Whether the value is written as bytes of its own: bytes, text, or an object with a stream of its own."""
    if isinstance(attribute.type, UserType):
        return not isinstance(attribute.size, OwnSize)
    return isinstance(attribute.type, BytesType | StringType)


def is_own(scope: ClassScope, attribute: Attribute) -> bool:
    """Whether an object is of a type of the same spec, and so has the same root."""
    return not isinstance(attribute.type, UserType) or attribute.type.path[0] == scope.spec.root.path[0]


def adopted(scope: ClassScope, attribute: Attribute, value: str) -> str:
    """An object in its place below its parent."""
    parent = parent_text(scope, attribute) if attribute.parent is not None else ""
    return scope.code("adopted", value=value, parent=parent, is_root=not is_own(scope, attribute))


def content_text(scope: ClassScope, attribute: Attribute, value: str, *, size_known: bool = True) -> str:
    """The bytes of a value before they are fitted into a field of a given size.

    ``size_known``: the size may be asked for here; otherwise it follows from these bytes.
    """
    match attribute.type:
        case StringType(encoding):
            text = scope.code("encoded", value=value, encoding=codec(scope, attribute, encoding))
        case UserType():
            size = _room(scope, attribute) if size_known else None
            text = scope.code("enclosed", value=adopted(scope, attribute, value), size=size)
        case _:
            text = value
    if attribute.process is not None:
        text = _processed(scope, attribute, attribute.process, text)
    if isinstance(attribute.size, TerminatedSize) and attribute.terminator is not None:
        end = attribute.terminator
        text = scope.code("terminated", data=text, end=end, id=attribute.id, optional=not end.eos_error)
    return text


def _room(scope: ClassScope, attribute: Attribute) -> str | None:
    """The size of an object's own stream, where it is that of its field."""
    cut = attribute.terminator is not None or attribute.pad_right is not None
    if cut or (attribute.process is not None and attribute.process.name not in SIZE_PRESERVING):
        return None
    return _size(scope, attribute)


def _size(scope: ClassScope, attribute: Attribute) -> str | None:
    match attribute.size:
        case ExpressionSize(expression):
            return None if asks_for_end(expression) else scope.text(expression, attribute)
        case FixedSize(number):
            return str(number)
        case EndOfStreamSize():
            return "io.room()"
    return None


def asks_for_end(expression: Node) -> bool:
    """Whether an expression depends on where the stream ends, which a writer does not know."""

    def is_end(node: Node) -> bool:
        return isinstance(node, Member) and node.name in ("size", "eof") and isinstance(node.value.type, StreamType)

    return mentions(expression, is_end)


def fitted_text(scope: ClassScope, attribute: Attribute, content: str) -> str:
    """The bytes ``content`` as they stand in their field: padded, and of the size that the spec says."""
    if isinstance(attribute.size, TerminatedSize | OwnSize):
        return content
    size = _size(scope, attribute) or "None"
    keys = []
    if attribute.pad_right is not None:
        keys.append(f"pad={attribute.pad_right}")
    if attribute.terminator is not None:
        keys.append(f"terminator={attribute.terminator.value!r}, include={attribute.terminator.include}")
    if keys:
        function = "padded"
    elif size == "None":
        return content
    elif isinstance(attribute.type, UserType) and not _is_message(scope, attribute.type):
        # What an object does not fill of its field is zeros; to a message they would not be nothing.
        function = "filled"
    else:
        function = "to_end" if isinstance(attribute.size, EndOfStreamSize) else "sized"
    return scope.code("fitted", function=function, data=content, size=size, id=attribute.id, more=keys)


def _is_message(scope: ClassScope, kind: UserType) -> bool:
    return not kind.opaque and scope.spec.struct(kind.path).message is not None


def _processed(scope: ClassScope, attribute: Attribute, process: Process, text: str) -> str:
    arguments = [scope.text(each, attribute) for each in process.arguments]
    function = FUNCTIONS.get(process.name, "done")
    if function == "done":
        arguments.insert(0, repr(process_place(process.name)))
    return scope.code("done", function=function, data=text, arguments=arguments)
