"""The description of a column of a format's table, and of rows that are written without their class."""

from __future__ import annotations

from ..base.dataclass import dataclass


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
    asks: tuple[str, int] | None = None
    """The value instance from which defaults of attributes are computed if a table has the column: its name, which may
    be that of one around the row that the column shows, and its number of levels above the row."""
    asked_by: tuple[tuple[str, int], ...] = ()
    """These attributes, each with its number of levels above the row, or -1 if it is in another object."""
    presumed: bool = False
    """Whether such a value instance has a default of its own, for tables that lack the column."""
    around: int = 0
    """The number of levels above that value instance of the innermost object that its value depends on."""
    shows: tuple[str, int] | None = None
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
    engine_refusal: str = ""
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
