"""Describes in words what the dialect expects, and keys that fit better."""

from __future__ import annotations

import re

from ..words import listed, shown, suggestion
from .kinds import (
    AnyKind,
    ContentsKind,
    EitherKind,
    ExpressionKind,
    FlagKind,
    IntegerKind,
    Kind,
    ListKind,
    MapKind,
    ObjectsKind,
    ProcessKind,
    Table,
    TableKind,
    TextKind,
    TypeKind,
)
from .tables import EXTENSION, TABLES
from .tree import Mapping, Scalar, YamlNode

REFERENCE = "docs/reference.md"
"""The path of the dialect's reference in the project's repository."""
COMMAND = "wireloom reference"
"""The command that prints an entry of it, in any installation of wireloom."""


def expected(kind: Kind) -> str:
    """Return a description of the values of that kind.

    >>> from wireloom.codegen.spec.tables import TABLES
    >>> expected(TABLES["checksum"].keys["replace"].kind)
    'an integer from 0 to 255'
    >>> expected(TABLES["framing"].keys["stuffing"].kind)
    'word, cobs, cobs-r, slip, hdlc, none, or a mapping with escape and map or xor'
    """
    match kind:
        case TextKind(choices=choices) if choices:
            return listed(choices)
        case TextKind(expected=words) | EitherKind(expected=words):
            return words
        case FlagKind(only=only):
            return "true or false" if only is None else str(only).lower()
        case IntegerKind(minimum=least, maximum=most):
            return f"an integer from {least} to {most}" if most is not None else "an integer"
        case ExpressionKind():
            return "an expression"
        case TypeKind():
            return "the name of a type"
        case ProcessKind():
            return "zlib, xor(key), rol(bits), ror(bits) or the name of a routine"
        case ContentsKind():
            return "text, or a list of bytes and texts"
        case AnyKind():
            return "anything"
        case ObjectsKind():
            return "a list of objects"
        case ListKind():
            return _list(kind)
        case MapKind(key=key, value=value):
            return f"a mapping with a key for each {key}, its value {expected(value)}"
        case TableKind(table=table):
            return f"{TABLES[table].name} as a mapping"


def _list(kind: ListKind) -> str:
    if kind.maximum is None:
        amount = "a list"
    else:
        amount = f"a list of {kind.minimum}" + (f" to {kind.maximum}" if kind.maximum != kind.minimum else "")
    item = expected(kind.item)
    return f"{item}, or {amount} of them" if kind.single else f"{amount}, each {item}"


def help_for(table: str, key: str | None) -> str:
    """Return a sentence about a key and its values, or about the keys of a table if ``key`` is ``None``.

    >>> help_for("framing", "delimiter")
    "'delimiter' takes an integer from 0 to 255, or a list of 1 to 4 of them. The bytes between two items."
    >>> help_for("framing", None)
    'framing takes the keys delimiter and stuffing.'
    """
    if key == EXTENSION:
        return help_for(TABLES[table].extensions or table, None)
    if key is None or key not in TABLES[table].keys:
        *most, last = TABLES[table].keys
        names = f"{', '.join(most)} and {last}" if most else last
        return f"{TABLES[table].name} takes the key{'s' if most else ''} {names}."
    found = TABLES[table].keys[key]
    return f"'{key}' takes {expected(found.kind)}. {found.doc}"


def reference_command(table: str, key: str | None = None) -> str:
    """Return the command that prints the reference's entry for a key or for a table.

    >>> reference_command("attribute", "size"), reference_command("meta", "-wireloom")
    ('wireloom reference attribute.size', 'wireloom reference meta-extensions')
    """
    return f"{COMMAND} {anchor(table, key)}"


def anchor(table: str, key: str | None = None) -> str:
    """Return the anchor of the entry within the page."""
    if key == EXTENSION:
        return TABLES[table].extensions or table
    # A dot, since names of tables contain dashes: "type.meta" is a key, "type-meta" a table.
    return f"{table}.{key}" if key is not None and key in TABLES[table].keys else table


_NUMBER = re.compile(r"[usbf]\d+(?:le|be)?")


def combinable_keys(table: Table, node: Mapping) -> list[str]:
    """Return the keys of ``table`` that can be combined with those in ``node``, sorted.

    >>> from wireloom.codegen.spec.diagnostics import Diagnostics
    >>> from wireloom.codegen.spec.reader import read_yaml
    >>> from wireloom.codegen.spec.tables import TABLES
    >>> combinable_keys(TABLES["attribute"], read_yaml("{type: u4, repeat: eos}", "a.ksy", Diagnostics()))[:6]
    ['consume', 'doc', 'doc-ref', 'eos-error', 'id', 'if']
    """
    words = sorted(table.keys)
    if "repeat-expr" not in table.keys:
        return words
    values = {key.text: value for key, value in node.entries}
    type = _type(values)
    repeat = values.get("repeat")
    how = repeat.text if isinstance(repeat, Scalar) else ""
    unfit = {word for word, key in table.keys.items() if key.types and type not in key.types}
    unfit |= {"repeat-expr", "repeat-until"} - {f"repeat-{how}"}
    return [each for each in words if each not in unfit and (each != "value" or "type" not in values)]


def unknown_key(word: str, table: Table, node: Mapping) -> str:
    """Return the sentence about a key that a table does not have: with the key that was probably meant, or all that
    would fit.

    Args:
        word: The key.
        table: The table.
        node: The mapping with the key and others.
    """
    hint = suggestion(word, table.keys) or (suggestion(word, [EXTENSION]) if table.extensions else "")
    if hint:
        return f"unknown key {shown(word)} in {table.name}{hint}"
    return f"unknown key found, expected: {', '.join(combinable_keys(table, node))}"


def _type(values: dict[str, YamlNode]) -> str:
    """Return the kind of type that an attribute has, as in ``Key.types``; empty for numbers."""
    if "enum" in values:
        return "enum"
    type = values.get("type")
    name = type.text if isinstance(type, Scalar) else ""
    if name in ("str", "strz"):
        return "text"
    return "" if _NUMBER.fullmatch(name) else "bytes"
