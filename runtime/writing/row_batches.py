"""Conversion of rows in any form to record batches of bounded size."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import chain, islice
from numbers import Integral, Number
from typing import Any

import pyarrow as pa

from ..base.arguments import shown
from ..base.errors import WireloomError
from ..rows.maps_and_unions import without_union_types
from ..rows.numbers import constant, value_array
from .casting import range_of

ROWS = 16_384
"""Maximum number of rows per batch, which bounds the size of objects created from it."""
BYTES = 8 * 1024 * 1024
"""Approximate maximum size of a batch in bytes; a single row may be larger."""
VIEWS = (pa.types.is_binary_view, pa.types.is_string_view, pa.types.is_list_view, pa.types.is_large_list_view)
OFFSET = 4
"""Size of the offset of a list."""
MANY = 65_536
"""Maximum number of rows of a batch that is not converted to Python objects."""
TO_TABLE = ("toArrow", "to_table", "collect")
"""Methods that return a table: of Spark's data frames, of datasets of other libraries and of Polars' lazy frames."""
FINEST = {"s": 1_000_000, "ms": 1000, "us": 1, "ns": 1}
"""Microseconds in a unit of time, at least one: finer times of Python are those of pandas."""
INDEX = re.compile(r"__index_level_\d+__")
"""Names that pandas gives to an index without a name, which is then not a column of the frame."""
MISFITS = (pa.ArrowException, TypeError, ValueError, OverflowError)
"""Exceptions of pyarrow for values that it cannot convert."""


def batches_of(rows: Any, types: pa.Schema | None = None, most: int = ROWS) -> Iterator[pa.RecordBatch]:
    """Yield record batches of at most ``most`` rows, in order.

    ``rows``: a ``pyarrow.Table``, ``RecordBatch`` or ``RecordBatchReader``; a ``Dataset`` or ``Scanner`` of
    ``pyarrow.dataset``; anything with ``__arrow_c_stream__`` or ``__arrow_c_array__`` (data frames of other libraries);
    a mapping of column names to lists; or an iterable of tables, batches, or mappings (one mapping per row). ``types``:
    the preferred types of columns of mappings, used if they fit all values. Raises ``WireloomError`` for anything else.
    """
    for batch in _whole_batches(rows, types):
        index = [name for name in batch.schema.names if INDEX.fullmatch(name)]
        yield from cut(batch.drop_columns(index) if index else batch, most)


def batch_of_one(name: str, value: Any, types: pa.Schema) -> pa.RecordBatch:
    """Return a batch with one column and one value; ``types`` as in ``batches_of``."""
    made = _arrow(lambda: _column(name, [value], types, 0), 0)
    batch: pa.RecordBatch = pa.RecordBatch.from_arrays([made], names=[name])
    return batch


def _whole_batches(rows: Any, types: pa.Schema | None) -> Iterator[pa.RecordBatch]:
    if isinstance(rows, pa.RecordBatch):
        yield rows
    elif isinstance(rows, pa.Table):
        # The columns are checked even if a table has no rows.
        yield from rows.to_batches() or [_no_batch(rows.schema)]
    elif isinstance(rows, pa.RecordBatchReader):
        yield from rows
    elif hasattr(rows, "__arrow_c_stream__"):
        yield from _taken(rows, pa.RecordBatchReader.from_stream)
    elif hasattr(rows, "__arrow_c_array__"):
        yield _taken(rows, pa.record_batch)
    elif isinstance(rows, Mapping):
        _check_columns(rows)
        yield from _arrow(lambda: _table(rows, types), 0).to_batches()
    elif isinstance(rows, Iterable) and not isinstance(rows, str | bytes | bytearray | memoryview):
        yield from _of_items(iter(rows), types)
    else:
        yield from _of_dataset(rows)


def _taken(rows: Any, take: Callable[[Any], Any]) -> Any:
    """Return the result of ``take`` for rows of another library.

    Raises ``WireloomError`` for other objects, such as an array of numbers.
    """
    try:
        return take(rows)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise _no_rows(rows) from error


def _of_dataset(rows: Any) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a ``Dataset`` or ``Scanner`` of ``pyarrow.dataset``.

    Raises ``WireloomError`` for anything else.
    """
    import pyarrow.dataset

    if isinstance(rows, pyarrow.dataset.Dataset):
        rows = rows.scanner()
    if not isinstance(rows, pyarrow.dataset.Scanner):
        raise _no_rows(rows)
    reader = rows.to_reader()
    # The columns are checked even if a dataset has no rows.
    yield _no_batch(reader.schema)
    yield from reader


def _no_batch(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.nulls(0, each.type) for each in schema], schema=schema)


def _no_rows(rows: Any) -> WireloomError:
    call = next((name for name in TO_TABLE if callable(getattr(rows, name, None))), None)
    advice = f"give the result of its {call}()" if call else "give an Arrow table, record batches, or row mappings"
    return WireloomError(f"rows cannot be read from {type(rows).__name__}: {advice}")


