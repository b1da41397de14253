"""The units of an input of messages, and message programs: how the engine turns them into rows. They are plain data in
a generated package.

A unit is one message of the input, including its envelope. Its rows are the items of a repeated message field, or the
unit itself. Columns are taken from the row, from the enclosing messages, or from tables in them. Fields may come in any
order, so the values of a row are final only at the end of its unit.
"""

from __future__ import annotations

from ..base.dataclass import dataclass
from .message_rules import MessageSet
from .program import ColumnProgram

MESSAGE_PROGRAM_VERSION = 1
"""Version of the message program. Reading refuses any other."""


@dataclass(frozen=True)
class MessageUnits:
    """The structure of an input of protobuf messages, and the message that is the row of the table.

    A unit is one message including its envelope. ``message``: the qualified name of its class, as in ``Format.row``.
    ``rows``: the attributes that lead to the rows, the last one a list; empty if a unit is one row. ``framing``: how
    units are stored: ``whole`` (the input is one), ``varint``, ``u1`` … ``u8be`` (a length before each), or
    ``module:Class`` of a ``wireloom.units.framing.Framing``. ``framings``: all of them if inputs may have one of
    several; ``framing`` is the first. ``codec``: the codec that single messages may be compressed with; empty: none.
    ``packing``: ``module:Class`` of the class that groups rows into units when
    writing; empty: all rows in one. ``hooks``: ``module:Class`` of a class that examines decoded units and may drop
    some, with options of its own; empty: none. ``row_number``: the column with a row's number in its unit. ``mark``:
    the column that is true for rows and false for invalid units that are a row of their own; ``whole``: the column that
    then contains all their bytes. ``prefix``, ``digest``, ``least``: the envelope (``Envelope``). ``unit_columns``:
    fields of the unit of which the reader keeps one value per unit.
    """

    message: str
    rows: tuple[str, ...] = ()
    framing: str = "whole"
    framings: tuple[str, ...] = ()
    codec: str = ""
    packing: str = ""
    hooks: str = ""
    row_number: str = ""
    mark: str = ""
    whole: str = ""
    prefix: bytes = b""
    digest: str = ""
    least: int = 0
    unit_columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldSource:
    """A column that is a field. ``path``: the numbers of singular fields that lead to it from the row or, if ``up`` is
    not 0, from the message that many levels above the row. A message becomes a struct of all its fields, in the order
    of their rule; a repeated field a list; a map a list of structs of ``key`` and ``value``, with unique keys (the last
    value counts).

    Absent fields are null, or their declared default; fields of implicit presence are zero.
    """

    path: tuple[int, ...]
    up: int = 0


@dataclass(frozen=True, slots=True)
class LookupSource:
    """A column that is the item ``index & mask`` of the repeated bytes or text field ``table``. Null if the index is
    absent. An index beyond the end of the table ends the unit's rows there (reason ``index``). ``integer``: an item
    that is not a decimal integer (an optional sign, digits) does so too (reason ``value``). If several look-ups fail in
    one row, the one with the nearest table is the reason."""

    table: FieldSource
    index: FieldSource
    mask: int = 0xFFFFFFFFFFFFFFFF
    integer: bool = False


@dataclass(frozen=True, slots=True)
class RowNumberSource:
    """A column (int32) with the number of the row within its unit, from 0."""


@dataclass(frozen=True, slots=True)
class MarkSource:
    """A column (bool): true for rows, false for an invalid unit that is a row of its own."""


@dataclass(frozen=True, slots=True)
class InputSource:
    """Values of a column from which others are computed. ``path``: the fields of structs that lead to them. ``item``:
    they are in items of a list, and it leads to them there."""

    column: str
    path: tuple[str, ...] = ()
    item: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ComputedSource:
    """A column that the engine computes from other columns of the batch: the first column of ``program``, whose steps
    ``INPUT``, ``INPUT_BYTES`` and ``INPUT_ITEMS`` take values of ``inputs``. It is null where the value cannot be
    computed."""

    inputs: tuple[InputSource, ...]
    program: ColumnProgram


ColumnSource = FieldSource | LookupSource | RowNumberSource | MarkSource | ComputedSource


@dataclass(frozen=True, slots=True)
class Envelope:
    """The bytes around the message of a unit: ``prefix`` before it and, after it, the digest of the message with that
    name, if there is one. ``least``: the minimum size of the message in bytes."""

    prefix: bytes = b""
    digest: str = ""
    least: int = 0


@dataclass(frozen=True, slots=True)
class MessageProgram:
    """How units become rows.

    - ``unit``: the index of the unit's type in ``types``.
    - ``rows``: the numbers of the fields that lead from the unit to its rows, the last one repeated (earlier ones
      singular or repeated); empty: the unit is one row.
    - ``columns``: in the order of the format's columns, both default and selectable ones.
    - ``whole``: the number of the (bytes) column that contains the whole unit, as one row of its own, if its envelope
      or its message is invalid; -1: such a unit is damage.
    - ``unit_columns``: fields of the unit (``up`` is 0 for the unit itself), one value per unit.
    """

    types: MessageSet
    columns: tuple[ColumnSource, ...]
    unit: int = 0
    rows: tuple[int, ...] = ()
    envelope: Envelope = Envelope()
    whole: int = -1
    unit_columns: tuple[FieldSource, ...] = ()
    version: int = MESSAGE_PROGRAM_VERSION
