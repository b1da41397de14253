"""Message programs: how the engine turns messages into rows. Plain data that a generated package holds.

A *unit* is one message of the input, with what is around it (the envelope). Its rows are the items of a repeated
message field, or the unit itself. Columns are taken from the row, from the messages around it, or from tables in them.
Fields may come in any order, so a row's values stand only when its unit has been walked to the end.
"""

from __future__ import annotations

from dataclasses import dataclass

from .message_rules import MessageSet

MESSAGE_PROGRAM_VERSION = 1
"""Version of the message program. The engine refuses any other."""


@dataclass(frozen=True, slots=True)
class FieldSource:
    """A column that is a field: ``path`` are numbers of singular fields that lead to it from the row, or, where ``up``
    is not 0, from the message that many levels above the row. A message gives a struct of all its fields, in the order
    of their rule; a repeated field a list; a map a list of structs of ``key`` and ``value``, each key once (the last).

    Absent fields are null, or their declared default; fields of implicit presence zero.
    """

    path: tuple[int, ...]
    up: int = 0


@dataclass(frozen=True, slots=True)
class LookupSource:
    """A column that is the item ``index & mask`` of the repeated bytes or text field ``table``. Null where the index is
    absent. An index after the table's end ends the unit's rows there (reason ``index``). ``integer``: an item that is
    no decimal integer (an optional sign, digits) does so too (reason ``value``). Where several fail in one row, the one
    with the nearest table is the reason."""

    table: FieldSource
    index: FieldSource
    mask: int = 0xFFFFFFFFFFFFFFFF
    integer: bool = False


@dataclass(frozen=True, slots=True)
class RowNumberSource:
    """A column (int32) with the number of the row within its unit, from 0."""


@dataclass(frozen=True, slots=True)
class MarkSource:
    """A column (bool): true for rows, false for a unit that ``Otherwise`` made a row."""


@dataclass(frozen=True, slots=True)
class ComputedSource:
    """A column that Python computes from other columns of the batch, by Arrow's kernels, after the engine:
    ``COMPUTED[name]`` of the generated module ``columns`` is a function that is given the columns named in ``inputs``
    as arrays, in that order, and returns the array."""

    inputs: tuple[str, ...]


ColumnSource = FieldSource | LookupSource | RowNumberSource | MarkSource | ComputedSource


@dataclass(frozen=True, slots=True)
class Envelope:
    """The bytes around the message of a unit: ``prefix`` before it and, after it, the digest of the message of
    that name, if there is one. ``least``: fewest bytes of the message."""

    prefix: bytes = b""
    digest: str = ""
    least: int = 0


@dataclass(frozen=True, slots=True)
class MessageProgram:
    """How units become rows. ``unit``: index of the unit's type in ``types``; ``rows``: numbers of the fields that lead
    from the unit to its rows, the last one repeated (any before it singular or repeated); empty: the unit is one row.
    ``columns``: in the order of the format's columns, default and selectable ones alike. ``whole``: the number of the
    (bytes) column that holds the whole unit, as one row by itself, where its envelope or its message does not hold; -1:
    such a unit is damage. ``unit_columns``: fields of the unit (``up`` is 0 for the unit itself), one value per unit.
    """

    types: MessageSet
    columns: tuple[ColumnSource, ...]
    unit: int = 0
    rows: tuple[int, ...] = ()
    envelope: Envelope = Envelope()
    whole: int = -1
    unit_columns: tuple[FieldSource, ...] = ()
    version: int = MESSAGE_PROGRAM_VERSION
