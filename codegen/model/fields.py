"""The key ``type`` and related keys → type, size, terminator and cases, with expressions still untyped."""

from __future__ import annotations

import re
from collections.abc import Callable

from wireloom.base.dataclass import dataclass, replace
from wireloom.base.text import counted

from ..encodings import ENCODING_NAMES, canonical_encoding, canonical_encodings, python_codec, terminator_of
from ..expression.fold import constant_integer
from ..expression.nodes import Name
from ..expression.types import (
    BitsType,
    BytesType,
    EnumType,
    FloatType,
    IntegerType,
    StringType,
    Type,
    UserType,
    combined_all,
    type_name,
)
from ..spec.diagnostics import Diagnostics
from ..spec.kinds import MAX_BITS
from ..spec.position import Position
from ..spec.syntax import Contents, Entry, Expression, Section, Text, TypeReference
from ..tree.leaves import EndOfStreamSize, FixedSize, MessageField, OwnSize, TerminatedSize, Terminator
from ..words import nearest, shown


@dataclass(frozen=True)
class PendingWithin:
    """The key ``within`` with its untyped expression."""

    expression: Expression


PendingSize = FixedSize | EndOfStreamSize | TerminatedSize | OwnSize | PendingWithin | Expression

_INTEGER = re.compile(r"([us])([1248])(le|be)?")
_FLOAT = re.compile(r"f([48])(le|be)?")
_BITS = re.compile(r"b(\d+)(le|be)?")


@dataclass(frozen=True)
class PendingCase:
    """A case of a switch; ``match`` is ``None`` for ``_``."""

    match: Expression | None
    type: Type
    reference: TypeReference | None
    size: PendingSize
    terminator: Terminator | None
    position: Position


@dataclass(frozen=True)
class PendingSwitch:
    """A switch whose expressions are untyped."""

    on: Expression
    cases: tuple[PendingCase, ...]


@dataclass(frozen=True)
class Field:
    """An attribute or a parse instance, without the types of its expressions. ``type`` is that of one item."""

    section: Section
    type: Type
    size: PendingSize
    terminator: Terminator | None = None
    reference: TypeReference | None = None
    switch: PendingSwitch | None = None
    contents: bytes | None = None
    message: MessageField | None = None
    """Set if it is a field of a message."""

    @property
    def repeats(self) -> bool:
        """Return whether it is a list."""
        return "repeat" in self.section or (self.message is not None and self.message.label == "repeated")

    @property
    def object_types(self) -> list[UserType]:
        """Return the types of the objects that it may contain, by case if it has a switch."""
        types = [self.type] if self.switch is None else [each.type for each in self.switch.cases]
        return [each for each in types if isinstance(each, UserType)]


@dataclass(frozen=True)
class Shape:
    """Type, size and terminator of one type name."""

    type: Type
    size: PendingSize
    terminator: Terminator | None = None


