"""Arrays whose elements are repeated, such as values above the rows, which every row contains."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ... import engine

MOST_ELEMENTS = (1 << 31) - 1
OFFSET_SIZE = 4
RUN_SIZE = 24
"""Size in bytes of a run: begin, size and times."""


class Repetition:
    """The elements of ``values``, which begins at 0, at ``places``: an int32 array without nulls in which equal numbers
    are mostly adjacent.

    - ``fits``: whether no offset exceeds 31 bits, and all types are supported.
    - ``largest``: an upper bound of the size in bytes of a value multiplied by the number of its adjacent repetitions.
    """

    def __init__(self, values: Any, places: Any) -> None:
        self.fits = True
        self.largest = 0
        self._values = values
        self._count = len(places)
        self._runs = engine._engine.repeat_runs(_content(places, len(places)))
        self._weights = bytearray(8 * (len(self._runs) // RUN_SIZE))
        self._inner: list[tuple[bytes, int]] = []
        self._measure(values, self._runs)

    def array(self) -> Any:
        """Return the repeated elements."""
        return self._repeated(self._values, self._runs, self._count, iter(self._inner))

    def _measure(self, values: Any, runs: bytes) -> None:
        """Determine the runs of the levels inside of ``values``, in the order in which they are needed."""
        kind = values.type
        nested = pa.types.is_struct(kind) or pa.types.is_list(kind)
        variable = pa.types.is_string(kind) or pa.types.is_binary(kind)
        self.fits = self.fits and (nested or variable or pa.types.is_primitive(kind))
        if not self.fits:
            return
        # An offset or a value, and at most a byte of validity; a list has one more offset than elements.
        width = 1 if pa.types.is_struct(kind) else 9 if nested or variable else (kind.bit_width + 7) // 8 + 1
        self.largest = engine._engine.repeat_weigh(runs, width, self._weights)
        if values.null_count == len(values):
            return
        if pa.types.is_struct(kind):
            for number in range(kind.num_fields):
                self._measure(values.field(number), runs)
        elif nested or variable:
            inner, count = engine._engine.repeat_inner(runs, _content(values, len(values) + 1))
            self._inner.append((inner, count))
            self.fits = count <= MOST_ELEMENTS
            if variable and self.fits:
                self.largest = engine._engine.repeat_weigh(inner, 1, self._weights)
            elif self.fits:
                self._measure(values.values, inner)

    def _repeated(self, values: Any, runs: bytes, count: int, levels: Any) -> Any:
        kind = values.type
        if values.null_count == len(values):
            return pa.nulls(count, kind)
        validity = None
        if values.null_count:
            there = _repeat(runs, values.is_valid().cast(pa.uint8()), 1, count)
            validity = pa.Array.from_buffers(pa.uint8(), count, [None, there]).cast(pa.bool_()).buffers()[1]
        if pa.types.is_struct(kind):
            children = [self._repeated(values.field(each), runs, count, levels) for each in range(kind.num_fields)]
            return pa.Array.from_buffers(kind, count, [validity], children=children)
        if pa.types.is_boolean(kind):
            small = pa.Array.from_buffers(pa.uint8(), count, [None, _repeat(runs, values.cast(pa.uint8()), 1, count)])
            return pa.Array.from_buffers(kind, count, [validity, small.cast(kind).buffers()[1]])
        if pa.types.is_primitive(kind):
            return pa.Array.from_buffers(kind, count, [validity, _repeat(runs, values, kind.bit_width // 8, count)])
        inner, inner_count = next(levels)
        offsets = pa.allocate_buffer(OFFSET_SIZE * (count + 1))
        engine._engine.repeat(runs, _content(values, len(values) + 1), 0, offsets)
        if pa.types.is_list(kind):
            items = self._repeated(values.values, inner, inner_count, levels)
            return pa.Array.from_buffers(kind, count, [validity, offsets], children=[items])
        data = pa.allocate_buffer(inner_count)
        engine._engine.repeat(inner, values.buffers()[2] or b"", 1, data)
        return pa.Array.from_buffers(kind, count, [validity, offsets, data])


def repeated(values: Any, places: Any) -> Any:
    """Return ``values.take(places)``. ``values`` begins at 0."""
    if places.null_count == 0:
        repetition = Repetition(values, places)
        if repetition.fits:
            return repetition.array()
    return values.take(places)


def _repeat(runs: bytes, values: Any, width: int, count: int) -> Any:
    to = pa.allocate_buffer(width * count)
    engine._engine.repeat(runs, _content(values, len(values), width), width, to)
    return to


def _content(array: Any, count: int, width: int = OFFSET_SIZE) -> memoryview:
    """Return the values or offsets of an array, ``count`` of ``width`` bytes each."""
    begin = array.offset * width
    return memoryview(array.buffers()[1] or b"")[begin : begin + count * width]
