"""The part of the dialect's reference that is about records: those in pieces, a last one that is torn, and those that
others name."""

from __future__ import annotations

from wireloom.codecs import BLOCK_CODECS

from .kinds import IDENTIFIER, FlagKind, IntegerKind, Key, ListKind, MapKind, Table, TableKind, TextKind

NAME = TextKind("a name of lower-case letters, digits and underscores that begins with a letter", IDENTIFIER)
KINDS = ListKind(IntegerKind(), single=True)
RECORD_CODECS = tuple(name for name, each in BLOCK_CODECS.items() if not each.needs_size)
"""The codecs whose blocks say themselves how large their content is."""

RECORD_TABLES: dict[str, Table] = {}
RECORD_TABLES["fragments"] = Table(
    "fragments",
    {
        "kind": Key(NAME, "The integer that says which piece of a record it is.", required=True),
        "data": Key(NAME, "The bytes that are put together.", required=True),
        "full": Key(KINDS, "Its value for a record in one piece; several are possible."),
        "first": Key(KINDS, "Its value for the first piece.", required=True),
        "middle": Key(KINDS, "Its value for the pieces between."),
        "last": Key(KINDS, "Its value for the last piece.", required=True),
        "skip": Key(KINDS, "Its value for records that have no rows."),
        "log": Key(
            NAME, "The integer that says of which log a piece is; those of another log than the first have no rows."
        ),
        "block": Key(IntegerKind(1, 2**30), "The size of the blocks that pieces fill, for writers."),
        "codec": Key(TableKind("record-codec"), "What is put together is compressed."),
    },
)
RECORD_TABLES["record-codec"] = Table(
    "codec of fragments",
    {
        "switch-on": Key(NAME, "The integer of the first piece that says which codec it is.", required=True),
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
        "max-expanded": Key(
            IntegerKind(0, 2**31 - 1), "The most bytes that a record may expand to; 64 MiB unless given."
        ),
    },
)
RECORD_TABLES["preallocated"] = Table(
    "preallocated",
    {
        "sector": Key(
            IntegerKind(1, 2**30),
            "Bytes that are written at once: a damaged last record with a sector of zeros was not written to its end.",
            required=True,
        ),
        "header": Key(
            IntegerKind(0, 2**16), "Bytes at the beginning of a record that no sector of it has; 0 unless given."
        ),
    },
)
RECORD_TABLES["look-up"] = Table(
    "a look-up",
    {
        "table": Key(NAME, "The other table.", required=True),
        "key": Key(NAME, "The column of this table that has the key.", required=True),
        "match": Key(NAME, "The column of the other table that equals it.", required=True),
        "value": Key(NAME, "The column of the other table that is the value.", required=True),
        "default": Key(FlagKind(), "Whether a reader gets the column unless it asks for others; true unless given."),
    },
)
