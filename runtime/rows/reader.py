"""Row readers turn the bytes of a window into columns.

There are two with the same interface and the same results: ``columns`` (the engine) and ``objects`` (generated
classes). Both read complete rows from ``window.view[window.begin:]`` and report why they stopped; they never change the
window.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import pyarrow as pa

from ..base.dataclass import dataclass
from ..base.limits import MAX_COMPUTED
from ..input.window import Window
from .block_decompression import BlockCache, BorrowedCache
from .numbers import bytes_array, number_array, number_scalar
from .predicates import Predicate

if TYPE_CHECKING:
    from ..objects.structs import Struct
    from .unit_states import ReaderState, UnitStates

BATCH_BYTES = 4 * 1024 * 1024
"""Maximum number of data bytes of a variable-size column in one batch; a single larger row is still returned."""
FEW_DAMAGES = 16
"""Number of damaged rows that a fill may record even if it is to read fewer rows."""


class Status(IntEnum):
    """Why a fill stopped; the numbers are those of the engine."""

    NEED_INPUT = 0
    """The next row is incomplete and more input may follow."""
    BATCH_FULL = 1
    END = 2
    """All input was read, or the first row at or after ``stop`` was reached."""
    TRUNCATED = 3
    """The input ends inside the row at ``position``."""
    LOST = 4
    """The end of the row at ``position`` is unknown, for the reason ``reason``."""
    NO_ROOM = 5
    """The memory for the data of a column, the rows, the damages or the items of a list is too small: the row reader
    repeats the fill with more."""
    OVERSIZE = 6
    """No delimiter within the largest record after ``position``; search for one from ``consumed`` on."""


class RowDamage(NamedTuple):
    """The bytes ``[begin, end)`` of the input contain no row.

    - ``row``: the row of nulls that represents them, or -1.
    - ``inside``: whether they are part of a unit whose end is known.
    - ``rows``: of a fill: the number of rows before it.
    - ``inconclusive_end``: of a fill: the end of the inconclusive units directly after the damage, ``end`` if there are
      none. Nothing shows that they were read at the right offset, except that they follow ``end``.
    """

    begin: int
    end: int
    row: int
    reason: str
    inside: bool = False
    rows: int = 0
    inconclusive_end: int = -1


class Settings(NamedTuple):
    """Settings of a row reader. ``projected``: numbers of the format's columns; ``offsets``: whether the offsets of
    rows are needed."""

    projected: tuple[int, ...] = ()
    offsets: bool = False
    verify: bool = True
    keep_unverified: bool = False
    """Whether a wrong checksum of an input that is read as a whole costs none of its rows."""
    null_rows: bool = False
    padding: int = 0
    max_record: int = 64 * 1024 * 1024
    max_computed: int = MAX_COMPUTED
    block_cache: BlockCache | BorrowedCache | None = None
    """Contents of compressed blocks that several readers of the same bytes share."""
    ahead: bool = False
    """Whether threads may decompress blocks ahead."""
    predicates: tuple[Predicate, ...] = ()
    """Predicates that fills with ``filtered`` test for each row."""
    dictionaries: bool = False
    """Whether columns that are looked up are dictionaries, in which a value is once."""


class LastUnit(NamedTuple):
    """The last complete unit of a fill that is conclusive, to which reading can roll back: the index of its first byte
    in the view, and the numbers of rows and damages before it."""

    begin: int
    rows: int
    damages: int


NO_UNIT = LastUnit(0, 0, 0)


class BatchColumns(Mapping[int, pa.Array]):
    """The columns of a record batch by their numbers in the format, which are ``numbers``, one for each column."""

    def __init__(self, batch: Any, numbers: tuple[int, ...]) -> None:
        self.batch = batch
        self.numbers = numbers
        self._indexes = dict(zip(numbers, range(len(numbers)), strict=True))

    def __getitem__(self, number: int) -> pa.Array:
        return self.batch.column(self._indexes[number])

    def __iter__(self) -> Iterator[int]:
        return iter(self.numbers)

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass
class FillResult:
    """Rows, as one array per projected column, and how the fill ended.

    - ``offsets``: a uint64 array with the offset of each row in the input.
    - ``consumed``: the index in the view up to which the input has been processed.
    - ``position``: an offset in the input, for the statuses that have one.
    - ``error``: details of ``reason``.
    - ``last_unit``: set if rows are inside units.
    """

    rows: int
    arrays: Mapping[int, pa.Array]
    offsets: pa.Array | None
    damages: list[RowDamage]
    consumed: int
    status: Status
    position: int = 0
    reason: str = "none"
    error: str | None = None
    last_unit: LastUnit = NO_UNIT
    filtered_out: int | None = None
    """Number of valid rows that a predicate refused; ``None`` if predicates were not tested."""
    has_empty_frames: bool = False
    """Whether frames without bytes were passed over, perhaps some after ``consumed``."""
    states: UnitStates | None = None
    """The state before each unit, if rows are read as objects."""
    bounds: Sequence[tuple[int, int]] = ()
    """The bytes of each unit in the input, if rows are inside of units and read as objects; perhaps also of some after
    ``consumed``."""


class RowReader(Protocol):
    """Reads the rows of a window; see the documentation of the module."""

    def begin(self, root: Struct | None) -> None:
        """Begin a new input. ``root``: the object whose attributes precede the rows, if any."""
        ...

    def state(self, offset: int) -> ReaderState:
        """Return the state at ``offset``, where the last fill ended between two units."""
        ...

    def resume(self, offset: int, state: ReaderState) -> None:
        """Continue at ``offset``; call it after ``begin``. ``state``: the ``state`` of another reader of the same input
        at that offset. Running checksums are verified from the second unit on."""
        ...

    def fill(
        self, window: Window, *, capacity: int, at_start: bool = False, stop: int = -1, filtered: bool = False
    ) -> FillResult:
        """Read at most ``capacity`` rows whose position is before ``stop`` (-1: no limit), and about as many damaged
        ones.

        ``at_start``, for delimited rows: the rows begin at ``window.begin``, so the first one may have no delimiter
        before it; must be set until ``consumed`` has moved. ``filtered``: whether rows may be omitted for which a
        predicate of the settings is false; see ``FillResult.filtered_out``.
        """
        ...

    def resync(self, window: Window, begin: int, *, proven: bool = False) -> tuple[bool, int]:
        """Return whether a valid row begins at or after index ``begin`` of the view, and its index; if none was found,
        the index from which to continue once more input is available. For consecutive rows.

        ``proven``: accept only rows whose own checksums cover some of their bytes. Otherwise a row without them is
        accepted if the rows after it are valid."""
        ...


def label_array(values: pa.Array, labels: tuple[tuple[int, str], ...]) -> pa.Array:
    """Return the labels of numbers (int64 or uint64) as a dictionary of text; a number without a label becomes its own
    text."""
    # Imported here: it takes longer than all other imports of a reader, and few formats have labels.
    import pyarrow.compute as pc

    least = 0 if values.type == pa.uint64() else -(1 << 63)
    labels = tuple(each for each in labels if least <= each[0] < least + (1 << 64))
    indices = pc.index_in(values, value_set=number_array((value for value, _ in labels), values.type))
    texts = [label for _, label in labels]
    missing = pc.and_(pc.is_null(indices), pc.is_valid(values))
    if pc.any(missing).as_py():
        unknown = pc.unique(values.filter(missing))
        more = pc.add(pc.index_in(values, value_set=unknown), number_scalar(len(texts), pa.int32()))
        indices = pc.if_else(missing, more, indices)
        texts += [str(value) for value in unknown.to_pylist()]
    return pa.DictionaryArray.from_arrays(indices, bytes_array([each.encode() for each in texts], pa.utf8()))
