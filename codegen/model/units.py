"""The extension key ``message`` of ``meta``: the input consists of protobuf messages, each perhaps in an envelope."""

from __future__ import annotations

import re

from wireloom.base.dataclass import dataclass
from wireloom.format.message_rules import FRAMINGS

from ..expression.fold import constant_integer
from ..expression.types import BytesType, Path, UnionType, UserType
from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Section, Text
from ..spec.tables import CLASS, TABLES
from ..tree import Attribute, Struct
from ..tree.leaves import ExpressionSize, OwnSize, UnitColumn, UnitKind, Units
from ..words import listed, shown, suggestion
from .resolve import find_type, may_be_type
from .symbols import World
from .unit_kinds import KindReader

ROW_KEYS = tuple(word for word in TABLES["table"].keys if word in TABLES["meta-extensions"].keys)
"""Keys of one table, which may also be in ``meta``."""
KIND_KEYS = tuple(TABLES["message-kind"].keys)
WITHOUT = (*ROW_KEYS, "tables", "options")
"""Keys of ``meta`` that apply to another kind of table."""
TAKEN = ("parser", "columns", "spark")
"""Modules of a generated package; the module of each table except the default one is beside them."""


def refuse_module_name(what: str, name: Text, diagnostics: Diagnostics) -> None:
    """Report a name that a module of the generated package already has. ``what``: the thing with the name."""
    if name.value in TAKEN or name.value.startswith("pyspark_"):
        diagnostics.error(
            name.position, f"{what} cannot be called {shown(name.value)}: a generated module has this name"
        )


def column_names(units: Units) -> tuple[str, ...]:
    """Return the names of the columns of all kinds."""
    columns = (each for kind in units.kinds for each in (*kind.columns, *kind.selectable))
    return tuple(dict.fromkeys(each.name if isinstance(each, UnitColumn) else each for each in columns))


