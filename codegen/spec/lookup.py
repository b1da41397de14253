"""The reference as text for a terminal: one key, one table, one chapter, or all of it.

It is generated from the same tables as the page (``reference``), so that it is part of every installation.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from wireloom.base.text import unknown

from .expectations import anchor, expected
from .kinds import Key
from .reference import CHAPTERS, PLACES, parents_of, tables_of, title_of
from .tables import EXTENSION, TABLES

WIDTH = 100
"""Width of the text in columns of a terminal."""


def names() -> list[str]:
    """Return the names of all entries: tables, their keys (``attribute.size``) and chapters."""
    keys = [anchor(table, word) for table, each in TABLES.items() for word in each.keys]
    return [*TABLES, *CHAPTERS, *keys]


def lookup(name: str) -> str:
    """Return the reference's entries for a table, a chapter, a key (``attribute.size``), or all keys with a name
    (``size``).

    Raises ``wireloom.UnknownNameError`` with the nearest name.

    >>> print(lookup("framing.delimiter"))
    framing.delimiter
      takes an integer from 0 to 255, or a list of 1 to 4 of them
      Required. The bytes between two items.
    """
    tables = [name] if name in TABLES else []
    if name == EXTENSION:
        tables = [table.extensions for table in TABLES.values() if table.extensions]
    keys = [
        (table, word) for table, each in TABLES.items() for word in each.keys if name in (word, anchor(table, word))
    ]
    found = [*map(_table, tables), *([_chapter(name)] if name in CHAPTERS else []), *(_key(*each) for each in keys)]
    if not found:
        words = {word for table, each in TABLES.items() for word in each.keys}
        raise unknown("key", name, sorted({*names(), *words}))
    return "\n\n".join("\n".join(each) for each in found)


def everything() -> str:
    """Return the whole reference."""
    return "\n\n".join("\n".join(each) for each in [*map(_table, TABLES), *map(_chapter, CHAPTERS)])


def _key(table: str, word: str) -> Iterator[str]:
    key = TABLES[table].keys[word]
    yield anchor(table, word)
    yield from _wrapped(f"takes {expected(key.kind)}", 2)
    yield from _wrapped(_meaning(key), 2)
    more = [*tables_of(key.kind), *(place for kind, place in PLACES.items() if type(key.kind) is kind)]
    if more:
        yield f"  more: {', '.join(f'wireloom reference {each}' for each in dict.fromkeys(more))}"


def _table(name: str) -> Iterator[str]:
    table = TABLES[name]
    yield f"{_plain(title_of(name))} ({name})"
    if parents := parents_of(name):
        yield from _wrapped(f"Used in {', '.join(f'{word} of {TABLES[each].name}' for word, each in parents)}.", 2)
    if name == "enum":
        yield "  Its keys are integers; each value is a name, or a mapping (enum-member)."
        return
    for word, key in table.keys.items():
        yield f"  {word}"
        yield from _wrapped(f"{_meaning(key)} Takes {expected(key.kind)}.", 6)
    if table.extensions:
        yield f"  {EXTENSION}"
        yield from _wrapped(f"Extensions of Kaitai's language: wireloom reference {table.extensions}", 6)


def _chapter(name: str) -> Iterator[str]:
    title, *lines = (line for line in CHAPTERS[name]() if line)
    yield f"{re.sub(r'<[^>]*>', '', title).lstrip('# ')} ({name})"
    for line in lines:
        if line.startswith("|--"):
            continue
        yield from _wrapped(_plain(line.strip("| ").replace(" | ", ": ")), 2)


def _meaning(key: Key) -> str:
    return f"{'Required. ' if key.required else ''}{key.doc}"


def _plain(text: str) -> str:
    """Return Markdown as plain text."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("`", "").replace("\\|", "|").replace("**", "")


def _wrapped(text: str, indent: int) -> list[str]:
    before = " " * indent
    return textwrap.wrap(text, WIDTH, initial_indent=before, subsequent_indent=before, break_on_hyphens=False)
