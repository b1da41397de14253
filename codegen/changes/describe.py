"""Textual descriptions of parts of the model, for comparing and displaying them."""

from __future__ import annotations

from ..expression.nodes import Node
from ..expression.types import (
    BitsType,
    BooleanType,
    BytesType,
    EnumType,
    FloatType,
    IntegerType,
    ListType,
    Path,
    StringType,
    TableType,
    Type,
    UserType,
    VarintType,
)
from ..expression.unparsing import spec_text
from ..tree import Attribute, Switch
from ..tree.leaves import (
    EndOfStreamSize,
    ExpressionSize,
    FixedSize,
    Process,
    RepeatCount,
    RepeatEos,
    RepeatUntil,
    Size,
    TerminatedSize,
    Terminator,
    WithinSize,
)

NONE = "none"
ORDERS = {"le": "little-endian", "be": "big-endian", "computed": "computed"}


def type_text(type: Type, root: str) -> str:
    """Return a type as in a spec; types of the spec ``root`` itself are without its name.

    >>> type_text(IntegerType(4, False, "le"), "log"), type_text(UserType(("log", "event")), "log")
    ('u4le', 'event')
    """
    match type:
        case IntegerType(size, signed, endian):
            return f"{'s' if signed else 'u'}{size}{endian or ''}"
        case FloatType(size, endian):
            return f"f{size}{endian or ''}"
        case BitsType(width, endian):
            return f"b{width}{endian}"
        case UserType(path) | VarintType(path):
            return path_text(path, root)
        case BytesType():
            return "bytes"
        case BooleanType():
            return "a boolean"
        case StringType(encoding):
            return f"text in {encoding}" if encoding else "text"
        case EnumType(path, base):
            return f"{type_text(base, root)} of enum {path_text(path, root)}"
        case ListType(item):
            return f"list of {type_text(item, root)}"
        case TableType(key, value):
            return f"table from {type_text(key, root)} to {type_text(value, root)}"
    return type.__class__.__name__.removesuffix("Type").lower()


def path_text(path: Path, root: str) -> str:
    """Return the path of a type: ``event``, or ``other::event`` for a type of another spec."""
    inner = path[1:] if path[:1] == (root,) else path
    return "::".join(inner) or "the root"


def size_text(size: Size) -> str:
    """Return a description of the number of bytes."""
    match size:
        case FixedSize(number):
            return f"{number} bytes"
        case ExpressionSize(expression):
            return spec_text(expression)
        case EndOfStreamSize():
            return "up to the end"
        case WithinSize(expression):
            return f"those of {spec_text(expression)}"
        case TerminatedSize():
            return "up to the terminator"
    return "its own"


def repeat_text(attribute: Attribute) -> str:
    """Return a description of the repetition."""
    match attribute.repeat:
        case RepeatEos():
            return "to the end"
        case RepeatCount(expression):
            return f"{spec_text(expression)} times"
        case RepeatUntil(expression):
            return f"until {spec_text(expression)}"
    return "once"


def terminator_text(terminator: Terminator | None) -> str:
    """Return the bytes of a terminator, and how they are handled."""
    if terminator is None:
        return NONE
    flags = [
        "included" if terminator.include else "",
        "" if terminator.consume else "left in place",
        "" if terminator.eos_error else "may be missing",
    ]
    return ", ".join([terminator.value.hex(" "), *(each for each in flags if each)])


def process_text(process: Process | None) -> str:
    """Return the text of a process: ``zlib``, ``xor(key)``; for codecs their names, the selecting expression and the
    limits.
    """
    if process is None:
        return NONE
    if process.codecs:
        chosen, *size = map(spec_text, process.arguments)
        parts = [process.name, *([chosen] if len(process.codecs) > 1 else []), *size, f"at most {process.most} bytes"]
        return ", ".join(parts)
    arguments = ", ".join(spec_text(each) for each in process.arguments)
    return f"{process.name}({arguments})" if arguments else process.name


def switch_cases(switch: Switch, root: str | None) -> dict[str, str]:
    """Return the description of the type for each value of the switch; ``_`` is any other value. Without ``root``,
    types of the spec have no name.
    """
    return {
        "_" if each.match is None else spec_text(each.match): ", ".join(
            [
                "an object" if root is None and isinstance(each.type, UserType) else type_text(each.type, root or ""),
                size_text(each.size),
                terminator_text(each.terminator),
                *(spec_text(argument) for argument in each.arguments),
            ]
        )
        for each in switch.cases
    }


def optional_text(node: Node | None) -> str:
    """Return the text of an expression, or ``none``."""
    return NONE if node is None else spec_text(node)
