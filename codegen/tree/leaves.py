"""Leaf classes of the tree: sizes, ends, repetitions, byte orders, enums, logical types, fields of messages, and parts
of tables."""

from __future__ import annotations

from collections.abc import Mapping

from wireloom.base.dataclass import dataclass, field
from wireloom.format.stuffings import Stuffing

from ..expression.nodes import IntegerLiteral, Node
from ..expression.types import Path, Type
from ..spec.position import Position

# Extent of a field ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FixedSize:
    """A size known without a size key, in bytes: of integers, floats and ``contents``."""

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
    """``terminator`` (or ``strz``) without a size: everything up to the terminator."""


@dataclass(frozen=True)
class OwnSize:
    """A field without a size key that ends on its own: a user type read from the enclosing stream, a switch whose cases
    have sizes, or bits, whose type contains the width."""


@dataclass(frozen=True)
class WithinSize:
    """``-wireloom: {within: EXPRESSION}``: all of these bytes, which have been read before. It reads nothing from its
    own stream."""

    expression: Node


Size = FixedSize | ExpressionSize | EndOfStreamSize | TerminatedSize | OwnSize | WithinSize


def literal_size(size: Size) -> int | None:
    """Return the size in bytes of an attribute whose size is a number in the spec, else ``None``."""
    if isinstance(size, FixedSize):
        return size.size
    if isinstance(size, ExpressionSize) and isinstance(size.expression, IntegerLiteral):
        return max(0, size.expression.value)
    return None


@dataclass(frozen=True)
class Terminator:
    """``terminator``, ``include``, ``consume``, ``eos-error``. In a sized field it truncates the value."""

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
    """For codecs: the number of the selected codec, -1 if none is, and the size of the content, if known."""
    position: Position | None = field(default=None, compare=False, repr=False)
    codecs: tuple[str, ...] = ()
    """Names of the codecs of blocks, one of which decompresses the bytes."""
    most: int = 0
    """For codecs: the maximum size of the content in bytes."""

    @property
    def words(self) -> str:
        """Return a description: ``processed with xor``, or ``compressed``."""
        return "compressed" if self.codecs else f"processed with {self.name}"

    @property
    def is_routine(self) -> bool:
        """Return whether a class named by the spec performs it."""
        return not self.codecs and self.name not in BUILT_IN_PROCESSES


BUILT_IN_PROCESSES = ("zlib", "xor", "rol", "ror")
"""The names in ``process`` that need no class."""

SIZE_PRESERVING = ("xor", "rol", "ror")
"""Processes whose output is always as long as their input."""

# Repetition -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RepeatEos:
    """``repeat: eos``: up to the end of the stream."""


@dataclass(frozen=True)
class RepeatCount:
    """``repeat: expr``: a number of times."""

    expression: Node


@dataclass(frozen=True)
class RepeatUntil:
    """``repeat: until``: up to and including the first item, available as ``_``, for which the expression is true."""

    expression: Node


Repeat = RepeatEos | RepeatCount | RepeatUntil


@dataclass(frozen=True)
class Framing:
    """``-wireloom: {framing: …}`` of the repeated attribute whose items are between delimiters.

    ``stuffing``: the code that keeps the delimiter out of the items.
    """

    delimiter: bytes
    stuffing: Stuffing


# Types ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parameter:
    """One of ``params``: a value that is passed to the type where it is used."""

    id: str
    type: Type
    doc: str = ""
    position: Position | None = field(default=None, compare=False, repr=False)


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
    """A byte order that is determined when an object is read: ``le`` or ``be`` by case; ``None`` matches all others."""

    on: Node
    cases: tuple[tuple[Node | None, str], ...]


@dataclass(frozen=True)
class InheritedEndian:
    """The byte order that the ``_parent`` has determined."""


# Logical types --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Timestamp:
    """Logical type of an integer: a count of ``unit`` (``s``, ``ms``, ``us`` or ``ns``) since the Unix epoch; ``zone``
    is ``UTC`` or ``None`` for local time without a zone. ``absent``: the count that means that there is no time."""

    unit: str
    zone: str | None
    absent: int | None = None


@dataclass(frozen=True)
class Labels:
    """Logical type of an enum: its labels as text (a dictionary in Arrow); unknown values are their numbers as text."""


@dataclass(frozen=True)
class IntegerText:
    """Logical type of a value instance of a message type (``-wireloom: {text: integer}``): its text is a decimal
    integer with an optional sign. Other text is damage (reason ``value``)."""


@dataclass(frozen=True)
class Pairs:
    """Logical type of a list of objects that are pairs, a map in Arrow: the names of the attributes that lead from an
    item to its ``key`` and to its ``value``."""

    key: tuple[str, ...]
    value: tuple[str, ...]


@dataclass(frozen=True)
class DenseUnion:
    """Logical type of an attribute whose type a switch chooses: a dense union in Arrow."""


