"""The memory of a fill of the engine and its growth, and the Arrow arrays of the structs and lists in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

import pyarrow as pa

from ..base.dataclass import dataclass, replace
from ..base.errors import UnsupportedError
from ..format.program import ColumnProgram, Op, Storage
from .decimals import decimal_array


@dataclass(frozen=True)
class Node:
    """A column of a program and the columns inside it: the fields of a struct, the item of a list.

    ``number``: of the program's column; ``level``: 0, or that of the list for whose items it has values.
    """

    number: int
    storage: Storage
    level: int
    type: Any
    children: tuple[Node, ...] = ()

    def all(self) -> Iterator[Node]:
        """Yield this node and all nodes inside it, in the order of their numbers."""
        yield self
        for each in self.children:
            yield from each.all()


def nodes_of(program: ColumnProgram, types: list[Any]) -> tuple[Node, ...]:
    """Return the node of each column of a table with these Arrow types. Raises ``UnsupportedError`` for others."""
    found = []
    number = 0
    for each in types:
        found.append(_node(program, number, each, 0))
        number = 1 + max(inner.number for inner in found[-1].all())
    return tuple(found)


def _node(program: ColumnProgram, number: int, type: Any, level: int) -> Node:
    """``level``: that of the column, or -1 for the items of a list, which have one of their own."""
    storage, children = program.columns[number], []
    found = program.column_levels[number]
    if not _is_stored(type, storage) or (found != level if level >= 0 else found == 0):
        raise UnsupportedError(f"column {number} of the program is not a {type}: generate the package again")
    if storage in (Storage.STRUCT, Storage.LIST):
        following = number + 1
        for inner in [type.value_type] if storage is Storage.LIST else [each.type for each in type]:
            children.append(_node(program, following, inner, -1 if storage is Storage.LIST else found))
            following = 1 + max(each.number for each in children[-1].all())
    return Node(number, storage, found, type, tuple(children))


def _is_stored(type: Any, storage: Storage) -> bool:
    """Return whether arrays of a type have the memory layout of a storage; the engine stores a boolean in a byte."""
    if storage is Storage.STRUCT:
        return bool(pa.types.is_struct(type))
    if storage is Storage.LIST:
        return bool(pa.types.is_list(type))
    if storage is Storage.VARIABLE:
        return any(check(type) for check in (pa.types.is_binary, pa.types.is_string, pa.types.is_decimal))
    if pa.types.is_boolean(type):
        return storage is Storage.FIXED8
    return bool(pa.types.is_primitive(type)) and type.bit_width == 8 * storage


@dataclass(frozen=True)
class Filling:
    """The result of a fill.

    ``positions``: those in the arena of the bitmap and the values or offsets of each projected column; ``data``: the
    bytes of variable-size columns; ``nulls``: the number of nulls; ``lengths``: the number of values, by level. All but
    the last are by the program's columns.
    """

    arena: Any
    positions: Mapping[int, tuple[int, int]]
    data: Mapping[int, Any]
    nulls: tuple[int, ...]
    lengths: tuple[int, ...]

    def array(self, node: Node) -> Any:
        """Return the array of a column, which shares the memory of the arena."""
        bitmap, values = self.positions[node.number]
        length, nulls = self.lengths[node.level], self.nulls[node.number]
        validity = self.arena.slice(bitmap, (length + 7) // 8) if nulls else None
        children = [self.array(each) for each in node.children]
        if node.storage is Storage.STRUCT:
            return pa.Array.from_buffers(node.type, length, [validity], nulls, children=children)
        if node.storage is Storage.LIST:
            offsets = self.arena.slice(values, 4 * (length + 1))
            return pa.Array.from_buffers(node.type, length, [validity, offsets], nulls, children=children)
        if node.storage is Storage.VARIABLE:
            offsets = self.arena.slice(values, 4 * (length + 1))
            buffers = [validity, offsets, self.data[node.number]]
            if pa.types.is_decimal(node.type):
                return decimal_array(pa.Array.from_buffers(pa.binary(), length, buffers, nulls), node.type)
            return pa.Array.from_buffers(node.type, length, buffers, nulls)
        stored = self.arena.slice(values, node.storage * length)
        if pa.types.is_boolean(node.type):
            # The engine stores a boolean in a byte, Arrow in a bit.
            return pa.Array.from_buffers(pa.uint8(), length, [validity, stored], nulls).cast(pa.bool_())
        return pa.Array.from_buffers(node.type, length, [validity, stored], nulls)


MOST = 0x7FFFFFFF
"""Maximum number of items of a list, and of bytes of a column: offsets are int32."""
FEW_BYTES = 64
MOST_GUESSED = 1 << 18
"""Size in bytes of a short row, and maximum number of such rows that a whole input is expected to have."""
FIXED = {Op.NEED, Op.COLUMN_FIXED, Op.REGISTER_FIXED, Op.COLUMN_TIMESTAMP, Op.COLUMN_REGISTER, Op.CHECK_RANGE, Op.MARK}
"""Steps that are executed for every row, as long as only such steps precede them."""


def least_size(program: ColumnProgram) -> int:
    """Return the minimum size in bytes of a row, for rows in the window."""
    if program.delimiter:
        return 1
    steps = takewhile(lambda step: step.op in FIXED, program.steps)
    return max(1, sum(step.a for step in steps if step.op is Op.NEED))


def expected_rows(density: float, size: int, capacity: int) -> int:
    """Return the number of rows for which to allocate memory if a whole input of ``size`` bytes is one batch; all of it
    is read again if it has more. ``density``: the largest number of rows per byte of earlier inputs, or 0."""
    return max(capacity, int(size * density * 1.125) if density else min(size // FEW_BYTES, MOST_GUESSED))


@dataclass(frozen=True)
class Room:
    """The allocated room of a fill: rows, damages, items by level, and data bytes by variable-size column."""

    rows: int
    damages: int
    items: tuple[int, ...]
    data: dict[int, int]

    def grown(self, what: int, column: int, needed: int, most: int) -> Room:
        """Return more room: of data for ``column`` if ``what`` is negative, otherwise of rows, damages, or items of a
        level."""
        if what < 0:
            # At least doubled, so that little of a unit is read twice.
            least = min(MOST, max(needed, 2 * self.data[column]))
            sizes = {number: max(size, most, least if number == column else 0) for number, size in self.data.items()}
            return replace(self, data=sizes)
        if what == 0:
            return replace(self, rows=needed)
        if what == 1:
            return replace(self, damages=needed)
        items = (needed if level == what - 2 else each for level, each in enumerate(self.items))
        return replace(self, items=tuple(items))


def trim(buffer: Any, used: int) -> None:
    """Release the unused end of a data buffer, unless it is small."""
    if used < buffer.size - buffer.size // 8:
        buffer.resize(used, shrink_to_fit=True)
