"""The keys of the dialect in a spec, by the tables that specs are checked against."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wireloom.codegen.spec.kinds import EitherKind, Kind, ListKind, MapKind, Table, TableKind, TextKind
from wireloom.codegen.spec.tables import EXTENSION, TABLES

Key = tuple[str, str]
"""A table, and a key of it; a key whose values are different constructs has one for each: ``repeat: eos``."""
CHOSEN = ("repeat", "stuffing")


def all_keys() -> Iterator[Key]:
    """Yield every key of the dialect."""
    for name, table in TABLES.items():
        for key, each in table.keys.items():
            choices = choices_of(key, each.kind)
            yield from ((name, f"{key}: {choice}") for choice in choices)
            if not choices:
                yield name, key


def choices_of(key: str, kind: Kind) -> tuple[str, ...]:
    """Return the values of a key that are different constructs."""
    if isinstance(kind, EitherKind) and kind.scalar is not None:
        kind = kind.scalar
    return tuple(kind.choices) if key in CHOSEN and isinstance(kind, TextKind) else ()


def keys_in(spec: dict[str, Any]) -> set[Key]:
    """Return the keys that a spec has."""
    return set(_in_table("spec", spec))


def _in_table(name: str, section: dict[str, Any]) -> Iterator[Key]:
    table: Table = TABLES[name]
    for key, value in section.items():
        if key == EXTENSION and table.extensions:
            yield from _in_table(table.extensions, value)
        elif key in table.keys:
            kind = table.keys[key].kind
            yield name, f"{key}: {value}" if choices_of(key, kind) and isinstance(value, str) else key
            yield from _in_value(kind, value)


def _in_value(kind: Kind, value: Any) -> Iterator[Key]:
    if isinstance(kind, EitherKind):
        part = kind.mapping if isinstance(value, dict) else kind.sequence if isinstance(value, list) else kind.scalar
        if part is not None:
            yield from _in_value(part, value)
    elif isinstance(kind, TableKind) and isinstance(value, dict):
        yield from _in_table(kind.table, value)
    elif isinstance(kind, MapKind) and isinstance(value, dict):
        for each in value.values():
            yield from _in_value(kind.value, each)
    elif isinstance(kind, ListKind) and isinstance(value, list):
        for each in value:
            yield from _in_value(kind.item, each)
