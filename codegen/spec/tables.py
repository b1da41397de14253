"""The dialect's reference: which keys are allowed where, and what they mean.

Kaitai's language as of version 0.11 and, under ``-wireloom``, extensions of it.
"""

from __future__ import annotations

from dataclasses import replace

from wireloom.codecs import BLOCK_CODECS, CODECS

from .checksum_tables import CHECKSUM_TABLES
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
from .writing_tables import AROUND_ITEMS, WRITING_TABLES, default_kind, size_kind

EXTENSION = "-wireloom"
"""The key for everything that Kaitai's own compiler must ignore."""

TEXT = TextKind()
ENCODING = TextKind("the name of an encoding, such as UTF-8, UTF-16LE or ISO-8859-1")
NOTE = TextKind(empty=True)
FLAG = FlagKind()
EXPRESSION = ExpressionKind()
IN_ENUM = "only `true` is supported as value, got `{}` (if you don't want any validation, omit the `valid` key)"
BYTE = IntegerKind(0, 255)
A_NAME = "a name of lower-case letters, digits and underscores that begins with a letter"
NAME = TextKind(A_NAME, IDENTIFIER)
ENUM = TextKind("the name of an enum", TYPE_NAME)
NAMES = ListKind(NAME)
ROW_PATH = TextKind(
    "names separated by dots", rf"{IDENTIFIER}(?:\.{IDENTIFIER}|\.as<{IDENTIFIER}(?:::{IDENTIFIER})*>)*"
)
WAY = TextKind("names separated by dots", rf"{IDENTIFIER}(?:\.{IDENTIFIER})*")
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
    """Return the key ``id`` of an attribute, a parameter …"""
    kind = TextKind(A_NAME, IDENTIFIER, refusal=f"invalid {what} ID: '{{}}', expected /^{IDENTIFIER}$/")
    return Key(kind, "The name.")


DOC = {
    "doc": Key(TEXT, "Documentation, in Markdown."),
    "doc-ref": Key(ListKind(TEXT, single=True), "The documentation: a link or text."),
}

TYPE_KEYS = {
    **DOC,
    "to-string": Key(EXPRESSION, "The text of an object of this type."),
    "params": Key(ListKind(TableKind("parameter")), "The parameters of the type."),
    "seq": Key(ListKind(TableKind("attribute")), "The attributes, in the order of their bytes."),
    "instances": Key(
        MapKind("instance", TableKind("instance")), "Values that are computed, or read at an explicit position."
    ),
    "types": Key(MapKind("type", TableKind("type")), "Types that are declared inside this one."),
    "enums": Key(MapKind("enum", TableKind("enum")), "Names for integers."),
}

FIELD_KEYS = {
    **DOC,
    "type": Key(
        EitherKind("the name of a type, or a mapping with switch-on and cases", TypeKind(), TableKind("switch")),
        "The type; bytes by default.",
    ),
    "contents": Key(ContentsKind(), "The expected bytes."),
    "size": Key(EXPRESSION, "The size in bytes."),
    "size-eos": Key(FLAG, "Whether it extends to the end of the stream."),
    "if": Key(EXPRESSION, "A condition: the attribute only exists if it is true."),
    "repeat": Key(
        TextKind("how it repeats", choices=("eos", "expr", "until")),
        "Makes the attribute a list, and determines where it ends.",
    ),
    "repeat-expr": Key(EXPRESSION, "With repeat: expr, the number of items."),
    "repeat-until": Key(EXPRESSION, "With repeat: until, a condition that is true for the last item, _."),
    "terminator": Key(
        BYTE,
        "The byte that ends it. A line break of two bytes, \\r\\n, begins with 0x0d; the next attribute is the other "
        "byte: contents \\n.",
    ),
    "include": Key(FLAG, "Whether the terminator belongs to the value."),
    "consume": Key(FLAG, "Whether reading continues after the terminator, and not before it."),
    "eos-error": Key(FLAG, "Whether a missing terminator is an error."),
    "pad-right": Key(BYTE, "The byte that fills the rest of the size."),
    "encoding": Key(ENCODING, "The encoding of text."),
    "enum": Key(ENUM, "The enum with the names of its values."),
    "parent": Key(EXPRESSION, "The object that is its _parent; false for none."),
    "process": Key(ProcessKind(), "The transformation of the bytes before they are parsed."),
    "valid": Key(
        EitherKind(
            "an expression, or a mapping with eq, min, max, any-of, in-enum or expr", EXPRESSION, TableKind("valid")
        ),
        "The values that are valid.",
    ),
}

