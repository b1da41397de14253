"""The checked syntax tree: the result of ``validator``, in which every value has the kind that its table requires."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from wireloom.base.dataclass import dataclass, field

from ..expression.nodes import Node
from ..words import nearest
from .kinds import AnyKind, Kind, Table
from .position import Position
from .tables import EXTENSION, TABLES
from .tree import Scalar


@dataclass(frozen=True)
class Text:
    """A single value as text."""

    value: str
    scalar: Scalar

    @property
    def position(self) -> Position:
        """Return its position in the file."""
        return self.scalar.position


@dataclass(frozen=True)
class Integer:
    """An integer."""

    value: int
    position: Position


@dataclass(frozen=True)
class Flag:
    """``true`` or ``false``."""

    value: bool
    position: Position


@dataclass(frozen=True)
class Expression:
    """A parsed expression; ``place`` maps an offset of its text to a position in the file."""

    node: Node
    scalar: Scalar
    offset: int = 0
    """The offset of the expression's text in the text of the scalar."""

    @property
    def position(self) -> Position:
        """Return its position in the file."""
        return self.scalar.position

    @property
    def text(self) -> str:
        """Return it as written."""
        return self.scalar.text[self.offset :] if self.offset else self.scalar.text

    def place(self, offset: int, end: int | None = None) -> Position:
        """Return the position in the file of a range of the expression's text."""
        return self.scalar.place(self.offset + offset, None if end is None else self.offset + end)


def keep_source(node: Node, expression: Expression) -> None:
    """Keep in the outermost node of a typed expression where it is written. It is no field, since it is no part of what
    the expression means, and copies with other nodes inside are written nowhere."""
    node.__dict__["_source"] = expression


def source_of(node: Node) -> Expression | None:
    """Return where an expression is written, given its outermost node; ``None`` for others."""
    found: Expression | None = node.__dict__.get("_source")
    return found


@dataclass(frozen=True)
class TypeReference:
    """``name(arguments)``."""

    name: str
    arguments: tuple[Node, ...]
    scalar: Scalar

    @property
    def position(self) -> Position:
        """Return its position in the file."""
        return self.scalar.position

    def argument(self, index: int) -> Expression:
        """Return one argument as an expression with its position."""
        return Expression(self.arguments[index], self.scalar)


@dataclass(frozen=True)
class ProcessReference:
    """``name(arguments)`` of ``process``."""

    name: str
    arguments: tuple[Expression, ...]
    position: Position


@dataclass(frozen=True)
class Contents:
    """Fixed bytes."""

    value: bytes
    position: Position


@dataclass(frozen=True)
class Items:
    """A list."""

    items: tuple[Value, ...]
    position: Position
    incomplete: bool = False
    """Whether items were refused and are missing here."""


@dataclass(frozen=True)
class Entry:
    """One entry of a mapping from names: ``key`` is a ``Text``, an ``Integer`` or an ``Expression``."""

    key: Text | Integer | Expression
    value: Value


@dataclass(frozen=True)
class Entries:
    """A mapping from names."""

    entries: tuple[Entry, ...]
    position: Position
    incomplete: bool = False
    """Whether entries were refused and are missing here."""


@dataclass(frozen=True)
class Section:
    """A mapping with known keys; ``table``: the name of its table; ``keys``: the position of each key."""

    table: str
    position: Position
    values: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    keys: Mapping[str, Position] = field(default_factory=lambda: MappingProxyType({}))
    faulty: bool = False
    """Whether it contains an error, at any depth: nothing should be concluded from what is left of it."""
    missing: frozenset[str] = frozenset()
    """Keys of the table whose value was refused, in whole or in part, or that an unknown key may have been intended
    for: nothing is concluded from their absence."""

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def get(self, key: str) -> Value | None:
        """Return the value of a key of the table; ``None`` if it is absent."""
        if key not in TABLES[self.table].keys and key != EXTENSIONS:
            raise KeyError(f"the table '{self.table}' has no key '{key}'")
        return self.values.get(key)

    def position_of(self, key: str) -> Position:
        """Return the position of the key's value; the section's own position if it is absent."""
        found = self.values.get(key)
        return found.position if found is not None else self.position

    def text(self, key: str) -> Text | None:
        """Return the text of a key; ``None`` if it is absent."""
        found = self.get(key)
        return found if isinstance(found, Text) else None

    def word(self, key: str, default: str = "") -> str:
        """Return the text of a key, or ``default``."""
        found = self.text(key)
        return found.value if found is not None else default

    def integer(self, key: str) -> int | None:
        """Return the integer of a key; ``None`` if it is absent."""
        found = self.get(key)
        return found.value if isinstance(found, Integer) else None

    def flag(self, key: str, default: bool = False) -> bool:
        """Return the flag of a key, or ``default``."""
        found = self.get(key)
        return found.value if isinstance(found, Flag) else default

    def expression(self, key: str) -> Expression | None:
        """Return the expression of a key; ``None`` if it is absent."""
        found = self.get(key)
        return found if isinstance(found, Expression) else None

    def items(self, key: str) -> tuple[Value, ...]:
        """Return the list of a key; empty if it is absent."""
        found = self.get(key)
        return found.items if isinstance(found, Items) else ()

    def texts(self, key: str) -> tuple[Text, ...]:
        """Return the texts in the list of a key; empty if it is absent."""
        return tuple(each for each in self.items(key) if isinstance(each, Text))

    def sections(self, key: str) -> tuple[Section, ...]:
        """Return the mappings in the list of a key; empty if it is absent."""
        return tuple(each for each in self.items(key) if isinstance(each, Section))

    def entries(self, key: str) -> tuple[Entry, ...]:
        """Return the entries of a key that is a mapping from names; empty if it is absent."""
        found = self.get(key)
        return found.entries if isinstance(found, Entries) else ()

    def section(self, key: str) -> Section | None:
        """Return the mapping of a key; ``None`` if it is absent."""
        found = self.get(key)
        return found if isinstance(found, Section) else None

    @property
    def extensions(self) -> Section | None:
        """Return the mapping under ``-wireloom``; ``None`` if it is absent."""
        return self.section(EXTENSIONS)


EXTENSIONS = "-wireloom"

Value = Text | Integer | Flag | Expression | TypeReference | ProcessReference | Contents | Items | Entries | Section


# Keys that are missing, or whose values were refused -------------------------------------------------------------


def missing_keys(
    table: Table, values: Mapping[str, Value], keys: Collection[str], unknown_keys: Iterable[str]
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
