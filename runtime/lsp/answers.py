"""The answers to an editor's requests about a position in a text, in the terms of the protocol."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from lsprotocol.types import (
    CompletionItem,
    CompletionItemKind,
    CompletionList,
    DocumentSymbol,
    Hover,
    Location,
    MarkupContent,
    MarkupKind,
    Position,
    Range,
    SymbolKind,
    TextEdit,
)

from ..codegen.model.imports import display_name
from ..codegen.navigation import Declared, definition, outline
from ..codegen.spec.completion import completions, entry_at
from ..codegen.spec.entry_lines import last_line
from ..codegen.spec.lookup import lookup
from ..codegen.spec.reader import lines_of
from .document import Document, Documents
from .places import utf_16

_REST = re.compile(r"[\w-]*")

COMPLETED = {
    "property": CompletionItemKind.Property,
    "keyword": CompletionItemKind.Keyword,
    "class": CompletionItemKind.Class,
    "type": CompletionItemKind.Struct,
    "enum": CompletionItemKind.Enum,
    "constant": CompletionItemKind.Constant,
    "variable": CompletionItemKind.Field,
}
SYMBOLS = {
    "type": SymbolKind.Class,
    "enum": SymbolKind.Enum,
    "label": SymbolKind.EnumMember,
    "attribute": SymbolKind.Field,
    "instance": SymbolKind.Property,
    "parameter": SymbolKind.Variable,
}


def completed(document: Document, position: Position) -> CompletionList:
    """Return the completions of the studio, at a position."""
    text, places = document.text, document.places
    offset = places.offset(position)
    place = utf_16(text[:offset])
    found = completions(text, place)
    rest = _REST.match(text, offset)
    end = rest.end() if rest is not None else offset
    range = Range(places.position(offset - (place - found["from"])), places.position(end))
    # A key that is there already keeps its colon.
    applied = "label" if text.startswith(":", end) else "apply"
    items = [
        CompletionItem(
            each["label"],
            kind=COMPLETED[each["type"]],
            detail=each.get("detail"),
            documentation=each.get("info"),
            text_edit=TextEdit(range, each.get(applied, each["label"])),
        )
        for each in found["options"]
    ]
    return CompletionList(is_incomplete=True, items=items)


def hovered(document: Document, position: Position) -> Hover | None:
    """Return what ``wireloom reference`` prints about the key at a position."""
    places = document.places
    offset = places.offset(position)
    place = utf_16(document.text[:offset])
    found = entry_at(document.text, place)
    if found is None:
        return None
    name, begin, end = found
    range = Range(places.position(offset + begin - place), places.position(offset + end - place))
    return Hover(MarkupContent(MarkupKind.PlainText, lookup(name)), range)


def defined(document: Document, position: Position, documents: Documents, folders: Iterable[Path]) -> Location | None:
    """Return the place at which the name at a position is declared."""
    line, column = document.places.line_and_column(position)
    found = definition(document.path, document.text, line, column, folders, documents.unsaved())
    if found is None:
        return None
    file = document if found.file == display_name(document.path) else documents.of_file(found.file)
    return Location(file.uri, file.places.range(found.line, found.column, found.column + found.width))


def symbols(document: Document) -> list[DocumentSymbol]:
    """Return what a text declares, each with the lines of its entry."""
    return _symbols(outline(document.text, ""), document, lines_of(document.text), {})


def _symbols(
    found: Iterable[Declared], document: Document, lines: list[str], known: dict[int, int]
) -> list[DocumentSymbol]:
    made = []
    for each in found:
        line, column = each.position.line, each.position.column
        # Many may be on one line.
        last = known.get(line) or known.setdefault(line, last_line(lines, line))
        name = document.places.range(line, column, column + each.position.width)
        end = document.places.range(last, len(lines[last - 1]) + 1, 0).end
        inner = _symbols(each.inner, document, lines, known)
        entry = Range(name.start, end)
        made.append(DocumentSymbol(each.name, SYMBOLS[each.kind], entry, name, each.detail or None, children=inner))
    return made
