"""The text that reads the encoded bytes of a value, decodes them with ``process``, and creates text or a stream from
them."""

from __future__ import annotations

from wireloom.format.routines import process_place

from ...encodings import python_codec
from ...expression.nodes import Comparison, Conditional
from ...tree import Attribute
from ...tree.leaves import (
    SIZE_PRESERVING,
    EndOfStreamSize,
    ExpressionSize,
    FixedSize,
    Process,
    TerminatedSize,
    WithinSize,
)
from ..base import refusal
from .names import Api
from .scope import ClassScope


def decoded(scope: ClassScope, field: Attribute, encoding: str | None, data: str, key_path: str) -> str:
    """Return the text that decodes bytes to a string.

    Args:
        scope: The scope of the class.
        field: The field with the bytes.
        encoding: The encoding in the spelling of the spec.
        data: The text of the bytes.
        key_path: The path of the field in the spec, for errors.
    """
    name = codec(encoding)
    if scope.module.api is Api.KAITAI:
        return f"{data}.decode({name!r})"
    return f"self._text({data}, {name!r}, {key_path!r})"


def codec(encoding: str | None) -> str:
    """Return Python's name of an encoding. With Kaitai's API an encoding that Python does not know raises when it is
    used.
    """
    return python_codec(encoding or "UTF-8") or encoding or ""


def bytes_text(scope: ClassScope, field: Attribute) -> str:
    """Return the text that reads the bytes of a value: of the given size, truncated at a terminator, with ``process``
    decoded.
    """
    data = trimmed(scope, field, wire_text(scope, field))
    if field.process is None:
        return data
    if contains_process_errors(scope, field):
        function, *arguments = process_decoder(scope, field, field.process)
        return f"self._undone({', '.join((repr(field.key_path), function, data, *arguments))})"
    return decoded_process(scope, field, field.process, data)


def stream_text(scope: ClassScope, field: Attribute) -> str:
    """Return the text that creates a stream from the bytes of a field."""
    process = field.process
    if process is None or process.name in SIZE_PRESERVING or not scope.own:
        data = bytes_text(scope, field)
        if scope.own and process is None and not field.is_cut and scope.spec.places_streams:
            return scope.call("placed_substream", "io", data)
        return substream_text(scope, data)
    data = trimmed(scope, field, wire_text(scope, field))
    function, *arguments = process_decoder(scope, field, process)
    if contains_process_errors(scope, field):
        return f"self._undone_stream({', '.join((repr(field.key_path), function, data, *arguments))})"
    return scope.call("undone_stream", "io", function, data, *arguments)


def substream_text(scope: ClassScope, data: str) -> str:
    """Return the text that creates a stream from a part of the stream that is read."""
    return scope.call("substream", "io", data) if scope.own else scope.call("SubStream", data)


def wire_text(scope: ClassScope, field: Attribute) -> str:
    """Return the text that reads the encoded bytes of a value."""
    if field.id in scope.taken:
        return scope.taken[field.id]
    match field.size:
        case FixedSize(size):
            return f"io.read_bytes({size})"
        case ExpressionSize(expression):
            return f"io.read_bytes({scope.text(expression, field)})"
        case EndOfStreamSize():
            return "io.read_bytes_full()"
        case WithinSize(expression):
            return scope.text(expression, field)
        case TerminatedSize() if field.terminator is not None:
            end = field.terminator
            flags = f"{end.include}, {end.consume}, {end.eos_error}"
            if len(end.value) == 1:
                return f"io.read_bytes_term({end.value[0]}, {flags})"
            return f"io.read_bytes_term_multi({end.value!r}, {flags})"
    raise refusal(field.position, f"the size of '{field.id}' is not known")


def trimmed(scope: ClassScope, field: Attribute, data: str) -> str:
    """Return ``data`` without padding, and truncated at a terminator inside a field of a given size."""
    if isinstance(field.size, TerminatedSize):
        return data
    if field.stripped is not None:
        data = f"{data}.rstrip({bytes((field.stripped,))!r})"
    end = field.terminator
    return data if end is None else scope.call("cut", data, repr(end.value), f"include={end.include}")


def contains_process_errors(scope: ClassScope, field: Attribute) -> bool:
    """Return whether a process that fails is refused and reading continues after the field's bytes, so that a checksum
    over them is still verified. Instances, and Kaitai's API, raise instead.
    """
    return field.contains_process_errors and scope.own and not scope.lazy


def decoded_process(scope: ClassScope, field: Attribute, process: Process, data: str) -> str:
    """Return the text that decodes the bytes ``data``, and raises if that fails."""
    if process.is_routine and not scope.own:
        arguments = [scope.module.routine(process), *(scope.text(each, field) for each in process.arguments)]
        return scope.call("decoded", data, *arguments)
    function, *arguments = process_decoder(scope, field, process)
    return f"{function}({', '.join((data, *arguments))})"


def process_decoder(scope: ClassScope, field: Attribute, process: Process) -> list[str]:
    """Return the function that decodes ``process``, and its arguments after the bytes."""
    arguments = [scope.text(each, field) for each in process.arguments]
    if process.codecs:
        chosen, *more = arguments
        case = process.arguments[0]
        if isinstance(case, Conditional) and isinstance(case.condition, Comparison):
            # Errors name the value for which there is no case.
            more = [more[0] if more else "None", scope.text(case.condition.left, field)]
        return [scope.use("expanded"), repr(process.codecs), chosen, str(process.most), *more]
    match process.name:
        case "zlib" if scope.module.api is Api.KAITAI_READ_WRITE:
            return [scope.use("inflated"), "self"]
        case "zlib":
            return [scope.use("decompress")]
        case "xor":
            return [scope.use("xor"), *arguments]
        case "rol" | "ror":
            return [scope.use("rotate_left" if process.name == "rol" else "rotate_right"), *arguments]
    return [scope.use("undone"), repr(process_place(process.name)), *arguments]
