"""Bytes, text and objects with a stream of their own: their checks, and how they are written."""

from __future__ import annotations

from ....expression.types import StringType
from ....tree import Attribute
from ....tree.leaves import SIZE_PRESERVING, EndOfStreamSize, ExpressionSize, FixedSize, Process, TerminatedSize
from ..scope import ClassScope
from ..statements import when
from ..view import Lines
from ..wire_bytes import codec
from .deferral import arguments_depend_on_stream, depends_on_stream
from .solved import solution_texts, solve_line, with_room


def check_content(scope: ClassScope, field: Attribute, value: str) -> Lines:
    """Return the checks of bytes or text."""
    if _checked_when_written(scope, field):
        return ()
    first, data = _data(scope, field, value)
    lines: Lines = ()
    if isinstance(field.size, TerminatedSize):
        lines = (scope.call("check_terminated", repr(field.id), data, *_terminator(field)),)
    elif _size_text(scope, field) is not None:
        check = _check_size(scope, field, data)
        if field.is_cut:
            lines = with_room(scope, field, f"len({data})", check)
        elif isinstance(field.size, ExpressionSize):
            lines = (*solve_line(scope, field.size.expression, field, f"len({data})"), check)
        else:
            lines = (check,)
    return (*first, *lines) if lines else ()


def write_content(scope: ClassScope, field: Attribute, value: str) -> Lines:
    """Return the statements that write bytes or text."""
    first, data = _data(scope, field, value)
    if isinstance(field.size, TerminatedSize):
        terminator = _terminator(field, consume=True)
        return (*first, scope.call("write_terminated", "io", repr(field.id), data, *terminator))
    if isinstance(field.size, EndOfStreamSize):
        return (*first, scope.call("write_to_end", "io", repr(field.id), data, *_cut(field)))
    deferred: Lines = ()
    if _checked_when_written(scope, field):
        deferred = (when(f"not {scope.call('is_open', 'io')}", [_check_size(scope, field, data)]),)
    if field.is_cut:
        return (*first, *deferred, scope.call("write_limited", "io", data, _size_text(scope, field), *_cut(field)))
    return (*first, *deferred, f"io.write_bytes({data})")


def _check_size(scope: ClassScope, field: Attribute, data: str) -> str:
    """Return the check that bytes have the size of their field, or are not longer if they may be shorter."""
    function = "check_limited" if field.is_cut else "check_size"
    return scope.call(function, repr(field.id), data, _size_text(scope, field), *_cut(field))


def write_object(scope: ClassScope, field: Attribute, value: str, index: str | None) -> Lines:
    """Return the statements that write an object with its own stream; ``index``: the index of a list item, else
    ``None``.
    """
    parts = [repr(field.id)]
    size = _size_text(scope, field)
    if size is not None:
        parts.append(f"size={size}")
    if isinstance(field.size, EndOfStreamSize):
        parts.append("to_end=True")
    if field.terminator is not None:
        end = field.terminator
        parts.append(f"terminator={end.value!r}")
        flags = {"include": (end.include, False), "consume": (end.consume, True), "eos_error": (end.eos_error, True)}
        parts += [f"{key}={value}" for key, (value, usual) in flags.items() if value != usual]
    if field.pad_right is not None:
        parts.append(f"pad={field.pad_right}")
    if field.process is not None and field.process.name not in SIZE_PRESERVING:
        parts.append("keeps_size=False")
    if index is not None:
        parts.append(f"index={index}")
    solved = _solutions(scope, field)
    if solved:
        parts.append(f"solutions=({', '.join(solved)},)")
    encoder = _encoder_parts(scope, field, field.process) if field.process is not None else []
    return (enclosed_line(scope, value, parts, encoder),)


def enclosed_line(scope: ClassScope, value: str, parts: list[str], encoder: list[str]) -> str:
    """Return the statement that writes an object into its own stream; ``parts`` are the arguments of its field,
    ``encoder`` the function that encodes it.
    """
    arguments = "io", "self", value, scope.call("Enclosure", *parts)
    if not encoder:
        return scope.call("write_enclosed", *arguments)
    return f"{scope.call('begin_enclosed', *arguments)}.finish({', '.join(('io', *encoder))})"


def data_text(scope: ClassScope, field: Attribute, value: str) -> str:
    """Return the text of the bytes of a value, which encodes strings."""
    if isinstance(field.type, StringType):
        return scope.call("encode", value, repr(codec(field.type.encoding)))
    return value


def _data(scope: ClassScope, field: Attribute, value: str) -> tuple[Lines, str]:
    """Return the statements that create the bytes of a value, if any are needed, and the text that refers to them."""
    text = data_text(scope, field, value)
    if field.process is not None:
        function, *arguments = _encoder_parts(scope, field, field.process)
        text = f"{function}({', '.join((text, *arguments))})"
    if text == value:
        return (), value
    name = f"data_{field.id}"
    return (f"{name} = {text}",), name


def _encoder_parts(scope: ClassScope, field: Attribute, process: Process) -> list[str]:
    """Return the function that encodes a field, and its arguments after the content."""
    arguments = [scope.text(each, field) for each in process.arguments]
    if process.codecs:
        chosen, *size = arguments
        return [scope.use("compressed"), repr(process.codecs), chosen, str(process.most), *size]
    match process.name:
        case "zlib":
            return [scope.use("deflated"), "self"]
        case "xor":
            return [scope.use("xor"), *arguments]
        case "rol" | "ror":
            return [scope.use("rotate_right" if process.name == "rol" else "rotate_left"), *arguments]
    return [scope.use("encoded"), scope.module.routine(process), *arguments]


def _solutions(scope: ClassScope, field: Attribute) -> tuple[str, ...]:
    """Return the solutions from which the size is derived."""
    if not isinstance(field.size, ExpressionSize):
        return ()
    return solution_texts(scope, field.size.expression, field)


def _size_text(scope: ClassScope, field: Attribute) -> str | None:
    match field.size:
        case FixedSize(number):
            return str(number)
        case ExpressionSize(expression):
            return scope.text(expression, field)
    return None


def _checked_when_written(scope: ClassScope, field: Attribute) -> bool:
    """Return whether the size is known only when the value is written."""
    expression = field.size.expression if isinstance(field.size, ExpressionSize) else None
    return depends_on_stream(scope, expression) or arguments_depend_on_stream(scope, field)


def _terminator(field: Attribute, *, consume: bool = False) -> list[str]:
    """Return the terminator of a value as arguments."""
    end = field.terminator
    assert end is not None
    parts = [repr(end.value), f"include={end.include}"]
    if consume and not end.consume:
        parts.append("consume=False")
    if not end.eos_error:
        parts.append("eos_error=False")
    return parts


def _cut(field: Attribute) -> list[str]:
    """Return the terminator and padding of a value in its field, as arguments."""
    parts = []
    if field.terminator is not None:
        parts.append(f"terminator={field.terminator.value!r}")
        parts += ["include=True"] if field.terminator.include else []
    if field.pad_right is not None:
        parts.append(f"pad={field.pad_right}")
    return parts
