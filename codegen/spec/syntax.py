"""The checked syntax tree: what ``validator`` makes of YAML nodes, every value of the kind that its table asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ..expression.nodes import Node
from .position import Position
from .tables import TABLES
from .tree import Scalar


@dataclass(frozen=True)
class Text:
    """A single value as text."""

    value: str
    scalar: Scalar

    @property
    def position(self) -> Position:
        """Its position in the file."""
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
    """A parsed expression; ``place`` finds an offset of its text in the file."""

    node: Node
    scalar: Scalar
    offset: int = 0
    """Where the expression's text begins in the scalar's."""

    @property
    def position(self) -> Position:
        """Its position in the file."""
        return self.scalar.position

    def place(self, offset: int, end: int | None = None) -> Position:
        """Return where these characters of the expression's text are in the file."""
        return self.scalar.place(self.offset + offset, None if end is None else self.offset + end)


@dataclass(frozen=True)
class TypeReference:
    """``name(arguments)``."""

    name: str
    arguments: tuple[Node, ...]
    scalar: Scalar

    @property
    def position(self) -> Position:
        """Its position in the file."""
        return self.scalar.position

    def argument(self, index: int) -> Expression:
        """One argument as an expression with its place."""
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
    """Items were refused and are not among these."""


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
    """Entries were refused and are not among these."""


@dataclass(frozen=True)
class Section:
    """A mapping with known keys; ``table`` is the name of its table, ``keys`` says where each key stands."""

    table: str
    position: Position
    values: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    keys: Mapping[str, Position] = field(default_factory=lambda: MappingProxyType({}))
    faulty: bool = False
    """There is an error in it, at any depth: what it describes is not to be judged by what is left of it."""
    missing: frozenset[str] = frozenset()
    """Keys of the table whose value was refused, in whole or in part, or that an unknown key was perhaps meant to be:
    nothing follows from their absence."""

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def get(self, key: str) -> Value | None:
        """Return the value of a key that the table has, if it is there."""
        if key not in TABLES[self.table].keys and key != EXTENSIONS:
            raise KeyError(f"the table '{self.table}' has no key '{key}'")
        return self.values.get(key)

    def position_of(self, key: str) -> Position:
        """Return the position of the key's value; the section's own place where there is none."""
        found = self.values.get(key)
        return found.position if found is not None else self.position

    def text(self, key: str) -> Text | None:
        """Return the text of a key."""
        found = self.get(key)
        return found if isinstance(found, Text) else None

    def word(self, key: str, default: str = "") -> str:
        """Return the text of a key, or ``default``."""
        found = self.text(key)
        return found.value if found is not None else default

    def integer(self, key: str) -> int | None:
        """Return the integer of a key."""
        found = self.get(key)
        return found.value if isinstance(found, Integer) else None

    def flag(self, key: str, default: bool = False) -> bool:
        """The flag of a key."""
        found = self.get(key)
        return found.value if isinstance(found, Flag) else default

    def expression(self, key: str) -> Expression | None:
        """Return the expression of a key."""
        found = self.get(key)
        return found if isinstance(found, Expression) else None

    def items(self, key: str) -> tuple[Value, ...]:
        """Return the list of a key."""
        found = self.get(key)
        return found.items if isinstance(found, Items) else ()

    def texts(self, key: str) -> tuple[Text, ...]:
        """Return the texts in the list of a key."""
        return tuple(each for each in self.items(key) if isinstance(each, Text))

    def sections(self, key: str) -> tuple[Section, ...]:
        """Return the mappings in the list of a key."""
        return tuple(each for each in self.items(key) if isinstance(each, Section))

    def entries(self, key: str) -> tuple[Entry, ...]:
        """Return the entries of a key that is a mapping from names."""
        found = self.get(key)
        return found.entries if isinstance(found, Entries) else ()

    def section(self, key: str) -> Section | None:
        """Return the mapping of a key."""
        found = self.get(key)
        return found if isinstance(found, Section) else None

    @property
    def extensions(self) -> Section | None:
        """Return the mapping under ``-wireloom``."""
        return self.section(EXTENSIONS)


EXTENSIONS = "-wireloom"

Value = Text | Integer | Flag | Expression | TypeReference | ProcessReference | Contents | Items | Entries | Section
