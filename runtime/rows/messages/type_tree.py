"""The message types of a program, with the entries of maps as types of their own."""

from __future__ import annotations

from ...base.errors import UnsupportedError
from ...format.message_rules import FieldKind, FieldRule, Label, MessageRule, MessageSet


class TypeTree:
    """The types: first those of the set (``types``), then a message of ``key`` and ``value`` per map."""

    def __init__(self, types: MessageSet) -> None:
        self.types = list(types.messages)
        self._entries: dict[tuple[int, int], int] = {}
        for number, each in enumerate(types.messages):
            for rule in each.fields:
                if rule.key is not None:
                    self._entries[number, rule.number] = len(self.types)
                    self.types.append(_entry(each, rule, types))
        self._first_entry = len(types.messages)

    def is_entry(self, number: int) -> bool:
        """Return whether the type is the entry of a map."""
        return number >= self._first_entry

    def field_of(self, number: int, field: int) -> FieldRule:
        """Return the field with that number. Raises ``UnsupportedError`` if the type has none."""
        for rule in self.types[number].fields:
            if rule.number == field:
                return rule
        raise UnsupportedError(
            f"{self.types[number].name} has no field {field}, which its program names: run 'wireloom generate' again"
        )

    def message_of(self, number: int, rule: FieldRule) -> int:
        """Return the type of a field's messages; for a map, that of its entries. Raises ``UnsupportedError`` for other
        fields."""
        if rule.key is not None:
            return self._entries[number, rule.number]
        if rule.kind is not FieldKind.MESSAGE:
            raise UnsupportedError(
                f"{self.types[number].name}.{rule.name} is not a message: run 'wireloom generate' again"
            )
        return rule.message


def _entry(owner: MessageRule, rule: FieldRule, types: MessageSet) -> MessageRule:
    """Return the message type of the entries of a map, which is written as a repeated message of a key and a value. A
    missing key or value is zero, or an empty message; so a message with required fields must be present."""
    assert rule.key is not None
    label = Label.IMPLICIT
    if rule.kind is FieldKind.MESSAGE:
        needed = any(each.label is Label.REQUIRED for each in types.messages[rule.message].fields)
        label = Label.REQUIRED if needed else Label.OPTIONAL
    key = FieldRule("key", 1, rule.key, Label.IMPLICIT)
    value = FieldRule("value", 2, rule.kind, label, message=rule.message, values=rule.values, json=rule.json)
    return MessageRule(f"{owner.name}.{rule.name}", (key, value), owner.strict, owner.check_text)
