"""The mapping of columns of a table to fields of a row object, and the checks of its values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from numbers import Integral, Number, Real
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..base.dataclass import dataclass
from ..base.errors import WireloomError
from ..base.text import nearest, unknown
from ..format.columns import READER_NAMES
from ..format.description import Column, Format
from ..objects.messages.errors import MessageError
from ..rows.maps_and_unions import without_union_types, without_unions
from ..rows.numbers import number_scalar, value_array
from .casting import cast, check_text, python_values, range_of
from .making import Make, check_fields, counted, maker, meaning_absent

INT64_MAX = 2**63 - 1


@dataclass(frozen=True)
class FilledField:
    """A field of the row object (of the root object if ``parent`` is set), and the column from which it is filled."""

    field: str
    name: str
    """Name of the column in the table."""
    type: pa.DataType
    """Type of the column in the format's table, to which the values of the given table are cast."""
    stored: pa.DataType
    """Type of the field's own column if it differs, such as the integer of a timestamp."""
    parent: bool = False
    optional: bool = False
    """Whether a null means that the attribute is absent."""
    labels: tuple[tuple[int, str], ...] = ()
    unsigned: bool = False
    """Whether the numbers of labels are those of uint64 instead of int64."""
    up: int = 0
    """As in ``Column``."""
    is_default_source: bool = False
    """Whether it is a value instance from which defaults of attributes are computed, as opposed to a field."""
    innermost_dependency: int = 0
    """As in ``Column``."""
    verified: bool = False
    """Whether the written value instance must equal the given value."""
    solved: tuple[str, int, int] | None = None
    """For a value instance that is solved for the field: its attribute, its level above the row, the field's factor."""
    make: Make | None = None
    """Function that converts the value of the column to that of the field, if it contains structs."""
    absent: int | None = None
    """Of a timestamp: the count that is written for null, unless the field is optional."""


def fields_of(format: Format, schema: pa.Schema) -> tuple[FilledField, ...]:
    """Return how the columns of a table with the given schema fill the fields of a row.

    If a field is stored in two columns (``ts`` and ``ts_millis``) and both exist, the raw one is used. Derived columns,
    those of readers and those of the path are ignored. Raises ``UnknownNameError`` for a column that the format does
    not have and ``WireloomError`` for one that is missing or exists twice.
    """
    given = set(schema.names)
    twice = sorted(name for name in given if schema.names.count(name) > 1)
    if twice:
        raise WireloomError(f"the table has more than one column {_list(twice)}")
    known = [each.name for each in format.columns]
    settable = [each for each in format.settable if each[0] in given]
    others = {*known, *format.path_columns, *READER_NAMES, *(name for name, _, _ in settable)}
    tags = {(len(format.levels) - place, name) for place, each in enumerate(format.levels) for name, _ in each.tags}
    needed = [each for each in format.columns if _needed(each) and (each.up, each.attribute or each.name) not in tags]
    made: set[tuple[str, int]] = set()
    if format.fragments is not None:
        # Objects around the pieces are created for them, and so are their kinds.
        kind = format.fragments.kind
        needed = [each for each in needed if not each.up and each.name != kind]
        made = {place for each in format.columns if each.name == kind for place in each.default_dependents}
    missing = [each for each in needed if not (each.optional or each.filled) and _source(format, each, given) is None]
    solved = list(_solved(format, missing, given))
    missing = [
        each for each in missing if all((each.attribute, each.up) != (found.field, found.up) for found in solved)
    ]
    for name in schema.names:
        if name not in others:
            lacking = [each.name for each in missing]  # It is most likely a misspelt name of one of these.
            raise unknown(f"column of {format.name}", name, lacking if nearest(name, lacking) else known)
    if missing:
        wanted = [_names(format, each) for each in needed]
        unread = [each.name for each in missing if not each.default]
        hint = f". A reader has {_list(unread)} where its option columns names it" if unread else ""
        raise WireloomError(
            f"{format.name} cannot be written without the column {_list(_names(format, each) for each in missing)}: "
            f"the table has {_list(schema.names) if given else 'no columns'}, the format needs {_list(wanted)}{hint}"
        )
    filled = []
    for column in format.columns:
        if (column.attribute or column.name, column.up) in made:
            continue
        source = _source(format, column, given) if _needed(column) or column.constant else None
        if source is not None:
            filled.append(
                FilledField(
                    field=column.attribute or column.name,
                    name=source.name,
                    type=without_union_types(format.schema.field(source.name).type),
                    stored=format.schema.field(column.name).type,
                    parent=column.parent,
                    optional=column.optional,
                    labels=source.labels,
                    unsigned=source.unsigned,
                    up=column.up,
                    make=maker(format, source),
                    absent=source.count_absent,
                )
            )
    for name, alias, up in settable:
        filled.append(FilledField(name, name, pa.type_for_alias(alias), pa.type_for_alias(alias), up=up))
    shown = list(_shown(format, given, filled))
    _refuse_missing_sources(format, given, [*filled, *solved, *shown])
    return (*filled, *shown, *solved, *_default_sources(format, given, [*filled, *solved, *shown]))


