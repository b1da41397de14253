"""The extension keys of types, attributes and instances, checked against the types."""

from __future__ import annotations

from wireloom.base.dataclass import replace

from ..expression.types import (
    EnumType,
    ListType,
    Type,
    UserType,
    integer_range,
    is_integer,
    is_text,
    type_name,
)
from ..spec.diagnostics import Diagnostics
from ..spec.position import Position
from ..spec.syntax import Flag, Integer, Section, Text
from ..tree import Attribute, Instance
from ..tree.leaves import DenseUnion, Framing, IntegerText, Labels, Logical, OwnSize, Pairs, RepeatEos, Timestamp
from ..words import shown, suggestion
from .decimals import decimal_of, with_valid_digits
from .scope import Typing
from .stuffings import stuffing_of
from .symbols import Member, Symbol


class FieldExtensions:
    """Reads the extension keys of one member. ``section``: the section with them."""

    def __init__(self, symbol: Symbol, member: Member, section: Section, diagnostics: Diagnostics) -> None:
        self.symbol = symbol
        self.diagnostics = diagnostics
        self.section = section
        self.member = member

    def attribute(self, attribute: Attribute, typing: Typing) -> Attribute:
        """Return the attribute with its framing and logical type set, and what follows from these."""
        return with_valid_digits(self.symbol, self.member, self._attribute(attribute), typing)

    def _attribute(self, attribute: Attribute) -> Attribute:
        whole = ListType(attribute.type) if attribute.repeat is not None else attribute.type
        if self.member.kind == "instance":
            for key in ("variable", "table", "sets", "slice"):
                if key in self.section:
                    self.diagnostics.error(self.section.position_of(key), f"'{key}' requires a value instance")
            return replace(attribute, logical=self._logical(whole, attribute))
        return replace(
            attribute,
            framing=self._framing(attribute),
            given=self._given(attribute, whole),
            logical=self._union(attribute) if "union" in self.section else self._logical(whole, attribute),
        )

    def _union(self, attribute: Attribute) -> DenseUnion | None:
        position = self.section.position_of("union")
        if attribute.switch is None:
            self.diagnostics.error(position, "'union' requires an attribute whose type is a switch")
            return None
        return DenseUnion() if self._logical(attribute.type) is None else None

    def _given(self, attribute: Attribute, whole: Type) -> bool:
        """Return whether the attribute is set by the caller of the writer, rather than solved for."""
        if "given" not in self.section:
            return False
        if is_integer(whole):
            return True
        message = f"'given' requires an integer, found {type_name(whole)}"
        self.diagnostics.error(self.section.position_of("given"), message)
        return False

    def message_field(self, attribute: Attribute) -> Attribute:
        """Return the field of a message with its logical type set."""
        whole = ListType(attribute.type) if attribute.repeat is not None else attribute.type
        return replace(attribute, logical=self._logical(whole))

    def instance(self, instance: Instance) -> Instance:
        """Return the value instance with its logical type set."""
        if "codec" in self.section:
            self.diagnostics.error(self.section.position_of("codec"), "'codec' requires a parse instance, with 'pos'")
        return replace(instance, logical=self._logical(instance.type), variable="variable" in self.section)

    # Logical types ---------------------------------------------------------------------------------------------------

    def _logical(self, type: Type, attribute: Attribute | None = None) -> Logical | None:
        section = self.section
        timestamp = section.get("timestamp") if "timestamp" in section else None
        labels = section.get("labels") if "labels" in section else None
        text = section.get("text") if "text" in section else None
        both = [each for each in ("timestamp", "labels", "text", "decimal", "map", "union") if each in section]
        if len(both) > 1:
            self.diagnostics.error(section.position_of(both[1]), f"'{both[0]}' and '{both[1]}' cannot be used together")
            return None
        pairs = section.section("map") if "map" in section else None
        if pairs is not None:
            return self._pairs(pairs, type)
        if "decimal" in section and attribute is not None:
            return decimal_of(section, attribute, self.diagnostics)
        if text is not None:
            return self._integer_text(text.position, type)
        if isinstance(labels, Flag):
            if not isinstance(type, EnumType):
                self.diagnostics.error(labels.position, f"'labels' requires an enum, found {type_name(type)}")
                return None
            return Labels()
        return self._timestamp(timestamp, type) if isinstance(timestamp, (Text, Section)) else None

    def _integer_text(self, position: Position, type: Type) -> IntegerText | None:
        if self.symbol.message is None or "value" not in self.member.section:
            self.diagnostics.error(position, "'text' requires a value instance of a message type")
            return None
        if not is_text(type):
            self.diagnostics.error(position, f"'text' requires text, found {type_name(type)}")
            return None
        return IntegerText()

    def _pairs(self, section: Section, type: Type) -> Pairs | None:
        if not isinstance(type, ListType) or not isinstance(type.item, UserType) or self.symbol.message is not None:
            message = f"'map' requires a repeated attribute with a user-defined type, found {type_name(type)}"
            self.diagnostics.error(section.position, message)
            return None
        if section.faulty:
            return None
        return Pairs(tuple(section.word("key").split(".")), tuple(section.word("value").split(".")))

    def _timestamp(self, value: Text | Section, type: Type) -> Timestamp | None:
        if not is_integer(type):
            self.diagnostics.error(value.position, f"'timestamp' requires an integer, found {type_name(type)}")
            return None
        if isinstance(value, Text):
            return Timestamp(value.value, "UTC")
        zone = value.word("zone", "UTC")
        return Timestamp(value.word("unit"), None if zone == "none" else zone, self._absent(value, type))

    def _absent(self, section: Section, type: Type) -> int | None:
        """Return the count that means that there is no time."""
        absent = section.integer("absent")
        if absent is None:
            return None
        position, values = section.position_of("absent"), integer_range(type)
        if self.symbol.message is not None:
            message = "'absent' cannot be used in a message type: a field itself may be absent"
            self.diagnostics.error(position, message)
        elif values is not None and not values[0] <= absent <= values[1]:
            self.diagnostics.error(position, f"'absent' is {absent}, which {type_name(type)} cannot be")
        else:
            return absent
        return None

    # Framing ---------------------------------------------------------------------------------------------------------

    def _framing(self, attribute: Attribute) -> Framing | None:
        section = self.section.section("framing")
        if section is None:
            return None
        plain = isinstance(attribute.type, UserType) and isinstance(attribute.repeat, RepeatEos)
        if not plain:
            self.diagnostics.error(
                section.position, "'framing' requires an attribute with a user-defined type and 'repeat: eos'"
            )
            return None
        if not isinstance(attribute.size, OwnSize) or attribute.condition is not None:
            self.diagnostics.error(
                section.position, "'framing' cannot be used with 'size', 'terminator' or 'if': delimiters end each item"
            )
            return None
        if self.symbol.outer is not None:
            self.diagnostics.error(section.position, "'framing' requires an attribute of the outermost type")
            return None
        delimiter = bytes(each.value for each in section.items("delimiter") if isinstance(each, Integer))
        stuffing = stuffing_of(section, delimiter, self.diagnostics)
        return None if stuffing is None else Framing(delimiter, stuffing)


