"""Keys that are missing, or whose values were refused."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from collections.abc import Mapping as AnyMapping

from ..words import nearest
from .kinds import AnyKind, Kind, Table
from .syntax import Entries, Items, Value
from .tables import EXTENSION


def missing_keys(
    table: Table, values: AnyMapping[str, Value], keys: Collection[str], unknown_keys: Iterable[str]
) -> frozenset[str]:
    """Return the keys from whose absence nothing can be concluded (``Section.missing``)."""
    refused = {word for word in keys if word in table.keys and not _whole(table.keys[word].kind, values.get(word))}
    if EXTENSION in keys and EXTENSION not in values:
        refused.add(EXTENSION)
    absent = [word for word in table.keys if word not in keys]
    for word in unknown_keys:
        near = nearest(word, [*table.keys, EXTENSION])
        refused.update(absent if near is None else [near])
    refused.update(word for word in absent if table.keys[word].required)
    return frozenset(refused)


def _whole(kind: Kind, value: Value | None) -> bool:
    """Return whether nothing of a value was refused at its own level; mappings inside it record that for themselves."""
    if value is None:
        return isinstance(kind, AnyKind)
    return not (isinstance(value, (Items, Entries)) and value.incomplete)


def absent(table: str, word: str) -> str:
    """Return the sentence about a missing key."""
    if (table, word) == ("meta", "id"):
        return "no `meta/id` encountered in top-level class spec"
    return f"missing mandatory argument `{word}`"
