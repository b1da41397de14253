"""The key ``checksum`` of fields of messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NoReturn

from ..expression.types import Path, UserType
from ..spec.diagnostics import Diagnostics
from ..spec.position import Position
from ..spec.syntax import Section, Text
from ..tree import Struct
from ..wire import MessageField
from ..words import shown
from .symbols import Member, Symbol

Refuse = Callable[[Position, str], NoReturn]


def refuse_message_sum(section: Section, symbol: Symbol, member: Member, field: MessageField, refuse: Refuse) -> None:
    """Report a checksum of anything but the value of a field of bytes, or in a field that may be absent."""
    if field.label != "implicit":
        refuse(section.position, "a checksum in a message must be an integer in proto3, without 'label' and 'oneof'")
    for key in ("replace", "endian"):
        if key in section:
            refuse(section.keys[key], f"{shown(key)} is not allowed for a checksum in a message")
    over = section.get("over")
    name = over.value if isinstance(over, Text) else ""
    covered = symbol.members.get(name)
    rule = covered.field.message if covered is not None and covered.field is not None else None
    if rule is None or rule.kind != "bytes" or rule.label != "implicit":
        message = "a checksum in a message must cover one field: bytes in proto3, without 'label' and 'oneof'"
        refuse(section.position_of("over"), message)


def refuse_inner_sums(structs: Iterable[Struct], messages: Iterable[Path], diagnostics: Diagnostics) -> None:
    """Report checksums in messages that are not attributes of layouts, since these are not verified. ``messages``: the
    messages that inputs consist of, if they do."""
    known = list(structs)
    inner = {path for struct in known if struct.message is not None for path in _contained(struct)} | set(messages)
    for struct in known:
        if struct.message is None or struct.path not in inner:
            continue
        for attribute in struct.attributes:
            if attribute.checksum is not None and attribute.position is not None:
                message = (
                    "a checksum is only verified in messages that are attributes of a type with 'seq', and this one "
                    "is inside another message"
                )
                diagnostics.error(attribute.position, message)


def _contained(struct: Struct) -> Iterator[Path]:
    return (each.type.path for each in struct.attributes if isinstance(each.type, UserType))
