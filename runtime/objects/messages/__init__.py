"""Protobuf messages: their rules, their objects, and the way from messages to rows.

Wire format and rules of presence: https://protobuf.dev/programming-guides/encoding/ and its neighbours.
"""

from ...base.face import face
from ...format.message_rules import FieldKind, FieldRule, Label, MessageRule, MessageSet

__all__ = ["FieldKind", "FieldRule", "Label", "MessageRule", "MessageSet"]

__getattr__ = face(
    __name__,
    {
        "errors": "MessageError",
        "json_mapping": "json_message json_name json_text single",
        "kinds": "FLOATS INTEGERS fixed_code wire_type",
        "objects": "Message",
        "plain_values": "value_of values_of",
        "wire": "write_varint",
    },
)
