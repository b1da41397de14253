"""The outputs of ``decode``: one class per kind of output, each of which receives consecutive record batches."""

from __future__ import annotations

import codecs
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import PurePath
from typing import IO, Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import WireloomError
from ..base.text import is_legible, printable
from ..codecs import by_suffix, compressor, without_suffix
from ..rows.maps_and_unions import without_union_types, without_unions
from ..rows.numbers import constant
from .text import lines, plain_text, shown_text

TABLE_ROWS = 20
"""Number of rows that ``table`` shows by default."""
PAGE_WIDTH = 160
"""Number of characters per line of a table that is not printed to a terminal."""
NARROWEST = 8
"""Minimum width of a truncated column of a table."""
FORMULA = r"^[=+\-@\t\r]"
"""Beginnings of cells that a spreadsheet would evaluate."""
ROW_GROUP_BYTES = 64 * 1024 * 1024
"""A Parquet row group is written when this number of bytes, or ``ROW_GROUP_ROWS`` rows, are buffered."""
ROW_GROUP_ROWS = 256 * 1024
KINDS = {
    ".ndjson": "ndjson", ".jsonl": "ndjson", ".json": "ndjson", ".parquet": "parquet", ".pq": "parquet",
    ".arrow": "arrow", ".arrows": "arrow", ".feather": "arrow", ".ipc": "arrow", ".csv": "csv", ".txt": "table",
}  # fmt: skip
"""Kinds of output by suffix of the file name."""
TEXT_KINDS = ("ndjson", "csv", "table")


