"""The declarations of names in a spec, for editors: its outline, and the definition of the name at a position."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from wireloom.base.dataclass import dataclass, field

from .expression.lexer import ExpressionError
from .expression.nodes import Cast, EnumMember, MemberAccess, Name, Node, SizeOf, Subscript
from .expression.parser import parse_expression
from .expression.types import ListType, Type, UserType
from .expression.walk import walk
from .model.containment import find_parents
from .model.imports import Loader, display_name
from .model.load import declared
from .model.resolve import find_enum, find_type
from .model.scope import Typing
from .model.sizes import Sizes
from .model.symbols import AlreadyReportedError, Member, Symbol, World
from .spec.diagnostics import Diagnostics, TooManyErrorsError
from .spec.kinds import EitherKind, Kind, ListKind
from .spec.position import Position
from .spec.reader import read_yaml
from .spec.syntax import Entries, Expression, Items, ProcessReference, Section, Text, TypeReference, Value
from .spec.tables import KINDS, TABLES
from .spec.validator import Validator
from .tree.leaves import Enum

PATHS = tuple(KINDS[name] for name in ("attribute-name", "covered", "name", "path", "row-path"))
"""The kinds of names of attributes, and of paths of them."""


@dataclass(frozen=True)
class Declared:
    """A name that a spec declares: a ``type``, an ``enum``, a ``label`` of one, an ``attribute``, an ``instance`` or a
    ``parameter``. ``detail``: the name of its type; ``inner``: what is declared inside it."""

    name: str
    kind: str
    detail: str
    position: Position
    inner: tuple[Declared, ...] = ()


def outline(text: str, display: str) -> tuple[Declared, ...]:
    """Return what a text declares, as far as it is valid; nothing of a text that is not YAML. ``display``: the name of
    the file in positions."""
    diagnostics = Diagnostics()
    try:
        root = read_yaml(text, display, diagnostics)
        section = Validator(diagnostics).spec(root) if root is not None else None
    except TooManyErrorsError:
        return ()
    return tuple(_declared_in(section)) if section is not None else ()


def _declared_in(section: Section) -> Iterator[Declared]:
    for kind, word in (("parameter", "params"), ("attribute", "seq")):
        for each in section.sections(word):
            id = each.text("id")
            if id is not None:
                yield Declared(id.value, kind, _type_name(each), id.position)
    for name, inner in _named(section, "instances"):
        yield Declared(name.value, "instance", _type_name(inner), name.position)
    for name, inner in _named(section, "enums"):
        labels = (Declared(each.value, "label", "", each.position) for each in _labels(inner))
        yield Declared(name.value, "enum", "", name.position, tuple(labels))
    for name, inner in _named(section, "types"):
        yield Declared(name.value, "type", "", name.position, tuple(_declared_in(inner)))


def _named(section: Section, word: str) -> Iterator[tuple[Text, Section]]:
    for entry in section.entries(word):
        if isinstance(entry.key, Text) and isinstance(entry.value, Section):
            yield entry.key, entry.value


def _labels(enum: Section) -> Iterator[Text]:
    for entry in enum.entries("members"):
        label = entry.value.text("id") if isinstance(entry.value, Section) else entry.value
        if isinstance(label, Text):
            yield label


def _type_name(section: Section) -> str:
    found = section.get("type")
    return found.name if isinstance(found, TypeReference) else ""


def definition(
    path: Path,
    text: str,
    line: int,
    column: int,
    folders: Iterable[Path] = (),
    unsaved: Mapping[Path, str] | None = None,
) -> Position | None:
    """Return the position at which the type, enum, attribute or import that is named at a position is declared.

    Args:
        path: The spec file.
        text: The text of the spec.
        line: The line, counted from 1 as in diagnostics.
        column: The column, counted from 1; the column after a name belongs to it.
        folders: The folders of absolute imports.
        unsaved: The texts of imports whose files are not to be read, by their absolute paths.

    Returns:
        The position, in this file or an imported one; ``None`` if nothing with a declaration is named there.
    """
    loader = Loader(Diagnostics(), tuple(folders), unsaved or {})
    try:
        world = declared(loader, path, text, display_name(path))
        if world is None:
            return None
        typing = Typing(world, Diagnostics(silent=True), Sizes(world))
        find_parents(world, typing)
        root = next(iter(world.roots.values()))
        return _Search(loader, path, world, typing, line, column).found(root.section, "", root, None)
    except (TooManyErrorsError, AlreadyReportedError, ExpressionError, RecursionError):
        # It depends on something with an error, which the check reports.
        return None


@dataclass
class _Search:
    """Searches a spec for what is named at a position."""

    loader: Loader
    path: Path
    world: World
    typing: Typing
    line: int
    column: int
    symbols: dict[int, Symbol] = field(default_factory=dict)
    members: dict[int, tuple[Symbol, Member]] = field(default_factory=dict)
    """By the identity of their sections."""

    def __post_init__(self) -> None:
        for symbol in self.world.all():
            self.symbols[id(symbol.section)] = symbol
            for member in symbol.members.values():
                self.members.setdefault(id(member.section), (symbol, member))

    def found(
        self, value: Value, word: str, symbol: Symbol, member: Member | None, kind: Kind | None = None
    ) -> Position | None:
        """Return the definition of the name in a value under the key ``word``."""
        parts: Iterable[Position | None] = ()
        if isinstance(value, Section):
            symbol = self.symbols.get(id(value), symbol)
            symbol, member = self.members.get(id(value), (symbol, member))
            keys = TABLES[value.table].keys
            kinds = {key: keys[key].kind if key in keys else None for key in value.values}
            parts = (self.found(each, key, symbol, member, kinds[key]) for key, each in value.values.items())
        elif isinstance(value, Items):
            parts = (self.found(each, word, symbol, member, kind) for each in value.items)
        elif isinstance(value, Entries):
            inside = (part for each in value.entries for part in (each.key, each.value))
            parts = (self.found(each, word, symbol, member) for each in inside)
        elif isinstance(value, ProcessReference):
            parts = (self.expression(each, symbol, member) for each in value.arguments)
        elif isinstance(value, Expression):
            return self.expression(value, symbol, member) if self.covers(value.position) else None
        elif isinstance(value, TypeReference) and self.covers(value.position):
            if self.covers(value.scalar.place(0, len(value.name))):
                return self.of_type(find_type(self.world, symbol, value.name.removesuffix("[]")))
            arguments = (value.argument(index) for index in range(len(value.arguments)))
            parts = (self.expression(each, symbol, member) for each in arguments)
        elif isinstance(value, Text) and word != "id" and self.covers(value.position):
            return self.text(value, word, symbol, member, kind)
        return next((each for each in parts if each is not None), None)

    def text(self, text: Text, word: str, symbol: Symbol, member: Member | None, kind: Kind | None) -> Position | None:
        """Return the definition of a name by itself."""
        while isinstance(kind, ListKind | EitherKind):
            kind = kind.item if isinstance(kind, ListKind) else kind.scalar or kind.sequence
        if word == "imports":
            file = self.loader.find(text.value, self.path)
            return Position(display_name(file), 1, 1) if file is not None else None
        if kind == KINDS["enum-name"]:
            return self.of_enum(find_enum(self.world, symbol, text.value))
        if kind == KINDS["message-type"]:
            return self.of_type(find_type(self.world, symbol, text.value))
        if kind in PATHS:
            return self.expression(Expression(parse_expression(text.value), text.scalar), symbol, member)
        return None

    def expression(self, expression: Expression, symbol: Symbol, member: Member | None) -> Position | None:
        """Return the definition of the name at the position in an expression."""
        text = expression.scalar.text[expression.offset :]
        for node in walk(expression.node):
            name = node.name if isinstance(node, MemberAccess) else node.label if isinstance(node, EnumMember) else ""
            begin = text.rfind(name, node.start, node.end) if name else node.start
            begin = node.value.end if isinstance(node, Cast) else begin
            here = self.covers(expression.place(begin, node.end))
            if isinstance(node, Name | MemberAccess) and here:
                owner = symbol if isinstance(node, Name) else self.holder(node.value, symbol, member)
                return self.of_member(node.id if isinstance(node, Name) else node.name, owner, member)
            if isinstance(node, EnumMember) and self.covers(expression.place(node.start, node.end)):
                enum = find_enum(self.world, symbol, "::".join(node.path))
                return self.of_enum(enum, node.label if here else None)
            if isinstance(node, Cast | SizeOf) and here:
                return self.of_type(find_type(self.world, symbol, node.target.removesuffix("[]")))
        return None

    def covers(self, position: Position) -> bool:
        """Return whether the position that is searched for is in the range of another one, or just after it."""
        return position.line == self.line and position.column <= self.column <= position.column + position.width

    def holder(self, node: Node, symbol: Symbol, member: Member | None) -> Symbol | None:
        """Return the type of the object, or of the items, that a part of an expression is."""
        if isinstance(node, Cast):
            return find_type(self.world, symbol, node.target.removesuffix("[]"))
        if isinstance(node, Subscript):
            return self.holder(node.value, symbol, member)
        if not isinstance(node, Name | MemberAccess):
            return None
        owner = symbol if isinstance(node, Name) else self.holder(node.value, symbol, member)
        if owner is None:
            return None
        name = node.id if isinstance(node, Name) else node.name
        if name in ("_root", "_parent"):
            return self.outer(name, owner)
        if name in ("first", "last") and name not in owner.members:
            return owner
        named = member if name == "_" else owner.members.get(name)
        return self.of_value(self.typing.member_type(owner, named)) if named is not None else None

    def outer(self, name: str, symbol: Symbol) -> Symbol | None:
        """Return the type of ``_root`` or ``_parent`` in a type."""
        return symbol.root if name == "_root" else symbol.parents[0] if len(symbol.parents) == 1 else None

    def of_value(self, type: Type) -> Symbol | None:
        """Return the declared type of a value, or of the items of a list."""
        while isinstance(type, ListType):
            type = type.item
        return self.world.at(type.path) if isinstance(type, UserType) and not type.opaque else None

    def of_member(self, name: str, owner: Symbol | None, member: Member | None) -> Position | None:
        """Return the position of the member of a type, or of what a word such as ``_parent`` means there."""
        if owner is not None and name in ("_root", "_parent"):
            return self.of_type(self.outer(name, owner))
        found = member if name == "_" else owner.members.get(name) if owner is not None else None
        return found.position if found is not None else None

    def of_type(self, symbol: Symbol | None) -> Position | None:
        """Return the position of a type's name."""
        if symbol is None:
            return None
        if symbol.outer is not None:
            names = _named(symbol.outer.section, "types")
            return next((name.position for name, inner in names if inner is symbol.section), symbol.section.position)
        meta = symbol.section.section("meta")
        id = meta.text("id") if meta is not None else None
        return id.position if id is not None else symbol.section.position

    def of_enum(self, enum: Enum | None, label: str | None = None) -> Position | None:
        """Return the position of the name of an enum, or of one of its labels."""
        owner = self.world.at(enum.path[:-1]) if enum is not None else None
        if enum is None or owner is None:
            return None
        name, inner = next(each for each in _named(owner.section, "enums") if each[0].value == enum.path[-1])
        labels = (each.position for each in _labels(inner) if each.value == label)
        return name.position if label is None else next(labels, name.position)
