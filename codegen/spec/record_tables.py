"""The part of the dialect's reference about records: fragments, a torn last record, records that others refer to; and
about parts of bytes."""

from __future__ import annotations

from wireloom.codecs import BLOCK_CODECS

from .kinds import IDENTIFIER, ExpressionKind, FlagKind, IntegerKind, Key, ListKind, MapKind, Table, TableKind, TextKind

NAME = TextKind("a name of lower-case letters, digits and underscores that begins with a letter", IDENTIFIER)
KINDS = ListKind(IntegerKind(), single=True)
RECORD_CODECS = tuple(name for name, each in BLOCK_CODECS.items() if not each.needs_size)
"""The codecs whose blocks contain the size of their content."""

RECORD_TABLES: dict[str, Table] = {}
RECORD_TABLES["fragments"] = Table(
    "fragments",
    {
        "kind": Key(NAME, "The integer that says which piece of a record this is.", required=True),
        "data": Key(NAME, "The bytes that are joined.", required=True),
        "full": Key(KINDS, "The value for a record in one piece, or a list of values."),
        "first": Key(KINDS, "The value for the first piece.", required=True),
        "middle": Key(KINDS, "The value for the pieces between first and last."),
        "last": Key(KINDS, "The value for the last piece.", required=True),
        "skip": Key(KINDS, "The value for records that have no rows."),
        "log": Key(
            NAME, "The integer that identifies the log of a piece; pieces of another log than the first have no rows."
        ),
        "block": Key(IntegerKind(1, 2**30), "The size of the blocks, for writers."),
        "codec": Key(TableKind("record-codec"), "The codec of the joined bytes."),
    },
)
RECORD_TABLES["record-codec"] = Table(
    "codec of fragments",
    {
        "switch-on": Key(NAME, "The integer of the first piece that selects the codec.", required=True),
        "cases": Key(
            MapKind(
                "case",
                TextKind(choices=RECORD_CODECS),
                pattern=None,
                keys="expression",
            ),
            "Codec by value.",
            True,
        ),
        "max-expanded": Key(IntegerKind(0, 2**31 - 1), "The largest record in bytes; 64 MiB by default."),
    },
)
RECORD_TABLES["preallocated"] = Table(
    "preallocated",
    {
        "sector": Key(
            IntegerKind(1, 2**30),
            "The number of bytes that are written at once: a damaged last record with a sector "
            "of zeros was not written completely.",
            required=True,
        ),
        "header": Key(IntegerKind(0, 2**16), "The number of bytes before the first sector of a record; 0 by default."),
    },
)
RECORD_TABLES["look-up"] = Table(
    "a look-up",
    {
        "table": Key(NAME, "The other table.", required=True),
        "key": Key(NAME, "The column of this table with the key.", required=True),
        "match": Key(NAME, "The column of the other table that equals the key.", required=True),
        "value": Key(NAME, "The column of the other table with the value.", required=True),
        "default": Key(FlagKind(), "Whether a reader returns the column by default; true by default."),
    },
)
RECORD_TABLES["slice"] = Table(
    "slice",
    {
        "from": Key(ExpressionKind(), "The index of the first byte; 0 by default."),
        "to": Key(ExpressionKind(), "The index after the last byte; by default the size of the value."),
    },
)