TABLES: dict[str, Table] = {
    "spec": Table("the spec", {"meta": Key(TableKind("meta"), "About the spec.", required=True), **TYPE_KEYS}),
    "type": Table(
        "a type", {"meta": Key(TableKind("type-meta"), "Defaults for this type."), **TYPE_KEYS}, "type-extensions"
    ),
    "parameter": Table(
        "a parameter",
        {
            "id": identifier("parameter"),
            "type": Key(TypeKind(), "The type; bytes by default."),
            "enum": Key(ENUM, "The enum with the names of its values."),
            **DOC,
        },
    ),
    "attribute": Table("an attribute", {"id": identifier("attribute"), **FIELD_KEYS}, "field-extensions"),
    "instance": Table(
        "an instance",
        {
            "value": Key(EXPRESSION, "The expression that computes the value."),
            "pos": Key(EXPRESSION, "The position in its stream."),
            "io": Key(EXPRESSION, "The stream that is read."),
            **FIELD_KEYS,
        },
        "instance-extensions",
    ),
    "switch": Table(
        "a switch",
        {
            "switch-on": Key(EXPRESSION, "The expression that selects a case.", required=True),
            "cases": Key(
                MapKind("case", TypeKind(), pattern=None, keys="expression"), "Type by value; _ for all others.", True
            ),
        },
    ),
    "valid": Table(
        "valid",
        {
            "eq": Key(EXPRESSION, "The only valid value."),
            "min": Key(EXPRESSION, "The smallest valid value."),
            "max": Key(EXPRESSION, "The largest valid value."),
            "any-of": Key(ListKind(EXPRESSION, single=True), "The valid values."),
            "in-enum": Key(FlagKind(only=True, refusal=IN_ENUM), "Whether only values that the enum names are valid."),
            "expr": Key(EXPRESSION, "A condition that is true for every valid value, _."),
        },
    ),
    # Written as a mapping from values to names or to mappings of the next table; the validator converts it to a list.
    "enum": Table("an enum", {"members": Key(AnyKind(), "The values and their names.")}),
    "enum-member": Table("an enum's member", {"id": replace(identifier("enum member"), required=True), **DOC}),
}

META_DEFAULTS = {
    "endian": Key(
        EitherKind("le, be, or a mapping with switch-on and cases", ENDIAN, TableKind("endian")),
        "Byte order of integers and floats.",
    ),
    "bit-endian": Key(BIT_ENDIAN, "Order of bits."),
    "encoding": Key(ENCODING, "Encoding of text."),
}
META_REST = {
    "title": Key(NOTE, "The human-readable name of the format."),
    "application": Key(AnyKind(), "Applications that use the format."),
    "file-extension": Key(ListKind(NOTE, single=True), "The suffixes of file names, without the dot."),
    "xref": Key(AnyKind(), "The format's identifiers elsewhere."),
    "tags": Key(AnyKind(), "Keywords for searching."),
    "license": Key(NOTE, "The licence of the spec."),
    "ks-version": Key(VERSION, "The lowest version of Kaitai's compiler that accepts the spec."),
    "ks-debug": Key(FLAG, "Kaitai's debug mode."),
    "ks-opaque-types": Key(FLAG, "Whether undefined types are classes that the user provides."),
    "ks-zero-copy-substream": Key(FLAG, "Only used by Kaitai's compiler."),
    "imports": Key(ListKind(TEXT, single=True), "Other specs, as paths without .ksy."),
}

