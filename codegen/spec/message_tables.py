"""The part of the dialect's reference that is about protobuf messages."""

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

TEXT = TextKind()
FLAG = FlagKind()
NAME = TextKind("a name of lower-case letters, digits and underscores that begins with a letter", IDENTIFIER)
NAMES = ListKind(NAME)
PATH = TextKind("names with dots between them", rf"{IDENTIFIER}(?:\.{IDENTIFIER})*")
CLASS = TextKind("a module and a class in it (package.module:Class)", r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")

MAX_FIELD_NUMBER = 2**29 - 1
"""The largest number of a field that a tag can hold."""

FRAMINGS = ("whole", "varint", "u1", "u2le", "u2be", "u4le", "u4be", "u8le", "u8be")
"""How messages are in the input: one is all of it, or each has its length before it."""

MAP_KEYS = (
    *("int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32", "sfixed64"),
    *("bool", "string"),
)
"""The scalars that a map's keys may be."""
SCALARS = ("double", "float", *MAP_KEYS, "bytes")
"""Protobuf's words for its scalars."""

KIND_KEYS = {
    "type": Key(TextKind("the name of a message type", TYPE_NAME), "The message type of a unit."),
    "rows": Key(PATH, "Fields that lead from the unit to its rows, the last one repeated; without it a unit is a row."),
    "columns": Key(NAMES, "The columns that a reader gets unless it asks for others, in order."),
    "selectable": Key(NAMES, "The columns that a reader may ask for besides."),
    "unit-columns": Key(NAMES, "Fields of the unit of which the reader keeps one value per unit, for its report."),
    "row-number": Key(NAME, "The name of a column with the number of the row in its unit."),
    "otherwise": Key(TableKind("message-otherwise"), "What becomes of a unit that holds no such message."),
}


def message_tables(documentation: dict[str, Key], logical: dict[str, Key]) -> dict[str, Table]:
    """The tables. ``documentation``: the keys ``doc`` and ``doc-ref``; ``logical``: those of logical types."""
    return {
        "type-extensions": Table(
            "a type's -wireloom",
            {
                "message": Key(TableKind("message"), "The type is a protobuf message; it has no seq then."),
                "varint": Key(
                    EitherKind(
                        "le, be, or a mapping with order, signed and bits",
                        TextKind(choices=("le", "be")),
                        TableKind("varint"),
                    ),
                    "The type is an integer of bytes that hold seven bits each; it has no seq then.",
                ),
                "columns": Key(NAMES, "The attributes that structs of this type have in tables; all unless given."),
                "instances-of": Key(
                    ListKind(TextKind("the name of a type", TYPE_NAME), single=True, minimum=1),
                    "Types whose value instances this one has too; it has what these are computed from.",
                ),
            },
        ),
        "varint": Table(
            "a varint",
            {
                "order": Key(TextKind(choices=("le", "be")), "le: the first byte has the lowest bits.", required=True),
                "signed": Key(TextKind(choices=("no", "zigzag")), "How negative integers are stored; no unless given."),
                "bits": Key(IntegerKind(8, 64), "Bits of the largest integer; 64 unless given, with be 63."),
            },
        ),
        "message": Table(
            "a message",
            {
                "fields": Key(ListKind(TableKind("message-field")), "Its fields.", required=True),
                "syntax": Key(TextKind(choices=("proto2", "proto3")), "Which rules count; proto3 unless given."),
                "wire-types": Key(
                    TextKind(choices=("skip", "refuse")),
                    "What becomes of a field with another wire type than its own: skip unless given.",
                ),
                "max-depth": Key(IntegerKind(1, 100), "How deep messages may stand inside this one; 100 unless given."),
            },
        ),
        "message-field": Table(
            "a field",
            {
                "id": Key(NAME, "Its name.", required=True),
                "number": Key(IntegerKind(1, MAX_FIELD_NUMBER), "Its number on the wire.", required=True),
                "type": Key(
                    TextKind("a scalar of protobuf, or the name of a message type or an enum", TYPE_NAME, (), SCALARS),
                    "A scalar of protobuf, a message type or an enum.",
                    required=True,
                ),
                "label": Key(
                    TextKind(choices=("required", "optional", "repeated")),
                    "How often it stands; without it optional in proto2, and in proto3 absent and zero are the same.",
                ),
                "packed": Key(FLAG, "How repeated numbers are written; unless given true in proto3, false in proto2."),
                "default": Key(
                    EitherKind(
                        "a value of the field's type (bytes: text or a list of bytes)",
                        TEXT,
                        sequence=ListKind(IntegerKind(0, 255)),
                    ),
                    "In proto2, what stands for an absent field; of an enum a member's name.",
                ),
                "oneof": Key(NAME, "The group of fields of which one is there at most."),
                "checksum": Key(TableKind("checksum"), "This integer is that of a field of bytes of the same message."),
                "map-key": Key(
                    TextKind(offered=MAP_KEYS), "It is a map with keys of this scalar; its type is that of the values."
                ),
                "json": Key(FLAG, "Tables have its messages as JSON text."),
                **logical,
                **documentation,
            },
        ),
        "message-units": Table(
            "message",
            {
                "at": Key(PATH, "The root's attributes that lead to a message; those around it are its envelope."),
                "least": Key(IntegerKind(0, 2**40), "Fewest bytes of a message; 0 unless given."),
                "framing": Key(
                    EitherKind(
                        "a framing's word, a list of words, or module:Class",
                        TextKind("a framing's word or module:Class", offered=FRAMINGS),
                        sequence=ListKind(TextKind(choices=FRAMINGS)),
                    ),
                    f"{', '.join(FRAMINGS)}, a list of these, or module:Class; whole unless given.",
                ),
                "packing": Key(CLASS, "What puts rows into units when writing."),
                "hooks": Key(CLASS, "What looks at decoded units and may drop some."),
                **KIND_KEYS,
                "option": Key(NAME, "The reader's option that chooses among kinds."),
                "default": Key(NAME, "The kind without that option."),
                "kinds": Key(MapKind("kind", TableKind("message-kind")), "Several kinds of messages, by name."),
            },
        ),
        "message-kind": Table(
            "a kind of message", {**KIND_KEYS, "type": Key(KIND_KEYS["type"].kind, KIND_KEYS["type"].doc, True)}
        ),
        "message-otherwise": Table(
            "otherwise",
            {
                "whole": Key(NAME, "The column of bytes that holds such a unit whole, as one row.", required=True),
                "mark": Key(NAME, "The name of a column: true for rows, false for such units."),
            },
        ),
    }