def _shown(format: Format, given: set[str], filled: Sequence[FilledField]) -> Iterator[FilledField]:
    """Yield the attributes around rows, with defaults, for which there are columns."""
    taken = {(each.field, each.up) for each in filled}
    for column in format.columns:
        if column.shown_attribute is None or column.name not in given or column.shown_attribute in taken:
            continue
        name, up = column.shown_attribute
        taken.add(column.shown_attribute)
        kind = without_union_types(format.schema.field(column.name).type)
        yield FilledField(
            name,
            column.name,
            kind,
            kind,
            labels=column.labels,
            unsigned=column.unsigned,
            up=up,
            absent=column.count_absent,
        )


def _refuse_missing_sources(format: Format, given: set[str], filled: Sequence[FilledField]) -> None:
    """Raise ``WireloomError`` for missing columns from which defaults of attributes are computed."""
    known = {(each.field, each.up) for each in filled}
    lacking = [each for each in format.columns if each.required_for_defaults and each.name not in given]
    names = [each.name for each in lacking if not known.issuperset(each.default_dependents)]
    if names:
        shown = ", ".join(sorted(given)) or "no columns"
        raise WireloomError(f"{format.name} cannot be written without the column {_list(names)}: the table has {shown}")


def _default_sources(format: Format, given: set[str], filled: Sequence[FilledField]) -> Iterator[FilledField]:
    """Yield the value instances of the table from which defaults are computed. If the table has columns for all of
    these, the instance need not equal what is written.
    """
    known = {(each.field, each.up) for each in filled}
    for column in format.columns:
        if column.default_source is not None and column.name in given:
            kind = without_union_types(format.schema.field(column.name).type)
            yield FilledField(
                column.default_source[0],
                column.name,
                kind,
                kind,
                labels=column.labels,
                unsigned=column.unsigned,
                up=column.default_source[1],
                is_default_source=True,
                innermost_dependency=column.innermost_dependency,
                verified=not known.issuperset(column.default_dependents),
                absent=column.count_absent,
            )


def _solved(format: Format, missing: list[Column], given: set[str]) -> Iterator[FilledField]:
    """Yield the fields without a column that are derived from the column of a value instance. Each column determines
    one field; fields of structs are not solved.
    """
    open_fields = [(each.attribute, each.up) for each in missing]
    open_fields += dict.fromkeys((name, up) for each in format.columns for name, up, _ in each.solves if "." in name)
    for column in format.columns:
        for name, up, factor in column.solves if column.name in given else ():
            if (name, up) in open_fields:
                open_fields.remove((name, up))
                kind = format.schema.field(column.name).type
                solved = column.attribute, len(format.levels) if column.parent else column.up, factor
                yield FilledField(name, column.name, kind, kind, up=up, solved=solved, absent=column.count_absent)
                break


def _needed(column: Column) -> bool:
    """Return whether the column is an attribute whose value only the caller can provide."""
    return not column.derived and not column.same_as and not column.constant


