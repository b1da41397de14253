"""Decoders of values, and their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ...base.dataclass import dataclass

if TYPE_CHECKING:
    import pyarrow as pa

LARGEST_EXPANSION = 65_536
"""Maximum number of objects without bytes in a value."""


@dataclass(frozen=True)
class DecodedValues:
    """Decoded values. ``items``: the objects of all values, in order; ``counts``: the number of objects of each value,
    ``None`` if each has one; ``problems``: the numbers of values that cannot be decoded, in order, each with a
    sentence; these have no objects, or one that is ignored if there are no ``counts``."""

    items: pa.Array
    counts: Sequence[int] | None = None
    problems: Sequence[tuple[int, str]] = ()


class ValueDecoder(Protocol):
    """Decodes the values of a column. It is pickled for the processes of Spark, and contains plain data only."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Return the names of other columns of the table that it needs."""
        ...

    @property
    def type(self) -> pa.DataType:
        """Return Arrow's type of an object."""
        ...

    def decode(self, values: pa.Array, beside: Mapping[str, pa.Array], root: Any) -> DecodedValues:
        """Decode values. ``beside``: the columns of ``needs``; ``root``: the object whose attributes precede the rows
        of the input, if there are any."""
        ...
