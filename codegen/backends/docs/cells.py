"""Texts in the cells of the page's tables and in the boxes of the picture: sizes, types, conditions."""

from __future__ import annotations

from collections.abc import Iterable

from ...expression.types import EnumType, UserType
from ...tree import Attribute
from .view import TableView

WIRE_TYPES = {
    **dict.fromkeys(("int32", "int64", "uint32", "uint64", "sint32", "sint64", "bool", "enum"), (0, "varint")),
    **dict.fromkeys(("fixed64", "sfixed64", "double"), (1, "8 bytes")),
    **dict.fromkeys(("string", "bytes", "message"), (2, "length, bytes")),
    **dict.fromkeys(("fixed32", "sfixed32", "float"), (5, "4 bytes")),
}
"""Number and description of protobuf's wire type, by the kind of a field (protobuf's documentation, "Encoding")."""


def wire_type(attribute: Attribute) -> tuple[int, str]:
    """Return the wire type of a field of a message. A packed field is length-delimited, and an entry of a map is a
    message."""
    field = attribute.message
    assert field is not None
    return WIRE_TYPES["bytes" if field.packed or field.key is not None else field.kind]


def kind_of(attribute: Attribute) -> str:
    """Return the label and the type of a field of a message, as in a ``.proto`` file."""
    field = attribute.message
    assert field is not None
    named = attribute.type.path[-1] if isinstance(attribute.type, (UserType, EnumType)) else field.kind
    if field.key is not None:
        return f"map<{field.key}, {named}>"
    return f"{'' if field.label == 'implicit' else f'{field.label} '}{named}"


def sentence(text: str) -> str:
    """Return the first paragraph of a description as one line for a cell of a table."""
    return " ".join(text.strip().split("\n\n")[0].split())


def table(title: str, head: Iterable[str], rows: Iterable[Iterable[str]], doc: str = "") -> TableView:
    """Return a table with escaped cells: bars are escaped, line breaks become spaces."""
    cells = tuple(head)
    return TableView(title, doc.strip(), _line(cells), _line("---" for _ in cells), tuple(_line(each) for each in rows))


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in cells)} |"
