"""``Message``: the base of every generated class of a protobuf message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ...format.message_rules import Label, MessageRule
from ..fielded import shown
from ..structs import Struct
from ..write_stream import WriteStream
from .plans import Plan, plan_of
from .reading import read_message
from .writing import is_zero, write_message


class Message(Struct):
    """A protobuf message: read from bytes or made of values that are given by name.

    A field that is absent is ``None`` where absence shows (``optional``, ``required``, sub-messages, members of a
    oneof), and zero where it does not; a repeated field is a list, a map a dictionary. ``get`` gives the default of
    what is absent. In a layout a message takes all that its stream has left. Text that is not UTF-8 in proto2 holds the
    bytes in question as Python's ``surrogateescape`` does.
    """

    __slots__ = ()

    _rule: ClassVar[MessageRule]
    """What fields there are, and how they are read and written."""
    _plan: ClassVar[Plan | None] = None

    @classmethod
    def _types(cls) -> Mapping[str, type[Any]]:
        """The classes of sub-messages (and of maps' values) and of enums, by field."""
        return {}

    def _assign(self, fields: Mapping[str, Any]) -> None:
        plan_of(type(self)).blank(self)
        super()._assign(fields)

    def _read(self) -> None:
        begin = self._io.pos()
        read_message(self, self._io.read_bytes_full(), begin)

    def _append(self, io: WriteStream) -> None:
        io.write_bytes(write_message(self))

    def to_bytes(self) -> bytes:
        """The message in its canonical form: fields in the order of their numbers, maps in that of their keys.

        Raises ``MessageError`` where a required field is missing or a value does not fit its field.
        """
        return write_message(self)

    def get(self, name: str) -> Any:
        """The value of a field; where it is absent, its declared default or zero (``None`` for a message).

        Raises ``AttributeError`` for a name that is not a field.
        """
        value = getattr(self, name)
        if value is not None:
            return value
        plan = plan_of(type(self))
        return next((plan.default(each) for each in plan.rule.fields if each.name == name), None)

    def has(self, name: str) -> bool:
        """Return whether a field is there: for one whose absence does not show, whether it is not zero; for a repeated
        one, whether it has items. Raises ``AttributeError`` for a name that is not a field."""
        value = getattr(self, name)
        rule = next((each for each in self._rule.fields if each.name == name), None)
        if rule is None or rule.label in (Label.OPTIONAL, Label.REQUIRED) or value is None:
            return value is not None
        return not is_zero(value)

    def __repr__(self) -> str:
        fields = (f"{name}={shown(getattr(self, name))}" for name in self._fields if self.has(name))
        return f"{type(self).__qualname__}({', '.join(fields)})"