TABLES["meta"] = Table(
    "meta",
    {"id": replace(identifier("meta"), doc="The name of the spec.", required=True), **META_REST, **META_DEFAULTS},
    "meta-extensions",
)
TABLES["type-meta"] = Table(
    "meta", {"id": replace(identifier("meta"), doc="The name of the type."), **META_REST, **META_DEFAULTS}
)
TABLES["endian"] = Table(
    "endian",
    {
        "switch-on": Key(EXPRESSION, "The expression that selects a case.", required=True),
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
        "The path to the rows of the table: a repeated attribute of the outermost type, or "
        "several attributes with dots between them. as<type> selects one type of a switch. A "
        "list has several paths.",
    ),
    "columns": Key(NAMES, "The columns that a reader returns by default, in order."),
    "selectable": Key(NAMES, "Further columns that a reader may select."),
    "parent-columns": Key(NAMES, "Single values of the outermost type that are repeated in each row."),
    "unit": Key(WAY, "The beginning of 'rows', up to the repeated attribute whose items are the innermost units."),
    "fragments": Key(TableKind("fragments"), "Each record is written in pieces, which are joined into one row."),
    "flatten": Key(FLAG, "A struct becomes a column for each of its fields, such as header.tenant."),
    "where": Key(EXPRESSION, "A condition that is true for the rows of the table."),
    "distinct": Key(
        FLAG,
        "A row is in the table once: a reader leaves out rows that equal an earlier one in all columns that it returns "
        "by default, apart from look-ups.",
    ),
    "unsupported": Key(
        EXPRESSION,
        "A condition that is true for records with rows of the table that readers cannot read, such as encrypted ones. "
        "They are damage with the reason `unsupported`.",
    ),
}

