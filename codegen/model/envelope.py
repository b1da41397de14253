"""The envelope of a unit: the attributes of the root before and after the message."""

from __future__ import annotations

from wireloom.checksums import algorithm

from ..dataclass import dataclass
from ..expression.fold import constant_integer
from ..expression.types import BytesType, Path, UnionType, UserType
from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Section, Text
from ..spec.tables import FRAMINGS
from ..tree import Attribute, Struct
from ..wire import ExpressionSize, OwnSize
from ..words import shown, suggestion
from .symbols import World


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
    found = algorithm(checksum.algorithm)
    size = attribute.size.expression if isinstance(attribute.size, ExpressionSize) else None
    return found.name if found.is_digest and size is not None and constant_integer(size) == found.size else ""