@dataclass
class FieldReader:
    """Reads the fields of one type of the spec.

    ``user_type`` and ``enum`` look names up; they report unknown names and return ``None``. ``any_encoding``: as for
    ``canonical``.
    """

    diagnostics: Diagnostics
    endian: str | None
    bit_endian: str
    encoding: str | None
    user_type: Callable[[str, Position], Type | None]
    enum: Callable[[str, Position], EnumType | None]
    any_encoding: bool

    def field(self, section: Section) -> Field | None:
        """Return the field of an attribute's section; ``None`` if there is an error that its type depends on."""
        if not self._consistent(section):
            return None
        switch = section.section("type")
        if switch is not None:
            return self._switch_field(section, switch)
        value = section.get("type")
        reference = value if isinstance(value, TypeReference) else None
        shape = self._shape(section, reference)
        if shape is None:
            return None
        contents = section.get("contents")
        kept = reference if isinstance(shape.type, UserType) else None
        if reference is not None and kept is None and reference.arguments:
            self.diagnostics.error(reference.position, f"{shown(reference.name)} takes no arguments")
        return Field(
            section,
            shape.type,
            shape.size,
            shape.terminator,
            kept,
            contents=contents.value if isinstance(contents, Contents) else None,
        )

    # Combinations of keys
    # ------------------------------------------------------------------------------------------------

    def _consistent(self, section: Section) -> bool:
        before = len(self.diagnostics.found)
        repeat = section.word("repeat")
        lacking = f"repeat-{repeat}" if repeat in ("expr", "until") and f"repeat-{repeat}" not in section else ""
        if lacking:
            message = f"`repeat: {repeat}` requires a `{lacking}` expression"
            self.diagnostics.error(section.position_of("repeat"), message)
        for how, key in (("expr", "repeat-expr"), ("until", "repeat-until")):
            if key in section and repeat != how and not lacking:
                self.diagnostics.error(section.keys[key], f"'{key}' requires 'repeat: {how}'")
        for one, other in (("size", "size-eos"), ("contents", "valid"), ("contents", "type")):
            if one in section and other in section and (other != "size-eos" or section.flag(other)):
                self.diagnostics.error(section.keys[other], f"'{one}' and '{other}' cannot be used together")
        return len(self.diagnostics.found) == before

    def _refuse_keys(self, section: Section, words: tuple[str, ...], why: str) -> bool:
        """Report the given keys if they are present; return whether one was."""
        present = [word for word in words if word in section]
        for word in present:
            self.diagnostics.error(section.keys[word], f"'{word}' is not allowed here: {why}")
        return bool(present)

    # Type names ------------------------------------------------------------------------------------------------------

    def _shape(self, section: Section, reference: TypeReference | None) -> Shape | None:
        name = reference.name if reference is not None else None
        if name is None:
            if self._refuse_keys(section, ("encoding", "enum"), "an attribute without a type is bytes"):
                return None
            return self._bytes(section)
        assert reference is not None
        if name in ("str", "strz"):
            if self._refuse_keys(section, ("enum", "process", "parent", "contents"), f"the type {name} is text"):
                return None
            return self._text(section, name)
        number = self.number(name, reference.position)
        if number is not None:
            if self._refuse_keys(
                section,
                ("size", "size-eos", "pad-right", "process", "encoding", "contents", "parent"),
                f"the type {name} has its own size",
            ):
                return None
            return self._numbered(section, number)
        if _looks_like_number(name):
            return None
        shape = self._user_type(section, reference)
        # A type that does not exist is one mistake, and may have been meant as one with such keys.
        if shape is not None and self._refuse_keys(
            section, ("encoding", "enum"), f"{shown(name)} is a user-defined type"
        ):
            return None
        return shape

    def number(self, name: str, position: Position) -> Type | None:
        """Return the type of the name of an integer, float or bit field; ``None`` for other names and on errors."""
        if found := _INTEGER.fullmatch(name):
            sign, size, endian = found.groups()
            if size == "1" and endian is None:
                return IntegerType(1, sign == "s", None)
            if size == "1":
                message = f"one byte has no byte order: use {shown(name[:2])} instead of {shown(name)}"
                self.diagnostics.error(position, message)
                return None
            order = endian or self._endian(name, position)
            return IntegerType(int(size), sign == "s", order)
        if found := _FLOAT.fullmatch(name):
            order = found.group(2) or self._endian(name, position)
            return FloatType(int(found.group(1)), order)
        if found := _BITS.fullmatch(name):
            width = int(found.group(1)[:10])
            if not 1 <= width <= MAX_BITS:
                self.diagnostics.error(
                    position, f"a bit field must have 1 to {MAX_BITS} bits, found {found.group(1)[:10]}"
                )
                return None
            return BitsType(width, found.group(2) or self.bit_endian)
        return None

    def _endian(self, name: str, position: Position) -> str:
        if self.endian is None:
            # The types of the other fields depend on it as well: they are read with some byte order, without an error.
            message = f"the byte order of {shown(name)} is not known: 'meta' has no key 'endian'"
            hint = f"add 'endian: le' or 'endian: be' to 'meta', or write '{name}le' or '{name}be' everywhere"
            self.diagnostics.first(position, message, hint, once=True)
        return self.endian or "le"

    def _numbered(self, section: Section, type: Type) -> Shape | None:
        size: PendingSize = FixedSize(type.size) if isinstance(type, (IntegerType, FloatType)) else OwnSize()
        enum = section.text("enum")
        if enum is None:
            return Shape(type, size)
        if isinstance(type, FloatType):
            self.diagnostics.error(enum.position, f"'enum' requires an integer, found {type_name(type)}")
            return None
        found = self.enum(enum.value, enum.position)
        return Shape(EnumType(found.path, type), size) if found is not None else None

    def _bytes(self, section: Section) -> Shape | None:
        contents = section.get("contents")
        if isinstance(contents, Contents):
            size = section.expression("size")
            if size is not None and constant_integer(size.node) != len(contents.value):
                self.diagnostics.error(
                    size.position,
                    f"'contents' has {counted(len(contents.value), 'byte')}, but 'size' is different: remove 'size'",
                )
            return Shape(BytesType(), FixedSize(len(contents.value)))
        terminator = self._terminator(section, None)
        length = self._size(section, terminator)
        return Shape(BytesType(), length, terminator) if length is not None else None

    def _text(self, section: Section, name: str) -> Shape | None:
        encoding = self.encoding_of(section)
        if encoding is None:
            return None
        terminator = self._terminator(section, terminator_of(encoding) if name == "strz" else None)
        size = self._size(section, terminator, "text")
        return Shape(StringType(encoding), size, terminator) if size is not None else None

    def encoding_of(self, section: Section) -> str | None:
        """Return the encoding of text: its own or the default of ``meta``, in canonical spelling."""
        own = section.text("encoding")
        if own is None:
            if self.encoding is None:
                place = replace(section.position_of("type"), path=section.position.path)
                hint = "add the key 'encoding' to the attribute, or to 'meta' for all text"
                self.diagnostics.error(place, "string type, but no encoding found", hint=hint)
            return self.encoding
        return canonical(own, self.diagnostics, any_encoding=self.any_encoding)

    def _user_type(self, section: Section, reference: TypeReference) -> Shape | None:
        found = self.user_type(reference.name, reference.position)
        if found is None:
            return None
        terminator = self._terminator(section, None)
        if "size" not in section and not section.flag("size-eos") and terminator is None and not _within(section):
            needs = "requires 'size', 'size-eos' or 'terminator'"
            if "process" in section:
                self.diagnostics.error(section.keys["process"], f"'process' {needs}")
                return None
            if "pad-right" in section:
                self.diagnostics.warning(section.keys["pad-right"], f"'pad-right' is ignored: it {needs}")
            return Shape(found, OwnSize())
        size = self._size(section, terminator)
        return Shape(found, size, terminator) if size is not None else None

    def _terminator(self, section: Section, default: bytes | None) -> Terminator | None:
        own = section.integer("terminator")
        value = bytes([own]) if own is not None else default
        if value is None:
            return None
        return Terminator(
            value, section.flag("include"), section.flag("consume", True), section.flag("eos-error", True)
        )

    def _size(self, section: Section, terminator: Terminator | None, what: str = "") -> PendingSize | None:
        within = _within(section)
        if within is not None:
            return PendingWithin(within)
        size = section.expression("size")
        if size is not None:
            return size
        if section.flag("size-eos"):
            return EndOfStreamSize()
        if terminator is not None:
            return TerminatedSize()
        keys = "'size', 'size-eos' or 'terminator'" if what else "'size', 'size-eos', 'terminator' or 'type'"
        message = f"the {what or 'attribute'} has no size: expected {keys}"
        hint = "text that ends with a zero has 'type: strz', other text one of these keys" if what else ""
        self.diagnostics.error(section.position, message, hint=hint)
        return None

    # Switches --------------------------------------------------------------------------------------------------------

    def _switch_field(self, section: Section, switch: Section) -> Field | None:
        if self._refuse_keys(section, ("encoding", "enum", "contents"), "the type is a switch"):
            return None
        on = switch.expression("switch-on")
        cases = [self._case(section, entry) for entry in switch.entries("cases")]
        if on is None or any(each is None for each in cases):
            return None
        known = [each for each in cases if each is not None]
        terminator = self._terminator(section, None)
        sized = "size" in section or section.flag("size-eos") or _within(section) is not None
        size: PendingSize | None = self._size(section, terminator) if sized or terminator is not None else OwnSize()
        if size is None:
            return None
        if sized and all(each.match is not None for each in known):
            # As in Kaitai's language, a value without a matching case is bytes.
            known.append(PendingCase(None, BytesType(), None, size, None, switch.position))
        if not known:
            self.diagnostics.error(switch.position_of("cases"), "a switch needs at least one case")
            return None
        type = combined_all(tuple(each.type for each in known))
        return Field(section, type, size, terminator, switch=PendingSwitch(on, tuple(known)))

    def _case(self, section: Section, entry: Entry) -> PendingCase | None:
        key, reference = entry.key, entry.value
        if not isinstance(key, Expression) or not isinstance(reference, TypeReference):
            return None
        match = None if isinstance(key.node, Name) and key.node.id == "_" else key
        number = self.number(reference.name, reference.position)
        shape: Shape | None
        if number is not None:
            size = FixedSize(number.size) if isinstance(number, (IntegerType, FloatType)) else OwnSize()
            shape = Shape(number, size)
        elif _looks_like_number(reference.name):
            return None
        elif reference.name in ("str", "strz"):
            shape = self._text(section, reference.name)
        else:
            shape = self._user_type(section, reference)
        if shape is None:
            return None
        kept = reference if isinstance(shape.type, UserType) else None
        if kept is None and reference.arguments:
            self.diagnostics.error(reference.position, f"{shown(reference.name)} takes no arguments")
        return PendingCase(match, shape.type, kept, shape.size, shape.terminator, key.position)


