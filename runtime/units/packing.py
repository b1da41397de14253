"""Packing: how rows are grouped into units when they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from ..base.errors import WireloomError
from ..checksums import algorithm, function
from ..format.description import Format
from .framing import units_of

Row = Mapping[str, Any]
"""A row: the format's columns by name, as Python's values: bytes, text, integers, mappings for structs, lists."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A unit, with its envelope but without framing, and the number of its rows."""

    unit: bytes
    rows: int


class Packing(Protocol):
    """Groups rows into units. ``OPTIONS``: names of the constructor's keyword arguments besides ``max_record``; they
    are options of the format's writer, and come as text from the command line.

    ``SEVERAL``, optional: why rows become several units and what to do where only one is possible, for the error."""

    OPTIONS: ClassVar[tuple[str, ...]]

    def __init__(self, format: Format, *, max_record: int, **options: Any) -> None: ...

    def pack(self, rows: Iterable[Row]) -> Iterator[Packed]:
        """Return the units of all the rows, in order. Asks for rows as it goes, and gives a unit as soon as it is
        complete. Raises ``WireloomError`` that names the row (counted from 0) and the column; no unit has more than
        ``max_record`` bytes."""
        ...


ROWS_PER_UNIT = 1000
"""Rows per unit in framings with lengths, unless the format has its own packing."""


def enveloped(format: Format, message: bytes) -> bytes:
    """Return a message with what is around it: the prefix before, the digest after it.

    Raises ``WireloomError`` for one of fewer bytes than the format allows.
    """
    units = units_of(format)
    if len(message) < units.least:
        raise WireloomError(f"a message of {format.name} has at least {units.least} byte(s), this one {len(message)}")
    return units.prefix + message + (function(algorithm(units.digest))(message) if units.digest else b"")
