"""Selects the keys that an attribute may have, given its other keys, for messages about an unknown key."""

from __future__ import annotations

import re

from ..words import shown, suggestion
from .kinds import Table
from .tables import EXTENSION
from .tree import Mapping, Scalar, YamlNode

_NUMBER = re.compile(r"[usbf]\d+(?:le|be)?")


def fitting(table: Table, node: Mapping) -> list[str]:
    """Return the keys of ``table`` that can be combined with those in ``node``, sorted.

    >>> from wireloom.codegen.spec.diagnostics import Diagnostics
    >>> from wireloom.codegen.spec.reader import read_yaml
    >>> from wireloom.codegen.spec.tables import TABLES
    >>> fitting(TABLES["attribute"], read_yaml("{type: u4, repeat: eos}", "a.ksy", Diagnostics()))[:6]
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
    """Return the sentence about a key that the table does not have: with the key that was probably meant, or all that
    would fit."""
    hint = suggestion(word, table.keys) or (suggestion(word, [EXTENSION]) if table.extensions else "")
    if hint:
        return f"unknown key {shown(word)} in {table.name}{hint}"
    return f"unknown key found, expected: {', '.join(fitting(table, node))}"


def _type(values: dict[str, YamlNode]) -> str:
    """Return the kind of type that an attribute has, as in ``Key.types``; empty for numbers."""
    if "enum" in values:
        return "enum"
    type = values.get("type")
    name = type.text if isinstance(type, Scalar) else ""
    if name in ("str", "strz"):
        return "text"
    return "" if _NUMBER.fullmatch(name) else "bytes"