class UnitsReader:
    """Reads the units of a spec against the finished structs."""

    def __init__(self, root: Struct, structs: dict[Path, Struct], world: World, diagnostics: Diagnostics) -> None:
        self.root = root
        self.structs = structs
        self.world = world
        self.diagnostics = diagnostics

    def read(self, meta: Section) -> Units | None:
        """Return the units; ``None`` on errors, which are reported. ``meta``: the section with the key."""
        for key in WITHOUT:
            if key in meta.keys:
                message = f"'{key}' and 'message' cannot be used together: 'message' defines the table"
                self.diagnostics.error(meta.keys[key], message)
        section = meta.section("message")
        if section is None or section.faulty:
            return None
        before = self.diagnostics.errors
        framing, *_ = framings = self._framings(section)
        kinds = self._kinds(section)
        envelope = EnvelopeReader(self.root, self.structs, self.world, self.diagnostics).read(
            section, framing, {each.message for each in kinds}
        )
        if "lines" in framings and (envelope != Envelope() or "least" in section or any(each.whole for each in kinds)):
            message = (
                "messages with the framing 'lines' are JSON: they have no envelope, and 'otherwise' does not apply"
            )
            self.diagnostics.error(section.position_of("framing"), message)
        if self.diagnostics.errors > before:
            return None
        return Units(
            kinds=kinds,
            at=tuple(section.word("at").split(".")) if "at" in section else (),
            framing=framing,
            framings=framings if len(framings) > 1 else (),
            codec=section.word("codec"),
            packing=section.word("packing"),
            hooks=section.word("hooks"),
            option=section.word("option"),
            default=section.word("default"),
            prefix=envelope.prefix,
            digest=envelope.digest,
            least=section.integer("least") or 0,
            positions={key: section.position_of(key) for key in ("framing", "packing", "hooks") if key in section},
        )

    def _framings(self, section: Section) -> tuple[str, ...]:
        """Return the framing, or all framings of a list."""
        listed_words = section.texts("framing")
        for index, each in enumerate(listed_words):
            if each.value in [before.value for before in listed_words[:index]]:
                self.diagnostics.error(each.position, f"the framing {shown(each.value)} is listed twice")
        if listed_words:
            return tuple(each.value for each in listed_words)
        text = section.text("framing")
        if text is None:
            if "framing" in section:
                self.diagnostics.error(section.position_of("framing"), "expected at least one framing")
            return ("whole",)
        if text.value not in FRAMINGS and not re.fullmatch(CLASS, text.value):
            hint = suggestion(text.value, FRAMINGS)
            message = f"expected {listed([*FRAMINGS, 'module:Class'])}, found {shown(text.value)}{hint}"
            self.diagnostics.error(text.position, message)
        return (text.value,)

    # Kinds -----------------------------------------------------------------------------------------------------------

    def _kinds(self, section: Section) -> tuple[UnitKind, ...]:
        if "kinds" not in section:
            return self._only_kind(section)
        for key in KIND_KEYS:
            if key in section:
                self.diagnostics.error(section.keys[key], f"'{key}' is a key of each kind: move it into 'kinds'")
        for key in ("option", "default"):
            if key not in section:
                self.diagnostics.error(section.position_of("kinds"), f"'kinds' requires the key '{key}'")
        found: dict[str, UnitKind | None] = {}
        for entry in section.entries("kinds"):
            if isinstance(entry.key, Text) and isinstance(entry.value, Section):
                refuse_module_name("a kind", entry.key, self.diagnostics)
                found[entry.key.value] = self._kind(entry.value, entry.key.value)
        if not found:
            self.diagnostics.error(section.position_of("kinds"), "expected at least one kind of message")
        default = section.text("default")
        if default is not None and found and default.value not in found:
            message = f"the default must be one of the kinds, found {shown(default.value)}"
            self.diagnostics.error(default.position, f"{message}{suggestion(default.value, found)}")
        return tuple(each for each in found.values() if each is not None)

    def _only_kind(self, section: Section) -> tuple[UnitKind, ...]:
        for key in ("option", "default"):
            if key in section:
                self.diagnostics.error(section.keys[key], f"'{key}' requires the key 'kinds'")
        if "type" not in section:
            message = "a table of messages requires the key 'type', or 'kinds' for several kinds of messages"
            self.diagnostics.error(section.position, message)
            return ()
        kind = self._kind(section, "")
        return (kind,) if kind is not None else ()

    def _kind(self, section: Section, name: str) -> UnitKind | None:
        type = section.text("type")
        symbol = self.world.at(self.root.path)
        if type is None or symbol is None:
            return None
        found = find_type(self.world, symbol, type.value)
        if found is None:
            if not may_be_type(self.world, symbol, type.value):
                known = [each for each in symbol.types if symbol.types[each].is_message]
                hint = suggestion(type.value, known)
                self.diagnostics.error(type.position, f"unknown message type {shown(type.value)}{hint}")
            return None
        if not found.is_message:
            message = f"{shown(type.value)} is not a message type: it has no '-wireloom' with the key 'message'"
            self.diagnostics.error(type.position, message)
            return None
        unit = self.structs.get(found.path)
        return KindReader(unit, self.structs, self.world, self.diagnostics).read(section, name) if unit else None


@dataclass(frozen=True)
class Envelope:
    """``prefix``: the bytes before the message; ``digest``: the name of the digest after it, or empty."""

    prefix: bytes = b""
    digest: str = ""


