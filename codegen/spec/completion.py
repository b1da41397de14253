"""Completion in a spec that is being written: keys, values, types and names of attributes; and the entry of the
reference about a position.

The text need not be valid YAML yet, so the position is determined from indentation and brackets alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .expectations import anchor, expected
from .kinds import (
    BUILT_IN,
    EitherKind,
    ExpressionKind,
    FlagKind,
    Kind,
    ListKind,
    MapKind,
    TableKind,
    TextKind,
    TypeKind,
)
from .tables import EXTENSION, KINDS, TABLES

Place = tuple[list[str], str | None, str]
"""The keys around a position, the key of the value at the position (``None`` if it is a key itself), and
the text before it."""

# These take time in proportion to the line: a word is tried at its first character only, and a quote that is not closed
# reaches to the end of the line.
_PARTIAL = re.compile(r"(?<![\w:.-])[\w:.-]*$")
_TOKEN = re.compile(
    r"""(?P<dash>-(?=\s|$))|(?P<key>(?<![\w-])[\w-]+|"[^"]*"|'[^']*')\s*:(?=\s|$)|(?P<open>[{\[])|(?P<close>[}\]])"""
)
_QUOTED = re.compile(r""""(?:[^"\\]|\\.)*(?P<double>")?|'(?:[^']|'')*(?P<single>')?""")
_ID = re.compile(r"(?:^|[\s{,-])id:\s*([a-z][a-z0-9_]*)")
_NAMED = re.compile(r"([a-z][a-z0-9_]*)\s*:(?:\s|$)")
_REST = re.compile(r"[\w-]*")


def completions(text: str, position: int) -> dict[str, Any]:
    """Return the completions at ``position``, which is counted in UTF-16 units as in browsers; ``from`` is the start of
    the word that they replace."""
    *above, line = _divided(text, position)[0].split("\n")
    if _has_comment(line):
        return {"from": position, "options": []}
    keys, key, partial = _place(above, line)
    options = list(_keys(keys) if key is None else _values(keys, key, text))
    wanted = partial.lower()
    options = [each for each in options if wanted in each["label"].lower()]
    return {"from": position - len(partial), "options": options}


def entry_at(text: str, position: int) -> tuple[str, int, int] | None:
    """Return the name of the reference's entry about the key at ``position``, or about the key of the value there, with
    begin and end of the word; ``None`` in comments and where the reference says nothing. Positions are those of
    ``completions``."""
    before, after = _divided(text, position)
    rest = _REST.match(after)
    *above, line = (before + (rest.group() if rest else "")).split("\n")
    if _has_comment(line):
        return None
    keys, key, word = _place(above, line)
    steps = [*keys, word] if key is None and word else keys if key is None else [*keys, key]
    end = position + (len(rest.group()) if rest else 0)
    while steps:
        *steps, last = steps
        table = _table(_kind(steps))
        if table is None or table.table == "enum":
            # A name of the spec's own, or an item of a list: the key that contains it says what it is.
            continue
        if last == EXTENSION and TABLES[table.table].extensions:
            return TABLES[table.table].extensions or "", end - len(word), end
        return (anchor(table.table, last), end - len(word), end) if last in TABLES[table.table].keys else None
    return None


def _divided(text: str, position: int) -> tuple[str, str]:
    """Return the text before and after a position in UTF-16 units."""
    units = text.encode("utf-16-le", "replace")
    before, after = units[: 2 * position], units[2 * position :]
    return before.decode("utf-16-le", "replace"), after.decode("utf-16-le", "replace")


def _has_comment(line: str) -> bool:
    return bool(re.search(r"(?:^|\s)#", _blank_quotes(line)))


def _place(above: list[str], line: str) -> Place:
    found = _PARTIAL.search(line)
    partial = found.group() if found else ""
    head = line[: len(line) - len(partial)]
    column: float = len(line) - len(line.lstrip(" "))
    here: list[str] = []
    key, depth = None, 0
    opened: list[tuple[int, str | None]] = []
    for each in _TOKEN.finditer(_blank_quotes(head)):
        if each["dash"] and not opened:
            column, key = each.start() + 0.5, None
        elif each["key"]:
            if not opened and not here:
                column = min(column, each.start()) if column % 1 == 0 else column
            key = each["key"]
        elif each["open"]:
            opened.append((len(here), key))
            here += [key] if key is not None else []
            key = None
        elif each["close"] and opened:
            depth, key = opened.pop()
            del here[depth:]
    if opened and "," in head and _ends_entry(head):
        key = None
    if not opened and not head.strip(" -") and column % 1 == 0:
        column = len(head)
    return [*_enclosing_keys(above, column), *here], key, partial


def _ends_entry(head: str) -> bool:
    """Return whether the text ends with a comma that is not followed by a key."""
    rest = _blank_quotes(head).rpartition(",")[2]
    return not re.search(r"[\w-]\s*:(?:\s|$)", rest) and "[" not in rest


