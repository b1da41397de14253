"""The part of the dialect's reference about checksums."""

from __future__ import annotations

from dataclasses import replace

from wireloom.checksums import CHECKSUMS

from .kinds import (
    IDENTIFIER,
    EitherKind,
    ExpressionKind,
    FlagKind,
    IntegerKind,
    Key,
    ListKind,
    Table,
    TableKind,
    TextKind,
)

PARAMETER = IntegerKind(0, (1 << 64) - 1)
NAME = TextKind("the name of an attribute", IDENTIFIER)
COVERED = TextKind("the name of an attribute, or one after '_parent.'", rf"(?:_parent\.)*{IDENTIFIER}")
MOST_RUNS = 64

RUN = EitherKind("an attribute, or a list of the first and the last one", NAME, sequence=ListKind(NAME, False, 1, 2))

CHECKSUM_TABLES: dict[str, Table] = {}
CHECKSUM_TABLES["checksum"] = Table(
    "checksum",
    {
        "algorithm": Key(
            EitherKind(
                "the name of a checksum, or the parameters of a CRC",
                TextKind("the name of a checksum", r"[A-Za-z][A-Za-z0-9_/-]*", offered=tuple(CHECKSUMS)),
                TableKind("crc"),
            ),
            "The algorithm; a digest needs an attribute of bytes.",
            required=True,
        ),
        "over": Key(
            EitherKind(
                "an attribute, or a list of the first and the last one",
                COVERED,
                sequence=ListKind(COVERED, False, 2, 2),
            ),
            "The attributes whose bytes it covers; those of the enclosing object begin with _parent.",
            required=True,
        ),
        "initial": Key(PARAMETER, "The initial value, as in CRC catalogues; by default the algorithm's own."),
        "final-xor": Key(PARAMETER, "The value that the result is XORed with; by default the algorithm's own."),
        "replace": Key(IntegerKind(0, 255), "The byte that replaces the checksum's own bytes if they are covered."),
        "stored": Key(ExpressionKind(), "The stored value; `_` is the checksum, and the low bits are stored."),
        "continues": Key(ExpressionKind(), "The checksum that it continues; `_` is that of the previous item."),
        "endian": Key(TextKind(choices=("le", "be")), "The byte order of the checksum in an attribute of bytes."),
        "content": Key(FlagKind(), "Whether it covers the decompressed content of an attribute with a codec."),
        "if": Key(ExpressionKind(), "A condition: the checksum is only verified if it is true."),
    },
)
CHECKSUM_TABLES["crc"] = Table(
    "a CRC",
    {
        "width": Key(IntegerKind(3, 64), "The width in bits.", required=True),
        "poly": Key(PARAMETER, "The polynomial without its highest term, not reflected.", required=True),
        "init": Key(PARAMETER, "The initial value; 0 by default."),
        "refin": Key(FlagKind(), "Whether the lowest bit of each byte comes first."),
        "refout": Key(FlagKind(), "Whether the result is reflected."),
        "xorout": Key(PARAMETER, "The value that the result is XORed with; 0 by default."),
    },
)
CHECKSUM_TABLES["computed-checksum"] = Table(
    "checksum of an instance",
    {
        "algorithm": replace(CHECKSUM_TABLES["checksum"].keys["algorithm"], doc="The algorithm."),
        "over": Key(
            EitherKind(
                "an attribute, a list of the first and the last one, or a list of such lists",
                NAME,
                sequence=ListKind(RUN, False, 1, MOST_RUNS),
            ),
            "The attributes whose bytes it covers; a list of lists is several runs, each [attribute] or [first, last].",
            required=True,
        ),
        **{key: CHECKSUM_TABLES["checksum"].keys[key] for key in ("initial", "final-xor")},
    },
)
