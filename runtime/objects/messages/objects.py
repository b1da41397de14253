"""``Message``: the base of every generated class of a protobuf message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ...format.message_rules import Label, MessageRule
from ..readable import shown
from ..structs import Struct
from ..write_stream import WriteStream
from .descriptors import Descriptor, descriptor_of
from .reading import read_message
from .writing import is_zero, write_message


class Message(Struct):
    """A protobuf message, read from bytes or created from keyword arguments.

    An absent field is ``None`` if it has presence (``optional``, ``required``, sub-messages, members of a oneof), and
    zero otherwise; a repeated field is a list, a map a dictionary. ``get`` returns the default of an absent field. In a
    layout a message extends to the end of its stream. Bytes in proto2 text that are not UTF-8 are represented as by
    Python's ``surrogateescape``.
    """

    __slots__ = ()

    _rule: ClassVar[MessageRule]
    """The fields, and how they are read and written."""
    _descriptor: ClassVar[Descriptor | None] = None

    @classmethod
    def _types(cls) -> Mapping[str, type[Any]]:
        """Return the classes of sub-messages (and of maps' values) and of enums, by field."""
        return {}

    def _assign(self, fields: Mapping[str, Any]) -> None:
        descriptor_of(type(self)).blank(self)
        super()._assign(fields)

    def _read(self) -> None:
        begin = self._io.pos()
        read_message(self, self._io.read_bytes_full(), begin)

    def _append(self, io: WriteStream) -> None:
        io.write_bytes(write_message(self))

    def to_bytes(self) -> bytes:
        """Return the message in its canonical form: fields in the order of their numbers, maps in that of their keys.

        Raises ``MessageError`` if a required field is missing or a value does not fit its field.
        """
        return write_message(self)

    def get(self, name: str) -> Any:
        """Return the value of a field; if it is absent, its declared default or zero (``None`` for a message).

        Raises ``AttributeError`` for a name that is not a field.
        """
        value = getattr(self, name)
        if value is not None:
            return value
        descriptor = descriptor_of(type(self))
        return next((descriptor.default(each) for each in descriptor.rule.fields if each.name == name), None)

    def has(self, name: str) -> bool:
        """Return whether a field is present; for one without presence, whether it is not zero; for a repeated one,
        whether it has items. Raises ``AttributeError`` for a name that is not a field."""
        value = getattr(self, name)
        rule = next((each for each in self._rule.fields if each.name == name), None)
        if rule is None or rule.label in (Label.OPTIONAL, Label.REQUIRED) or value is None:
            return value is not None
        return not is_zero(value)

    def __repr__(self) -> str:
        fields = (f"{name}={shown(getattr(self, name))}" for name in self._fields if self.has(name))
        return f"{type(self).__qualname__}({', '.join(fields)})"
