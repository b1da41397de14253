"""Units decoded by the engine: memory is allocated, filled in a few calls, and wrapped as Arrow arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ... import engine
from ...base.errors import UnsupportedError, WireloomError
from ...format.description import Format
from ...format.message_program import ComputedSource, MessageProgram
from ..numbers import constant, number_array
from ..reader import label_array
from .column_tree import ColumnTree
from .computed_columns import ComputedColumn
from .decoding import PROBLEM_SIZE, Decoded, Explainer, UnitProblem
from .packed_columns import pack
from .repetition import DETAIL, oversized_units, repeated, rows_without
from .vectors import MOST, Memory, Vector, VectorStorage

BATCH_BYTES = 4 << 20
"""Bytes of input per batch."""
UNITS = 1 << 16
"""Maximum number of units of a batch."""
PROBLEMS = 4096
"""Maximum number of problems of a batch."""
END, FULL, NO_ROOM = range(3)
FIRST_BYTES_PER_ROW = 64
"""The estimate before the first batch; later estimates come from the previous batch."""
FULL_VECTORS = 6
"""Number of vectors that are each allocated the size of the first batch; more vectors share that size."""
SMALL_BATCH = 4096
"""Batches of fewer bytes are not used for estimates."""


class EngineDecoder:
    """Decodes units with the engine. ``projected``: numbers of the format's columns; ``verify``: whether digests are
    compared; ``null_rows``: whether an invalid unit becomes a row of nulls; ``max_depth``: the maximum nesting depth of
    messages, by default that of the format.

    Raises ``UnsupportedError`` for formats and columns that the engine does not support. It must not be used by several
    threads at a time.
    """

    def __init__(
        self,
        format: Format,
        projected: Sequence[int],
        *,
        verify: bool = True,
        null_rows: bool = False,
        max_depth: int | None = None,
    ) -> None:
        program = format.message_program
        if program is None or not engine.available:
            raise UnsupportedError(
                f"the engine does not decode the units of {format.name}: set WIRELOOM_ENGINE=objects"
            )
        self._format = format
        self._projected = tuple(projected)
        self._verify = verify
        self._null_rows = null_rows
        numbers = {each.name: number for number, each in enumerate(format.columns)}
        sources = {
            number: source
            for number, source in enumerate(program.columns)
            if number in self._projected and isinstance(source, ComputedSource)
        }
        self._computed = {
            number: ComputedColumn(source, format.schema.field(number).type) for number, source in sources.items()
        }
        self._inputs = {each.column: numbers[each.column] for source in sources.values() for each in source.inputs}
        needed = {number for number in projected if number not in self._computed} | {*self._inputs.values()}
        self._tree, self._program = _load(program, frozenset(needed), max_depth)
        self._explainer = Explainer(program, self._tree.lookup_columns, format)
        self._has_whole = program.whole >= 0
        # Number of elements, and of data bytes, per byte of input, as required by the batches so far.
        vectors = self._tree.vectors
        self._elements_per_byte = [1 / FIRST_BYTES_PER_ROW] * len(vectors)
        variable = sum(each.storage is VectorStorage.VARIABLE for each in vectors)
        self._data_per_byte = [min(1.0, FULL_VECTORS / max(1, variable))] * len(vectors)

    def decode(self, source: Any, begins: pa.Array, sizes: pa.Array, first: int = 0, *, capacity: int) -> Decoded:
        """Implement ``UnitDecoder.decode``. Raises ``WireloomError`` for a unit that is not within ``source``."""
        count = min(len(begins), first + UNITS)
        begin_numbers, size_numbers = _numbers(begins), _numbers(sizes)
        counts = bytearray(4 * (count - first))
        most_problems = max(1, min(PROBLEMS, count - first))
        problems = bytearray(PROBLEM_SIZE * most_problems)
        bytes_here = pc.sum(sizes.slice(first, count - first)).as_py() or 0
        size = max(min(bytes_here, BATCH_BYTES), sizes[first].as_py() if first < count else 0)
        memory = self._memory(size)
        units = rows = problem_count = 0
        while first + units < count:
            try:
                status, done, made, found, vector, elements, data = engine._engine.fill_messages(
                    self._program,
                    source,
                    begin_numbers,
                    size_numbers,
                    first + units,
                    count,
                    self._verify,
                    self._null_rows,
                    max(1, capacity - rows),
                    max(1, BATCH_BYTES - sum(size_numbers[first : first + units])),
                    memory.buffers,
                    memory.state,
                    memoryview(counts)[4 * units :],
                    memoryview(problems)[PROBLEM_SIZE * problem_count :],
                )
            except ValueError as error:
                raise WireloomError(str(error)) from None
            units, rows, problem_count = units + done, rows + made, problem_count + found
            if status != NO_ROOM or elements > MOST or data > MOST or problem_count == most_problems:
                break
            memory.grow(vector, elements, data)
        self._remember(memory, size)
        notes = memoryview(problems)[: PROBLEM_SIZE * problem_count]
        arrays, parents = self._vectors(memory)
        decoded = Decoded(
            units,
            rows,
            {},
            pa.Array.from_buffers(pa.int32(), units, [None, pa.py_buffer(counts)]),
            self._explainer.problems(notes, first),
            self._explainer.wholes(notes, first) if self._has_whole else [],
            tuple(memory.array(each, each.type) for each in self._tree.unit_columns),
        )
        kept = self._refuse_repeated(decoded, arrays, parents, size_numbers[first : first + units])
        for number, parent in parents.items():
            arrays[number] = repeated(arrays[number], parent)
        if kept is not None:
            arrays = {number: array.take(kept) for number, array in arrays.items()}
        inputs = {name: arrays[number] for name, number in self._inputs.items()}
        for number, column in self._computed.items():
            arrays[number] = column.array(inputs, decoded.rows)
        decoded.arrays = {number: arrays[number] for number in self._projected}
        return decoded

    def _memory(self, size: int) -> Memory:
        vectors = self._tree.vectors
        return Memory(
            vectors,
            [min(MOST, int(ratio * size) + 64) for ratio in self._elements_per_byte],
            [min(MOST, int(ratio * size) + 64) for ratio in self._data_per_byte],
        )

    def _remember(self, memory: Memory, size: int) -> None:
        """Update the estimate for the next batch: a quarter more than a batch needed, within the needs of most
        inputs."""
        if size < SMALL_BATCH:
            return
        for vector in self._tree.vectors:
            number = vector.number
            self._elements_per_byte[number] = min(0.5, 1.25 * memory.length(number) / size)
            self._data_per_byte[number] = min(2.0, 1.25 * memory.used(number) / size)

    def _vectors(self, memory: Memory) -> tuple[dict[int, pa.Array], dict[int, pa.Array]]:
        """Return the columns that the engine filled and, for columns of messages above the rows, the element of each
        row."""
        tree = self._tree
        by_vector: dict[int, pa.Array] = {}
        for each in tree.parents.values():
            if each.number not in by_vector:
                by_vector[each.number] = memory.array(each, each.type)
        parents = {number: by_vector[each.number] for number, each in tree.parents.items()}
        return {number: self._array(memory, number, vector) for number, vector in tree.columns.items()}, parents

    def _refuse_repeated(
        self, decoded: Decoded, arrays: dict[int, pa.Array], parents: dict[int, pa.Array], unit_sizes: Sequence[int]
    ) -> pa.Array | None:
        """Remove the rows of units in which a field above the rows would be repeated too often. Return the numbers of
        the remaining rows, ``None`` for all; ``parents`` then contains null for removed rows."""
        found: dict[int, str] = {}
        for number, parent in parents.items():
            for unit, (rows, most) in oversized_units(arrays[number], parent, decoded.counts, unit_sizes).items():
                name = self._format.columns[number].name
                found.setdefault(unit, DETAIL.format(name=name, rows=rows, most=most))
        if not found:
            return None
        kept, counts = rows_without(list(found), decoded.counts, self._null_rows)
        stay = rows_without(list(found), decoded.counts, null_rows=False)[0]
        there = pc.is_in(number_array(range(decoded.rows), pa.int64()), stay)
        for number, parent in parents.items():
            parents[number] = pc.if_else(there, parent, constant(None, parent.type))
        decoded.counts, decoded.rows = counts, len(kept)
        refused = [UnitProblem(unit, 0, "limit", detail, 0) for unit, detail in found.items()]
        others = [each for each in decoded.problems if each.unit not in found]
        decoded.problems = sorted([*others, *refused], key=lambda each: each.unit)
        return kept

    def _array(self, memory: Memory, number: int, vector: Vector) -> pa.Array:
        kind = self._format.schema.field(number).type
        labels = self._format.columns[number].labels
        if labels:
            return label_array(memory.array(vector, vector.type).cast(pa.int64()), labels)
        return memory.array(vector, kind)


_loaded: dict[int, tuple[MessageProgram, dict[Any, tuple[ColumnTree, Any]]]] = {}
"""Column trees with the programs that fill them, by the identity of their programs, of which there are as many as
formats. Creating one takes as long as reading a small input."""


def _load(program: MessageProgram, needed: frozenset[int], max_depth: int | None) -> tuple[ColumnTree, Any]:
    _, loaded = _loaded.setdefault(id(program), (program, {}))
    if (needed, max_depth) not in loaded:
        tree = ColumnTree(program, needed)
        try:
            loaded[needed, max_depth] = tree, engine._engine.MessageProgram(pack(program, tree, max_depth))
        except ValueError as error:
            raise UnsupportedError(f"{error}; set WIRELOOM_ENGINE=objects") from None
    return loaded[needed, max_depth]


def _numbers(array: pa.Array) -> memoryview:
    """Return the memory of a uint64 array without nulls."""
    values = array.buffers()[1]
    if values is None:
        return memoryview(b"").cast("Q")
    whole = memoryview(values).cast("B").cast("Q")
    return whole[array.offset : array.offset + len(array)]