@dataclass(frozen=True)
class Decimal:
    """Logical type of bytes: a decimal number of COBOL with ``digits`` digits, ``scale`` of them after the point.
    ``form``: ``packed`` (COMP-3) or ``zoned`` (DISPLAY). ``signed``: whether it may be negative."""

    form: str
    digits: int
    scale: int
    signed: bool = True


Logical = Timestamp | Labels | IntegerText | Pairs | DenseUnion | Decimal


# Messages -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MessageField:
    """The properties of an attribute that is a field of a protobuf message.

    ``kind``: protobuf's name of the type (``uint64`` … ``bytes``, ``message``, ``enum``); ``label``: ``optional``,
    ``required``, ``repeated`` or ``implicit`` (proto3 without a label). ``default``: that of proto2, for an enum as its
    number. ``key``: the kind of a map's keys; the attribute's type and ``kind`` are then those of the values. ``json``:
    tables contain its messages as JSON text. ``json_name``: its name in JSON, empty for protobuf's own; ``hex``: bytes
    are hexadecimal digits in JSON.
    """

    number: int
    kind: str
    label: str
    packed: bool = False
    default: int | float | bool | str | bytes | None = None
    oneof: str = ""
    key: str | None = None
    json: bool = False
    json_name: str = ""
    hex: bool = False


@dataclass(frozen=True)
class Message:
    """``-wireloom: {message: …}`` of a type: its attributes are fields of a protobuf message.

    ``strict``: wire types and varints that do not match are errors, as in Rust's prost; otherwise they are skipped.
    """

    syntax: str
    strict: bool = False
    max_depth: int = 100


@dataclass(frozen=True)
class UnitColumn:
    """A column of a table of messages: the attribute or instance ``name`` of the row, or of the message ``up`` levels
    above it. ``path``: the type that contains it."""

    name: str
    path: Path
    up: int = 0


@dataclass(frozen=True)
class UnitKind:
    """One kind of message that the units of a format may be, and its table.

    - ``name``: empty if there is a single kind.
    - ``message``: the type of a unit.
    - ``rows``: the attributes that lead to the rows, the last one repeated; empty if the unit is one row.
    - ``row``: the type of a row.
    - ``unit_columns``: attributes of the unit of which the reader keeps one value per unit, for its report.
    - ``row_number``, ``mark``, ``whole``: names of columns, see ``MessageUnits``; empty if there are none.
    """

    name: str
    message: Path
    rows: tuple[str, ...]
    row: Path
    columns: tuple[UnitColumn | str, ...]
    """In order; a string is the column ``row_number`` or ``mark``."""
    selectable: tuple[UnitColumn | str, ...] = ()
    unit_columns: tuple[str, ...] = ()
    row_number: str = ""
    mark: str = ""
    whole: str = ""


@dataclass(frozen=True)
class Units:
    """``-wireloom: {message: …}`` in ``meta``: the input consists of messages.

    - ``at``: the root's attributes that lead to a message, for documentation and the envelope.
    - ``framing``: ``whole``, ``varint``, ``u1`` … ``u8be`` (a length before each message), or ``module:Class`` of a
      custom framing; ``lines`` has messages in JSON. ``framings``: all of several, of which ``framing`` is the first.
    - ``option``: the reader's option that chooses among several kinds, ``default`` the kind without it; both empty if
      there is one kind.
    - ``codec``: the codec that single messages may be compressed with, or empty.
    - ``packing``, ``hooks``: ``module:Class``, or empty.
    - ``prefix``, ``digest``, ``least``: the envelope of a unit.
    - ``positions``: the positions of the values of the keys ``framing``, ``packing`` and ``hooks``.
    """

    kinds: tuple[UnitKind, ...]
    at: tuple[str, ...] = ()
    framing: str = "whole"
    framings: tuple[str, ...] = ()
    codec: str = ""
    packing: str = ""
    hooks: str = ""
    option: str = ""
    default: str = ""
    prefix: bytes = b""
    digest: str = ""
    least: int = 0
    positions: Mapping[str, Position] = field(default_factory=dict, compare=False, repr=False)


# Options --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Preallocated:
    """``-wireloom: {preallocated: …}``: zeros after the last record are not damage. ``sector``: the size of a sector in
    bytes; a damaged last record that contains a sector of zeros, the first one after its ``header``, is an incomplete
    write; 0: unknown."""

    sector: int = 0
    header: int = 0


@dataclass(frozen=True)
class LookUp:
    """A column ``name``: the ``value`` of the last row of another ``table`` whose ``match`` equals ``key`` of the row.
    ``default``: whether it is a default column."""

    name: str
    table: str
    key: str
    match: str
    value: str
    default: bool = True


@dataclass(frozen=True)
class AlternativePath:
    """One of several paths to the rows of a table; ``types`` and ``path`` as in ``Rows``."""

    types: tuple[Path, ...]
    path: tuple[str, ...]
