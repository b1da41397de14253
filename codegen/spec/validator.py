"""YAML nodes → checked syntax tree, according to the tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import MappingProxyType

from ..expression.lexer import ExpressionError
from ..expression.nodes import Node
from ..expression.parser import parse_expression, parse_expressions, parse_type_reference
from ..words import nearest, shortened, shown, suggestion
from .diagnostics import Diagnostics, TooManyErrorsError
from .expectations import expected, unknown_key
from .kinds import (
    IDENTIFIER,
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
from .position import Position
from .slips import glued, glued_below, misplaced, parted
from .syntax import (
    Contents,
    Entries,
    Entry,
    Expression,
    Flag,
    Integer,
    Items,
    ProcessReference,
    Section,
    Text,
    TypeReference,
    Value,
    absent,
    missing_keys,
)
from .tables import EXTENSION, FOR_EACH, TABLES
from .tree import MAX_DIGITS, Mapping, Scalar, Sequence, YamlNode, described, plain_value
from .varints import varint_type

_PROCESS = re.compile(r"\s*([a-z][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)*)\s*(?:\((.*)\))?\s*", re.DOTALL)


MAX_CHARACTERS = 500_000
"""Maximum number of characters of all expressions together: parsing and typing them takes most of the time."""


class Validator:
    """Checks nodes against kinds; a node with an error becomes ``None``, and the error is in the diagnostics."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        self.diagnostics = diagnostics
        self._characters = 0

    def spec(self, root: YamlNode) -> Section | None:
        """Check the whole file and return its syntax tree; ``None`` if it is not a mapping."""
        if not isinstance(root, Mapping):
            self.diagnostics.error(
                root.position, f"a spec must be a mapping with the key 'meta', found {described(root)}"
            )
            return None
        return self._section(root, "spec")

    def check(self, node: YamlNode, kind: Kind) -> Value | None:
        """Return the node as a value of ``kind``; ``None`` if it is invalid."""
        if isinstance(kind, TableKind):
            return self._section(node, kind.table)
        if isinstance(kind, ListKind):
            return self._list(node, kind)
        if isinstance(kind, MapKind):
            return self._map(node, kind)
        if isinstance(kind, EitherKind):
            return self._either(node, kind)
        if isinstance(kind, ContentsKind):
            return self._contents(node)
        if isinstance(kind, ObjectsKind):
            return self._objects(node)
        if isinstance(kind, AnyKind):
            return None
        if isinstance(node, Scalar) and node.value is not None:
            return self._scalar(node, kind)
        if not (isinstance(node, Scalar) and isinstance(kind, TextKind) and kind.empty):
            self._wrong(node, expected(kind))
        return None

    def _wrong(self, node: YamlNode, wanted: str) -> None:
        self.diagnostics.error(node.position, f"expected {wanted}, found {described(node)}")

    # Mappings and lists ---------------------------------------------------------------------------------------------

    def _section(self, node: YamlNode, name: str) -> Section | None:
        if name == "enum":
            return self._enum(node)
        table = TABLES[name]
        if not isinstance(node, Mapping):
            if (slip := glued(node, table)) is not None:
                self.diagnostics.first(node.position, slip)
            else:
                self._wrong(node, f"{table.name} as a mapping")
            return None
        self.diagnostics.concerns(node.position, name)
        errors = self.diagnostics.errors
        values: dict[str, Value] = {}
        keys: dict[str, Position] = {}
        unknown_keys: list[str] = []
        for key, child in self._entries(node, table):
            kind = self._key_kind(key, table, node)
            if kind is None and not key.text.startswith("-"):
                unknown_keys.append(key.text)
            self.diagnostics.concerns(key.position, name, key.text if kind is not None else None)
            if kind is not None:
                keys[key.text] = key.position
                items = child.items if isinstance(child, Sequence) else ()
                for part in (child, *(item for item in items if isinstance(item, Scalar))):
                    self.diagnostics.concerns(part.position, name, key.text)
                below = glued_below(child, kind, table)
                if below is not None:
                    self.diagnostics.first(*below)
                value = None if below is not None else self.check(child, kind)
                if value is not None:
                    values[key.text] = value
        meant = {nearest(word, table.keys) for word in unknown_keys}
        for word, each in table.keys.items():
            # An unknown key that is like none may be any that is missing, except for the first key of a spec.
            if each.required and word not in keys and meant.isdisjoint((word, word if name == "spec" else None)):
                self.diagnostics.error(node.position, absent(name, word), (name, word))
        if name == "type":
            values.update(self._varint(values, keys))
        missing = missing_keys(table, values, keys, unknown_keys)
        faulty = self.diagnostics.errors > errors
        return Section(name, node.position, MappingProxyType(values), MappingProxyType(keys), faulty, missing)

    def _entries(self, node: Mapping, table: Table) -> Iterator[tuple[Scalar, YamlNode]]:
        """Yield the entries; a key without a space after its colon is reported, and read as if it had one."""
        for key, child in node.entries:
            slip = glued(key, table) if isinstance(child, Scalar) and child.value is None else None
            if slip is not None:
                self.diagnostics.first(key.position, slip)
            yield (key, child) if slip is None else parted(key)

    def _varint(self, values: dict[str, Value], keys: dict[str, Position]) -> dict[str, Value]:
        """Return the attributes and instances of a type with the key ``varint``; empty for other types."""
        extensions = values.get(EXTENSION)
        made = varint_type(extensions, keys, self.diagnostics) if isinstance(extensions, Section) else None
        entries = made.entries if made is not None else ()
        checked = {key.text: self.check(child, TABLES["type"].keys[key.text].kind) for key, child in entries}
        return {word: value for word, value in checked.items() if value is not None}

    def _key_kind(self, key: Scalar, table: Table, node: Mapping) -> Kind | None:
        word = key.text
        if word in table.keys:
            return table.keys[word].kind
        if word == EXTENSION:
            if table.extensions:
                return TableKind(table.extensions)
            self.diagnostics.error(key.position, f"{table.name} does not have the key '{EXTENSION}'")
        elif not word.startswith("-"):
            self.diagnostics.error(key.position, unknown_key(word, table, node))
        elif nearest(word, [EXTENSION]):
            self.diagnostics.warning(key.position, f"the key {shown(word)} is ignored{suggestion(word, [EXTENSION])}")
        elif message := misplaced(word, table, {each.text for each, _ in node.entries}):
            self.diagnostics.warning(key.position, message)
        return None

    def _list(self, node: YamlNode, kind: ListKind) -> Items | None:
        nothing = isinstance(node, Scalar) and node.value is None
        if isinstance(node, Sequence):
            nodes = node.items
        elif nothing and isinstance(kind.item, TextKind) and kind.item.empty:
            nodes = ()
        elif kind.single and not nothing:
            nodes = (node,)
        else:
            self._wrong(node, "a list")
            return None
        if len(nodes) < kind.minimum or (kind.maximum is not None and len(nodes) > kind.maximum):
            most = kind.maximum if kind.maximum is not None else "any number"
            amount = str(most) if kind.minimum == kind.maximum else f"{kind.minimum} to {most}"
            self.diagnostics.error(node.position, f"expected a list of {amount} items, found {len(nodes)}")
            return None
        checked = [self.check(each, kind.item) for each in nodes]
        items = tuple(each for each in checked if each is not None)
        return Items(items, node.position, len(items) < len(checked))

    def _map(self, node: YamlNode, kind: MapKind) -> Entries | None:
        if not isinstance(node, Mapping):
            self._wrong(node, f"a mapping with a key for each {kind.key}")
            return None
        entries: list[Entry] = []
        for key, child in node.entries:
            checked: Text | Expression | None
            if kind.keys == "expression":
                checked = self._expression(key)
            elif not re.fullmatch(IDENTIFIER, key.text):
                message = f"invalid {kind.key} ID: {shown(key.text)}, expected /^{IDENTIFIER}$/"
                self.diagnostics.error(key.position, message)
                continue
            else:
                checked = Text(key.text, key)
            value = self.check(child, kind.value)
            if checked is not None and value is not None:
                entries.append(Entry(checked, value))
        return Entries(tuple(entries), node.position, len(entries) < len(node.entries))

    def _objects(self, node: YamlNode) -> Value | None:
        """Return a list of objects, an object in it or one for each item, or a value of such an object."""
        if isinstance(node, Sequence):
            items = [self._objects(each) for each in node.items]
            found = tuple(each for each in items if each is not None)
            return Items(found, node.position, len(found) < len(items))
        if isinstance(node, Mapping):
            if any(key.text == FOR_EACH for key, _ in node.entries):
                return self._section(node, FOR_EACH)
            return self._map(node, MapKind("attribute", ObjectsKind()))
        if node.value is None:
            self._wrong(node, "an expression, an object or a list")
            return None
        return self._expression(node)

    def _enum(self, node: YamlNode) -> Section | None:
        """Check an enum: its keys are values, and its members names or mappings with ``id``."""
        if not isinstance(node, Mapping):
            self._wrong(node, "an enum as a mapping from integers to names")
            return None
        errors = self.diagnostics.errors
        entries: list[Entry] = []
        for key, child in node.entries:
            value = plain_value(key.text)  # in quotes it is an expression as well
            if re.fullmatch(r"-?0[0-9]+", key.text) and len(key.text) <= MAX_DIGITS:
                value = int(key.text)
                if value and not set(key.text) & set("89"):
                    self.diagnostics.warning(key.position, f"{key.text} is read as {value}, not as an octal number")
            if not isinstance(value, int) or isinstance(value, bool):
                self.diagnostics.error(key.position, f"expected an integer as an enum's value, found {described(key)}")
                continue
            member: Value | None
            if isinstance(child, Mapping):
                member = self._section(child, "enum-member")
            elif isinstance(child, Scalar) and child.value is None and child.text:
                member = None
                self.diagnostics.error(child.position, f"expected string or map, got {child.text}")
            else:
                member = self.check(child, TABLES["enum-member"].keys["id"].kind)
            if member is not None:
                entries.append(Entry(Integer(value, key.position), member))
        members = MappingProxyType({"members": Entries(tuple(entries), node.position)})
        return Section("enum", node.position, members, faulty=self.diagnostics.errors > errors)

    def _either(self, node: YamlNode, kind: EitherKind) -> Value | None:
        chosen: Kind | None = None
        if isinstance(node, Scalar):
            chosen = kind.scalar if node.value is not None else None
        else:
            chosen = kind.mapping if isinstance(node, Mapping) else kind.sequence
        if chosen is None:
            self._wrong(node, kind.expected)
            return None
        return self.check(node, chosen)

    def _contents(self, node: YamlNode) -> Contents | None:
        if isinstance(node, Scalar) and isinstance(node.value, str):
            return Contents(node.text.encode(), node.position)
        if not isinstance(node, Sequence):
            self._wrong(node, "text or a list of bytes and texts")
            return None
        parts: list[bytes] = []
        for each in node.items:
            if isinstance(each, Scalar) and isinstance(each.value, str):
                parts.append(each.text.encode())
            elif isinstance(each, Scalar) and type(each.value) is int and -128 <= each.value <= 255:
                parts.append(bytes([each.value & 0xFF]))
            else:
                self._wrong(each, "a byte (0 to 255) or text")
                return None
        return Contents(b"".join(parts), node.position)

    # Single values --------------------------------------------------------------------------------------------------

    def _scalar(self, node: Scalar, kind: Kind) -> Value | None:
        if isinstance(kind, ExpressionKind):
            return self._expression(node)
        if isinstance(kind, TypeKind):
            return self._type(node)
        if isinstance(kind, ProcessKind):
            return self._process(node)
        if isinstance(kind, TextKind):
            return self._text(node, kind)
        if isinstance(kind, FlagKind):
            if isinstance(node.value, bool) and kind.only not in (None, node.value) and kind.refusal:
                self.diagnostics.error(node.position, kind.refusal.replace("{}", node.text))
                return None
            if not isinstance(node.value, bool) or kind.only not in (None, node.value):
                self._wrong(node, expected(kind))
                return None
            return Flag(node.value, node.position)
        if isinstance(kind, IntegerKind):
            value = node.value
            if not isinstance(value, int) or isinstance(value, bool):
                self._wrong(node, expected(kind))
                return None
            if not _within(value, kind):
                self.diagnostics.error(node.position, f"expected {expected(kind)}, got {shortened(node.text)}")
                return None
            return Integer(value, node.position)
        raise AssertionError(kind)

    def _text(self, node: Scalar, kind: TextKind) -> Text | None:
        fits = not kind.choices or node.text in kind.choices
        if fits and (kind.pattern is None or re.fullmatch(kind.pattern, node.text)):
            return Text(node.text, node)
        if kind.refusal:
            message = kind.refusal.replace("{}", shortened(node.text))
        elif kind.choices:
            message = f"expected {' / '.join(sorted(kind.choices))}, got {shown(node.text)}"
        else:
            message = f"expected {kind.expected}, found {described(node)}"
        self.diagnostics.error(node.position, message + suggestion(node.text, kind.choices))
        return None

    def _expression(self, node: Scalar) -> Expression | None:
        text = node.text.lower() if isinstance(node.value, bool) else node.text
        self._count(node, text)
        try:
            return Expression(parse_expression(text), node)
        except ExpressionError as error:
            self.diagnostics.error(node.place(error.start, error.end), error.message)
            return None

    def _count(self, node: Scalar, expression: str) -> None:
        """Count the text of an expression; end the compilation if the limit is exceeded."""
        self._characters += len(expression)
        if self._characters > MAX_CHARACTERS:
            message = f"the expressions of a spec and its imports have at most {MAX_CHARACTERS} characters in all"
            self.diagnostics.error(node.position, message)
            raise TooManyErrorsError

    def _type(self, node: Scalar) -> TypeReference | None:
        if "(" in node.text:
            self._count(node, node.text)
        try:
            name, arguments = parse_type_reference(node.text)
        except ExpressionError as error:
            self.diagnostics.error(node.place(error.start, error.end), error.message)
            return None
        return TypeReference(name, arguments, node)

    def _process(self, node: Scalar) -> ProcessReference | None:
        found = _PROCESS.fullmatch(node.text)
        if found is None:
            self._wrong(node, expected(ProcessKind()))
            return None
        name, inside = found.group(1), found.group(2)
        arguments: tuple[Node, ...] = ()
        if inside is not None and inside.strip():
            self._count(node, inside)
            try:
                arguments = parse_expressions(inside)
            except ExpressionError as error:
                self.diagnostics.error(
                    node.place(found.start(2) + error.start, found.start(2) + error.end), error.message
                )
                return None
        wanted = {"zlib": 0, "xor": 1, "rol": 1, "ror": 1}.get(name)
        if wanted is not None and wanted != len(arguments):
            plural = "" if wanted == 1 else "s"
            self.diagnostics.error(node.position, f"'{name}' takes {wanted} argument{plural}, found {len(arguments)}")
            return None
        expressions = tuple(Expression(each, node, found.start(2)) for each in arguments)
        return ProcessReference(name, expressions, node.position)


def _within(value: int, kind: IntegerKind) -> bool:
    return (kind.minimum is None or value >= kind.minimum) and (kind.maximum is None or value <= kind.maximum)
