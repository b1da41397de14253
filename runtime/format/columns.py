"""The description of a column of a format's table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LookUp:
    """Where a column is looked up: in the column ``value`` of the last row, before the row, of another ``table`` of the
    spec whose column ``match`` equals the row's column ``key``."""

    table: str
    key: str
    match: str
    value: str


@dataclass(frozen=True)
class Column:
    """One column of a format's table.

    ``type`` is Arrow's name of the type (``uint32``, ``binary``, ``timestamp[ms, UTC]``); ``attribute`` the field of
    the row object that holds the value, or of the root object where ``parent`` is set.
    """

    name: str
    type: str
    default: bool = True
    attribute: str = ""
    parent: bool = False
    doc: str = ""
    labels: tuple[tuple[int, str], ...] = ()
    """For a column of an enum's labels: its values and their labels."""
    unsigned: bool = False
    """For a column of labels: its numbers are those of uint64; otherwise those of int64."""
    derived: bool = False
    """A writer takes no value for it: a length, a count, a checksum, fixed contents, a computed value."""
    constant: bool = False
    """``valid`` allows one value only, which a writer fills in where a table lacks the column."""
    filled: bool = False
    """The attribute has a default, which a writer fills in where a table lacks the column."""
    asks: tuple[str, int] | None = None
    """The value instance, itself or one around the row that it shows, and how many levels above the row that is, from
    which defaults of attributes are computed where a table has the column."""
    asked_by: tuple[tuple[str, int], ...] = ()
    """These attributes, and how many levels above the row they are, -1 for those of other objects."""
    presumed: bool = False
    """Such a value instance has a default of its own, where a table lacks the column."""
    around: int = 0
    """How many levels above that value instance the innermost object is that its value depends on."""
    shows: tuple[str, int] | None = None
    """The attribute with a default that a value instance is, and how many levels above the row that is."""
    optional: bool = False
    """The attribute has an ``if``, or a switch without a case for every value: the column is null in rows where the
    condition is false, or no case matches."""
    same_as: str = ""
    """For a value instance that only shows an attribute in another form (``ts`` of ``ts_millis``): that attribute,
    which is where a writer stores it."""
    up: int = 0
    """How many levels above the row the object is that has the attribute: what holds the row, or a message above it."""
    engine_refusal: str = ""
    """Why the engine cannot fill the column, so that the object parser reads the rows where it is wanted."""
    variants: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    """The structs in it of types that a switch chooses from: the way to each (``.field.item``, empty for the column
    itself), with its fields and the qualified names of their classes, empty for bytes, text and numbers."""
    structs: tuple[tuple[str, str], ...] = ()
    """The other structs in it: the way to each, and the qualified name of its class."""
    maps: tuple[tuple[str, str, str], ...] = ()
    """The maps in it: the way to each, as to a list of structs, and those from an item to its key and to its value,
    with dots between names."""
    inside: tuple[tuple[str, str], ...] = ()
    """For an attribute of a struct (``header.tenant``), or a value instance that is solved for one: the beginning of
    its name that stands for each struct that leads to it (``header.``), and the qualified name of its class."""
    solves: tuple[tuple[str, int, int], ...] = ()
    """Of a value instance ``factor * attribute + rest``: each attribute that a writer can solve it for, with how many
    levels above the row that is, and the factor. ``header.network``: that of an object in it."""
    looked_up: LookUp | None = None
    """The column is that of a row of another table."""
    lookup: str = ""
    """In a table of messages, for an item that the row names by its index: ``item``, or ``integer`` where its text must
    be a decimal integer. A row that names no such item ends the rows of its unit, whether or not this is wanted."""
