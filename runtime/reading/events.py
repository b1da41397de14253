"""Events of a scan of an input: rows, damaged ranges and the end, in the order of the input.

Batches, ``inspect`` and columns of blobs are built from these events; none of them reads on its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..base.dataclass import dataclass, field

if TYPE_CHECKING:
    import pyarrow as pa

    from ..objects.structs import Struct
    from ..rows.reader import RowDamage
    from ..rows.unit_states import UnitStates
    from ..units.decoded_units import DecodedUnits


@dataclass(slots=True)
class Head:
    """The bytes before the first row, from the beginning of the input. ``whole``: whether it is the complete input, for
    a format that is read as a whole. ``root``: the object that was read from these bytes; its stream has some after
    them, too. ``content`` is valid until the next event is requested, as in all events."""

    content: memoryview
    whole: bool = False
    root: Struct | None = None


@dataclass(slots=True)
class Rows:
    """Consecutive rows, as one array per projected column.

    - ``offsets``: a uint64 array with the offset of each row in the input; ``None`` if not requested.
    - ``damages``: damaged ranges among the rows, in order; the ``row`` of each is that of its row of nulls, -1 if it
      has none.
    - ``hidden``: the rows of nulls that are left out.
    - ``errors``: by row of nulls, the details in ``_error`` beyond the reason.
    - ``content``: bytes of the input; ``base``: the offset of the first of them.
    - ``end``: the offset of the byte after the last row.
    - ``first``, ``last`` (exclusive): the rows that belong to the byte range.
    - ``filtered``: whether rows for which predicates of the filter are false are missing.
    - ``states``, ``bounds``: as in ``FillResult``.
    """

    rows: int
    arrays: Mapping[int, pa.Array]
    offsets: pa.Array | None
    damages: Sequence[RowDamage]
    content: memoryview
    base: int
    end: int
    first: int
    last: int
    hidden: frozenset[int] = frozenset()
    errors: Mapping[int, str] = field(default_factory=dict)
    units: UnitRows | None = None
    """The units of the rows, in formats of messages."""
    filtered: bool = False
    states: UnitStates | None = None
    bounds: Sequence[tuple[int, int]] = ()


@dataclass(slots=True)
class UnitRows:
    """The units of a ``Rows`` event. ``number``: the number of the first one in the input, from 0. ``between``: the
    ranges without a unit, each with the number of the row that follows it."""

    part: DecodedUnits
    number: int
    between: Sequence[tuple[int, DamagedRange]] = ()


@dataclass(slots=True)
class DamagedRange:
    """Bytes between rows that contain no row. ``content``: the first of them, ``None`` if they are not in memory;
    ``error``: a sentence with details beyond the reason. ``null_row``: whether a row of nulls may represent the range:
    not if it belongs to another byte range or continues the previous range."""

    damage: RowDamage
    content: bytes | None
    error: str | None = None
    null_row: bool = True


@dataclass(slots=True)
class FragmentRows:
    """Fragments of records, after the events of the records that end with them; see ``ScanRequest.fragments``."""

    rows: Rows


@dataclass(slots=True)
class FramingBytes:
    """Bytes ``begin`` … ``end`` of the input that are part of the framing of messages but not of a unit."""

    begin: int
    end: int
    content: memoryview


@dataclass(slots=True)
class Failed:
    """The codec or the storage failed at the offset of ``damage``, with this message."""

    damage: RowDamage
    message: str


@dataclass(slots=True)
class End:
    """The end of the input, as in the report. ``end``: the offset after the last byte in memory; ``content``: the first
    bytes from ``report.tail_offset`` on that are in memory. ``sentence``: why nothing is read from there on, if there
    are details beyond the value of the tail."""

    end: int
    content: bytes
    sentence: str | None = None


Event = Head | Rows | DamagedRange | FragmentRows | FramingBytes | Failed | End