def members_named(symbol: Symbol, key: str, diagnostics: Diagnostics) -> tuple[str, ...]:
    """Return the attributes, value instances and parameters that a key of the type names."""
    section = _of_layout(symbol, key, diagnostics)
    instances = [each for each in symbol.of_kind("instance") if "value" in each.section]
    members = (*symbol.of_kind("attribute"), *symbol.of_kind("parameter"), *instances)
    known = [each.id for each in members if "id" in each.section or each.kind == "instance"]
    found: list[str] = []
    for name in section.texts(key) if section is not None else ():
        if name.value not in known and not symbol.unknown_members:
            message = f"{symbol.name} has no attribute, value instance or parameter {shown(name.value)}"
            diagnostics.error(name.position, message + suggestion(name.value, known))
        elif name.value in found:
            diagnostics.error(name.position, f"{shown(name.value)} is listed twice")
        else:
            found.append(name.value)
    return tuple(found)


def json_members(symbol: Symbol, diagnostics: Diagnostics) -> tuple[str, ...] | None:
    """Return what the type's key ``json`` says, as in ``Struct.json``."""
    section = _of_layout(symbol, "json", diagnostics)
    return None if section is None else members_named(symbol, "json", diagnostics)


def fills_stream(symbol: Symbol, diagnostics: Diagnostics) -> bool | None:
    """Return whether the type's key ``trailing-bytes`` refuses bytes after its attributes; ``None`` without the key."""
    section = _of_layout(symbol, "trailing-bytes", diagnostics)
    return None if section is None else section.word("trailing-bytes") == "refuse"


def _of_layout(symbol: Symbol, key: str, diagnostics: Diagnostics) -> Section | None:
    """Return the extensions of a type with a key that requires ``seq``; ``None`` if it does not have the key."""
    section = symbol.section.extensions
    if section is None or key not in section:
        return None
    other = next((each for each in ("message", "varint") if each in section), None)
    if other is not None:
        diagnostics.error(section.position_of(key), f"'{key}' and '{other}' cannot be used together")
        return None
    return section
