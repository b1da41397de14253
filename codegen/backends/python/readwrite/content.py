"""Bytes, text and objects with a stream of their own: how they are checked, and how they are written."""

from __future__ import annotations

from ....expression.types import StringType, UserType
from ....model.model import Attribute
from ....wire import EndOfStreamSize, ExpressionSize, FixedSize, OwnSize, Process, TerminatedSize
from ..processing import SIZE_PRESERVING
from ..reading import codec
from ..scope import ClassScope
from ..view import Lines
from .questions import arguments_ask_stream, asks_stream
from .solved import solution_texts, solve_line, with_room


def check_content(scope: ClassScope, attribute: Attribute, value: str) -> Lines:
    """The checks of bytes or text."""
    if _checked_when_written(scope, attribute):
        return ()
    first, data = _data(scope, attribute, value)
    size = _size_text(scope, attribute)
    known = {"id": attribute.id, "data": data, "size": size, "cut": _cut(attribute)}
    lines: Lines = ()
    if isinstance(attribute.size, TerminatedSize):
        lines = (scope.code("readwrite/check_terminated", terminator=_terminator(attribute), **known),)
    elif size is not None and is_cut(attribute):
        check = scope.code("readwrite/check_limited", **known)
        lines = with_room(scope, attribute, f"len({data})", check)
    elif size is not None:
        fill: Lines = ()
        if isinstance(attribute.size, ExpressionSize):
            fill = solve_line(scope, attribute.size.expression, attribute, f"len({data})")
        lines = (*fill, scope.code("readwrite/check_size", **known))
    return (*first, *lines) if lines else ()


def write_content(scope: ClassScope, attribute: Attribute, value: str) -> Lines:
    """Write bytes or text."""
    first, data = _data(scope, attribute, value)
    known = {"id": attribute.id, "data": data, "size": _size_text(scope, attribute), "cut": _cut(attribute)}
    if isinstance(attribute.size, TerminatedSize):
        terminator = _terminator(attribute, consume=True)
        return (*first, scope.code("readwrite/write_terminated", terminator=terminator, **known))
    if isinstance(attribute.size, EndOfStreamSize):
        return (*first, scope.code("readwrite/write_to_end", **known))
    kind = "limited" if is_cut(attribute) else "size"
    late: Lines = ()
    if _checked_when_written(scope, attribute):
        check = scope.code(f"readwrite/check_{kind}", **known)
        late = (scope.code("readwrite/unless_open", body=(check,)),)
    write = scope.code("readwrite/write_limited" if is_cut(attribute) else "readwrite/write_bytes", **known)
    return (*first, *late, write)


def write_object(scope: ClassScope, attribute: Attribute, value: str, index: str | None) -> Lines:
    """Write an object that has a stream of its own; ``index``: the number of the item, where it is one."""
    parts = [repr(attribute.id)]
    size = _size_text(scope, attribute)
    if size is not None:
        parts.append(f"size={size}")
    if isinstance(attribute.size, EndOfStreamSize):
        parts.append("to_end=True")
    if attribute.terminator is not None:
        end = attribute.terminator
        parts.append(f"terminator={end.value!r}")
        flags = {"include": (end.include, False), "consume": (end.consume, True), "eos_error": (end.eos_error, True)}
        parts += [f"{key}={given}" for key, (given, usual) in flags.items() if given != usual]
    if attribute.pad_right is not None:
        parts.append(f"pad={attribute.pad_right}")
    if attribute.process is not None and attribute.process.name not in SIZE_PRESERVING:
        parts.append("keeps_size=False")
    if index is not None:
        parts.append(f"index={index}")
    solved = _solutions(scope, attribute)
    if solved:
        parts.append(f"solutions=({', '.join(solved)},)")
    encoder = _encoder_parts(scope, attribute, attribute.process) if attribute.process is not None else []
    return (enclosed_line(scope, value, parts, encoder),)


def enclosed_line(scope: ClassScope, value: str, parts: list[str], encoder: list[str]) -> str:
    """Write an object into a stream of its own; ``parts`` are those of its field, ``encoder`` is what encodes it."""
    template = "readwrite/write_encoded" if encoder else "readwrite/write_enclosed"
    return scope.code(template, value=value, parts=parts, encoder=encoder)


def has_stream(attribute: Attribute) -> bool:
    """Whether the value is an object with a stream of its own."""
    return isinstance(attribute.type, UserType) and not isinstance(attribute.size, OwnSize)


def is_cut(attribute: Attribute) -> bool:
    """Whether a value may be shorter than its field."""
    return attribute.terminator is not None or attribute.pad_right is not None


def data_text(scope: ClassScope, attribute: Attribute, value: str) -> str:
    """The bytes of a value: text is encoded."""
    if isinstance(attribute.type, StringType):
        return scope.code("encoded", value=value, encoding=codec(scope, attribute, attribute.type.encoding))
    return value


def _data(scope: ClassScope, attribute: Attribute, value: str) -> tuple[Lines, str]:
    """The statements that make a value's bytes, if it takes any, and the text that then stands for them."""
    text = data_text(scope, attribute, value)
    if attribute.process is not None:
        function, *arguments = _encoder_parts(scope, attribute, attribute.process)
        text = scope.code("undone", function=function, data=text, arguments=arguments)
    if text == value:
        return (), value
    name = f"data_{attribute.id}"
    return (scope.code("readwrite/local", name=name, value=text),), name


def _encoder_parts(scope: ClassScope, attribute: Attribute, process: Process) -> list[str]:
    """The function that makes the bytes of a field, and its arguments after the content."""
    arguments = [scope.text(each, attribute) for each in process.arguments]
    match process.name:
        case "zlib":
            return [scope.use("deflated"), "self"]
        case "xor":
            return [scope.use("xor"), *arguments]
        case "rol" | "ror":
            return [scope.use("rotate_right" if process.name == "rol" else "rotate_left"), *arguments]
    return [scope.use("encoded"), scope.module.routine(process), *arguments]


def _solutions(scope: ClassScope, attribute: Attribute) -> tuple[str, ...]:
    """What the size follows from."""
    if not isinstance(attribute.size, ExpressionSize):
        return ()
    return solution_texts(scope, attribute.size.expression, attribute)


def _size_text(scope: ClassScope, attribute: Attribute) -> str | None:
    match attribute.size:
        case FixedSize(number):
            return str(number)
        case ExpressionSize(expression):
            return scope.text(expression, attribute)
    return None


def _checked_when_written(scope: ClassScope, attribute: Attribute) -> bool:
    """Whether the size is known only where the value is written."""
    expression = attribute.size.expression if isinstance(attribute.size, ExpressionSize) else None
    return asks_stream(scope, expression) or arguments_ask_stream(scope, attribute)


def _terminator(attribute: Attribute, *, consume: bool = False) -> str:
    end = attribute.terminator
    assert end is not None
    parts = [repr(end.value), f"include={end.include}"]
    if consume and not end.consume:
        parts.append("consume=False")
    if not end.eos_error:
        parts.append("eos_error=False")
    return ", ".join(parts)


def _cut(attribute: Attribute) -> str:
    """What ends and pads a value inside its field, as arguments."""
    parts = []
    if attribute.terminator is not None:
        parts.append(f"terminator={attribute.terminator.value!r}")
        parts += ["include=True"] if attribute.terminator.include else []
    if attribute.pad_right is not None:
        parts.append(f"pad={attribute.pad_right}")
    return "".join(f", {each}" for each in parts)
