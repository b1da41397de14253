"""Values as the text that makes their bytes: the inverse of ``reading.bytes_text``."""

from __future__ import annotations

from ...model.model import Attribute, EndOfStreamSize, ExpressionSize, FixedSize, OwnSize, Process, TerminatedSize
from ...model.types import BytesType, StringType, UserType
from .reading import codec
from .scope import ClassScope


def has_bytes(attribute: Attribute) -> bool:
    """Whether the value is written as bytes of its own: bytes, text, or an object with a stream of its own."""
    if isinstance(attribute.type, UserType):
        return not isinstance(attribute.size, OwnSize)
    return isinstance(attribute.type, BytesType | StringType)


def content_text(scope: ClassScope, attribute: Attribute, value: str) -> str:
    """The bytes of a value before they are fitted into a field of a given size."""
    match attribute.type:
        case StringType(encoding):
            text = f"{scope.use('encode')}({value}, {codec(attribute, encoding)!r})"
        case UserType():
            text = f"self._enclose({value})"
        case _:
            text = value
    if attribute.process is not None:
        text = _processed(scope, attribute, attribute.process, text)
    if isinstance(attribute.size, TerminatedSize) and attribute.terminator is not None:
        end = attribute.terminator
        keys = f"include={end.include}, consume={end.consume}"
        text = f"{scope.use('terminated')}({text}, {end.value!r}, {attribute.id!r}, {keys})"
    return text


def fitted_text(scope: ClassScope, attribute: Attribute, content: str) -> str:
    """The bytes ``content`` as they stand in their field: padded, and of the size that the spec says."""
    match attribute.size:
        case ExpressionSize(expression):
            size = scope.text(expression, attribute)
        case FixedSize(number):
            size = str(number)
        case EndOfStreamSize() if attribute.pad_right is not None or attribute.terminator is not None:
            size = "None"
        case _:
            return content
    if isinstance(attribute.type, UserType):
        # What an object does not fill of its field is zeros.
        return f"{scope.use('filled')}({content}, {size}, {attribute.id!r})"
    keys = []
    if attribute.pad_right is not None:
        keys.append(f"pad={attribute.pad_right}")
    if attribute.terminator is not None:
        keys.append(f"terminator={attribute.terminator.value!r}, include={attribute.terminator.include}")
    if not keys:
        return f"{scope.use('sized')}({content}, {size}, {attribute.id!r})"
    return f"{scope.use('padded')}({content}, {size}, {', '.join((repr(attribute.id), *keys))})"


def _processed(scope: ClassScope, attribute: Attribute, process: Process, text: str) -> str:
    arguments = [scope.text(each, attribute) for each in process.arguments]
    match process.name:
        case "zlib":
            return f"{scope.use('compress')}({text})"
        case "xor":
            return f"{scope.use('xor')}({text}, {arguments[0]})"
        case "rol" | "ror":
            function = scope.use("rotate_right" if process.name == "rol" else "rotate_left")
            return f"{function}({text}, {arguments[0]})"
    return f"{scope.use('done')}({text}, {', '.join((repr(process.name), *arguments))})"
