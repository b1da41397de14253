"""The dialect's reference: which keys may stand where, and what they mean.

Kaitai's language as of 0.11, and under ``-wireloom`` what it does not have.
"""

from __future__ import annotations

from dataclasses import replace

from wireloom.checksums import CHECKSUMS
from wireloom.codecs import BLOCK_CODECS, CODECS

from .kinds import (
    IDENTIFIER,
    TYPE_NAME,
    AnyKind,
    ContentsKind,
    EitherKind,
    ExpressionKind,
    FlagKind,
    IntegerKind,
    Key,
    ListKind,
    MapKind,
    ProcessKind,
    Table,
    TableKind,
    TextKind,
    TypeKind,
)
from .message_tables import message_tables
from .record_tables import RECORD_TABLES
from .writing_tables import WRITING_TABLES, default_kind, size_kind

EXTENSION = "-wireloom"
"""The key that holds everything that Kaitai's own compiler is to ignore."""

TEXT = TextKind()
NOTE = TextKind(empty=True)
FLAG = FlagKind()
EXPRESSION = ExpressionKind()
IN_ENUM = "only `true` is supported as value, got `{}` (if you don't want any validation, omit the `valid` key)"
BYTE = IntegerKind(0, 255)
PARAMETER = IntegerKind(0, (1 << 64) - 1)
A_NAME = "a name of lower-case letters, digits and underscores that begins with a letter"
NAME = TextKind(A_NAME, IDENTIFIER)
ENUM = TextKind("the name of an enum", TYPE_NAME)
NAMES = ListKind(NAME)
ROW_PATH = TextKind(
    "names with dots between them", rf"{IDENTIFIER}(?:\.{IDENTIFIER}|\.as<{IDENTIFIER}(?:::{IDENTIFIER})*>)*"
)
WAY = TextKind("names with dots between them", rf"{IDENTIFIER}(?:\.{IDENTIFIER})*")
COVERED = TextKind("the name of an attribute, or one after '_parent.'", rf"(?:_parent\.)*{IDENTIFIER}")
VERSION = TextKind(
    "a version such as 0.11",
    r"(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){1,2}",
    refusal="invalid compiler version '{}', expected 'X.Y' or 'X.Y.Z', where X, Y, Z are non-negative integers without "
    "leading zeros",
)
BIT_ENDIAN = TextKind(choices=("le", "be"), refusal="unable to parse bit endianness: expected `le` or `be`, found {}")
ENDIAN = TextKind(
    choices=("le", "be"),
    refusal="unable to parse endianness: `le`, `be` or calculated endianness map is expected",
)


def identifier(what: str) -> Key:
    """The key ``id`` of an attribute, a parameter …"""
    kind = TextKind(A_NAME, IDENTIFIER, refusal=f"invalid {what} ID: '{{}}', expected /^{IDENTIFIER}$/")
    return Key(kind, "Its name.")


DOC = {
    "doc": Key(TEXT, "What it is, in Markdown."),
    "doc-ref": Key(ListKind(TEXT, single=True), "Where it is described."),
}

TYPE_KEYS = {
    **DOC,
    "to-string": Key(EXPRESSION, "Text that stands for an object of this type."),
    "params": Key(ListKind(TableKind("parameter")), "What the type is given where it is used."),
    "seq": Key(ListKind(TableKind("attribute")), "The attributes, in the order in which they stand."),
    "instances": Key(MapKind("instance", TableKind("instance")), "Values that are computed or read elsewhere."),
    "types": Key(MapKind("type", TableKind("type")), "Types that belong to this one."),
    "enums": Key(MapKind("enum", TableKind("enum")), "Names for integers."),
}

FIELD_KEYS = {
    **DOC,
    "type": Key(
        EitherKind("the name of a type, or a mapping with switch-on and cases", TypeKind(), TableKind("switch")),
        "What it is; bytes where there is none.",
    ),
    "contents": Key(ContentsKind(), "The bytes that must stand here."),
    "size": Key(EXPRESSION, "Its size in bytes."),
    "size-eos": Key(FLAG, "Up to the end of the stream."),
    "if": Key(EXPRESSION, "It is there only where this is true."),
    "repeat": Key(TextKind("how it repeats", choices=("eos", "expr", "until")), "It is a list: how long."),
    "repeat-expr": Key(EXPRESSION, "With repeat: expr, how many items."),
    "repeat-until": Key(EXPRESSION, "With repeat: until, true of the last item, which is _."),
    "terminator": Key(BYTE, "The byte that ends it."),
    "include": Key(FLAG, "Whether the terminator belongs to the value."),
    "consume": Key(FLAG, "Whether reading goes on after the terminator."),
    "eos-error": Key(FLAG, "Whether a missing terminator is an error."),
    "pad-right": Key(BYTE, "The byte that fills up the rest of the size."),
    "encoding": Key(TEXT, "The encoding of text."),
    "enum": Key(ENUM, "The enum that names its values."),
    "parent": Key(EXPRESSION, "What stands as _parent of the object; false for nothing."),
    "process": Key(ProcessKind(), "What is done to the bytes before they are read."),
    "valid": Key(
        EitherKind(
            "an expression, or a mapping with eq, min, max, any-of, in-enum or expr", EXPRESSION, TableKind("valid")
        ),
        "What its value must be.",
    ),
}