class Sink(Protocol):
    """Receives batches; ``enough`` is true if no more are needed."""

    enough: bool = False

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the next rows."""
        ...

    def close(self) -> None:
        """Write buffered rows; the file itself remains open."""
        return

    def abandon(self) -> None:
        """Release everything, instead of ``close``; the content of the file is invalid."""
        return


class _ArrowSink(Sink):
    """A sink that pyarrow writes."""

    _writer: Any

    def close(self) -> None:
        self._writer.close()

    def abandon(self) -> None:
        # Otherwise it would close itself when it is collected, when its file is already closed.
        self._writer.close()


class _Lines(Sink):
    def __init__(self, file: IO[bytes], as_bytes: str) -> None:
        self._file, self._as_bytes = file, as_bytes

    def write(self, batch: pa.RecordBatch) -> None:
        self._file.write(lines(batch, self._as_bytes))


class _Parquet(_ArrowSink):
    def __init__(self, file: _Discardable, schema: pa.Schema) -> None:
        from pyarrow.parquet import ParquetWriter

        # Parquet has no unions.
        schema = pa.schema([each.with_type(without_union_types(each.type)) for each in schema])

        try:
            self._writer = ParquetWriter(file, schema, compression="zstd")
        except pa.ArrowNotImplementedError as error:
            raise WireloomError(
                f"Parquet cannot have these columns: {error}",
                advice="leave the column out, or write another kind of file",
            ) from None
        self._schema = schema
        self._held: list[pa.RecordBatch] = []

    def write(self, batch: pa.RecordBatch) -> None:
        arrays = [without_unions(each) for each in batch.columns]
        batch = pa.RecordBatch.from_arrays(arrays, schema=self._schema)
        self._held.append(batch)
        rows, size = sum(each.num_rows for each in self._held), sum(each.nbytes for each in self._held)
        if rows >= ROW_GROUP_ROWS or size >= ROW_GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        self._writer.write_table(pa.Table.from_batches(self._held, self._schema))
        self._held = []

    def close(self) -> None:
        if self._held:
            self._flush()
        super().close()


class _Arrow(_ArrowSink):
    def __init__(self, file: _Discardable, schema: pa.Schema, *, stream: bool) -> None:
        # A file has one dictionary for each column, which later batches may only extend.
        options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
        self._writer = (pa.ipc.new_stream if stream else pa.ipc.new_file)(file, schema, options=options)
        self._dictionaries: dict[int, pa.Array] = {}

    def write(self, batch: pa.RecordBatch) -> None:
        arrays = [self._extended(number, each) for number, each in enumerate(batch.columns)]
        self._writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=batch.schema))

    def _extended(self, number: int, array: pa.Array) -> pa.Array:
        """Return a column with the labels of all batches so far; other columns as they are."""
        if not pa.types.is_dictionary(array.type):
            return array
        labels = array.dictionary
        known = self._dictionaries.setdefault(number, labels)
        if labels.equals(known):
            return array
        others = labels.filter(pc.invert(pc.is_in(labels, value_set=known)))
        if len(others):
            self._dictionaries[number] = known = pa.concat_arrays([known, others])
        indices = pc.index_in(labels, value_set=known).take(array.indices).cast(array.type.index_type)
        return pa.DictionaryArray.from_arrays(indices, known)


class _Csv(_ArrowSink):
    def __init__(self, file: _Discardable, schema: pa.Schema, as_bytes: str, *, escape_formulas: bool) -> None:
        from pyarrow.csv import CSVWriter

        self._as_bytes, self._escape_formulas = as_bytes, escape_formulas
        empty = [plain_text(pa.nulls(0, each.type), as_bytes) for each in schema]
        self._schema = pa.schema(list(zip(schema.names, [each.type for each in empty], strict=True)))
        self._writer = CSVWriter(file, self._schema)

    def write(self, batch: pa.RecordBatch) -> None:
        columns = [
            self._cells(plain_text(column, self._as_bytes)).cast(each.type)
            for column, each in zip(batch.columns, self._schema, strict=True)
        ]
        self._writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=self._schema))

    def _cells(self, column: pa.Array) -> pa.Array:
        """Return the column, with an apostrophe before texts that a spreadsheet would evaluate if that is requested."""
        kind = column.type
        if not self._escape_formulas or not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            return column
        mark, nothing = constant("'", kind), constant("", kind)
        escaped = pc.binary_join_element_wise(mark, column, nothing)
        return pc.if_else(pc.match_substring_regex(column, FORMULA), escaped, column)


class _TableSink(Sink):
    """The first rows as a table for people."""

    def __init__(self, file: IO[bytes], schema: pa.Schema, as_bytes: str | None, limit: int) -> None:
        self._file, self._as_bytes, self._schema, self._limit = file, as_bytes, schema, limit
        self._batches: list[pa.RecordBatch] = []

    def write(self, batch: pa.RecordBatch) -> None:
        self._batches.append(batch.slice(0, self._limit - self._count()))
        self.enough = self._count() >= self._limit

    def _count(self) -> int:
        return sum(each.num_rows for each in self._batches)

    def _rows(self) -> list[tuple[Any, ...]]:
        # Bytes of all shown rows have the same form.
        whole = pa.Table.from_batches(self._batches, self._schema).combine_chunks()
        columns = [shown_text(column.chunk(0), self._as_bytes) if column.num_chunks else [] for column in whole.columns]
        return list(zip(*columns, strict=True)) if columns else [()] * self._count()

    def close(self) -> None:
        import io

        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        terminal = self._file.isatty()
        console = Console(file=io.StringIO(), force_terminal=terminal, width=None if terminal else PAGE_WIDTH)
        table = Table()
        # Control characters could move the terminal's cursor, or do worse.
        rows = [[_cell(value) for value in row] for row in self._rows()]
        names = self._schema.names
        natural = [max([len(name), *(len(row[index]) for row in rows)]) for index, name in enumerate(names)]
        # Every column has a border and a blank on both sides.
        room = console.width - 3 * len(names) - 1
        widths = fitted(natural, room)
        if sum(widths) > room:
            self._file.write(_records(names, rows, console.width).encode())
            return
        for each, width in zip(self._schema, widths, strict=True):
            right = pa.types.is_integer(each.type) or pa.types.is_floating(each.type)
            table.add_column(each.name, justify="right" if right else "left", no_wrap=True, width=width)
        for row in rows:
            table.add_row(*map(Text, row))
        with console.capture() as captured:
            console.print(table)
            if self.enough:
                first = "the first row" if self._limit == 1 else f"the first {self._limit:,} rows"
                console.print(first, highlight=False)
        self._file.write(captured.get().encode())


def _cell(value: Any) -> str:
    """Return the text of a cell: nothing for null, and two quotes for an empty text."""
    return "" if value is None else printable(str(value)) or '""'


def _records(names: list[str], rows: list[list[str]], width: int) -> str:
    """Return rows with a line for each column that is not null, as for a table with too many columns for one line.

    >>> print(_records(["a", "more"], [["1", ""], ["22", "x" * 20]], 16), end="")
    row 1
      a     1
    row 2
      a     22
      more  xxxxxxx…
    """
    indent = max(map(len, names), default=0)
    lines = []
    for number, row in enumerate(rows, 1):
        lines.append(f"row {number}")
        for name, cell in zip(names, row, strict=True):
            room = max(width - indent - 4, NARROWEST)
            if cell:
                lines.append(f"  {name:<{indent}}  {cell if len(cell) <= room else f'{cell[: room - 1]}…'}")
    return "".join(f"{each}\n" for each in lines)


def fitted(widths: list[int], room: int) -> list[int]:
    """Return widths of columns that fit in ``room``: the widest are reduced as far as necessary, to the same width.

    >>> fitted([3, 50, 10, 60], 80), fitted([3, 5], 80)
    ([3, 33, 10, 34], [3, 5])
    """
    result = [min(each, max(room, NARROWEST)) for each in widths]
    while sum(result) > room:
        widest = max(range(len(result)), key=result.__getitem__)
        if result[widest] <= NARROWEST:
            break
        result[widest] -= 1
    return result


def kind_of(name: str) -> str:
    """Return the kind of output for a file name. Raises ``WireloomError`` if its suffix does not determine one."""
    kind = KINDS.get(PurePath(without_suffix(name)).suffix.lower())
    if kind is None:
        raise WireloomError(
            f"the name {name} does not determine the output format: add --to {'|'.join(dict.fromkeys(KINDS.values()))}"
        )
    return kind


@contextmanager
def sink(
    file: IO[bytes],
    name: str,
    kind: str,
    schema: pa.Schema,
    as_bytes: str | None,
    limit: int | None = None,
    *,
    escape_formulas: bool = False,
) -> Iterator[Sink]:
    """Open a sink of that kind on an open file; lines and CSV are compressed if the name has a codec's suffix.

    ``as_bytes``: the form of bytes in text; by default hex, and in tables text where it is legible. ``limit``: number
    of requested rows; a table shows ``TABLE_ROWS`` of them by default. ``escape_formulas``: whether CSV has an
    apostrophe before texts that a spreadsheet would evaluate.
    """
    codec = by_suffix(name) if kind in TEXT_KINDS else None
    target: Any = _Compressed(file, codec) if codec is not None else file
    if kind in ("ndjson", "csv") and target.isatty():
        target = _Terminal(file, (lambda each: json.dumps(each)[1:-1]) if kind == "ndjson" else printable)
    discardable = _Discardable(target)
    in_text = as_bytes or "hex"
    made: Sink
    if kind == "table":
        made = _TableSink(target, schema, as_bytes, TABLE_ROWS if limit is None else limit)
    elif kind == "arrow":
        made = _Arrow(discardable, schema, stream=name == "-" or name.endswith(".arrows"))
    elif kind == "csv":
        made = _Csv(discardable, schema, in_text, escape_formulas=escape_formulas)
    else:
        made = _Parquet(discardable, schema) if kind == "parquet" else _Lines(target, in_text)
    try:
        yield made
        made.close()
        if codec is not None:
            target.finish()
    except BaseException:
        discardable.discards = True
        with suppress(Exception):
            made.abandon()
        raise


class _Discardable:
    """A file for pyarrow, which writes the end of a file even after an error or an interrupt. ``discards``: whether
    that is not passed on, since the reader of a pipe may have stalled."""

    closed = discards = False

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, data: Any) -> int:
        if self.discards:
            return len(data)
        try:
            return self._file.write(data)
        except BaseException:
            self.discards = True
            raise

    def flush(self) -> None:
        if not self.discards:
            self._file.flush()


class _Filter(ABC):
    """A file to which a text sink writes, and which passes on modified bytes."""

    closed = False

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, data: Any) -> int:
        data = bytes(data)
        self._file.write(self._altered(data))
        return len(data)

    @abstractmethod
    def _altered(self, data: bytes) -> bytes: ...

    def isatty(self) -> bool:
        return self._file.isatty()

    def flush(self) -> None:
        self._file.flush()


class _Terminal(_Filter):
    """Escapes all control characters of terminals. ``escape`` returns the replacement for such a character."""

    def __init__(self, file: IO[bytes], escape: Callable[[str], str]) -> None:
        super().__init__(file)
        self._escape = escape
        # A write may end inside a character.
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def _altered(self, data: bytes) -> bytes:
        text = self._decoder.decode(data)
        if not text.isprintable():
            text = "".join(each if is_legible(each) else self._escape(each) for each in text)
        return text.encode()


class _Compressed(_Filter):
    """Compresses the bytes."""

    def __init__(self, file: IO[bytes], codec: str) -> None:
        super().__init__(file)
        self._compressor = compressor(codec)

    def _altered(self, data: bytes) -> bytes:
        return bytes(self._compressor.compress(data))

    def isatty(self) -> bool:
        return False

    def finish(self) -> None:
        self._file.write(self._compressor.flush())
