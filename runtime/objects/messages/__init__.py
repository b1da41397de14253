"""Protobuf messages: their rules, their objects, and the way from messages to rows.

Wire format and rules of presence: https://protobuf.dev/programming-guides/encoding/ and its neighbours.
"""

from ...format.message_rules import FieldKind, FieldRule, Label, MessageRule, MessageSet

__all__ = ["FieldKind", "FieldRule", "Label", "MessageRule", "MessageSet"]
