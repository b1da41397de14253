"""Textual descriptions of parts of the model, for comparing and displaying them."""

from __future__ import annotations

from ..expression import nodes
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
    Type,
    UserType,
    VarintType,
)
from ..expression.written import written
from ..tree import Attribute, Switch
from ..wire import (
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
            return expression_text(expression)
        case EndOfStreamSize():
            return "up to the end"
        case WithinSize(expression):
            return f"those of {expression_text(expression)}"
        case TerminatedSize():
            return "up to the terminator"
    return "its own"


def repeat_text(attribute: Attribute) -> str:
    """Return a description of the repetition."""
    match attribute.repeat:
        case RepeatEos():
            return "to the end"
        case RepeatCount(expression):
            return f"{expression_text(expression)} times"
        case RepeatUntil(expression):
            return f"until {expression_text(expression)}"
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
        chosen, *size = map(expression_text, process.arguments)
        parts = [process.name, *([chosen] if len(process.codecs) > 1 else []), *size, f"at most {process.most} bytes"]
        return ", ".join(parts)
    arguments = ", ".join(expression_text(each) for each in process.arguments)
    return f"{process.name}({arguments})" if arguments else process.name


def switch_cases(switch: Switch, root: str | None) -> dict[str, str]:
    """Return the description of the type for each value of the switch; ``_`` is any other value. Without ``root``,
    types of the spec have no name.
    """
    return {
        "_" if each.match is None else expression_text(each.match): ", ".join(
            [
                "an object" if root is None and isinstance(each.type, UserType) else type_text(each.type, root or ""),
                size_text(each.size),
                terminator_text(each.terminator),
                *(expression_text(argument) for argument in each.arguments),
            ]
        )
        for each in switch.cases
    }


def optional_text(node: Node | None) -> str:
    """Return the text of an expression, or ``none``."""
    return NONE if node is None else expression_text(node)


def expression_text(node: Node) -> str:
    """Return an expression in a normalised notation: equal trees have equal texts.

    >>> expression_text(nodes.Binary("-", nodes.Name("len"), nodes.IntegerLiteral(9)))
    'len - 9'
    """
    match node:
        case nodes.IntegerLiteral(value) | nodes.FloatLiteral(value):
            return str(value)
        case nodes.BooleanLiteral(value):
            return "true" if value else "false"
        case nodes.StringLiteral(value):
            return repr(value)
        case nodes.FormattedString(parts):
            return f"f({', '.join(expression_text(each) for each in parts)})"
        case nodes.ListLiteral(items):
            return f"[{', '.join(expression_text(each) for each in items)}]"
        case nodes.Name(id):
            return id
        case nodes.MemberAccess(value, name):
            return f"{_inner(value)}.{name}"
        case nodes.Call(value, name, arguments):
            return f"{_inner(value)}.{name}({', '.join(expression_text(each) for each in arguments)})"
        case nodes.Subscript(value, index):
            return f"{_inner(value)}[{expression_text(index)}]"
        case nodes.Unary(operator, operand):
            return f"{operator}{' ' if operator.isalpha() else ''}{_inner(operand)}"
        case nodes.Binary(operator, left, right) | nodes.Comparison(operator, left, right):
            return f"{_inner(left)} {operator} {_inner(right)}"
        case nodes.Logical(operator, left, right):
            return f"{_inner(left)} {operator} {_inner(right)}"
        case nodes.Conditional(condition, then, otherwise):
            return f"{_inner(condition)} ? {_inner(then)} : {_inner(otherwise)}"
        case nodes.EnumMember(path, label):
            return "::".join([*path, label])
        case nodes.Cast(value, target):
            return f"{_inner(value)}.as<{target}>"
        case nodes.SizeOf(target, unit):
            return f"{'bit' if unit == 'bit' else ''}sizeof<{target}>"
        case nodes.Aggregate(function, value, items, condition, otherwise):
            among = "" if condition is None else f" if {expression_text(condition)}"
            other = "" if otherwise is None else f" or else {expression_text(otherwise)}"
            return f"{function}({expression_text(value)} of {expression_text(items)}{among}){other}"
        case nodes.Made(names, values):
            given = (f"{name}: {expression_text(value)}" for name, value in zip(names, values, strict=True))
            return f"{{{', '.join(given)}}}"
        case nodes.ForEach(function, condition, value, otherwise):
            other = "" if otherwise is None else f" or else {expression_text(otherwise)}"
            return f"{function}({expression_text(value)} for each {expression_text(condition)}){other}"
        case nodes.RandomBytes(size):
            return f"{size} random bytes"
        case nodes.CoveredChecksum():
            return written(node)
    raise TypeError(f"no words for {node!r}")


def _inner(node: Node) -> str:
    text = expression_text(node)
    compound = (nodes.Unary, nodes.Binary, nodes.Comparison, nodes.Logical, nodes.Conditional)
    return f"({text})" if isinstance(node, compound) else text
