"""Slips that YAML and Kaitai's language accept silently: a key without the space after its colon, which is one word in
YAML, and a key of wireloom's outside of ``-wireloom``, which is ignored like any key that begins with a dash."""

from __future__ import annotations

import re
from collections.abc import Container

from wireloom.base.dataclass import replace
from wireloom.checksums import CHECKSUMS
from yaml import MarkedYAMLError

from ..words import shortened, shown
from .kinds import Kind, Table, TextKind
from .position import Position
from .tables import EXTENSION, TABLES
from .tree import Scalar, YamlNode, plain_value

_GLUED = re.compile(r"(?:- +)*([a-z][a-z-]*):([^\s:]\S*)")
_COMMENT = re.compile(r"(?:^|\s)#.*")
_CHECKSUMS = frozenset(("crc", *(each.partition("-")[0].partition("/")[0] for each in CHECKSUMS)))
"""Words by which a checksum is likely to be named."""


def glued(node: YamlNode, table: Table) -> str | None:
    """Return the sentence about text that begins with one of the table's keys and a colon without a space after it;
    ``None`` for other nodes."""
    found = _GLUED.match(node.text) if isinstance(node, Scalar) and not node.style else None
    return None if found is None or found[1] not in table.keys else missing_space(*found.groups())


def glued_below(node: YamlNode, kind: Kind, table: Table) -> tuple[Position, str] | None:
    """Return the position of a glued key, and the sentence about it, in a further line of a word: YAML takes the line
    for a part of the word. ``None`` for other nodes, and for those of a ``kind`` that allows any text."""
    free = isinstance(kind, TextKind) and not kind.choices and kind.pattern is None
    if free or not isinstance(node, Scalar) or node.style or "\n" not in node.source:
        return None
    for number, line in enumerate(node.source.splitlines()[1:], 1):
        found = _GLUED.match(line.strip())
        if found is not None and found[1] in table.keys:
            here, column = node.position, len(line) - len(line.lstrip()) + 1
            place = Position(here.file, here.line + number, column, found.end(), line)
            return place, missing_space(*found.groups())
    return None


def missing_space(key: str, value: str) -> str:
    """Return the sentence about a key and its value without a space between them."""
    key, value = shortened(key), shortened(value)
    return f"'{key}:{value}' is one word in YAML: write a space after the colon, '{key}: {value}'"


def parted(key: Scalar) -> tuple[Scalar, Scalar]:
    """Return the key and the value of which a glued key consists."""
    word, _, text = key.text.partition(":")
    begin = len(word) + 1
    path = key.position.path and key.position.path.parent and key.position.path.parent.child(word)
    place = replace(key.position, width=len(word), path=path)
    after = replace(place, column=place.column + begin, width=len(text))
    return replace(key, text=word, position=place), Scalar(after, text, plain_value(text), "", text)


def glued_line(file: str, lines: list[str], number: int) -> tuple[Position, str] | None:
    """Return the position of a glued key at the end of the line before ``number``, counted from 0, and the sentence
    about it: YAML takes it for the beginning of a longer word, and refuses the colon in the next line."""
    line = lines[number - 1] if 0 < number <= len(lines) else ""
    found = re.fullmatch(r"[\s-]*?([a-z][a-z-]*):([^\s:]\S*)\s*", line)
    if found is None or not any(found[1] in each.keys for each in TABLES.values()):
        return None
    place = Position(file, number, found.start(1) + 1, found.end(2) - found.start(1), line)
    return place, missing_space(*found.groups())


def unclosed(lines: list[str], error: MarkedYAMLError) -> int | None:
    """Return the number of the last line, from the place of an error backwards, in which a quote lacks the other one:
    YAML takes what follows for text, up to the next quote. ``None`` if there is none."""
    begin = error.context_mark.line if error.context_mark else 0
    end = error.problem_mark.line if error.problem_mark else begin
    for number in range(min(end, len(lines) - 1), begin - 1, -1):
        line = _COMMENT.sub("", lines[number])
        if line.count('"') % 2 or (line.count("'") % 2 and '"' not in line):
            return number + 1
    return None


def misplaced(word: str, table: Table, present: Container[str]) -> str:
    """Return the sentence about a key of wireloom's that is not under ``-wireloom``; '' for other keys.

    Args:
        word: The key, with its dash.
        table: The table of the mapping with the key.
        present: The keys of that mapping.
    """
    name = word.removeprefix("-")
    if name.partition("-")[0] in _CHECKSUMS:
        name = "checksum"
    own = table.extensions
    if own is not None and name in TABLES[own].keys:
        place = "" if EXTENSION in present else f", as in '{EXTENSION}: {{{name}: …}}'"
        return f"the key {shown(word)} is ignored: write '{name}' under '{EXTENSION}' of {table.name}{place}"
    others = [each.name for each in TABLES.values() if each.extensions and name in TABLES[each.extensions].keys]
    if not others:
        return ""
    return f"the key {shown(word)} is ignored: '{name}' belongs under '{EXTENSION}' of {' or of '.join(others)}"