class EnvelopeReader:
    """Reads the envelope against the finished structs."""

    def __init__(self, root: Struct, structs: dict[Path, Struct], world: World, diagnostics: Diagnostics) -> None:
        self.root = root
        self.structs = structs
        self.world = world
        self.diagnostics = diagnostics

    def read(self, section: Section, framing: str, messages: set[Path]) -> Envelope:
        """Return the envelope. ``messages``: the types that a unit may be. A custom framing finds the messages by
        itself; ``at`` then only names their attribute.
        """
        at = section.text("at")
        if at is None:
            if framing in FRAMINGS and self.root.attributes and not self._failed(self.root):
                first = self.root.attributes[0]
                message = (
                    "the outermost type has a 'seq': add the key 'at' with the name of the attribute that is the "
                    "message"
                )
                self.diagnostics.error(first.position or section.position, message)
            return Envelope()
        attribute = self._find(at, messages)
        if attribute is None or framing not in FRAMINGS:
            return Envelope()
        if "." in at.value:
            message = (
                f"with the framing {shown(framing)}, the message must be an attribute of the outermost type: 'at' "
                "cannot contain dots"
            )
            self.diagnostics.error(at.position, message)
            return Envelope()
        return self._envelope(attribute, at)

    def _find(self, at: Text, messages: set[Path]) -> Attribute | None:
        """Return the attribute that ``at`` leads to; if its type is a message, it must be one of ``messages``."""
        here: Struct | None = self.root
        attribute: Attribute | None = None
        offset = 0
        for name in at.value.split("."):
            position = at.scalar.place(offset, offset + len(name))
            offset += len(name) + 1
            if here is None:
                message = (
                    f"the attribute before {shown(name)} does not have a user-defined type, so it has no attributes"
                )
                self.diagnostics.error(position, message)
                return None
            attribute = here.attribute(name)
            if attribute is None:
                if not self._failed(here):
                    hint = suggestion(name, [each.id for each in here.attributes])
                    self.diagnostics.error(position, f"{'::'.join(here.path)} has no attribute {shown(name)}{hint}")
                return None
            here = self.structs.get(attribute.type.path) if isinstance(attribute.type, UserType) else None
        if attribute is not None and not _may_contain(attribute):
            self.diagnostics.error(at.position, f"{shown(at.value)} cannot contain a message")
            return None
        if here is not None and messages and here.path not in messages:
            wanted = " or ".join(shown("::".join(each[1:])) for each in sorted(messages))
            self.diagnostics.error(at.position, f"{shown(at.value)} must be of the message type {wanted}")
            return None
        return attribute

    def _failed(self, struct: Struct) -> bool:
        """Return whether the struct may lack attributes because of errors that have been reported."""
        symbol = self.world.at(struct.path)
        return symbol is not None and (symbol.unknown_members or any(each.failed for each in symbol.members.values()))

    def _envelope(self, message: Attribute, at: Text) -> Envelope:
        index = self.root.attributes.index(message)
        after = self.root.attributes[index + 1 :]
        if message.repeat is not None or message.condition is not None or message.process is not None:
            self.diagnostics.error(
                at.position, f"the message {shown(message.id)} cannot have 'repeat', 'if' or 'process'"
            )
        elif after and isinstance(message.size, OwnSize):
            self.diagnostics.error(
                at.position,
                f"{shown(message.id)} extends to the end of the stream, but {shown(after[0].id)} follows it",
            )
        prefix = b""
        for each in self.root.attributes[:index]:
            if each.contents is None or each.repeat is not None or each.condition is not None:
                message_text = f"only attributes with 'contents' can precede the message; {shown(each.id)} has none"
                self.diagnostics.error(each.position or at.position, message_text)
            else:
                prefix += each.contents
        digest = _digest(after[0], message) if after else ""
        for each in after:
            if each is not after[0] or not digest:
                message_text = f"only a digest of the message can follow it; {shown(each.id)} is not one"
                self.diagnostics.error(each.position or at.position, message_text)
        return Envelope(prefix, digest)


def _may_contain(attribute: Attribute) -> bool:
    """Return whether the attribute may be a message: it has such a type, also by case, or is bytes that a framing
    decodes."""
    plain_bytes = isinstance(attribute.type, BytesType) and attribute.contents is None
    # A union without a switch results from a switch with an error, which has been reported.
    return isinstance(attribute.type, UserType | UnionType) or attribute.switch is not None or plain_bytes


def _digest(attribute: Attribute, message: Attribute) -> str:
    """Return the name of the digest of the whole message in an attribute; empty if the attribute is not a digest."""
    checksum = attribute.checksum
    if checksum is None or attribute.condition is not None or checksum.replace is not None:
        return ""
    if not checksum.first == checksum.last == message.id:
        return ""
    found = checksum.made_by
    size = attribute.size.expression if isinstance(attribute.size, ExpressionSize) else None
    return found.name if found.is_digest and size is not None and constant_integer(size) == found.size else ""
