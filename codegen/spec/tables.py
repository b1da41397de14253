"""The dialect, read from ``dialect.yaml``: which keys are allowed where, what they take, and what they mean."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml
from wireloom.checksums import CHECKSUMS
from wireloom.codecs import BLOCK_CODECS, CODECS
from wireloom.format.message_rules import FRAMINGS
from wireloom.format.stuffings import STUFFINGS

from .kinds import (
    AnyKind,
    ContentsKind,
    EitherKind,
    ExpressionKind,
    FlagKind,
    IntegerKind,
    Key,
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
from .tree import plain_value

EXTENSION = "-wireloom"
"""The key for everything that Kaitai's own compiler must ignore."""

# The registries themselves: a user may add to them.
_REGISTRIES: dict[str, Collection[str]] = {
    "checksums": CHECKSUMS,
    "codecs": CODECS,
    "block-codecs": BLOCK_CODECS,
    "framings": FRAMINGS,
    "stuffings": STUFFINGS,
    # The codecs whose blocks contain the size of their content.
    "record-codecs": tuple(name for name, each in BLOCK_CODECS.items() if not each.needs_size),
}
_CLASSES: dict[str, tuple[type[Any], str]] = {
    "text": (TextKind, "expected"),
    "choices": (TextKind, "choices"),
    "offered": (TextKind, "offered"),
    "flag": (FlagKind, "only"),
    "list": (ListKind, "item"),
    "map": (MapKind, "key"),
    "table": (TableKind, "table"),
    "either": (EitherKind, "expected"),
}
"""By the first word of a kind: its class, and the field that the word's value is."""
_INNER = frozenset(("item", "value", "scalar", "mapping", "sequence"))
"""Fields that are kinds themselves."""

KINDS: dict[str, Kind] = {
    "any": AnyKind(),
    "contents": ContentsKind(),
    "expression": ExpressionKind(),
    "flag": FlagKind(),
    "integer": IntegerKind(),
    "objects": ObjectsKind(),
    "process": ProcessKind(),
    "text": TextKind(),
    "type": TypeKind(),
}
"""The kinds that have a name."""


def text_kind(name: str) -> TextKind:
    """Return the kind of text with a name."""
    found = KINDS[name]
    assert isinstance(found, TextKind)
    return found


def _plain(event: Any, events: Iterator[Any], anchors: dict[str | None, Any]) -> Any:
    """Return the data that begins with an event of YAML. The keys of mappings under ``<<`` are inserted at its place,
    except those before it."""
    if isinstance(event, yaml.ScalarEvent):
        return event.value if event.style else plain_value(event.value)
    if isinstance(event, yaml.AliasEvent):
        return anchors[event.anchor]
    if isinstance(event, yaml.SequenceStartEvent):
        items = []
        while not isinstance(item := next(events), yaml.SequenceEndEvent):
            items.append(_plain(item, events, anchors))
        return tuple(items)
    found: dict[str, Any] = {}
    while isinstance(key := next(events), yaml.ScalarEvent):
        value = _plain(next(events), events, anchors)
        for word, each in value.items() if key.value == "<<" else ((key.value, value),):
            found.setdefault(word, each)
    anchors[event.anchor] = found
    return found


def _kind(data: Any) -> Kind:
    if isinstance(data, str):
        return KINDS[data]
    first = next(iter(data))
    if first == "integer":
        return IntegerKind(*data[first])
    kind, name = _CLASSES[first]
    fields = {name if word == first else word: value for word, value in data.items()}
    made: Kind = kind(**{word: _field(word, value) for word, value in fields.items()})
    return made


def _field(name: str, value: Any) -> Any:
    if name in _INNER:
        return _kind(value)
    if name in ("choices", "offered") and isinstance(value, str):
        return _REGISTRIES[value] if value in _REGISTRIES else text_kind(value).choices
    if name == "expected":
        return re.sub("{(.+?)}", lambda found: ", ".join(text_kind(found[1]).choices), value)
    return value


def _keys(data: dict[str, dict[str, Any]]) -> Iterable[tuple[str, Key]]:
    for word, each in data.items():
        yield word, Key(_kind(each["takes"]), each["doc"], each.get("required", False), each.get("types", ()))


def _tables() -> dict[str, Table]:
    """Return the tables by name, in the order of the reference, and add the kinds to ``KINDS``."""
    text = Path(__file__).with_name("dialect.yaml").read_text("utf-8")
    events = yaml.parse(text, yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader)
    begin = next(each for each in events if isinstance(each, yaml.MappingStartEvent))
    data = _plain(begin, events, {})
    for name, each in data["kinds"].items():
        KINDS[name] = _kind(each)
    return {
        name: Table(each["name"], dict(_keys(each["keys"])), each.get("title", each["name"]), each.get("extensions"))
        for name, each in data["tables"].items()
    }


TABLES = _tables()
FOR_EACH = "for-each"
"""The key of a list of objects that repeats an object, and the name of its table."""
CLASS = text_kind("class").pattern or ""
"""The pattern of a module and a class in it."""
MAP_KEYS = text_kind("map-key").offered
"""Protobuf's scalar types that can be the keys of a map."""