TABLES: dict[str, Table] = {
    "spec": Table("the spec", {"meta": Key(TableKind("meta"), "About the spec itself.", required=True), **TYPE_KEYS}),
    "type": Table(
        "a type", {"meta": Key(TableKind("type-meta"), "Defaults of this type."), **TYPE_KEYS}, "type-extensions"
    ),
    "parameter": Table(
        "a parameter",
        {
            "id": identifier("parameter"),
            "type": Key(TypeKind(), "Its type; bytes where there is none."),
            "enum": Key(ENUM, "The enum that names its values."),
            **DOC,
        },
    ),
    "attribute": Table("an attribute", {"id": identifier("attribute"), **FIELD_KEYS}, "field-extensions"),
    "instance": Table(
        "an instance",
        {
            "value": Key(EXPRESSION, "What it is, computed."),
            "pos": Key(EXPRESSION, "Where it stands in its stream."),
            "io": Key(EXPRESSION, "The stream that it stands in."),
            **FIELD_KEYS,
        },
        "instance-extensions",
    ),
    "switch": Table(
        "a switch",
        {
            "switch-on": Key(EXPRESSION, "What decides.", required=True),
            "cases": Key(
                MapKind("case", TypeKind(), pattern=None, keys="expression"), "Type by value; _ for all others.", True
            ),
        },
    ),
    "valid": Table(
        "valid",
        {
            "eq": Key(EXPRESSION, "The only value."),
            "min": Key(EXPRESSION, "The least value."),
            "max": Key(EXPRESSION, "The greatest value."),
            "any-of": Key(ListKind(EXPRESSION, single=True), "All values."),
            "in-enum": Key(FlagKind(only=True, refusal=IN_ENUM), "A value that its enum names."),
            "expr": Key(EXPRESSION, "True of every value, which is _."),
        },
    ),
    # Written as a mapping from values to names or to mappings of the next table; the validator makes a list of it.
    "enum": Table("an enum", {"members": Key(AnyKind(), "The values and their names.")}),
    "enum-member": Table("an enum's member", {"id": replace(identifier("enum member"), required=True), **DOC}),
}

META_DEFAULTS = {
    "endian": Key(
        EitherKind("le, be, or a mapping with switch-on and cases", ENDIAN, TableKind("endian")),
        "Byte order of integers and floats.",
    ),
    "bit-endian": Key(BIT_ENDIAN, "Order of bits."),
    "encoding": Key(TEXT, "Encoding of text."),
}
META_REST = {
    "title": Key(NOTE, "What the format is called."),
    "application": Key(AnyKind(), "Programs that use the format."),
    "file-extension": Key(ListKind(NOTE, single=True), "How its files' names end."),
    "xref": Key(AnyKind(), "What others call the format."),
    "tags": Key(AnyKind(), "Words to find it by."),
    "license": Key(NOTE, "The licence of the spec."),
    "ks-version": Key(VERSION, "The least version of Kaitai's compiler."),
    "ks-debug": Key(FLAG, "Kaitai's debug mode."),
    "ks-opaque-types": Key(FLAG, "Types that are nowhere defined are the user's own."),
    "ks-zero-copy-substream": Key(FLAG, "Of interest to Kaitai's compiler only."),
    "imports": Key(ListKind(TEXT, single=True), "Other specs, by path without .ksy."),
}

TABLES["meta"] = Table(
    "meta",
    {"id": replace(identifier("meta"), doc="The spec's name.", required=True), **META_REST, **META_DEFAULTS},
    "meta-extensions",
)
TABLES["type-meta"] = Table(
    "meta", {"id": replace(identifier("meta"), doc="The type's name."), **META_REST, **META_DEFAULTS}
)
TABLES["endian"] = Table(
    "endian",
    {
        "switch-on": Key(EXPRESSION, "What decides.", required=True),
        "cases": Key(
            MapKind("case", TextKind(choices=("le", "be")), pattern=None, keys="expression"),
            "Byte order by value.",
            True,
        ),
    },
)

