"""The selected columns of a reader, and record batches of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import pyarrow as pa

from ..base import arguments
from ..base.addresses import path_text
from ..base.cached import cached_property
from ..base.dataclass import dataclass, field
from ..base.errors import UnknownNameError, WireloomError
from ..base.text import unknown
from ..codecs import without_suffix
from ..format.columns import CORRUPT_RECORD, ERROR, OFFSET, PATH, READER_COLUMNS
from ..format.description import Format
from .numbers import constant, value_array
from .reader import BatchColumns, RowDamage


class PathPattern:
    """A pattern whose ``{name}`` parts are matched against the end of a path; no part crosses a slash.

    The path may have any prefix before the pattern. The suffix of a codec is ignored in the pattern and in the path:
    ``.wal``, ``.wal.zst`` and ``.wal.gz`` are the same.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.names: tuple[str, ...] = tuple(re.findall(r"\{(\w+)\}", pattern))

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        parts = re.split(r"\{(\w+)\}", without_suffix(self.pattern))
        seen: set[str] = set()
        built = []
        for index, part in enumerate(parts):
            if index % 2 == 0:
                built.append(re.escape(part))
            elif part in seen:
                built.append(f"(?P={part})")
            else:
                seen.add(part)
                built.append(f"(?P<{part}>[^/]+?)")
        return re.compile(rf"(?:^|.*/){''.join(built)}$", re.DOTALL)

    def match(self, path: str | None) -> dict[str, str | None]:
        """Return the values by name; all values are ``None`` if the path does not match.

        >>> PathPattern("{region}/{name}.log").match("s3://bucket/logs/eu/a.log")
        {'region': 'eu', 'name': 'a'}
        """
        found = self._expression.match(without_suffix(path.replace("\\", "/"))) if path is not None else None
        return {name: found[name] if found else None for name in self.names}


@cache
def path_pattern(pattern: str) -> PathPattern:
    """Return the compiled pattern, which is cached."""
    return PathPattern(pattern)


TEXT = pa.utf8()
NO_BYTES = memoryview(b"")
NO_ERRORS: Mapping[int, str] = {}
EXTRA_COLUMNS = {each.name: pa.type_for_alias(each.type) for each in READER_COLUMNS}
"""The types of the columns that can be selected from every table, such as ``_offset``."""

EXPLANATIONS = {
    "length": "a length or a count is wrong",
    "checksum": "the checksum does not match",
    "value": "a value is not allowed",
    "stuffing": "the stuffing is broken",
    "limit": "larger than max_record, computes more than max_computed, or is nested too deeply",
    "truncated": "the input ends inside the record",
    "encoding": "text is not valid in its encoding",
    "codec": "the compressed stream is damaged",
    "unsupported": "it contains rows that readers cannot read, or its codec is not supported",
    "missing": "the input could not be read",
    "magic": "the first bytes are not those of the format",
    "digest": "the digest does not match",
    "message": "it is no such message",
    "zeros": "only zeros: never written, or erased",
    "fragment": "other pieces of the record are missing",
    "index": "an index is out of range of its table",
}


def explained(reason: str) -> str:
    """Return the value of ``_error`` for a damaged record: the reason, a colon, and a sentence.

    >>> explained("checksum")
    'checksum: the checksum does not match'
    """
    return f"{reason}: {EXPLANATIONS[reason]}" if reason in EXPLANATIONS else reason


def end_explained(reason: str) -> str:
    """Return the value of ``_error`` for the end of an input without rows (see ``FileReport.lost_end``)."""
    more = "" if reason == "truncated" else "; the rest of the file could not be read"
    return f"{explained(reason)}{more}"