def _names(format: Format, column: Column) -> str:
    """Return the names of all columns that can provide the value of this one, the default one first."""
    return " or ".join(each.name for each in sorted(_forms(format, column), key=lambda each: not each.default))


def _forms(format: Format, column: Column) -> tuple[Column, ...]:
    """Return a column and the columns with the same attribute in another form."""
    attribute = column.attribute or column.name
    return (column, *(each for each in format.columns if each.same_as == attribute and each.parent == column.parent))


def _source(format: Format, column: Column, given: Iterable[str]) -> Column | None:
    """Return the column of the table with the value of this one: itself, or else another form of it."""
    return next((each for each in _forms(format, column) if each.name in given), None)


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)


def values_of(filled: FilledField, batch: pa.RecordBatch, first_row: int) -> list[object]:
    """Return the values of one field, one per row, ``None`` only if the field is optional. A null of a timestamp is the
    count that means that there is no time.

    ``first_row`` is the number of the batch's first row in the whole table, for error messages: rows count from 0.
    Raises ``WireloomError`` for a null and for a value that does not fit the field.
    """
    array = _without_unions(filled, batch.column(filled.name))
    if array.null_count and not filled.optional and filled.absent is None:
        row = pc.index(array.is_null(), True).as_py()
        raise WireloomError(
            f"row {first_row + row}, column {filled.name}: null, but the format has no null: give a value"
        )
    return column_values(filled, array, first_row)


def _without_unions(filled: FilledField, array: pa.Array) -> pa.Array:
    try:
        return without_unions(array)
    except pa.ArrowException as error:
        raise WireloomError(f"column {filled.name}: {array.type} cannot be written: {error}") from error


def column_values(filled: FilledField, array: pa.Array, first_row: int) -> list[object]:
    """Return the values of any array like ``values_of``; a null is ``None``."""
    values: list[object] = column_array(filled, array, first_row).to_pylist()
    if filled.make is None:
        return values
    found: list[object] = []
    for row, value in enumerate(values):
        try:
            found.append(None if value is None else filled.make(value))
        except (WireloomError, MessageError) as error:
            raise WireloomError(f"row {first_row + row}, column {filled.name}: {error}") from error
    return found


def column_array(filled: FilledField, array: pa.Array, first_row: int) -> pa.Array:
    """Return the stored values of the field as an Arrow array. Raises ``WireloomError`` for one that does not fit."""
    check_text(f"column {filled.name}", array, first_row)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if filled.labels and not pa.types.is_integer(array.type):
        return _numbers(filled, array, first_row)
    if filled.labels:
        return array
    check_fields(filled.name, array.type, filled.type)
    try:
        array = cast(array, filled.type)
    except pa.ArrowException as error:
        raise WireloomError(_misfit(filled, array, first_row, error)) from error
    if pa.types.is_nested(filled.type):
        return array.cast(counted(filled.type))
    return _counts(filled, array, first_row) if pa.types.is_timestamp(array.type) else array


def _counts(filled: FilledField, times: pa.Array, first_row: int) -> pa.Array:
    """Return timestamps as the field stores them: counts of their unit since 1970. A time that would be read as null
    cannot be written."""
    array, absent = times.view(pa.int64()), filled.absent
    is_large = absent is not None and absent > INT64_MAX
    if absent is not None and not is_large:
        row = pc.index(array, number_scalar(absent, pa.int64())).as_py()
        if row >= 0:
            raise WireloomError(f"row {first_row + row}, column {filled.name}: {meaning_absent(absent)}")
    if is_large or pa.types.is_unsigned_integer(filled.stored):
        smallest = pc.min(array)
        if (smallest.as_py() or 0) < 0:
            row = pc.index(array, smallest).as_py()
            raise WireloomError(
                f"row {first_row + row}, column {filled.name}: a time before 1970, which the field cannot store"
            )
        if is_large or filled.stored == pa.uint64():
            array = array.view(pa.uint64())
    return array if absent is None or filled.optional else array.fill_null(number_scalar(absent, array.type))


