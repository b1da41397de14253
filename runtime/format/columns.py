"""The description of a column of a format's table, of rows that are written without their class, and of tables that
cannot be written."""

from __future__ import annotations

from typing import NamedTuple

from ..base.dataclass import dataclass
from ..base.late import late


class ReaderColumn(NamedTuple):
    """A column that readers add to every table. ``type``: Arrow's name of the type; ``sql``: Spark's."""

    name: str
    type: str
    sql: str
    doc: str


READER_COLUMNS = (
    # Offsets in files are below 2**63, so they fit a bigint.
    ReaderColumn("_offset", "uint64", "bigint", "Where the row begins in the decompressed input, in bytes."),
    ReaderColumn("_path", "utf8", "string", "Path or address of the file."),
    ReaderColumn("_error", "utf8", "string", "Why the record is damaged; null for a valid record."),
    ReaderColumn("_corrupt_record", "binary", "binary", "The bytes of a damaged record; null for a valid record."),
)
OFFSET, PATH, ERROR, CORRUPT_RECORD = READER_NAMES = tuple(each.name for each in READER_COLUMNS)


@dataclass(frozen=True)
class LookUp:
    """A column that is looked up: the column ``value`` of the last row, before the row, of another ``table`` of the
    spec whose column ``match`` equals the row's column ``key``."""

    table: str
    key: str
    match: str
    value: str


@dataclass(frozen=True)
class Column:
    """One column of a format's table.

    ``type``: Arrow's name of the type (``uint32``, ``binary``, ``timestamp[ms, UTC]``); ``attribute``: the field of the
    row object with the value, or of the root object if ``parent`` is set.
    """

    name: str
    type: str
    default: bool = True
    attribute: str = ""
    parent: bool = False
    doc: str = ""
    labels: tuple[tuple[int, str], ...] = ()
    """For a column of an enum's labels: the values of the enum and their labels."""
    unsigned: bool = False
    """For a column of labels: whether its numbers are uint64; otherwise they are int64."""
    derived: bool = False
    """Whether writers derive the value and ignore a given one: a length, a count, a checksum, fixed contents, a
    computed value."""
    constant: bool = False
    """Whether ``valid`` allows a single value, which a writer fills in if a table lacks the column."""
    filled: bool = False
    """Whether the attribute has a default, which a writer fills in if a table lacks the column."""
    default_source: tuple[str, int] | None = None
    """The value instance from which defaults of attributes are computed if a table has the column: its name, which may
    be that of one around the row that the column shows, and its number of levels above the row."""
    default_dependents: tuple[tuple[str, int], ...] = ()
    """The attributes whose defaults are computed from ``default_source``, each with its number of levels above the row,
    or -1 if it is in another object."""
    source_has_default: bool = False
    """Whether ``default_source`` has a default of its own, for tables that lack the column."""
    innermost_dependency: int = 0
    """How many levels above ``default_source`` the innermost object lies that its value depends on."""
    shown_attribute: tuple[str, int] | None = None
    """The attribute with a default that a value instance shows, and its number of levels above the row."""
    optional: bool = False
    """Whether the attribute has an ``if``, or a switch without a case for every value, or is an optional field of a
    message: the column is null in rows for which the condition is false, no case matches, or the field is absent."""
    same_as: str = ""
    """For a value instance that only shows an attribute in another form (``ts`` for ``ts_millis``): that attribute, in
    which a writer stores the value."""
    up: int = 0
    """The number of levels above the row of the object with the attribute: an enclosing object, or a message above the
    row."""
    engine_refusal: str = late("")
    """Why the engine cannot fill the column; if it is selected, the object parser reads the rows."""
    variants: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    """The structs in it for types that a switch chooses from: the path to each (``.field.item``, empty for the column
    itself), with its fields and the qualified names of their classes, which are empty for bytes, text and numbers."""
    structs: tuple[tuple[str, str], ...] = ()
    """The other structs in it: the path to each, and the qualified name of its class."""
    maps: tuple[tuple[str, str, str], ...] = ()
    """The maps in it: the path to each, as to a list of structs, and the paths from an item to its key and to its
    value, with dots between names."""
    absent: tuple[tuple[str, int], ...] = ()
    """The timestamps in it of which one count means that there is no time: the path to each, as to a struct, and this
    count. It is null in tables, and a writer writes it for null."""
    decimals: tuple[tuple[str, str], ...] = ()
    """The decimals in it whose attributes are bytes: the path to each, as to a struct, and its form: ``packed`` or
    ``zoned``, with `` unsigned`` after it if writers write no sign."""
    inside: tuple[tuple[str, str], ...] = ()
    """For an attribute of a struct (``header.tenant``), or a value instance that is solved for one: the prefix of its
    name for each struct that leads to it (``header.``), and the qualified name of the struct's class."""
    solves: tuple[tuple[str, int, int], ...] = ()
    """For a value instance ``factor * attribute + rest``: each attribute that a writer can solve it for, with its
    number of levels above the row, and the factor. An attribute of an object in it is written ``header.network``."""
    looked_up: LookUp | None = None
    """Whether the value comes from a row of another table."""
    lookup: str = ""
    """In a table of messages, for an item that the row refers to by its index: ``item``, or ``integer`` if its text
    must be a decimal integer. A row with an invalid index ends the rows of its unit, whether or not the column is
    selected."""

    @property
    def required_for_defaults(self) -> bool:
        """Return whether writers need the column to compute defaults of attributes that have no columns."""
        return self.default_source is not None and not self.source_has_default

    @property
    def count_absent(self) -> int | None:
        """Return the count that means that there is no time, if the column itself is such a timestamp."""
        return dict(self.absent).get("")


