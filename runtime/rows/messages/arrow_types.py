"""The Arrow types of the fields of messages, nested as the messages are."""

from __future__ import annotations

import pyarrow as pa

from ...format.message_rules import FieldRule, Label
from ...objects.messages.descriptors import Descriptor
from .vectors import TYPE_OF_KIND


def field_type(descriptor: Descriptor, name: str) -> pa.DataType:
    """Return the type of a column of a field. The message types in it do not contain themselves. Raises
    ``KeyError``."""
    rule = next((each for each in descriptor.rule.fields if each.name == name), None)
    if rule is None:
        raise KeyError(name)
    return _type(descriptor, rule)


def _type(descriptor: Descriptor, rule: FieldRule) -> pa.DataType:
    child = next((inner for each, inner in descriptor.children if each is rule), None)
    item = pa.utf8() if rule.json and rule.key is None else TYPE_OF_KIND[rule.kind] if child is None else _struct(child)
    return pa.list_(item) if rule.label is Label.REPEATED else item


def _struct(descriptor: Descriptor) -> pa.DataType:
    return pa.struct([(each.name, _type(descriptor, each)) for each in descriptor.rule.fields])