def _within(section: Section) -> Expression | None:
    """Return the expression of the bytes that contain a value."""
    extensions = section.extensions
    return extensions.expression("within") if extensions is not None and "within" in extensions else None


def canonical(encoding: Text, diagnostics: Diagnostics, *, any_encoding: bool) -> str:
    """Return the canonical spelling of an encoding; warn if it was spelled otherwise, and report one that Python lacks,
    unless ``any_encoding`` is accepted, as by Kaitai's compiler."""
    found = canonical_encoding(encoding.value)
    if found is None:
        written = {each.casefold(): each for each in canonical_encodings()}
        near = nearest(encoding.value.casefold(), written)
        hint = f"; did you mean '{written[near]}'?" if near else ""
        if not any_encoding and python_codec(encoding.value) is None:
            message = f"Python does not support the encoding {shown(encoding.value)}{hint}"
            diagnostics.error(encoding.position, message)
        else:
            diagnostics.warning(encoding.position, f"unrecognized encoding name {shown(encoding.value)}{hint}")
        return encoding.value
    if found != encoding.value:
        message = f"use canonical encoding name `{found}` instead of `{encoding.value}` (see {ENCODING_NAMES})"
        diagnostics.warning(encoding.position, message)
    return found


def _looks_like_number(name: str) -> bool:
    return bool(_INTEGER.fullmatch(name) or _FLOAT.fullmatch(name) or _BITS.fullmatch(name))