# The extensions ------------------------------------------------------------------------------------------------------

_OPTION = TableKind("option")
_ROWS = {
    "rows": Key(
        ListKind(ROW_PATH, single=True, minimum=1),
        "What the rows of the table are: the items of a repeated attribute of the root, or what further attributes"
        " lead to inside of these, with dots between them. Where a switch chooses a type, as<type> says which. A list"
        " has several ways to rows.",
    ),
    "columns": Key(NAMES, "The columns that a reader gets unless it asks for others, in order."),
    "selectable": Key(NAMES, "The columns that a reader may ask for besides."),
    "parent-columns": Key(NAMES, "Scalars of the root that come along with every row."),
    "unit": Key(WAY, "The beginning of 'rows' up to the attribute whose items are the innermost units."),
    "fragments": Key(TableKind("fragments"), "Each record is written in pieces, which are put together to one row."),
    "flatten": Key(FLAG, "A struct is a column for each of its fields, such as header.tenant, in place of one."),
    "where": Key(EXPRESSION, "True of the rows that the table has; others hold and have no place in it."),
}

TABLES["table"] = Table(
    "a table",
    {
        **_ROWS,
        "rows": replace(_ROWS["rows"], required=True),
        "look-ups": Key(
            MapKind("look-up", TableKind("look-up")), "Columns out of earlier rows of other tables, by name."
        ),
        "doc": DOC["doc"],
    },
)
TABLES["meta-extensions"] = Table(
    f"meta/{EXTENSION}",
    {
        **_ROWS,
        "tables": Key(
            MapKind("table", TableKind("table")),
            "Several tables by name, each with its rows; the first one is the default.",
        ),
        "codec": Key(TextKind(choices=CODECS), "What a writer compresses files with."),
        "path": Key(TEXT, "Pattern of paths: each {name} becomes a column."),
        "max-record": Key(IntegerKind(1, 2**40), "The largest row in bytes, unless the reader says otherwise."),
        "options": Key(MapKind("option", _OPTION), "Options of a reader that say how many unused bytes follow a row."),
        "preallocated": Key(
            EitherKind("true, or a mapping with sector and header", FLAG, TableKind("preallocated")),
            "Files are allocated before they are written: zeros after the last record are no damage.",
        ),
        "message": Key(TableKind("message-units"), "The input consists of protobuf messages: what the table is then."),
    },
)
TABLES["option"] = Table(
    "an option",
    {
        "doc": Key(TEXT, "What it decides."),
        "padding": Key(
            MapKind("value", IntegerKind(0, 2**31 - 1)),
            "Each value of the option, and how many bytes follow a row.",
            True,
        ),
        "default": Key(NAME, "A value, or auto: the reader decides by evidence."),
    },
)
TABLES["field-extensions"] = Table(
    f"an attribute's {EXTENSION}",
    {
        "checksum": Key(TableKind("checksum"), "This integer, or these bytes, are that of other attributes."),
        "framing": Key(TableKind("framing"), "The items stand between delimiters."),
        "codec": Key(
            EitherKind(
                "a codec, or a mapping with name, or switch-on and cases",
                TextKind(choices=BLOCK_CODECS),
                TableKind("block-codec"),
            ),
            "The bytes are compressed; what they expand to is the value.",
        ),
        "timestamp": Key(
            EitherKind(
                "a unit, or a mapping with unit and zone",
                TextKind(choices=("s", "ms", "us", "ns")),
                TableKind("timestamp"),
            ),
            "This integer is a time since the Unix epoch.",
        ),
        "labels": Key(FlagKind(only=True), "The column holds the enum's labels as text."),
        "map": Key(TableKind("map"), "The items are pairs: the column is a map."),
        "union": Key(TextKind(choices=("dense",)), "What a switch chooses is a dense union in Arrow."),
        "within": Key(EXPRESSION, "The attribute is in these bytes, and takes none of its own stream."),
        "given": Key(FlagKind(only=True), "Whoever writes gives this integer, which no size or count is solved for."),
        "default": Key(default_kind(), "What a writer writes if it is not given a value."),
        "size-of": Key(size_kind(NAME), "This integer is the size of attributes after it, which a writer fills in."),
    },
)
TABLES["instance-extensions"] = Table(
    f"an instance's {EXTENSION}",
    {
        **{key: TABLES["field-extensions"].keys[key] for key in ("codec", "timestamp", "labels")},
        "text": Key(TextKind(choices=("integer",)), "In a message type: this text is a decimal integer."),
        "variable": Key(FlagKind(only=True), "What is read later may set it; the value is what it begins with."),
        "default": Key(EXPRESSION, "A constant: what a writer takes it for if it is given no column of it."),
        "sets": Key(EXPRESSION, "The variable of an object around it that is set to the value; a list gets an item."),
        "slice": Key(TableKind("slice"), "It is a part of the bytes that its value is."),
    },
)
TABLES["slice"] = Table(
    "slice",
    {
        "from": Key(EXPRESSION, "The number of its first byte; 0 unless given."),
        "to": Key(EXPRESSION, "The number of the first byte after it; the size of the value unless given."),
    },
)
TABLES["checksum"] = Table(
    "checksum",
    {
        "algorithm": Key(
            EitherKind(
                "the name of a checksum, or the parameters of a CRC",
                TextKind("the name of a checksum", r"[A-Za-z][A-Za-z0-9_/-]*", offered=tuple(CHECKSUMS)),
                TableKind("crc"),
            ),
            "The algorithm; a digest stands on bytes.",
            required=True,
        ),
        "over": Key(
            EitherKind(
                "an attribute, or a list of the first and the last one",
                COVERED,
                sequence=ListKind(COVERED, False, 2, 2),
            ),
            "The attributes whose bytes it covers; those of the object around it begin with _parent.",
            required=True,
        ),
        "initial": Key(PARAMETER, "Initial value as in catalogues of CRCs; the algorithm's own unless given."),
        "final-xor": Key(PARAMETER, "What the result is combined with; the algorithm's own unless given."),
        "replace": Key(BYTE, "What the checksum's own bytes count as, where they are covered."),
        "stored": Key(EXPRESSION, "What is stored: an expression in which `_` is the checksum; its low bits count."),
        "continues": Key(EXPRESSION, "The checksum of bytes before the ones covered; `_`: of the item before."),
        "endian": Key(TextKind(choices=("le", "be")), "Of a number in an attribute of bytes: the order of the bytes."),
        "content": Key(FLAG, "It covers what the attribute, which has a codec, expands to."),
        "if": Key(EXPRESSION, "Whether it is there: where this is false, it is not verified."),
    },
)
TABLES["crc"] = Table(
    "a CRC",
    {
        "width": Key(IntegerKind(3, 64), "Bits of the CRC.", required=True),
        "poly": Key(PARAMETER, "The polynomial without its highest term, not reflected.", required=True),
        "init": Key(PARAMETER, "Initial value; 0 unless given."),
        "refin": Key(FLAG, "The lowest bit of each byte comes first."),
        "refout": Key(FLAG, "The result is reflected."),
        "xorout": Key(PARAMETER, "What the result is combined with; 0 unless given."),
    },
)
TABLES["framing"] = Table(
    "framing",
    {
        "delimiter": Key(ListKind(BYTE, True, 1, 4), "The bytes between two items.", required=True),
        "stuffing": Key(TextKind(choices=("word", "cobs", "none")), "How items are kept free of it.", required=True),
    },
)
TABLES["map"] = Table(
    "map",
    {
        "key": Key(WAY, "The attribute of an item that is its key; dots lead into structs.", required=True),
        "value": Key(WAY, "The attribute of an item that is its value, likewise.", required=True),
    },
)
TABLES["block-codec"] = Table(
    "codec",
    {
        "name": Key(TextKind(choices=BLOCK_CODECS), "The codec, where it is always the same."),
        "switch-on": Key(EXPRESSION, "What decides which codec it is."),
        "cases": Key(
            MapKind("case", TextKind(choices=BLOCK_CODECS), pattern=None, keys="expression"),
            "Codec by value; _ for all others.",
        ),
        "size-decompressed": Key(EXPRESSION, "The size of the content in bytes, for codecs that do not say it."),
        "max-expanded": Key(IntegerKind(0, 2**31 - 1), "The most bytes that it may expand to; 64 MiB unless given."),
    },
)
TABLES["timestamp"] = Table(
    "timestamp",
    {
        "unit": Key(TextKind(choices=("s", "ms", "us", "ns")), "Its unit.", required=True),
        "zone": Key(TextKind(choices=("UTC", "none")), "UTC (unless given) or none for local time."),
    },
)
TABLES.update(message_tables(DOC, {key: TABLES["field-extensions"].keys[key] for key in ("timestamp", "labels")}))
TABLES.update(RECORD_TABLES)
TABLES.update(WRITING_TABLES)
