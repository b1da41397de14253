"""The vectors that the engine fills: their memory, and their conversion to Arrow arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import IntEnum
from itertools import accumulate
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...base.dataclass import dataclass, field
from ...base.iso_times import time_range
from ...format.message_rules import FieldKind
from ..numbers import constant, number_array

NONE = 0xFFFFFFFF
MOST = 0x7FFFFFFF
"""Maximum number of elements and of data bytes of a vector: offsets are int32."""
OFFSET_SIZE = 4


class VectorStorage(IntEnum):
    """The memory layout of a vector, numbered as in ``runtime/engine/message.h``."""

    FIXED8 = 1
    FIXED32 = 4
    FIXED64 = 8
    VARIABLE = 16
    STRUCT = 32
    LIST = 33


STORAGE_OF_KIND = {
    kind: VectorStorage.VARIABLE
    if kind in (FieldKind.STRING, FieldKind.BYTES)
    else VectorStorage.FIXED8
    if kind is FieldKind.BOOL
    else VectorStorage.FIXED64
    if kind.name.endswith("64") or kind is FieldKind.DOUBLE
    else VectorStorage.FIXED32
    for kind in FieldKind
    if kind is not FieldKind.MESSAGE
}

TYPE_OF_KIND = {
    FieldKind.DOUBLE: pa.float64(),
    FieldKind.FLOAT: pa.float32(),
    FieldKind.INT64: pa.int64(),
    FieldKind.UINT64: pa.uint64(),
    FieldKind.INT32: pa.int32(),
    FieldKind.FIXED64: pa.uint64(),
    FieldKind.FIXED32: pa.uint32(),
    FieldKind.BOOL: pa.bool_(),
    FieldKind.STRING: pa.utf8(),
    FieldKind.BYTES: pa.binary(),
    FieldKind.UINT32: pa.uint32(),
    FieldKind.ENUM: pa.int32(),
    FieldKind.SFIXED32: pa.int32(),
    FieldKind.SFIXED64: pa.int64(),
    FieldKind.SINT32: pa.int32(),
    FieldKind.SINT64: pa.int64(),
}


@dataclass
class Vector:
    """One level of a column. ``kind``: that of its values, if it has any; ``name``: the name in the struct that
    contains it; ``group``: vectors of one group have the same number of elements; ``children`` follow it in number."""

    number: int
    storage: VectorStorage
    kind: FieldKind | None
    name: str
    group: int
    children: list[Vector] = field(default_factory=list)
    is_map: bool = False

    @property
    def end(self) -> int:
        """Return the number after the last vector inside it."""
        return self.children[-1].end if self.children else self.number + 1

    @property
    def type(self) -> Any:
        """Return its Arrow type."""
        if self.storage is VectorStorage.STRUCT:
            return pa.struct([pa.field(each.name, each.type) for each in self.children])
        if self.storage is VectorStorage.LIST:
            return pa.list_(self.children[0].type)
        assert self.kind is not None
        return TYPE_OF_KIND[self.kind]


class Memory:
    """The buffers of one batch; they keep their contents when they grow."""

    def __init__(self, vectors: Sequence[Vector], elements: Sequence[int], data: Sequence[int]) -> None:
        self._vectors = vectors
        self._elements = [0] * len(vectors)
        self._validity = [bytearray() for _ in vectors]
        self._values: list[Any] = [None] * len(vectors)
        self._data: list[Any] = [None] * len(vectors)
        self.state = memoryview(bytearray(24 * len(vectors))).cast("Q")
        for number in range(len(vectors)):
            self._grow_elements(number, elements[number])
            self._grow_data(number, data[number])

    @property
    def buffers(self) -> tuple[tuple[Any, Any, Any], ...]:
        """Return the validity, values and data of each vector, as the engine expects them."""
        return tuple(zip(self._validity, self._values, self._data, strict=True))

    def length(self, number: int) -> int:
        """Return the number of elements of a vector so far."""
        return self.state[3 * number]

    def used(self, number: int) -> int:
        """Return the number of data bytes of a vector so far."""
        return self.state[3 * number + 1]

    def grow(self, number: int, elements: int, data: int) -> None:
        """Ensure room for a number of elements, in all vectors of the group, and of data bytes. The room is at least
        doubled, so that little is read twice."""
        if elements > self._elements[number]:
            group = self._vectors[number].group
            for each in self._vectors:
                if each.group == group:
                    self._grow_elements(each.number, min(MOST, max(elements, 2 * self._elements[each.number])))
        if self._data[number] is not None and data > self._data[number].size:
            self._grow_data(number, min(MOST, max(data, 2 * self._data[number].size)))

    def _grow_elements(self, number: int, elements: int) -> None:
        storage = self._vectors[number].storage
        self._elements[number] = elements
        self._validity[number].extend(bytes((elements + 7) // 8 - len(self._validity[number])))
        if storage is not VectorStorage.STRUCT:
            size = storage * elements if storage <= VectorStorage.FIXED64 else OFFSET_SIZE * (elements + 1)
            self._values[number] = _grown(self._values[number], size)

    def _grow_data(self, number: int, size: int) -> None:
        if self._vectors[number].storage is VectorStorage.VARIABLE:
            self._data[number] = _grown(self._data[number], size)

    def array(self, vector: Vector, kind: Any) -> Any:
        """Return the vector as an array of the Arrow type ``kind``. Its memory must not be written afterwards."""
        number = vector.number
        length, used, nulls = self.state[3 * number : 3 * number + 3]
        validity = pa.py_buffer(self._validity[number]) if nulls else None
        children = [self.array(each, inner) for each, inner in zip(vector.children, _types_in(kind), strict=True)]
        if vector.storage is VectorStorage.STRUCT:
            return pa.Array.from_buffers(kind, length, [validity], nulls, children=children)
        values = self._values[number]
        if vector.storage is VectorStorage.LIST:
            result = pa.Array.from_buffers(kind, length, [validity, values], nulls, children=children)
            return _each_key_once(result) if vector.is_map else result
        if vector.storage is VectorStorage.VARIABLE:
            data = self._data[number]
            data.resize(used, shrink_to_fit=True)
            return pa.Array.from_buffers(kind, length, [validity, values, data], nulls)
        if vector.storage is VectorStorage.FIXED8:
            # The engine stores a boolean in a byte, Arrow in a bit.
            return pa.Array.from_buffers(pa.uint8(), length, [validity, values], nulls).cast(pa.bool_())
        assert vector.kind is not None
        return _typed(pa.Array.from_buffers(TYPE_OF_KIND[vector.kind], length, [validity, values], nulls), kind)


def _typed(array: Any, kind: Any) -> Any:
    """Return numbers as the type of their column; times outside its range are null."""
    if array.type == kind or not pa.types.is_timestamp(kind):
        return array
    least, largest = time_range(kind.unit)
    if array.type.bit_width == 64:
        there = pc.less_equal(array, constant(largest, array.type))
        if pa.types.is_signed_integer(array.type):
            there = pc.and_(there, pc.greater_equal(array, constant(least, array.type)))
        if not pc.all(there, min_count=0).as_py():
            array = pc.if_else(there, array, constant(None, array.type))
    return array.cast(pa.int64()).view(kind)


def _grown(buffer: Any, size: int) -> Any:
    if buffer is None:
        return pa.allocate_buffer(size, resizable=True)
    if size > buffer.size:
        buffer.resize(size)
    return buffer


def _types_in(kind: Any) -> list[Any]:
    if pa.types.is_struct(kind):
        return [each.type for each in kind]
    return [kind.value_type] if pa.types.is_list(kind) else []


def _each_key_once(lists: Any) -> Any:
    """Return lists of the entries of maps in which the last entry of a key replaces earlier ones, at the position of
    the first one."""
    entries = lists.values
    parents = pc.list_parent_indices(lists)
    keys = entries.field(0).dictionary_encode()
    count = constant(len(keys.dictionary), pa.int64())
    numbers = pc.add(pc.multiply(parents.cast(pa.int64()), count), keys.indices.cast(pa.int64()))
    if pc.count_distinct(numbers).as_py() == len(entries):
        return lists
    last = {number: entry for entry, number in enumerate(numbers.to_pylist())}
    sizes = Counter(number // len(keys.dictionary) for number in last)
    offsets = accumulate((sizes[number] for number in range(len(lists))), initial=0)
    items = entries.take(number_array(last.values(), pa.int32()))
    made = pa.ListArray.from_arrays(number_array(offsets, pa.int32()), items)
    return pa.Array.from_buffers(
        lists.type, len(lists), [lists.buffers()[0], made.buffers()[1]], lists.null_count, children=[items]
    )