@dataclass(frozen=True)
class RowChecksum:
    """The checksum in a plain row. ``start``, ``end``: the covered bytes of the row, of which its own count as
    ``replace``; ``None``: to the end of the row."""

    algorithm: str
    initial: int
    final_xor: int
    start: int
    end: int | None = None
    replace: int = 0


@dataclass(frozen=True)
class PlainRow:
    """How a writer writes rows that consist of numbers and then at most one byte string.

    ``head``: the format of the numbers in Python's ``struct``, with their byte order. ``fields``: what each of them is:
    the name of a field of the row object; or an integer, to which the size of the byte string is added; or ``None``,
    the checksum. ``content``: the field with the byte string, which is text in UTF-8 if ``is_text``; empty: none.
    """

    head: str
    fields: tuple[str | int | None, ...] = ()
    content: str = ""
    is_text: bool = False
    checksum: RowChecksum | None = None

    @property
    def letters(self) -> str:
        """Return the letter of each number in ``head``."""
        return self.head[1:]


def written_as_objects(
    name: str,
    root: str,
    *,
    pieces: bool,
    positions: bool,
    inside: str = "",
    ahead: bool = False,
    decoded: bool = False,
) -> str:
    """Return the sentence about a table that is read-only; empty if none of the reasons applies.

    The reasons: its records are in ``pieces`` of blocks of unknown size, at ``positions`` that a writer does not know,
    or ``inside`` of records of another table; the root has something at positions ``ahead`` of them; or a column of
    bytes is ``decoded`` by a schema.
    """
    if decoded:
        return f"rows of {name} that are decoded by a schema cannot be written: write their bytes, by another table"
    if inside:
        return (
            f"rows inside of records of {name} cannot be written: make objects of these, and write them as the data "
            f"of the table {inside}"
        )
    if pieces:
        why = "its records are fragmented, and 'fragments' does not give the block size"
    elif positions:
        why = "its rows are reached through instances with positions"
    elif ahead:
        why = "it has instances with positions"
    else:
        return ""
    return f"tables of {name} cannot be written, since {why}: make objects of {root} instead"


def only_read(name: str, root: str, unfilled: tuple[str, ...]) -> str:
    """Return the sentence about a table that is read-only since some attributes of the format are not filled in.
    ``root``: the class of the whole input, whose objects can be written."""
    what = ", ".join(unfilled)
    return (
        f"tables of {name} cannot be written, since no column contains {what}: give it a 'default' in the spec, or "
        f"name it in 'columns', 'selectable' or 'parent-columns'; or make objects of {root} and write these with "
        "to_bytes()"
    )


def objects_only_read(
    type: str,
    *unsolved: str,
    instance: str = "",
    checksum: str = "",
    inner_checksum: str = "",
    computed: str = "",
) -> str:
    """Return the sentence about a type whose objects are read-only; the type is named as in the spec.

    The reason is one of these: an ``instance`` at its own position; a ``checksum`` of bits that covers more than one
    value; an ``inner_checksum``, in an object that it covers; an attribute that depends on a ``computed`` checksum of
    bytes that were read; or ``unsolved`` integers, given as clauses that say why they cannot be derived.
    """
    if instance:
        why = f"{instance} has an explicit position"
        hint = "the classes of 'wireloom generate --kaitai --read-write' write such objects"
    elif checksum:
        why = f"the checksum {checksum} is a bit field or a varint, and covers more than one attribute of bytes"
        hint = "give it a byte-aligned type if the format allows that"
    elif inner_checksum:
        why = f"the checksum {inner_checksum} is in an object inside these bytes"
        hint = "if the format is yours, declare the checksum in the type whose attributes it covers"
    elif computed:
        why = f"{computed} depends on a checksum that is computed from bytes that were read"
        hint = "declare the checksum with '-wireloom: {checksum: …}' at the attribute that contains it"
    else:
        why = ", ".join(unsolved)
        hint = "'-wireloom: {given: true}' on an integer makes it a value that the caller provides"
    return f"objects of '{type}' cannot be written: {why}; {hint}"
