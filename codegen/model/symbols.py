"""Declared names: files, types, enums and members, before anything is typed."""

from __future__ import annotations

from collections.abc import Iterator

from wireloom.base.dataclass import dataclass, field

from ..expression.nodes import Node
from ..expression.types import Path, Type
from ..spec.position import Position
from ..spec.syntax import Section
from ..tree.leaves import Enum
from .fields import Field


@dataclass(frozen=True)
class Defaults:
    """The defaults in ``meta`` for all types inside: ``endian`` is ``le``, ``be``, ``computed`` or ``None``."""

    endian: str | None = None
    bit_endian: str = "be"
    encoding: str | None = None


@dataclass(eq=False)
class Member:
    """An attribute, an instance or a parameter.

    ``type`` is a list type if it repeats, and ``None`` while a value instance is not typed yet; ``failed``: it cannot
    be typed, which has been reported.
    """

    id: str
    kind: str
    section: Section
    position: Position
    index: int
    field: Field | None = None
    type: Type | None = None
    value: Node | None = None
    failed: bool = False


@dataclass(eq=False)
class SourceFile:
    """A spec file: its name in diagnostics, the digest of its bytes, and its checked syntax."""

    display: str
    sha256: str
    section: Section
    unknown_types: bool = False
    unknown_enums: bool = False
    """Whether enums of an import could not be read, so that an unknown name may be one of them."""
    unknown_holders: bool = False
    """Whether types of attributes could not be read, so that they may contain objects of any of its types."""


@dataclass(eq=False)
class Symbol:
    """A type that a spec declares."""

    path: Path
    file: SourceFile
    section: Section
    outer: Symbol | None
    defaults: Defaults
    opaque_types: bool
    inherits_endian: bool = False
    types: dict[str, Symbol] = field(default_factory=dict)
    enums: dict[str, Enum] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    parents: list[Symbol] = field(default_factory=list)
    unknown_members: bool = False
    """Whether it has members whose names could not be read."""
    unknown_types: bool = False
    unknown_enums: bool = False
    """The same for the types and enums inside it."""
    unknown_labels: set[str] = field(default_factory=set)
    """Its enums with labels that could not be read."""

    @property
    def name(self) -> str:
        """Return the path as shown in messages."""
        return "::".join(self.path)

    @property
    def is_message(self) -> bool:
        """Return whether it is the type of a protobuf message, even one with errors."""
        extensions = self.section.extensions
        if extensions is None:
            return "-wireloom" in self.section.missing and "seq" not in self.section.keys
        return "message" in extensions.keys or "message" in extensions.missing

    @property
    def message(self) -> Section | None:
        """Return the key that makes it the type of a protobuf message."""
        extensions = self.section.extensions
        return extensions.section("message") if extensions is not None else None

    @property
    def root(self) -> Symbol:
        """Return the outermost type of the same file."""
        found = self
        while found.outer is not None:
            found = found.outer
        return found

    def all(self) -> Iterator[Symbol]:
        """Yield the symbol and all symbols inside it, outer before inner."""
        yield self
        for each in self.types.values():
            yield from each.all()

    def outwards(self) -> Iterator[Symbol]:
        """Yield the symbol and all enclosing ones, inner before outer."""
        found: Symbol | None = self
        while found is not None:
            yield found
            found = found.outer

    def of_kind(self, kind: str) -> list[Member]:
        """Return the members of the kind ``attribute``, ``instance`` or ``parameter``, in order."""
        return [each for each in self.members.values() if each.kind == kind]


class AlreadyReportedError(Exception):
    """A name cannot be used because of an error that has been reported, so that no other error is reported for its
    uses."""


@dataclass
class World:
    """All files of one compilation, by the name of their outermost type."""

    roots: dict[str, Symbol] = field(default_factory=dict)
    taken: int = 0
    """Instances that types copy from others."""

    def all(self) -> Iterator[Symbol]:
        """Yield all symbols of all files."""
        for root in self.roots.values():
            yield from root.all()

    def at(self, path: Path) -> Symbol | None:
        """Return the symbol of an absolute path."""
        found = self.roots.get(path[0])
        for name in path[1:]:
            found = found.types.get(name) if found is not None else None
        return found

    def has_failed(self, path: Path, name: str) -> bool:
        """Return whether a member that a type lacks was, or may have been, declared with an error that was reported."""
        symbol = self.at(path)
        member = symbol.members.get(name) if symbol is not None else None
        return (symbol is not None and symbol.unknown_members) or (member is not None and member.failed)

    def failing(self, path: Path) -> list[str]:
        """Return the names of the members of a type that were declared with an error."""
        symbol = self.at(path)
        return [] if symbol is None else [each.id for each in symbol.members.values() if each.failed]
