"""Terms that the model of a spec and its plan share: sizes, ends, repetitions, byte orders, enums, logical
types, fields of messages, and what a table is made of. Plain frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .expression.nodes import Node
from .expression.types import Path, Type
from .spec.position import Position

MODEL_VERSION = 1
"""Raised whenever generated code of an older model can no longer run on the runtime; the runtime compares it."""


# What a field's bytes are ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FixedSize:
    """Known without a size key: integers and floats, and ``contents``. In bytes."""

    size: int


@dataclass(frozen=True)
class ExpressionSize:
    """``size: EXPRESSION``, in bytes."""

    expression: Node


@dataclass(frozen=True)
class EndOfStreamSize:
    """``size-eos: true``."""


@dataclass(frozen=True)
class TerminatedSize:
    """``terminator`` (or ``strz``) without a size: up to the terminator."""


@dataclass(frozen=True)
class OwnSize:
    """A user type that is read from the enclosing stream itself and ends where it ends; a switch without a size, whose
    cases have theirs; bits, whose width is in their type."""


@dataclass(frozen=True)
class WithinSize:
    """``-wireloom: {within: EXPRESSION}``: all of these bytes, which have been read before. It takes none of its own
    stream."""

    expression: Node


Size = FixedSize | ExpressionSize | EndOfStreamSize | TerminatedSize | OwnSize | WithinSize


@dataclass(frozen=True)
class Terminator:
    """``terminator``, ``include``, ``consume``, ``eos-error``. Also inside a sized field, where it cuts the value."""

    value: bytes
    include: bool = False
    consume: bool = True
    eos_error: bool = True


@dataclass(frozen=True)
class Process:
    """``process``: ``zlib``, ``xor(key)``, ``rol(n)``, ``ror(n)`` or a custom name with arguments; or
    ``-wireloom: {codec: …}``."""

    name: str
    arguments: tuple[Node, ...] = ()
    """Of codecs: the number of the one that is meant, -1 where it is none, and the size of the content, if that is
    known."""
    position: Position | None = field(default=None, compare=False)
    codecs: tuple[str, ...] = ()
    """Names of the codecs of blocks, one of which undoes the compression of the bytes."""
    most: int = 0
    """Of codecs: the most bytes that the content may have."""

    @property
    def words(self) -> str:
        """``processed with xor``, or ``compressed``."""
        return "compressed" if self.codecs else f"processed with {self.name}"

    @property
    def is_routine(self) -> bool:
        """Return whether a class undoes it that the spec names."""
        return not self.codecs and self.name not in BUILT_IN_PROCESSES


BUILT_IN_PROCESSES = ("zlib", "xor", "rol", "ror")
"""What ``process`` says that needs no class."""

SIZE_PRESERVING = ("xor", "rol", "ror")
"""Processes that give as many bytes as they take, whatever these are."""

# Repetition -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RepeatEos:
    """``repeat: eos``: to the end of the stream."""


@dataclass(frozen=True)
class RepeatCount:
    """``repeat: expr``: that many times."""

    expression: Node


@dataclass(frozen=True)
class RepeatUntil:
    """``repeat: until``: up to and with the first item, seen as ``_``, of which the expression is true."""

    expression: Node


Repeat = RepeatEos | RepeatCount | RepeatUntil


@dataclass(frozen=True)
class Framing:
    """``-wireloom: {framing: …}`` on the repeated attribute whose items are between delimiters.

    ``stuffing`` is ``word`` (delimiter of two bytes, Backtrace), ``cobs`` (delimiter 00) or ``none``."""

    delimiter: bytes
    stuffing: str


# Types ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parameter:
    """One of ``params``: a value that the type is given where it is used."""

    id: str
    type: Type
    doc: str = ""
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True)
class EnumLabel:
    """One member of an enum."""

    value: int
    label: str
    doc: str = ""
    doc_ref: tuple[str, ...] = ()


@dataclass(frozen=True)
class Enum:
    """Names for integers."""

    path: Path
    labels: tuple[EnumLabel, ...]
    doc: str = ""


@dataclass(frozen=True)
class ComputedEndian:
    """A byte order that is decided when an object is read: ``le`` or ``be`` by case; ``None`` matches all others."""

    on: Node
    cases: tuple[tuple[Node | None, str], ...]


@dataclass(frozen=True)
class InheritedEndian:
    """The byte order that the ``_parent`` has computed."""


# Logical types --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Timestamp:
    """Logical type of an integer: ``unit`` is ``s``, ``ms``, ``us`` or ``ns`` since the Unix epoch; ``zone`` is ``UTC``
    or ``None`` for local time without a zone."""

    unit: str
    zone: str | None


@dataclass(frozen=True)
class Labels:
    """Logical type of an enum: its labels as text (a dictionary in Arrow); unknown values as their number's text."""


@dataclass(frozen=True)
class IntegerText:
    """Logical type of a value instance of a message type (``-wireloom: {text: integer}``): its text is a decimal
    integer, an optional sign and digits. Other text is damage (reason ``value``)."""


@dataclass(frozen=True)
class Pairs:
    """Logical type of a list of objects that are pairs, a map in Arrow: the names of the attributes that lead from an
    item to its ``key`` and to its ``value``."""

    key: tuple[str, ...]
    value: tuple[str, ...]


@dataclass(frozen=True)
class DenseUnion:
    """Logical type of an attribute whose type a switch chooses: a dense union in Arrow."""


