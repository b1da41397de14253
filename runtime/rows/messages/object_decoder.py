"""Decoding of units by generated message classes, with the same results as the engine, for every format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from ...base.dataclass import dataclass, field, replace
from ...base.errors import WireloomError
from ...base.limits import MAX_COMPUTED
from ...checksums import algorithm, function
from ...format.description import Column, Format
from ...format.message_program import LookupSource
from ...format.message_rules import FieldRule, Label, MessageRule
from ...objects.computing import Computing
from ...objects.errors import FAILURES, ComputedError, ItemError, reason_of
from ...objects.messages.descriptors import Descriptor, descriptor_of
from ...objects.messages.errors import MessageError
from ...objects.messages.objects import Message
from ...objects.messages.plain_values import plain_value, value_of
from .. import object_values
from ..numbers import value_array
from ..reader import BATCH_BYTES
from .decoding import EXPANSION, INTEGER, PREFIX, SENTENCES, SHORT, Decoded, UnitProblem, no_item
from .repetition import DETAIL, most_repeated
from .vectors import TYPE_OF_KIND


def field_type(descriptor: Descriptor, name: str) -> pa.DataType:
    """Return the type of a column of a field. The message types in it do not contain themselves. Raises
    ``KeyError``."""
    rule = next((each for each in descriptor.rule.fields if each.name == name), None)
    if rule is None:
        raise KeyError(name)
    return _type(descriptor, rule)


def _type(descriptor: Descriptor, rule: FieldRule) -> pa.DataType:
    child = next((inner for each, inner in descriptor.children if each is rule), None)
    item = pa.utf8() if rule.json and rule.key is None else TYPE_OF_KIND[rule.kind] if child is None else _struct(child)
    return pa.list_(item) if rule.label is Label.REPEATED else item


def _struct(descriptor: Descriptor) -> pa.DataType:
    return pa.struct([(each.name, _type(descriptor, each)) for each in descriptor.rule.fields])


@dataclass
class _DecodedUnit:
    """The result of one unit. ``rows``: the messages of its valid rows; ``message``: ``None`` if the unit is not a
    message."""

    content: bytes
    message: Any = None
    rows: list[Any] = field(default_factory=list)
    reason: str = ""
    detail: str = ""
    offset: int = 0
    is_truncated: bool = False


class ObjectDecoder:
    """Decodes units with generated classes. ``projected``: numbers of the format's columns; ``verify``: whether digests
    are computed; ``null_rows``: whether an invalid unit becomes a row of nulls, after its valid rows; ``max_depth``:
    the maximum nesting depth of messages, by default that of the format; ``max_computed``: the maximum number of
    characters of text computed by the expressions of a unit."""

    def __init__(
        self,
        format: Format,
        projected: Sequence[int],
        *,
        verify: bool = True,
        null_rows: bool = False,
        max_depth: int | None = None,
        max_computed: int = MAX_COMPUTED,
    ) -> None:
        if format.message is None:
            raise WireloomError(f"{format.name} is not a format of messages")
        self._units = format.message
        self._digest = algorithm(format.message.digest) if format.message.digest else None
        self._format = format
        self._projected = tuple(projected)
        self._verify = verify
        self._null_rows = null_rows
        message_class: Any = format.message_class
        self._class = message_class
        if max_depth is not None:
            rule: MessageRule = replace(message_class._rule, max_depth=max_depth)
            own = {"__slots__": (), "__module__": message_class.__module__, "_rule": rule}
            self._class = type(message_class.__name__, (message_class,), own)
        self._computing = Computing(max_computed)
        self._lookups = _lookups(format)
        self._text_sizes: dict[int, tuple[str, int]] = {}
        self._unit_types = [field_type(descriptor_of(self._class), name) for name in self._units.unit_columns]

    def decode(self, source: Any, begins: pa.Array, sizes: pa.Array, first: int = 0, *, capacity: int) -> Decoded:
        """Implement ``UnitDecoder.decode``."""
        view = memoryview(source).cast("B")
        taken = _Taken([[] for _ in self._projected], [[] for _ in self._unit_types])
        data = 0
        for number in range(first, len(begins)):
            if taken.counts and (taken.rows >= capacity or data >= BATCH_BYTES):
                break
            begin, size = begins[number].as_py(), sizes[number].as_py()
            if begin + size > len(view):
                raise WireloomError(f"unit {number} is outside of the given bytes")
            data += size
            computed = self._computing.total
            with self._computing:
                self._computing.begin()
                unit = self._read(bytes(view[begin : begin + size]))
                self._computing.begin()
                self._take(unit, taken)
            data += self._computing.total - computed
        schema = self._format.schema
        return Decoded(
            units=len(taken.counts),
            rows=taken.rows,
            arrays={
                number: object_values.array(
                    taken.columns[index], schema.field(number).type, self._column(number).labels
                )
                for index, number in enumerate(self._projected)
            },
            counts=value_array(taken.counts, pa.int32()),
            problems=taken.problems,
            wholes=taken.wholes,
            unit_arrays=tuple(
                object_values.array(each, kind, ()) for each, kind in zip(taken.units, self._unit_types, strict=True)
            ),
        )

    def _column(self, number: int) -> Column:
        return self._format.columns[number]

    # From a unit to its rows -----------------------------------------------------------------------------------------

    def _read(self, content: bytes) -> _DecodedUnit:
        unit = _DecodedUnit(content)
        units = self._units
        begin = len(units.prefix)
        end = len(content) - (self._digest.size if self._digest is not None else 0)
        if content[:begin] != units.prefix[: len(content)]:
            unit.reason, unit.detail = "magic", SENTENCES[PREFIX]
        elif end - begin < units.least:
            needed = begin + len(content) - end + units.least
            unit.reason, unit.detail = "length", SENTENCES[SHORT].format(value=len(content), count=needed)
            unit.offset, unit.is_truncated = len(content), True
        elif self._digest is not None and self._verify and function(self._digest)(content[begin:end]) != content[end:]:
            unit.reason, unit.detail, unit.offset = "digest", "the digest does not match the message", end
        else:
            self._parse(unit, begin, end)
        return unit

    def _parse(self, unit: _DecodedUnit, begin: int, end: int) -> None:
        try:
            unit.message = self._class.from_bytes(unit.content[begin:end])
        except FAILURES as error:
            offset = getattr(error, "offset", None)
            name = getattr(error, "field", None)
            unit.reason, unit.offset = reason_of(error), begin + (offset or 0)
            sentence = getattr(error, "message", str(error))
            unit.detail = f"{name}: {sentence}" if name else sentence
            unit.is_truncated = isinstance(error, MessageError) and error.is_truncated
            return
        most = most_repeated(len(unit.content))
        self._text_sizes.clear()
        given = [0] * len(self._lookups)
        for number, row in enumerate(_rows(unit.message, self._units.rows)):
            for index, column in enumerate(self._lookups):
                try:
                    given[index] += self._item_size(getattr(_above(row, column.up), column.attribute))
                except FAILURES as error:
                    unit.reason, sentence = "value", SENTENCES[INTEGER]
                    if isinstance(error, ItemError):
                        unit.reason, sentence = "index", no_item(error.index, error.count)
                    unit.detail = f"row {number}, {column.name}: {sentence}"
                    return
                if given[index] > most:
                    unit.reason = "limit"
                    unit.detail = f"row {number}, {column.name}: {SENTENCES[EXPANSION].format(value=most)}"
                    return
            unit.rows.append(row)
        try:
            self._refuse_repeated(unit, most)
        except ComputedError as error:
            unit.reason, unit.detail, unit.rows = "limit", str(error.args[0]), []

    def _refuse_repeated(self, unit: _DecodedUnit, most: int) -> None:
        """Remove the rows of a unit if a field above them would be repeated too often."""
        for column in (self._column(number) for number in self._projected):
            if not column.up or column.lookup:
                continue
            rows = Counter(id(_above(row, column.up)) for row in unit.rows)
            for above, row in {id(_above(row, column.up)): row for row in unit.rows}.items():
                if self._size(self._value(row, column, 0), column) * rows[above] > most:
                    unit.reason, unit.rows = "limit", []
                    unit.detail = DETAIL.format(name=column.name, rows=rows[above], most=most)
                    return

    def _item_size(self, item: str | bytes | None) -> int:
        """Return the size in bytes of an item of a table. Rows that refer to the same item share its object."""
        if item is None or isinstance(item, bytes):
            return len(item or b"")
        if item.isascii():
            return len(item)
        known = self._text_sizes.get(id(item))
        if known is None or known[0] is not item:
            known = self._text_sizes[id(item)] = (item, len(item.encode("utf-8", "surrogateescape")))
        return known[1]

    def _size(self, value: Any, column: Column) -> int:
        """Return the size in bytes of one element of a column."""
        if value is None or isinstance(value, int | float):
            return 0
        kind = self._format.schema.field(column.name).type
        size: int = object_values.array([value], kind, column.labels).nbytes
        return size

    # From rows to columns --------------------------------------------------------------------------------------------

    def _take(self, unit: _DecodedUnit, taken: _Taken) -> None:
        number = len(taken.counts)
        before = taken.rows
        try:
            for row in self._values(unit):
                taken.row(row)
        except ComputedError as error:
            unit.reason, unit.detail = "limit", str(error.args[0])
            unit.rows = unit.rows[: taken.rows - before]
        if unit.reason:
            taken.problems.append(
                UnitProblem(number, unit.offset, unit.reason, unit.detail, len(unit.rows), unit.is_truncated)
            )
            if unit.message is None and self._units.whole:
                taken.wholes.append(number)
                taken.row([self._of_whole(unit.content, self._column(each).name) for each in self._projected])
            elif self._null_rows:
                taken.row([None] * len(self._projected))
        taken.counts.append(taken.rows - before)
        for name, column in zip(self._units.unit_columns, taken.units, strict=True):
            column.append(None if unit.message is None else value_of(unit.message, name))

    def _values(self, unit: _DecodedUnit) -> Iterator[list[Any]]:
        for index, row in enumerate(unit.rows):
            yield [self._value(row, self._column(each), index) for each in self._projected]

    def _value(self, row: Any, column: Column, number: int) -> Any:
        if not column.attribute:
            return number if column.name == self._units.row_number else True
        message = _above(row, column.up)
        if column.attribute in message._fields:
            return value_of(message, column.attribute)
        try:
            return plain_value(getattr(message, column.attribute))
        except ComputedError:
            raise
        except FAILURES:
            # A value that cannot be computed is absent; look-ups have been tried before.
            return None

    def _of_whole(self, content: bytes, name: str) -> Any:
        """Return the values of the columns of a unit that is a row of its own."""
        known = {self._units.whole: content, self._units.mark: False, self._units.row_number: 0}
        return known.get(name)


def _lookups(format: Format) -> list[Column]:
    """Return the look-ups in the order in which they are tried: if several fail in a row, the nearest table counts.
    Tables without a list between them are equally near."""
    program = format.message_program
    found = [each for each in format.columns if each.lookup]
    if program is None:
        return found
    distances, types, type = [0], program.types.messages, program.unit
    for number in program.rows:
        rule = next(each for each in types[type].fields if each.number == number)
        distances = [each + (rule.label is Label.REPEATED) for each in distances] + [0]
        type = rule.message
    distances.reverse()
    tables = {
        column.name: source.table.up
        for column, source in zip(format.columns, program.columns, strict=True)
        if isinstance(source, LookupSource)
    }
    return sorted(found, key=lambda each: distances[tables[each.name]])


@dataclass
class _Taken:
    """The values of a call so far, by column and by unit column."""

    columns: list[list[Any]]
    units: list[list[Any]]
    rows: int = 0
    counts: list[int] = field(default_factory=list)
    problems: list[UnitProblem] = field(default_factory=list)
    wholes: list[int] = field(default_factory=list)

    def row(self, found: Sequence[Any]) -> None:
        """Append a row."""
        for column, value in zip(self.columns, found, strict=True):
            column.append(value)
        self.rows += 1


def _above(row: Message, levels: int) -> Any:
    message: Any = row
    for _ in range(levels):
        message = message._parent
    return message


def _rows(message: Any, path: Sequence[str]) -> list[Any]:
    """Return the messages at the end of a path of fields, in order."""
    found = [message]
    for name in path:
        held = [getattr(each, name) for each in found]
        found = [item for each in held if each is not None for item in (each if isinstance(each, list) else [each])]
    return found