def _numbers(filled: FilledField, array: pa.Array, first_row: int) -> pa.Array:
    """Return the values of an enum from their labels; a number, or its text, is accepted for values without a label."""
    known = {label: value for value, label in filled.labels}
    kind = pa.uint64() if filled.unsigned else pa.int64()
    result: list[int | None] = []
    for row, given in enumerate(python_values(f"column {filled.name}", array)):
        value = known.get(given) if isinstance(given, str) else None
        if value is None and given is not None:
            value = _number(given)
            if value is None:
                raise unknown(f"label in row {first_row + row}, column {filled.name}:", str(given), known)
            if not _is_in_range(kind, value):
                raise WireloomError(
                    f"row {first_row + row}, column {filled.name}: {given!r:.40} does not fit {kind}{range_of(kind)}"
                )
        result.append(value)
    return value_array(result, kind)


def _number(given: object) -> int | None:
    """Return the integer that a value or its text represents; ``None`` if it is not an integer."""
    try:
        if isinstance(given, str | bytes):
            return int(given)
        if not isinstance(given, Number) or isinstance(given, bool):
            return None
        number = int(given)  # type: ignore[call-overload]
        return int(number) if number == given else None
    except (ArithmeticError, TypeError, ValueError):
        return None


def _misfit(filled: FilledField, array: pa.Array, first_row: int, error: Exception) -> str:
    """Return a message that names the first row whose value cannot be cast."""
    start, count = 0, len(array)
    while count > 1:
        half = count // 2
        if _fits(array.slice(start, half), filled.type):
            start, count = start + half, count - half
        else:
            count = half
    if count == 0 or _fits(array.slice(start, 1), filled.type):
        # The type as a whole is refused, not a single value.
        return f"column {filled.name}: {array.type} cannot be written as {filled.type}: {error}"
    try:
        value = array[start].as_py()
    except ValueError:
        # Nanoseconds, which Python has no type for where pandas is not installed.
        value = array.slice(start, 1).to_string(skip_new_lines=True).strip("[]")
    text = repr(value) if not isinstance(value, bytes | str) or len(value) <= 40 else f"{value[:40]!r}…"
    fraction = pa.types.is_integer(filled.type) and isinstance(value, float) and not value.is_integer()
    why = ": it is not an integer" if fraction else range_of(filled.type)
    return f"row {first_row + start}, column {filled.name}: {text} does not fit {filled.type}{why}"


def misfit(filled: FilledField, value: Any) -> str | None:
    """Return a description of the values that the column accepts if ``value``, a single non-null value, is not one of
    them; else ``None``.
    """
    kind, hint = filled.type, ""
    is_truth = isinstance(value, bool)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        wanted, fits = "bytes", isinstance(value, bytes | bytearray | memoryview)
        hint = ": encode it" if isinstance(value, str) else ""
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        wanted, fits = "str", isinstance(value, str)
    elif pa.types.is_integer(kind):
        wanted = f"an integer of {kind}{range_of(kind)}"
        fits = isinstance(value, Integral) and not is_truth and _is_in_range(kind, int(value))
    elif pa.types.is_floating(kind):
        wanted, fits = "a number", isinstance(value, Real) and not is_truth
    elif pa.types.is_boolean(kind):
        wanted, fits = "bool", is_truth
    else:
        return None
    return None if fits else f"column {filled.name} takes {wanted}, not {type(value).__name__} {value!r:.40}{hint}"


def _is_in_range(kind: pa.DataType, value: int) -> bool:
    if pa.types.is_unsigned_integer(kind):
        return bool(0 <= value < 2**kind.bit_width)
    return bool(-(2 ** (kind.bit_width - 1)) <= value < 2 ** (kind.bit_width - 1))


def _fits(array: pa.Array, type: pa.DataType) -> bool:
    try:
        # Of a slice of lists Arrow casts the items of all rows.
        if pa.types.is_nested(array.type):
            array = array.filter(pc.or_(array.is_valid(), array.is_null()))
        cast(array, type)
    except pa.ArrowException:
        return False
    return True