Logical = Timestamp | Labels | IntegerText | Pairs | DenseUnion


# Messages -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MessageField:
    """The properties of an attribute that is a field of a protobuf message.

    ``kind`` is protobuf's word (``uint64`` … ``bytes``, ``message``, ``enum``); ``label`` is ``optional``,
    ``required``, ``repeated`` or ``implicit`` (proto3 without a label). ``default``: proto2's, an enum's as its number.
    ``key``: the kind of a map's keys; the attribute's type and ``kind`` are then those of the values.
    ``json``: tables have its messages as JSON text.
    """

    number: int
    kind: str
    label: str
    packed: bool = False
    default: int | float | bool | str | bytes | None = None
    oneof: str = ""
    key: str | None = None
    json: bool = False


@dataclass(frozen=True)
class Message:
    """``-wireloom: {message: …}`` of a type: its attributes are fields of a protobuf message.

    ``strict``: wire types and varints that do not fit are errors, as in Rust's prost; else they are skipped."""

    syntax: str
    strict: bool = False
    max_depth: int = 100


@dataclass(frozen=True)
class UnitColumn:
    """A column of a table of messages: the attribute or instance ``name`` of the row, or of the message ``up`` levels
    above it. ``path`` is the type that has it."""

    name: str
    path: Path
    up: int = 0


@dataclass(frozen=True)
class UnitKind:
    """One kind of message that the units of a format may be, and its table.

    ``message``: the type of a unit. ``rows``: the attributes that lead to the rows, the last one repeated; empty where
    the unit is one row. ``row``: the type of a row. ``unit_columns``: attributes of the unit of which the reader keeps
    one value per unit, for its report. ``row_number``, ``mark``, ``whole``: names of columns; empty if there are
    none (``MessageUnits`` says what they are). ``name`` is empty if there is but one kind."""

    name: str
    message: Path
    rows: tuple[str, ...]
    row: Path
    columns: tuple[UnitColumn | str, ...]
    """In order; text: the column ``row_number`` or ``mark``."""
    selectable: tuple[UnitColumn | str, ...] = ()
    unit_columns: tuple[str, ...] = ()
    row_number: str = ""
    mark: str = ""
    whole: str = ""


@dataclass(frozen=True)
class Units:
    """``-wireloom: {message: …}`` in ``meta``: the input consists of messages.

    ``at``: the root's attributes that lead to a message, for people and the envelope. ``framing``: ``whole``,
    ``varint``, ``u1`` … ``u8be`` (lengths before each), or ``module:Class`` of a framing of one's own. ``framings``:
    all of several, of which ``framing`` is the first. ``option``: the reader's option that chooses among several kinds,
    ``default`` the kind without it; both empty if there is one kind. ``packing``, ``hooks``: ``module:Class``, or
    empty. ``prefix``, ``digest``, ``least``: a unit's envelope.
    ``positions``: where the keys ``framing``, ``packing`` and ``hooks`` have their values."""

    kinds: tuple[UnitKind, ...]
    at: tuple[str, ...] = ()
    framing: str = "whole"
    framings: tuple[str, ...] = ()
    packing: str = ""
    hooks: str = ""
    option: str = ""
    default: str = ""
    prefix: bytes = b""
    digest: str = ""
    least: int = 0
    positions: Mapping[str, Position] = field(default_factory=dict, compare=False)


# Options --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Preallocated:
    """``-wireloom: {preallocated: …}``: zeros after the last record are no damage. A damaged last record with a
    ``sector`` of zeros, whose first one begins after its ``header``, was not written to its end; 0: that is not
    known."""

    sector: int = 0
    header: int = 0


@dataclass(frozen=True)
class Fragments:
    """How records that are written in pieces are put together: each row on the wire is a fragment. ``kind``: the
    attribute that says which piece it is; ``data``: the one whose bytes are put together; ``full``, ``first``,
    ``middle``, ``last``: the kinds; ``skip``: those of records without rows; ``block``: the size of the blocks that
    pieces fill, 0 if it is not given; ``codec``: the attribute or value instance that says how a record is
    compressed, empty if none is, ``codecs``: the codecs by its values, and ``most``: the most bytes of a record;
    ``log``: the one that says of which log a piece is, or empty."""

    kind: str
    data: str
    full: tuple[int, ...] = ()
    first: tuple[int, ...] = ()
    middle: tuple[int, ...] = ()
    last: tuple[int, ...] = ()
    skip: tuple[int, ...] = ()
    block: int = 0
    codec: str = ""
    codecs: tuple[tuple[int, str], ...] = ()
    most: int = 0
    log: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns that readers need."""
        return tuple(each for each in (self.kind, self.data, self.codec, self.log) if each)


@dataclass(frozen=True)
class LookUp:
    """A column ``name``: ``value`` of the last row of another ``table`` whose ``match`` equals ``key`` of the row;
    ``default``: whether readers have it who do not choose."""

    name: str
    table: str
    key: str
    match: str
    value: str
    default: bool = True


@dataclass(frozen=True)
class Choice:
    """An option of the format that names how many unused bytes follow each row (``-wireloom: {options: …}``).

    ``padding`` maps each value of the option to that number of bytes. With ``default`` = ``auto`` the reader decides by
    evidence: the first value in order whose rows hold."""

    name: str
    padding: tuple[tuple[str, int], ...]
    default: str
    doc: str = ""