@dataclass(frozen=True)
class Projection:
    """The columns that are read, in order: their ``names``, which have been checked, and what is derived from these."""

    format: Format
    names: tuple[str, ...]
    schema: Any = field(init=False, repr=False, compare=False)
    """The schema of every batch."""
    numbers: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """For each name, the number of the column in the format; -1 for a column that is not the format's."""
    projected: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """The numbers of the selected columns of the format, ascending."""
    has_offsets: bool = field(init=False, repr=False, compare=False)
    """Whether the offsets of rows are needed."""
    selects_errors: bool = field(init=False, repr=False, compare=False)
    """Whether ``_error`` or ``_corrupt_record`` is selected, so that a damaged record may become a row of nulls."""
    has_paths: bool = field(init=False, repr=False, compare=False)
    """Whether columns have the path of the input, or parts of it."""

    def __post_init__(self) -> None:
        known, names = self.format.column_numbers, self.names
        fields, numbers, own = [], [], set[str]()
        for name in names:
            number = known.get(name, -1)
            numbers.append(number)
            if number >= 0:
                fields.append(self.format.schema.field(number))
            else:
                own.add(name)
                fields.append(pa.field(name, EXTRA_COLUMNS.get(name, TEXT)))
        vars(self).update(
            schema=pa.schema(fields),
            numbers=tuple(numbers),
            projected=tuple(sorted({*numbers} - {-1})),
            has_offsets=OFFSET in names,
            selects_errors=ERROR in names or CORRUPT_RECORD in names,
            has_paths=not own <= {OFFSET, ERROR, CORRUPT_RECORD},
        )

    @classmethod
    def of(cls, format: Format, columns: Sequence[str] | None) -> Projection:
        """Return the projection of a format to ``columns``, by default its default columns. Raises
        ``UnknownNameError`` with the nearest name."""
        if columns is None:
            if not format.default_columns:
                message = f"{format.name} has no columns by default: name objects and lists in the spec's 'columns', or"
                raise WireloomError(f"{message} columns of the reader, such as {', '.join(selectable(format)[:3])}")
            return cls(format, format.default_columns)
        names = arguments.names("columns", columns)
        for name in names:
            if not (name in format.column_numbers or name in EXTRA_COLUMNS or name in format.path_columns):
                others = (each for each in format.tables if each != format.table)
                holder = next((each for each in others if name in selectable(format.of_table(each))), None)
                if holder is not None:
                    message = f"unknown column of {format.name} {name!r}: {format.option} {holder!r} has it"
                    raise UnknownNameError(message)
                if name in format.row_class._fields:
                    message = f"{name!r} is no column of {format.name}, but an attribute of its rows"
                    raise UnknownNameError(f"{message}: the spec makes it one if 'columns' or 'selectable' names it")
                raise unknown(f"column of {format.name}", name, selectable(format))
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise WireloomError(f"the column {twice!r} is requested twice")
        if not names:
            raise WireloomError("columns is empty: name at least one")
        return cls(format, names)

    def columns(self) -> Iterable[tuple[str, int, Any]]:
        """Return the name, the number in the format and the type of each column."""
        return zip(self.names, self.numbers, self.schema.types, strict=True)

    def builder(self, path: str | None) -> BatchBuilder:
        """Return a builder of batches for one input."""
        if not self.has_paths:
            return BatchBuilder(self, {})
        path = None if path is None else path_text(path)
        values = path_pattern(self.format.path_pattern).match(path) if self.format.path_pattern else {}
        return BatchBuilder(self, {PATH: path, **values})


def selectable(format: Format) -> list[str]:
    """Return every name that is valid in ``columns``."""
    return [*(column.name for column in format.columns), *format.path_columns, *EXTRA_COLUMNS]


@dataclass
class BatchBuilder:
    """Builds the batches of one input. ``constants``: the values of columns that are constant within the input."""

    projection: Projection
    constants: dict[str, str | None]
    _repeated: dict[str, Any] = field(default_factory=dict)

    def batch(
        self,
        rows: int,
        arrays: Mapping[int, Any],
        offsets: Any,
        damages: Sequence[RowDamage] = (),
        content: memoryview = NO_BYTES,
        base: int = 0,
        errors: Mapping[int, str] = NO_ERRORS,
    ) -> Any:
        """Return a batch. ``arrays``: by number of the format's column; ``offsets``: of the rows, if selected;
        ``damages``: the damaged ranges among the rows, in ``content``, which begins at the offset ``base``; ``errors``:
        by row of nulls, the details in ``_error`` beyond the reason."""
        projection = self.projection
        if isinstance(arrays, BatchColumns) and arrays.numbers == projection.numbers:
            return arrays.batch
        columns = []
        for name, number, kind in projection.columns():
            if number >= 0:
                columns.append(arrays[number])
            elif name == OFFSET:
                columns.append(offsets)
            elif name == ERROR:
                said = ((each.row, errors.get(each.row) or explained(each.reason)) for each in damages)
                columns.append(_sparse(rows, said, kind))
            elif name == CORRUPT_RECORD:
                ranges = ((each.row, max(0, each.begin - base), max(0, each.end - base)) for each in damages)
                columns.append(_sparse(rows, ((row, bytes(content[begin:end])) for row, begin, end in ranges), kind))
            else:
                columns.append(self._constant(name, rows))
        return pa.RecordBatch.from_arrays(columns, schema=projection.schema)

    def null_row_batch(self, damage: RowDamage, content: bytes | None, error: str | None = None) -> Any:
        """Return a batch of one row of nulls for a damaged range; ``error``: details beyond its reason."""
        projection = self.projection
        columns = []
        for name, number, kind in projection.columns():
            value: Any = None
            if name == OFFSET:
                value = damage.begin
            elif name == ERROR:
                value = f"{damage.reason}: {error}" if error is not None else explained(damage.reason)
            elif name == CORRUPT_RECORD:
                value = content
            elif number < 0 and name in self.constants:
                value = self.constants[name]
            columns.append(pa.nulls(1, kind) if value is None else value_array([value], kind))
        return pa.RecordBatch.from_arrays(columns, schema=projection.schema)

    def _constant(self, name: str, rows: int) -> Any:
        known = self._repeated.get(name)
        if known is None or len(known) < rows:
            known = self._repeated[name] = pa.repeat(constant(self.constants[name], TEXT), rows)
        return known.slice(0, rows)


def _sparse(rows: int, found: Iterable[tuple[int, Any]], kind: Any) -> Any:
    """Return an array of nulls except for the given rows; row -1 is skipped."""
    values = {row: value for row, value in found if row >= 0}
    if not values:
        return pa.nulls(rows, kind)
    return value_array([values.get(row) for row in range(rows)], kind)


def deciding_columns(format: Format) -> tuple[str, ...]:
    """Return the default columns of a format with computed values: a row of which such a value cannot be computed is
    damaged for readers of the column, and for no others. Messages have nulls there."""
    computed = (each for each in format.columns if each.default and each.derived and not each.same_as)
    return () if format.message is not None else tuple(each.name for each in computed)