TABLES["table"] = Table(
    "a table",
    {
        **_ROWS,
        "rows": replace(_ROWS["rows"], required=True),
        "look-ups": Key(
            MapKind("look-up", TableKind("look-up")), "Columns with values from earlier rows of other tables, by name."
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
            "Several tables, by name; the first one is the default.",
        ),
        "codec": Key(TextKind(choices=CODECS), "The codec with which writers compress files."),
        "path": Key(TEXT, "A pattern for the end of a file's path: each {name} becomes a column."),
        "max-record": Key(IntegerKind(1, 2**40), "The default size limit of a row, in bytes."),
        "options": Key(MapKind("option", _OPTION), "Reader options that set how many unused bytes follow a row."),
        "preallocated": Key(
            EitherKind("true, or a mapping with sector and header", FLAG, TableKind("preallocated")),
            "Files are preallocated: zeros after the last record are not damage.",
        ),
        "nonempty": Key(FLAG, "Inputs begin with a record, so that one without bytes is truncated."),
        "advice": Key(TEXT, "What the error about an input that is not in the format says about the likely cause."),
        "ranges": Key(
            TextKind(choices=("search",)), "Byte ranges begin at a unit that is found; its own checksum proves it."
        ),
        "message": Key(TableKind("message-units"), "The table of an input that consists of protobuf messages."),
    },
)
TABLES["option"] = Table(
    "an option",
    {
        "doc": Key(TEXT, "Documentation of the option."),
        "padding": Key(
            MapKind("value", IntegerKind(0, 2**31 - 1)),
            "The number of bytes after a row, by value of the option.",
            True,
        ),
        "default": Key(NAME, "One of the values, or auto: the reader detects it."),
    },
)
TABLES["field-extensions"] = Table(
    f"an attribute's {EXTENSION}",
    {
        "checksum": Key(TableKind("checksum"), "The attribute is a checksum of other attributes."),
        "framing": Key(TableKind("framing"), "The items are separated by delimiters."),
        "codec": Key(
            EitherKind(
                "a codec, or a mapping with name, or switch-on and cases",
                TextKind(choices=BLOCK_CODECS),
                TableKind("block-codec"),
            ),
            "The bytes are compressed; the value is the decompressed content.",
        ),
        "timestamp": Key(
            EitherKind(
                "a unit, or a mapping with unit, zone and absent",
                TextKind(choices=("s", "ms", "us", "ns")),
                TableKind("timestamp"),
            ),
            "This integer is a time since the Unix epoch. Spark rounds nanoseconds down to microseconds.",
        ),
        "labels": Key(FlagKind(only=True), "The column contains the enum's labels as text."),
        "map": Key(TableKind("map"), "The items are pairs, and the column is a map."),
        "union": Key(TextKind(choices=("dense",)), "The column of a switch is a dense union in Arrow."),
        "within": Key(
            EXPRESSION, "The bytes that contain the attribute, which then reads nothing from its own stream."
        ),
        "given": Key(FlagKind(only=True), "The caller of a writer provides this integer: it is not derived."),
        "default": Key(default_kind(), "The value that a writer uses if none is given."),
        **AROUND_ITEMS,
        "size-of": Key(
            size_kind(NAME),
            "This integer is the size of attributes after it: a writer fills it in, and a reader compares it.",
        ),
    },
)
TABLES["instance-extensions"] = Table(
    f"an instance's {EXTENSION}",
    {
        **{key: TABLES["field-extensions"].keys[key] for key in ("codec", "timestamp", "labels")},
        "text": Key(TextKind(choices=("integer",)), "In a message type: the text is a decimal integer."),
        "variable": Key(FlagKind(only=True), "Makes it a variable with this initial value."),
        "default": Key(EXPRESSION, "A constant that a writer uses if the table has no such column."),
        "sets": Key(EXPRESSION, "The variable that is set to the value; if it is a list, the value is appended."),
        "checksum": Key(TableKind("computed-checksum"), "The instance is the checksum of attributes of its type."),
        "slice": Key(TableKind("slice"), "The instance is this part of the value, which must be bytes."),
    },
)
TABLES["framing"] = Table(
    "framing",
    {
        "delimiter": Key(ListKind(BYTE, True, 1, 4), "The bytes between two items.", required=True),
        "stuffing": Key(TextKind(choices=("word", "cobs", "none")), "How items are stuffed.", required=True),
    },
)
TABLES["map"] = Table(
    "map",
    {
        "key": Key(
            WAY, "The attribute of an item that is its key; a path with dots for one inside a struct.", required=True
        ),
        "value": Key(
            WAY, "The attribute of an item that is its value; a path with dots for one inside a struct.", required=True
        ),
    },
)
TABLES["block-codec"] = Table(
    "codec",
    {
        "name": Key(TextKind(choices=BLOCK_CODECS), "The codec, if it is always the same."),
        "switch-on": Key(EXPRESSION, "The expression that selects the codec."),
        "cases": Key(
            MapKind("case", TextKind(choices=BLOCK_CODECS), pattern=None, keys="expression"),
            "Codec by value; _ for all others.",
        ),
        "size-decompressed": Key(EXPRESSION, "The size of the content in bytes, for codecs that do not store it."),
        "max-expanded": Key(IntegerKind(0, 2**31 - 1), "The largest content in bytes; 64 MiB by default."),
    },
)
TABLES["timestamp"] = Table(
    "timestamp",
    {
        "unit": Key(TextKind(choices=("s", "ms", "us", "ns")), "The unit.", required=True),
        "zone": Key(TextKind(choices=("UTC", "none")), "UTC (default), or none for local time."),
        "absent": Key(
            IntegerKind(-(2**63), 2**64 - 1),
            "The number that means that there is no time: null in tables, and written for null.",
        ),
    },
)
TABLES.update(message_tables(DOC, {key: TABLES["field-extensions"].keys[key] for key in ("timestamp", "labels")}))
TABLES.update(CHECKSUM_TABLES)
TABLES.update(RECORD_TABLES)
TABLES.update(WRITING_TABLES)
