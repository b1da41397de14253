"""Packing: how rows are grouped into units when they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Protocol

from ..base.dataclass import dataclass
from ..base.errors import WireloomError
from ..checksums import algorithm, function
from ..format.description import Format
from .framing import units_of

Row = Mapping[str, Any]
"""A row: the format's columns by name, as Python values: bytes, text, integers, mappings for structs, lists."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A unit, with its envelope but without framing, and its number of rows."""

    unit: bytes
    rows: int


class Packing(Protocol):
    """Groups rows into units. ``OPTIONS``: names of the constructor's keyword arguments other than ``max_record``; they
    are options of the format's writer, and are text if they come from the command line.

    ``SEVERAL``, optional: text for the error if only one unit is possible: why the rows form several, and what to do.
    """

    OPTIONS: ClassVar[tuple[str, ...]]

    def __init__(self, format: Format, *, max_record: int, **options: Any) -> None: ...

    def pack(self, rows: Iterable[Row]) -> Iterator[Packed]:
        """Yield the units of all the rows, in order. Takes rows one by one, and yields each unit as soon as it is
        complete. Raises ``WireloomError``, which names the row (counted from 0) and the column; no unit has more than
        ``max_record`` bytes."""
        ...


ROWS_PER_UNIT = 1000
"""Number of rows per unit in framings with lengths, unless the format has its own packing."""


def enveloped(format: Format, message: bytes) -> bytes:
    """Return a message with its envelope: the prefix before it, and the digest after it.

    Raises ``WireloomError`` if it has fewer bytes than the format allows.
    """
    units = units_of(format)
    if len(message) < units.least:
        raise WireloomError(f"a message of {format.name} has at least {units.least} byte(s), this one {len(message)}")
    return units.prefix + message + (function(algorithm(units.digest))(message) if units.digest else b"")
