"""Building blocks of the generated functions of computed columns: Arrow's kernels, with the semantics of Kaitai's
language.

A missing value (an absent field, an item that does not exist) makes the whole result null, just as the attribute of an
object is ``None``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..numbers import bytes_array, constant


@dataclass(frozen=True)
class Picked:
    """The values at ``places`` of ``values``, which may be null: an array that is copied only when necessary."""

    values: Any
    places: Any

    def array(self) -> Any:
        """Return the values themselves."""
        return self.values.take(self.places)


def item(lists: Any, number: int) -> Picked:
    """Return item ``number`` (from 0) of each list; null if it does not exist."""
    sizes = pc.list_value_length(lists)
    begins = lists.offsets[:-1]
    places = pc.add(begins, constant(number, begins.type))
    there = pc.greater(sizes, constant(number, sizes.type))
    return Picked(lists.values, pc.if_else(there, places, constant(None, places.type)))


def member(structs: Any, name: str) -> Any:
    """Return a field of each struct; null if the struct is null."""
    if isinstance(structs, Picked):
        return Picked(member(structs.values, name), structs.places)
    return pc.struct_field(structs, name)


def settled(values: Any) -> Any:
    """Return the values as an array."""
    return values.array() if isinstance(values, Picked) else values


def length(values: Any) -> Any:
    """Return the number of items of lists, of bytes, or of characters of text, as int64."""
    if isinstance(values, Picked):
        return length(values.values).take(values.places)
    kind = values.type
    if pa.types.is_list(kind):
        sizes = pc.list_value_length(values)
    elif pa.types.is_string(kind):
        sizes = pc.utf8_length(values)
    else:
        sizes = pc.binary_length(values)
    return sizes.cast(pa.int64())


def text(values: Any) -> Any:
    """Return bytes decoded as UTF-8; each maximal invalid sequence becomes one U+FFFD."""
    values = settled(values)
    try:
        return values.cast(pa.utf8())
    except pa.ArrowInvalid:
        decoded = [None if each is None else each.decode("utf-8", "replace").encode() for each in values.to_pylist()]
        return bytes_array(decoded, pa.utf8())


def both(left: Any, right: Callable[[], Any]) -> Any:
    """Return ``left and right``. ``right`` is not evaluated if ``left`` is nowhere true, and counts only where it
    is."""
    if not pc.any(left, min_count=0).as_py():
        return left
    return pc.if_else(left, right(), constant(False, pa.bool_()))


def either(left: Any, right: Callable[[], Any]) -> Any:
    """Return ``left or right``. ``right`` counts only where ``left`` is false."""
    return pc.if_else(left, constant(True, pa.bool_()), right())


def remainder(left: Any, right: Any) -> Any:
    """Return ``left % right`` of non-negative numbers; ``right`` must be positive."""
    return pc.subtract(left, pc.multiply(pc.divide(left, right), right))


def where(condition: Any, value: Callable[..., Any], kind: Any, *inputs: Any) -> Any:
    """Return ``value`` of the inputs where ``condition`` is true, null elsewhere. Other rows are not evaluated."""
    condition = pc.fill_null(condition, constant(False, pa.bool_()))
    rows = pc.indices_nonzero(condition)
    if len(rows) == 0:
        return pa.nulls(len(condition), kind)
    if len(rows) == len(condition):
        return value(*inputs)
    few = value(*(each.take(rows) for each in inputs))
    after = pc.cumulative_sum(condition.cast(pa.int64()))
    return few.take(pc.if_else(condition, pc.subtract(after, 1), constant(None, pa.int64())))