def _blank_quotes(line: str) -> str:
    """Return a line with closed quotations replaced by underscores."""
    return _QUOTED.sub(lambda found: "_" * len(found[0]) if found["double"] or found["single"] else found[0], line)


def _enclosing_keys(above: list[str], limit: float) -> list[str]:
    """Return the keys that contain the lines from ``limit`` on, outermost first."""
    found: list[str] = []
    for line in reversed(above):
        if limit <= 0:
            break
        content = line.lstrip(" ")
        if not content or content.startswith("#") or len(line) - len(content) > limit:
            continue
        tokens = []
        for each in _TOKEN.finditer(_blank_quotes(line)):
            tokens.append(each)
            if not each["dash"]:
                break
        for each in reversed(tokens):
            if each["key"] and each.start() <= limit and (each.start() < limit or limit % 1):
                found.append(each["key"])
                limit = each.start()
            elif each["dash"] and each.start() < limit:
                limit = each.start() + 0.5
    return found[::-1]


def _kind(keys: list[str]) -> Kind | None:
    """Return the kind of values under these keys."""
    kind: Kind | None = TableKind("spec")
    for key in keys:
        while isinstance(kind, ListKind | EitherKind):
            kind = kind.item if isinstance(kind, ListKind) else kind.mapping or kind.sequence
        if isinstance(kind, MapKind):
            kind = kind.value
        elif isinstance(kind, TableKind):
            table = TABLES[kind.table]
            if kind.table == "enum":
                kind = TableKind("enum-member")
            elif key == EXTENSION:
                kind = TableKind(table.extensions) if table.extensions else None
            else:
                kind = table.keys[key].kind if key in table.keys else None
        else:
            return None
    return kind


def _table(kind: Kind | None) -> TableKind | None:
    while isinstance(kind, ListKind | EitherKind):
        kind = kind.item if isinstance(kind, ListKind) else kind.mapping or kind.sequence
    return kind if isinstance(kind, TableKind) else None


def _keys(keys: list[str]) -> Iterator[dict[str, str]]:
    kind = _table(_kind(keys))
    if kind is None:
        # Items of a list of names are in the position of keys.
        if keys:
            yield from _values(keys[:-1], keys[-1], "")
        return
    table = TABLES[kind.table]
    for word, key in table.keys.items() if kind.table != "enum" else ():
        yield {"label": word, "type": "property", "apply": f"{word}: ", "detail": expected(key.kind), "info": key.doc}
    if table.extensions:
        info = "What Kaitai's language does not have."
        yield {"label": EXTENSION, "type": "property", "apply": f"{EXTENSION}: ", "detail": "wireloom", "info": info}


def _values(keys: list[str], key: str, text: str) -> Iterator[dict[str, str]]:
    kind = _kind([*keys, key])
    while isinstance(kind, ListKind | EitherKind):
        kind = kind.item if isinstance(kind, ListKind) else kind.scalar or kind.sequence
    if isinstance(kind, FlagKind):
        words = ["true", "false"] if kind.only is None else [str(kind.only).lower()]
        yield from ({"label": each, "type": "keyword"} for each in words)
    elif isinstance(kind, TypeKind):
        yield from ({"label": each, "type": "class", "detail": "of the spec"} for each in _under("types", text))
        yield from ({"label": each, "type": "type", "detail": "built in"} for each in BUILT_IN)
    elif kind == KINDS["enum-name"]:
        yield from ({"label": each, "type": "enum"} for each in _under("enums", text))
    elif isinstance(kind, TextKind) and (kind.choices or kind.offered):
        yield from ({"label": each, "type": "constant"} for each in (*kind.choices, *kind.offered))
    elif isinstance(kind, ExpressionKind) or (isinstance(kind, TextKind) and kind.pattern and key != "id"):
        names = dict.fromkeys([*_ID.findall(text), *_under("instances", text)])
        yield from ({"label": each, "type": "variable", "detail": "attribute"} for each in names)
        if isinstance(kind, ExpressionKind):
            yield from ({"label": each, "type": "keyword"} for each in ("_parent", "_root", "_io", "_index"))


def _under(section: str, text: str) -> list[str]:
    """Return the names directly under the keys ``section`` of a text."""
    found: dict[str, None] = {}
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line.strip() != f"{section}:":
            continue
        indent, inner = len(line) - len(line.lstrip(" ")), None
        for each in lines[number + 1 :]:
            content = each.lstrip(" ")
            if not content or content.startswith("#"):
                continue
            column = len(each) - len(content)
            if column <= indent:
                break
            inner = column if inner is None else inner
            name = _NAMED.match(content)
            if column == inner and name is not None:
                found[name[1]] = None
    return list(found)
