"""The text that reads the encoded bytes of a value, and creates text or a stream from them."""

from __future__ import annotations

from ...encodings import python_codec
from ...plan import Field
from ...wire import SIZE_PRESERVING, EndOfStreamSize, ExpressionSize, FixedSize, TerminatedSize, WithinSize
from ..base import refusal, refuse
from .api import Api
from .processing import defers, undoing, undone
from .scope import ClassScope


def decoded(scope: ClassScope, field: Field, encoding: str | None, data: str, place: str) -> str:
    """Return the text that decodes bytes to a string."""
    template = "kaitai_text" if scope.module.api is Api.KAITAI else "text"
    return scope.code(template, data=data, encoding=codec(scope, field, encoding), place=place)


def codec(scope: ClassScope, field: Field, encoding: str | None) -> str:
    """Return Python's name of an encoding. With Kaitai's API an encoding that Python does not know raises when it is
    used.
    """
    found = python_codec(encoding or "UTF-8")
    if found is None and scope.own:
        refuse(field.position, f"Python does not support the encoding '{encoding}'")
    return found or encoding or ""


def bytes_text(scope: ClassScope, field: Field) -> str:
    """Return the text that reads the bytes of a value: of the given size, truncated at a terminator, with ``process``
    decoded.
    """
    data = trimmed(scope, field, wire_text(scope, field))
    if field.process is None:
        return data
    if defers(scope, field):
        function, *arguments = undoing(scope, field, field.process)
        return scope.code("undone_or_refused", place=field.place, function=function, data=data, arguments=arguments)
    return undone(scope, field, field.process, data)


def stream_text(scope: ClassScope, field: Field) -> str:
    """Return the text that creates a stream from the bytes of a field."""
    process = field.process
    if process is None or process.name in SIZE_PRESERVING or not scope.own:
        data = bytes_text(scope, field)
        if scope.own and process is None and not field.is_cut and scope.plan.places_streams:
            return scope.code("placed_substream", data=data)
        return substream_text(scope, data)
    data = trimmed(scope, field, wire_text(scope, field))
    function, *arguments = undoing(scope, field, process)
    template = "undone_stream_or_refused" if defers(scope, field) else "undone_stream"
    return scope.code(template, place=field.place, function=function, data=data, arguments=arguments)


def substream_text(scope: ClassScope, data: str) -> str:
    """Return the text that creates a stream from a part of the stream that is read."""
    return scope.code("substream" if scope.own else "kaitai_substream", data=data)


def wire_text(scope: ClassScope, field: Field) -> str:
    """Return the text that reads the encoded bytes of a value."""
    if field.id in scope.taken:
        return scope.taken[field.id]
    match field.size:
        case FixedSize(size):
            return scope.code("bytes", size=size)
        case ExpressionSize(expression):
            return scope.code("bytes", size=scope.text(expression, field))
        case EndOfStreamSize():
            return scope.code("bytes_to_end")
        case WithinSize(expression):
            return scope.text(expression, field)
        case TerminatedSize() if field.terminator is not None:
            end = field.terminator
            template = "bytes_terminated" if len(end.value) == 1 else "bytes_terminated_by_several"
            return scope.code(template, terminator=end.value[0], end=end)
    raise refusal(field.position, f"the size of '{field.id}' is not known")


def trimmed(scope: ClassScope, field: Field, data: str) -> str:
    """Return ``data`` without padding, and truncated at a terminator inside a field of a given size."""
    if isinstance(field.size, TerminatedSize):
        return data
    if field.stripped is not None:
        data = scope.code("stripped", data=data, padding=bytes((field.stripped,)))
    return data if field.terminator is None else scope.code("cut", data=data, end=field.terminator)
