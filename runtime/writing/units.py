"""Rows inside other objects: which of them are in the same object, and its bytes.

Consecutive rows are in the same object if the columns of it, and of the objects around it, have the same values, and
its count and the writer's options allow it. The classes fill in counts, lengths, checksums and compressed content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, count
from typing import Any

import pyarrow as pa

from ..base.errors import UnsupportedError, WireloomError
from ..format.description import Format
from ..objects.notes import Notes
from ..objects.streams import MemoryStream
from .encoder import framed
from .filled_fields import FilledField, values_of
from .indexing import indexer_of
from .look_up_rows import Changes, LookUpRows, Reference, given_fields, references_of
from .making import object_maker, value_at
from .output import UNIT_BYTES, UNIT_ROWS
from .refusals import (
    NOT_IN_TABLE,
    REFUSALS,
    UNWRITTEN,
    Attempt,
    MisplacedError,
    RowError,
    explained,
    left_out,
    may_leave_out,
    refusal,
    refuse_changes,
    row_errors,
    rows_before,
    several,
    untrue,
    without_rows,
)
from .remaining_rows import RemainingRows, Row, keys_of, weight_of, zipped
from .solving import solve


class UnitEncoder:
    """Encoder of rows inside other objects. ``unit_rows``, ``unit_bytes``: maximum number of rows, and approximate
    maximum number of data bytes, of an object that may be followed by others."""

    def __init__(self, format: Format, *, max_record: int, unit_rows: int = UNIT_ROWS, unit_bytes: int = UNIT_BYTES):
        if format.read_only:
            raise UnsupportedError(format.read_only)
        self._format = format
        self._levels = format.levels
        self._classes = [*(format.class_of(each.type) for each in format.levels), format.row_class]
        self._makers = [object_maker(format, each) for each in self._classes]
        self._framed: Callable[[bytes], bytes] = framed(format) if format.delimiter else bytes
        self._max_record = max_record
        self._unit_rows = unit_rows
        self._unit_bytes = unit_bytes
        self._called: Mapping[str, str] = {}
        """Names that columns of the format have in the table instead of their own."""
        self._one_by_one = format.streaming and not format.sized_rows
        """Whether units are written separately; otherwise the whole file is created at once."""
        self._names: list[list[str]] = []
        self._default_sources: list[list[str]] = []
        self._verified: list[list[str]] = []
        self._optional = [each for each in format.columns if may_leave_out(format, each)]
        self._look_up_rows: LookUpRows | None = None
        self._tables: dict[tuple[str, ...], UnitEncoder] = {}
        self._notes = Notes()
        self._indexer = indexer_of(format)
        self._root: Any = None

    def pieces(self, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[bytes, int]]:
        """Yield the bytes of a file piece by piece, each with the number of its rows.

        Raises ``WireloomError`` with the row, counted from 0, for a value that cannot be written.
        """
        try:
            yield from self._pieces(batches)
        except RowError as error:
            raise WireloomError(error.message, reason=error.reason) from error.__cause__

    def _pieces(self, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[bytes, int]]:
        rows = RemainingRows(self._rows(batches))
        if not self._one_by_one:
            yield self._file(rows)
            return
        self._notes = notes = Notes(self._levels[0].notes)
        self._root = root = self._object(0, rows.at(0))
        setattr(root, self._levels[0].attribute, [])
        if not self._format.delimiter:
            try:
                head = self._written(root, 0, 0)
            except UnsupportedError:
                raise
            except REFUSALS as error:
                if rows.at(0) is None:
                    raise without_rows(self._format, error) from error
                attempt = Attempt(error, 0)
                raise refusal(attempt, attempt, 0, self._format) from error
            notes.position += len(head)
            yield head, 0
        if self._levels[0].begins:
            begin = self._framing_items(root, "begins")
            notes.position += len(begin)
            yield begin, 0
        yield from self._units(rows)
        if self._levels[0].ends:
            yield self._framing_items(root, "after", notes), 0

    def _units(self, rows: RemainingRows) -> Iterator[tuple[bytes, int]]:
        while (row := rows.at(0)) is not None:
            if rows.at(-1) is not None and not row.same:
                raise several(self._format, self._names, rows, 0)
            yield self._unit(rows)

    def _framing_items(self, root: Any, where: str, *notes: Notes) -> bytes:
        """Return the bytes of items that a file has in addition to those with rows."""
        with row_errors(f"the {'begin' if where == 'begins' else 'end'} of a file of {self._format.name}"):
            items = getattr(root, f"_{where}_{self._levels[0].attribute}")(*notes)
            if notes:
                self._indexer.end(items)
            return self._joined(root, items)

    def _joined(self, root: Any, items: Sequence[Any]) -> bytes:
        """Return the bytes of items of the outermost object."""
        for each in items:
            each._parent, each._root = root, root
        return b"".join(self._framed(each.to_bytes()) for each in items)

    def _of_table(self, reference: Reference, batch: pa.RecordBatch, first: int) -> Iterator[bytes]:
        """Yield the bytes of rows of another table to which rows of this one refer."""
        place = reference.table, reference.key, reference.match
        encoder = self._tables.get(place)
        if encoder is None:
            table = self._format.of_table(reference.table)
            encoder = self._tables[place] = UnitEncoder(table, max_record=self._max_record)
        encoder._root, encoder._notes, encoder._indexer = self._root, self._notes, self._indexer
        encoder._called = reference.names
        rows = RemainingRows(encoder._rows([batch], first), first)
        yield from (data for data, _ in encoder._units(rows))

    # Rows ------------------------------------------------------------------------------------------------------------

    def _rows(self, batches: Iterable[pa.RecordBatch], first: int = 0) -> Iterator[Row]:
        before: tuple[Any, ...] | None = None
        weight = 0
        changes = Changes()
        for batch in batches:
            levels, shared = self._columns(batch, first)
            if self._look_up_rows is None:
                references = references_of(self._format, batch.schema.names, self._called)
                self._look_up_rows = LookUpRows(self._format, references, self._of_table)
            refers = self._look_up_rows.values(batch)
            keys = [keys_of(each) for each in shared]
            weights = accumulate(map(weight_of, levels[-1]), initial=weight)
            next(weights)
            rows = zip(zip(*levels, strict=True), zip(*keys, strict=True), weights, refers, strict=True)
            for number, (values, key, weight, others) in enumerate(rows, first):
                same = 0
                if before is not None:
                    while same < len(key) and key[same] == before[same]:
                        same += 1
                before = key
                yield Row(values, same, weight, others, changes.differs(others, number))
            first += batch.num_rows

    def _columns(self, batch: pa.RecordBatch, first_row: int) -> tuple[list[list[tuple[Any, ...]]], list[Any]]:
        """Return the values of each level, row by row, and those shared by the rows in one object of a level: its own,
        and those of rows that depend on it alone.
        """
        depth = len(self._levels)
        filled = given_fields(self._format, batch.schema, self._called)
        values = [values_of(each, batch, first_row) for each in filled]
        places = [0 if each.parent else depth - each.up for each in filled]
        own = [[number for number, place in enumerate(places) if place == level] for level in range(depth + 1)]
        self._names = [[filled[number].field for number in numbers] for numbers in own]
        self._default_sources = [[filled[n].field for n in numbers if filled[n].is_default_source] for numbers in own]
        self._verified = [[filled[number].field for number in numbers if filled[number].verified] for numbers in own]
        self._solve(filled, values, own, first_row)
        shared = [
            [
                *numbers,
                *(
                    number
                    for number, each in enumerate(filled)
                    if each.innermost_dependency and level == depth - each.up - each.innermost_dependency
                ),
            ]
            for level, numbers in enumerate(own[:-1])
        ]
        return zipped(own, values, batch.num_rows), zipped(shared, values, batch.num_rows)

    def _solve(
        self, filled: Sequence[FilledField], values: list[Any], own: Sequence[list[int]], first_row: int
    ) -> None:
        """Replace the values of columns that are solved for an attribute with those of the attribute."""
        numbers = [number for number, each in enumerate(filled) if each.solved is not None]
        solved = [filled[number] for number in numbers]
        for number, row in enumerate(list(zip(*values, strict=True)) if solved else ()):
            current = list(row)

            def made(each: FilledField, found: Sequence[int], current: list[Any] = current) -> Any:
                for place, value in zip(numbers, found, strict=True):
                    current[place] = value
                levels = tuple(tuple(current[place] for place in places) for places in own)
                made = None
                for depth in range(len(levels) - (each.solved[1] if each.solved else 0)):
                    made = self._object(depth, Row(levels, 0, 0), made)
                return made

            try:
                found = solve(solved, [row[place] for place in numbers], made)
            except WireloomError as error:
                raise WireloomError(f"row {first_row + number}, {error.message}") from error
            for place, value in zip(numbers, found, strict=True):
                values[place][number] = value

    # Objects ---------------------------------------------------------------------------------------------------------

    def _object(self, depth: int, row: Row | None, parent: Any = None) -> Any:
        """Return an object of a level, with the values of a row."""
        fields = {} if row is None else dict(zip(self._names[depth], row.values[depth], strict=True))
        if depth < len(self._levels):
            fields = dict(self._levels[depth].tags) | fields
        sources = {} if row is None else {name: fields.pop(name) for name in self._default_sources[depth]}
        made = self._makers[depth](fields)
        if sources:
            made._given = sources
        if parent is not None:
            made._parent, made._root = parent, parent._root
        return made

    def _made(self, depth: int, rows: RemainingRows, start: int, parent: Any, most: int) -> tuple[Any, int]:
        """Return an object of a level with the rows from ``start`` on that belong to it, and the first row after them.
        ``most``: maximum number of rows of an object that may be followed by others."""
        row = rows.at(start)
        made = self._object(depth, row, parent)
        if depth == len(self._levels):
            if row is None:
                raise RowError(f"{self._format.name} cannot be written without a row")
            return made, start + 1
        level = self._levels[depth]
        if row is None and level.until:
            raise RowError(f"{self._format.name} cannot be written without a row")
        if not level.repeated:
            item, place = self._made(depth + 1, rows, start, made, most)
            setattr(made, level.attribute, item)
            return made, place
        items: list[Any] = []
        setattr(made, level.attribute, items)
        place, following = start, row
        while following is not None and (place == start or following.same > depth):
            item, place = self._made(depth + 1, rows, place, made, most)
            items.append(item)
            following = rows.at(place)
            if level.until:
                if getattr(made, f"_ends_{level.attribute}")(item, len(items) - 1):
                    break
            elif len(items) == level.most or (depth and self._is_full(rows, start, place, most)):
                break
        else:
            if level.until:
                last = rows.first + place - 1
                raise WireloomError(f"row {last} is the last one with these values, but does not end {level.attribute}")
        return made, place

    def _is_full(self, rows: RemainingRows, start: int, place: int, most: int) -> bool:
        # The rows of other tables come before all rows of a unit, and one of them for each key.
        return rows.changes(place) or place - start >= most or rows.weight(start, place) >= self._unit_bytes

    # Bytes -----------------------------------------------------------------------------------------------------------

    def _unit(self, rows: RemainingRows) -> tuple[bytes, int]:
        """Return the next unit: the rows that belong together, or as many of them as one can hold."""
        most, before, root = self._unit_rows, 0, self._root
        first: Attempt | None = None
        running = dict(getattr(root, "_running_checksums", {}))
        while True:
            place = 1
            root._running_checksums = dict(running)
            try:
                unit, place = self._made(1, rows, 0, root, most)
                data = self._framed(self._written(unit, 1, rows.first))
                if len(data) <= self._max_record + len(self._format.delimiter):
                    needed = b"".join(self._needed(rows, place))
                    # Fewer rows would add notes, and leave out the rows needed, which count as written.
                    with row_errors(f"what the end of a file of {self._format.name} says of row {rows.first}"):
                        self._notes.add(root, self._levels[0].attribute, unit, len(data))
                    rows.drop(place)
                    break
                raise WireloomError(
                    f"{len(data)} bytes on the wire are more than max_record ({self._max_record}): raise it here and "
                    "for the readers, or leave rows out",
                    reason="limit",
                )
            except UnsupportedError:
                raise
            except REFUSALS as error:
                if error is rows.error:
                    raise
                first = first or Attempt(error, place)
                if place in (1, before) or isinstance(error, RowError):
                    raise refusal(first, Attempt(error, place), rows.first, self._format) from error
                most, before = rows_before(error) or place // 2, place
        items = self._indexer.after(unit, self._notes.position - len(data), len(data))
        following = self._joined(root, items)
        self._notes.position += len(following)
        return needed + data + following, place

    def _needed(self, rows: RemainingRows, count: int) -> Iterator[bytes]:
        """Yield the bytes of the rows of other tables to which the first rows refer."""
        refuse_changes(rows, count)
        found = (rows.at(place) for place in range(count))
        if self._look_up_rows is not None:
            yield from self._look_up_rows.before((each.refers for each in found if each is not None), rows.first)

    def _file(self, rows: RemainingRows) -> tuple[bytes, int]:
        """Return the whole file. Inner objects get fewer rows if they cannot contain all rows of equal values."""
        most, first = self._unit_rows, None
        while True:
            place = 0
            try:
                root, place = self._made(0, rows, 0, None, most)
                if rows.at(place) is not None:
                    raise several(self._format, self._names, rows, place, first)
                return self._written(root, 0, 0), place
            except UnsupportedError:
                raise
            except REFUSALS as error:
                if error is rows.error:
                    raise
                if rows.at(0) is None:
                    raise without_rows(self._format, error) from error
                first = first or Attempt(error, place)
                inner = any(each.repeated for each in self._levels[1:])
                if not inner or most == 1 or isinstance(error, RowError):
                    raise refusal(first, Attempt(error, place), 0, self._format) from error
                most = min(most - 1, rows_before(error)) or most // 2

    def _written(self, made: Any, depth: int, first_row: int) -> bytes:
        """Return the bytes of an object of a level. ``first_row``: the number of its first row."""
        running = dict(getattr(made._root, "_running_checksums", {}))
        try:
            data: bytes = made.to_bytes()
        except UnsupportedError:
            raise
        except REFUSALS:
            for number, row in enumerate(self._rows_in(made, depth)):
                self._check(row, first_row + number)
            raise
        for number, row in enumerate(self._rows_in(made, depth)):
            if self._format.where and not getattr(row, self._format.where):
                raise RowError(f"row {first_row + number} cannot be written: {NOT_IN_TABLE}")
            if stray := untrue(row, self._verified[-1]) or (not number and untrue(made, self._verified[depth])):
                raise MisplacedError(first_row + number, number, stray)
        if self._optional:
            again = self._classes[depth]
            stream = MemoryStream(data)
            made._root._running_checksums = running
            written = again(stream) if depth == 0 else again(stream, made._root, made._root)
            self._refuse_unwritten(made, written, depth, count(first_row))
        return data

    def _rows_in(self, made: Any, depth: int) -> Iterator[Any]:
        if depth == len(self._levels):
            yield made
            return
        for each in self._items(made, depth):
            yield from self._rows_in(each, depth + 1)

    def _items(self, made: Any, depth: int) -> Sequence[Any]:
        found = getattr(made, self._levels[depth].attribute)
        items: Sequence[Any] = found if self._levels[depth].repeated else [found]
        return items

    def _check(self, row: Any, number: int) -> None:
        """Raise ``RowError`` for a row that cannot be written even on its own."""
        try:
            row.to_bytes()
        except REFUSALS as error:
            values = ((name, value_at(row, name)) for name in self._names[-1])
            raise RowError(f"row {number} cannot be written: {explained(error, values)}") from error

    def _refuse_unwritten(self, made: Any, again: Any, depth: int, numbers: Iterator[int]) -> None:
        """Raise ``RowError`` if an optional attribute has a value that is not written, as its condition is false."""
        up = len(self._levels) - depth
        what = "column" if up else f"row {next(numbers)}, column"
        for each in self._optional:
            name = each.attribute or each.name
            here = not depth if each.parent else each.up == up
            if here and (part := left_out(value_at(made, name), value_at(again, name))) is not None:
                raise RowError(f"{what} {each.name}{part} cannot be written: {UNWRITTEN}")
        if up:
            for mine, other in zip(self._items(made, depth), self._items(again, depth), strict=False):
                self._refuse_unwritten(mine, other, depth + 1, numbers)
