"""The part of the dialect's reference about protobuf messages."""

from __future__ import annotations

from .kinds import (
    IDENTIFIER,
    TYPE_NAME,
    EitherKind,
    FlagKind,
    IntegerKind,
    Key,
    ListKind,
    MapKind,
    Table,
    TableKind,
    TextKind,
)
from .writing_tables import CLASS

TEXT = TextKind()
FLAG = FlagKind()
NAME = TextKind("a name of lower-case letters, digits and underscores that begins with a letter", IDENTIFIER)
NAMES = ListKind(NAME)
PATH = TextKind("names separated by dots", rf"{IDENTIFIER}(?:\.{IDENTIFIER})*")

MAX_FIELD_NUMBER = 2**29 - 1
"""The largest field number that a tag can contain."""

FRAMINGS = ("whole", "varint", "u1", "u2le", "u2be", "u4le", "u4be", "u8le", "u8be")
"""Framings of messages in an input: one message is the whole input, or each has its length before it."""

MAP_KEYS = (
    *("int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32", "sfixed64"),
    *("bool", "string"),
)
"""Scalar types allowed as the keys of a map."""
SCALARS = ("double", "float", *MAP_KEYS, "bytes")
"""Protobuf's names of scalar types."""

KIND_KEYS = {
    "type": Key(TextKind("the name of a message type", TYPE_NAME), "The message type of a unit."),
    "rows": Key(
        PATH, "The path of fields from the unit to its rows, of which the last is repeated; by default a unit is a row."
    ),
    "columns": Key(NAMES, "The columns that a reader returns by default, in order."),
    "selectable": Key(NAMES, "Further columns that a reader may select."),
    "unit-columns": Key(NAMES, "Fields of the unit whose values the reader keeps for its report."),
    "row-number": Key(NAME, "The name of a column with the number of the row in its unit."),
    "otherwise": Key(TableKind("message-otherwise"), "How a unit that is not such a message is treated."),
}


def message_tables(documentation: dict[str, Key], logical: dict[str, Key]) -> dict[str, Table]:
    """Return the tables. ``documentation``: the keys ``doc`` and ``doc-ref``; ``logical``: those of logical types."""
    return {
        "type-extensions": Table(
            "a type's -wireloom",
            {
                "message": Key(TableKind("message"), "The type is a protobuf message, without seq."),
                "varint": Key(
                    EitherKind(
                        "le, be, or a mapping with order, signed and bits",
                        TextKind(choices=("le", "be")),
                        TableKind("varint"),
                    ),
                    "The type is an integer in bytes of seven bits each, without seq.",
                ),
                "columns": Key(NAMES, "The attributes that structs of this type have in tables; all by default."),
                "trailing-bytes": Key(
                    TextKind(choices=("skip", "refuse")),
                    "What happens to bytes that remain after its last attribute, up to the end of its size; skip by "
                    "default.",
                ),
                "instances-of": Key(
                    ListKind(TextKind("the name of a type", TYPE_NAME), single=True, minimum=1),
                    "Types whose value instances this type has too; it must have the attributes that these use.",
                ),
            },
        ),
        "varint": Table(
            "a varint",
            {
                "order": Key(TextKind(choices=("le", "be")), "le: the first byte has the lowest bits.", required=True),
                "signed": Key(TextKind(choices=("no", "zigzag")), "How negative integers are stored; no by default."),
                "bits": Key(
                    IntegerKind(8, 64), "The number of bits of the largest integer; 64 by default, 63 with be."
                ),
            },
        ),
        "message": Table(
            "a message",
            {
                "fields": Key(ListKind(TableKind("message-field")), "Its fields.", required=True),
                "syntax": Key(TextKind(choices=("proto2", "proto3")), "The rules that apply; proto3 by default."),
                "wire-types": Key(
                    TextKind(choices=("skip", "refuse")),
                    "What happens to a field with the wrong wire type; skip by default.",
                ),
                "max-depth": Key(IntegerKind(1, 100), "How deep messages may be nested; 100 by default."),
            },
        ),
        "message-field": Table(
            "a field",
            {
                "id": Key(NAME, "The name.", required=True),
                "number": Key(IntegerKind(1, MAX_FIELD_NUMBER), "The number on the wire.", required=True),
                "type": Key(
                    TextKind("a scalar of protobuf, or the name of a message type or an enum", TYPE_NAME, (), SCALARS),
                    "A scalar of protobuf, a message type or an enum.",
                    required=True,
                ),
                "label": Key(
                    TextKind(choices=("required", "optional", "repeated")),
                    "How often the field occurs; by default optional in proto2, while in proto3 an "
                    "absent field is zero.",
                ),
                "packed": Key(FLAG, "How repeated numbers are written; by default true in proto3, false in proto2."),
                "default": Key(
                    EitherKind(
                        "a value of the field's type (bytes: text or a list of bytes)",
                        TEXT,
                        sequence=ListKind(IntegerKind(0, 255)),
                    ),
                    "In proto2, the value of an absent field; for an enum, the name of a member.",
                ),
                "oneof": Key(NAME, "The group of fields of which at most one is present."),
                "checksum": Key(
                    TableKind("checksum"), "The integer is a checksum of a field of bytes of the same message."
                ),
                "map-key": Key(
                    TextKind(offered=MAP_KEYS),
                    "Makes the field a map with keys of this scalar type; the field's type is that of the values.",
                ),
                "json": Key(FLAG, "In tables, the messages are JSON text."),
                **logical,
                **documentation,
            },
        ),
        "message-units": Table(
            "message",
            {
                "at": Key(
                    PATH, "The path from the outermost type to the message; the attributes around it are its envelope."
                ),
                "least": Key(IntegerKind(0, 2**40), "The size of the smallest message in bytes; 0 by default."),
                "framing": Key(
                    EitherKind(
                        "a framing's word, a list of words, or module:Class",
                        TextKind("a framing's word or module:Class", offered=FRAMINGS),
                        sequence=ListKind(TextKind(choices=FRAMINGS)),
                    ),
                    f"{', '.join(FRAMINGS)}, a list of these, or module:Class; whole unless given.",
                ),
                "packing": Key(CLASS, "The class that groups rows into units when writing."),
                "hooks": Key(CLASS, "The class that receives the decoded units and may drop some."),
                **KIND_KEYS,
                "option": Key(NAME, "The reader option that selects a kind."),
                "default": Key(NAME, "The kind that is read without that option."),
                "kinds": Key(MapKind("kind", TableKind("message-kind")), "Several kinds of messages, by name."),
            },
        ),
        "message-kind": Table(
            "a kind of message", {**KIND_KEYS, "type": Key(KIND_KEYS["type"].kind, KIND_KEYS["type"].doc, True)}
        ),
        "message-otherwise": Table(
            "otherwise",
            {
                "whole": Key(NAME, "The column of bytes that contains such a unit as one row.", required=True),
                "mark": Key(NAME, "The name of a column: true for rows, false for such units."),
            },
        ),
    }