def rows_of_columns(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a mapping of column names to lists.

    Raises ``WireloomError`` if it is not such a mapping.
    """
    _check_columns(columns)
    lists = {
        name: values.to_pylist() if isinstance(values, pa.Array | pa.ChunkedArray) else _list(name, values)
        for name, values in columns.items()
    }
    sizes = {name: len(values) for name, values in lists.items()}
    if len(set(sizes.values())) > 1:
        counts = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise WireloomError(f"the columns of the rows have different numbers of values: {counts}")
    return [dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)]


def _check_columns(columns: Mapping[Any, Any]) -> None:
    """Raise ``WireloomError`` for a mapping that does not map column names to columns."""
    if not columns:
        raise WireloomError("the rows are a mapping without columns: name them, or give an empty list for no rows")
    stray = next((name for name in columns if not isinstance(name, str)), None)
    if stray is not None:
        raise WireloomError(f"a column name must be a string, not {shown(stray)}")


def _table(columns: Mapping[str, Any], types: pa.Schema | None) -> pa.Table:
    return pa.table(
        {
            name: values
            if isinstance(values, pa.Array | pa.ChunkedArray)
            else _column(name, _list(name, values), types, 0)
            for name, values in columns.items()
        }
    )


def _list(name: str, values: Any) -> list[Any]:
    """Return the values of a column.

    Raises ``WireloomError`` for iterables that are single values, such as text.
    """
    single = isinstance(values, str | bytes | bytearray | Mapping)
    single = single or (isinstance(values, memoryview) and values.itemsize == 1)
    if single or not isinstance(values, Iterable):
        raise WireloomError(
            f"column {name} is one value ({type(values).__name__}), where a list of values belongs, one for each row: "
            "for a single row give a list of one mapping"
        )
    return list(values)


def _of_items(items: Iterator[Any], types: pa.Schema | None) -> Iterator[pa.RecordBatch]:
    done = 0
    for first in items:
        if isinstance(first, Mapping):
            block = [first, *islice(items, ROWS - 1)]
            stray = next((each for each in block if not isinstance(each, Mapping)), None)
            if stray is not None:
                raise WireloomError(f"rows cannot be mappings and {type(stray).__name__} in one iterable")
            names = list(dict.fromkeys(chain.from_iterable(block)))
            start = done
            yield _arrow(
                lambda block=block, names=names, start=start: pa.RecordBatch.from_arrays(
                    [_column(name, [row.get(name) for row in block], types, start) for name in names], names=names
                ),
                start,
            )
            done += len(block)
        elif isinstance(first, pa.RecordBatch | pa.Table) or hasattr(first, "__arrow_c_array__"):
            yield from _whole_batches(first, types)
        else:
            raise stray_item(first)


def stray_item(item: Any) -> WireloomError:
    """Return the error for an item of an iterable of rows that is neither a batch, a table nor a row."""
    return WireloomError(f"an item of the rows is {type(item).__name__}: expected record batches or mappings")


def _column(name: str, values: list[Any], types: pa.Schema | None, row: int) -> pa.Array:
    """Return a column of values, in the preferred type if possible. ``row``: the number of the first value."""
    index = types.get_field_index(name) if types is not None else -1
    kind = None
    if types is not None and index >= 0:
        try:
            kind = without_union_types(types.field(index).type)
            if pa.types.is_floating(kind):
                # The nearest float, as for any other number; Arrow refuses integers that are not exact as floats.
                return value_array([float(each) if type(each) is int else each for each in values], pa.float64())
            if pa.types.is_dictionary(kind):
                # The text of a number is equivalent to the number for a label, and text represents any value.
                return value_array([str(each) if type(each) is int else each for each in values], pa.string())
            finer = next((number for number, each in enumerate(values) if _contains(_is_finer, kind, each)), None)
            if finer is not None:
                # Arrow would round it down, and lose the nanoseconds of pandas' times before they are compared.
                raise WireloomError(_does_not_fit(name, values[finer], kind, row + finer))
            if not any(_contains(_is_fraction, kind, each) or _has_stray(kind, each) for each in values):
                return value_array(values, _wide(kind))
        except MISFITS:
            # Invalid values are reported when they are written.
            pass
    try:
        return value_array(values)
    except MISFITS as error:
        raise WireloomError(_misfit(name, values, kind, row, error)) from error


def _misfit(name: str, values: list[Any], kind: pa.DataType | None, row: int, error: Exception) -> str:
    """Return a message that names the first value that cannot be converted to the type by itself, if any."""
    for number, value in enumerate(values, row):
        try:
            constant(value, kind)
        except MISFITS:
            return _does_not_fit(name, value, kind, number)
    return f"column {name}: the values from row {row} on cannot be converted: {error}"


def _does_not_fit(name: str, value: Any, kind: pa.DataType | None, row: int) -> str:
    wanted = f"{kind}{range_of(kind)}" if kind is not None else "any type of a column"
    return f"row {row}, column {name}: {shown(value)} does not fit {wanted}"


def _contains(test: Callable[[pa.DataType, Any], bool], kind: pa.DataType, value: Any) -> bool:
    """Return whether a test is true of a value and its type, or of one inside of it."""
    if value is None:
        return False
    if pa.types.is_map(kind):
        kinds = kind.key_type, kind.item_type
        return any(
            _contains(test, part, each) for pair in _pairs(value) for part, each in zip(kinds, pair, strict=True)
        )
    if pa.types.is_list(kind):
        return any(_contains(test, kind.value_type, each) for each in value)
    if pa.types.is_struct(kind):
        return isinstance(value, Mapping) and any(_contains(test, each.type, value.get(each.name)) for each in kind)
    return test(kind, value)


def _is_fraction(kind: pa.DataType, value: Any) -> bool:
    """Return whether a value for an integer has a fraction, which Arrow would truncate."""
    if not pa.types.is_integer(kind) and not pa.types.is_timestamp(kind):
        return False
    return isinstance(value, Number) and not isinstance(value, Integral) and not _is_whole(value)


def _is_finer(kind: pa.DataType, value: Any) -> bool:
    """Return whether a time is finer than the unit of its column."""
    if not pa.types.is_timestamp(kind) or not isinstance(value, datetime):
        return False
    return bool(value.microsecond % FINEST[kind.unit] or (kind.unit != "ns" and getattr(value, "nanosecond", 0)))


def _has_stray(kind: pa.DataType, value: Any) -> bool:
    """Return whether a mapping has a key that is not a field of the struct, which Arrow would ignore."""
    if pa.types.is_map(kind):
        return any(_has_stray(kind.item_type, each) for _, each in _pairs(value or ()))
    if pa.types.is_list(kind):
        return pa.types.is_nested(kind.value_type) and any(_has_stray(kind.value_type, each) for each in value or ())
    if pa.types.is_struct(kind) and isinstance(value, Mapping):
        known = {field.name: field.type for field in kind}
        return any(name not in known or _has_stray(known[name], each) for name, each in value.items())
    return False


def _pairs(value: Any) -> Iterable[tuple[Any, Any]]:
    """Return the pairs of a map, which is either a mapping or a list of pairs."""
    return value.items() if isinstance(value, Mapping) else value


def _is_whole(value: Any) -> bool:
    try:
        return bool(value == int(value))
    except (ArithmeticError, TypeError, ValueError):
        return False


def _wide(type: pa.DataType) -> pa.DataType:
    """Return the type with floats of 64 bits; in narrower ones Arrow replaces values out of range with infinities."""
    if pa.types.is_list(type):
        return pa.list_(_wide(type.value_type))
    if pa.types.is_map(type):
        return pa.map_(_wide(type.key_type), _wide(type.item_type))
    if pa.types.is_struct(type):
        return pa.struct([each.with_type(_wide(each.type)) for each in type])
    return pa.float64() if pa.types.is_floating(type) else type


def _arrow(make: Any, row: int) -> Any:
    try:
        return make()
    except MISFITS as error:
        raise WireloomError(f"the values from row {row} on cannot be converted to columns: {error}") from error


def size_of(batch: pa.RecordBatch) -> int:
    """Return the approximate size of a batch in bytes."""
    return sum(map(_size_of, batch.columns))


def _size_of(array: pa.Array) -> int:
    types, kind = pa.types, array.type
    if not len(array):
        # Arrow itself would read the first offset, which an array without values may lack, as those of Java's Arrow do.
        return 0
    if isinstance(array, pa.ExtensionArray):
        return _size_of(array.storage)
    if types.is_struct(kind) or types.is_union(kind):
        return sum(_size_of(array.field(number)) for number in range(kind.num_fields))
    if types.is_list(kind) or types.is_large_list(kind) or types.is_map(kind):
        begin, end = array.offsets[0].as_py(), array.offsets[-1].as_py()
        return OFFSET * len(array) + _size_of(array.values.slice(begin, end - begin))
    if any(is_kind(kind) for is_kind in VIEWS):
        # Versions of Arrow before 24 cannot compute the size of views, and 24.0 crashes if all values are short.
        return int(array.get_total_buffer_size())
    return int(array.nbytes)


def cut(batch: pa.RecordBatch, most: int) -> Iterator[pa.RecordBatch]:
    """Yield slices of a batch of at most ``most`` rows. The approximate limit in bytes is ``BYTES``, scaled by ``most /
    ROWS``.
    """
    share = max(1, size_of(batch) // max(1, batch.num_rows))
    step = max(1, min(most, BYTES * most // ROWS // share))
    if batch.num_rows <= step:
        yield batch
        return
    for start in range(0, batch.num_rows, step):
        yield batch.slice(start, step)
