"""What stands in the cells of the page's tables and in the boxes of the picture: sizes, types, conditions, words."""

from __future__ import annotations

from collections.abc import Iterable

from ...expression.types import BitsType, BytesType, EnumType, FloatType, IntegerType, StringType, Type, UserType
from ...expression.written import written
from ...model.model import (
    Attribute,
    EndOfStreamSize,
    ExpressionSize,
    FixedSize,
    RepeatCount,
    RepeatEos,
    RepeatUntil,
    Spec,
    Struct,
    TerminatedSize,
)
from .view import TableView

WIRE_TYPES = {
    **dict.fromkeys(("int32", "int64", "uint32", "uint64", "sint32", "sint64", "bool", "enum"), (0, "varint")),
    **dict.fromkeys(("fixed64", "sfixed64", "double"), (1, "8 bytes")),
    **dict.fromkeys(("string", "bytes", "message"), (2, "length, bytes")),
    **dict.fromkeys(("fixed32", "sfixed32", "float"), (5, "4 bytes")),
}
"""Number and meaning of protobuf's wire type, by the kind of a field (the format's public description, "Encoding")."""


def wire_type(attribute: Attribute) -> tuple[int, str]:
    """The wire type of a field of a message; a packed one is one run of bytes, and a map's entry a message."""
    field = attribute.message
    assert field is not None
    return WIRE_TYPES["bytes" if field.packed or field.key is not None else field.kind]


def kind_of(attribute: Attribute) -> str:
    """Label and type of a field of a message, as in a ``.proto`` file."""
    field = attribute.message
    assert field is not None
    named = attribute.type.path[-1] if isinstance(attribute.type, (UserType, EnumType)) else field.kind
    if field.key is not None:
        return f"map<{field.key}, {named}>"
    return f"{'' if field.label == 'implicit' else f'{field.label} '}{named}"


def hexadecimal(data: bytes) -> str:
    """Bytes as people write them.

    >>> hexadecimal(b"\\xfe\\xfd")
    'FE FD'
    """
    return data.hex(" ").upper()


def type_of(type: Type) -> str:
    """A type in the words of the language of specs."""
    match type:
        case IntegerType(size=size, signed=signed, endian=endian):
            return f"{'s' if signed else 'u'}{size}{endian if endian in ('le', 'be') else ''}"
        case FloatType(size=size, endian=endian):
            return f"f{size}{endian if endian in ('le', 'be') else ''}"
        case BitsType(width=width):
            return f"b{width}"
        case EnumType(path=path, base=base):
            return f"{type_of(base)}, {path[-1]}"
        case StringType(encoding=encoding):
            return encoding or "text"
        case UserType(path=path):
            return path[-1]
        case BytesType():
            return "bytes"
    return "one of several"


def attribute_type(attribute: Attribute) -> str:
    """The type of an attribute, with fixed contents where it has some."""
    return hexadecimal(attribute.contents) if attribute.contents is not None else type_of(attribute.type)


def bits_of(spec: Spec, attribute: Attribute) -> int | None:
    """The attribute's size in bits where all values have the same."""
    if attribute.repeat is not None or attribute.condition is not None or attribute.switch is not None:
        return None
    if isinstance(attribute.size, FixedSize):
        return attribute.size.size * 8
    type = attribute.type.base if isinstance(attribute.type, EnumType) else attribute.type
    if isinstance(type, BitsType):
        return type.width
    number = _constant(attribute)
    return None if number is None else number * 8


def _constant(attribute: Attribute) -> int | None:
    text = written(attribute.size.expression) if isinstance(attribute.size, ExpressionSize) else ""
    return int(text) if text.isdecimal() else None


def size_of(spec: Spec, attribute: Attribute) -> str:
    """How many bytes an item of the attribute has, in words."""
    type = attribute.type.base if isinstance(attribute.type, EnumType) else attribute.type
    match attribute.size:
        case FixedSize(size=size):
            return str(size)
        case ExpressionSize(expression=expression):
            return written(expression)
        case EndOfStreamSize():
            return "to the end"
        case TerminatedSize():
            end = attribute.terminator.value if attribute.terminator is not None else b"\0"
            return f"up to {hexadecimal(end)}"
    if isinstance(type, BitsType):
        return "1 bit" if type.width == 1 else f"{type.width} bits"
    return "its own"


def repetition(attribute: Attribute) -> str:
    """How often the attribute comes; empty for once."""
    match attribute.repeat:
        case RepeatEos():
            return "× to the end"
        case RepeatCount(expression=expression):
            return f"× {written(expression)}"
        case RepeatUntil(expression=expression):
            return f"× until {written(expression)}"
    return ""


def condition(attribute: Attribute) -> str:
    """When it is there; empty for always."""
    return "" if attribute.condition is None else f"if {written(attribute.condition)}"


def covered(struct: Struct, attribute: Attribute) -> str:
    """What a checksum is computed over, in words; empty for other attributes."""
    rule = attribute.checksum
    if rule is None:
        return ""
    extent = rule.first if rule.first == rule.last else f"{rule.first} … {rule.last}"
    own = "" if rule.replace is None else f", itself as {rule.replace:02X}"
    return f"{rule.algorithm} of {extent}{own}"


def sentence(text: str) -> str:
    """A description as one line of a table's cell: its first paragraph."""
    return " ".join(text.strip().split("\n\n")[0].split())


def table(title: str, head: Iterable[str], rows: Iterable[Iterable[str]], doc: str = "") -> TableView:
    """A table whose cells hold any text: bars are escaped, line breaks become spaces."""
    cells = tuple(head)
    return TableView(title, doc.strip(), _line(cells), _line("---" for _ in cells), tuple(_line(each) for each in rows))


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in cells)} |"
