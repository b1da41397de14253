"""Writes the files of a task: rows as Parquet, directly from the engine's batches, without passing them to Spark.

Files are written to the staging folder of an attempt, under names that are unique to the task and to the try at it. The
driver adds only the files that are reported to it; the others are removed with the folder.
"""

from __future__ import annotations

import json
import secrets
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...base.dataclass import dataclass, field
from ...base.errors import UnsupportedError, WireloomError
from ...base.text import unknown
from ..folders import Folder
from ..write.partitions import by_folder

FILE_BYTES = 1 << 30
NAMING = (
    pa.types.is_string,
    pa.types.is_integer,
    pa.types.is_boolean,
    pa.types.is_date,
    pa.types.is_timestamp,
    pa.types.is_decimal,
    pa.types.is_floating,
)
"""Types whose values can name folders."""


@dataclass(frozen=True)
class FileLayout:
    """The properties of a table's files. ``partition_by``: columns that name folders and are not in the files;
    ``sort_by``: columns by which each file is sorted; ``file_bytes``: approximate maximum size of a stored file;
    ``compression``; ``dictionary``: columns with dictionary encoding, by default all except binary ones."""

    partition_by: tuple[str, ...] = ()
    sort_by: tuple[str, ...] = ()
    file_bytes: int = FILE_BYTES
    compression: str = "snappy"
    dictionary: tuple[str, ...] | None = None

    def check_columns(self, schema: pa.Schema) -> None:
        """Raise ``WireloomError`` if rows with these columns cannot be written in this layout."""
        for what, columns in (("sort_by", self.sort_by), ("dictionary", self.dictionary or ())):
            for name in columns:
                if name not in schema.names:
                    raise unknown(f"column for {what}", name, schema.names)
                if name in self.partition_by:
                    raise WireloomError(f"{what} names {name!r}, which is a partition column: leave it out")
        for name in self.sort_by:
            if pa.types.is_nested(schema.field(name).type):
                raise UnsupportedError(f"sort_by names {name!r}, which is nested: sort by columns of single values")
        for name in self.partition_by:
            if not any(fits(schema.field(name).type) for fits in NAMING):
                raise UnsupportedError(
                    f"partition_by names {name!r}, a {schema.field(name).type}: folders are named by text, numbers, "
                    "dates, times and booleans"
                )
        if set(schema.names) <= set(self.partition_by):
            raise UnsupportedError("all columns are partition columns: choose at least one other column")

    def dictionaries(self, schema: pa.Schema) -> list[str]:
        """Return the columns with dictionary encoding."""
        if self.dictionary is not None:
            return list(self.dictionary)
        # Binary records are rarely equal, and detecting that takes as long as all other work.
        return [each.name for each in schema if not pa.types.is_binary(each.type)]


LONGEST = 64
"""Maximum length of strings in bounds; longer ones would make the log too large."""


def statistics_of(found: pq.FileMetaData, schema: pa.Schema) -> dict[str, Any]:
    """Return ``numRecords``, and ``minValues``, ``maxValues`` and ``nullCount`` of the columns that have them."""
    least: dict[str, Any] = {}
    most: dict[str, Any] = {}
    nulls: dict[str, int] = {}
    indexes = {found.schema.column(each).path: each for each in range(found.num_columns)}
    for name in schema.names:
        if name not in indexes or "." in name:
            continue
        groups = [found.row_group(each).column(indexes[name]).statistics for each in range(found.num_row_groups)]
        if any(each is None for each in groups):
            continue
        if all(each.has_null_count for each in groups):
            nulls[name] = sum(each.null_count for each in groups)
        # A row group of nulls has no bounds and needs none.
        bounds = [each for each in groups if each.num_values]
        if bounds and all(each.has_min_max for each in bounds):
            low, high = _plain(min(each.min for each in bounds)), _plain(max(each.max for each in bounds))
            if low is not None and high is not None:
                least[name], most[name] = low, high
    return {"numRecords": found.num_rows, "minValues": least, "maxValues": most, "nullCount": nulls}


def _plain(value: Any) -> Any:
    """Return a value in the log's representation; ``None`` if it is not stored there."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bool) or not isinstance(value, int | str):
        # NaN has no place in the order of floats.
        return None
    return None if isinstance(value, str) and len(value) > LONGEST else value


GROUP_BYTES = 32 * 1024 * 1024
"""Number of bytes buffered for a file from which rows are written as a row group."""
GROUP_ROWS = 256 * 1024
OPEN_FILES = 32
"""Maximum number of open files of a task; there is one for each combination of partition values."""


@dataclass(frozen=True)
class WrittenFile:
    """A file of a table: its ``name`` in the folder where it was written, and the ``folder`` of the table for which it
    is meant; ``statistics`` in Delta's form."""

    name: str
    rows: int
    bytes: int
    folder: str = ""
    statistics: Mapping[str, Any] = field(default_factory=dict)


def write_table_files(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, directory: Folder, layout: FileLayout
) -> list[WrittenFile]:
    """Write the rows of one task. Writes no file if there are no rows. If writing fails, the files are removed as far
    as possible.

    Raises ``WireloomError`` if a file cannot be written, and errors of the batches.
    """
    files = _Files(directory, schema, layout)
    try:
        if layout.partition_by:
            for folder, rows in by_folder(batches, layout.partition_by):
                files.add(folder, rows)
        else:
            files.add("", batches)
        return files.close()
    except BaseException as error:
        files.abandon()
        if isinstance(error, OSError):
            raise WireloomError(f"the table's rows cannot be written: {error}", path=directory.address) from None
        raise


class _Files:
    """The files of a task; the open ones are in the order in which they were last written to."""

    def __init__(self, directory: Folder, schema: pa.Schema, layout: FileLayout) -> None:
        self._directory = directory
        self._schema = pa.schema([each for each in schema if each.name not in layout.partition_by])
        self._layout = layout
        self._token = secrets.token_hex(8)
        self._open: OrderedDict[str, _FileWriter] = OrderedDict()
        self._written: list[WrittenFile] = []
        self._names: list[str] = []

    def add(self, folder: str, batches: Iterable[pa.RecordBatch]) -> None:
        """Write the rows of a folder."""
        held: list[pa.RecordBatch] = []
        rows = size = 0
        for batch in batches:
            held.append(batch)
            rows += batch.num_rows
            size += batch.nbytes
            if rows >= GROUP_ROWS or size >= GROUP_BYTES:
                self._write(folder, held)
                held, rows, size = [], 0, 0
        if rows:
            self._write(folder, held)

    def _write(self, folder: str, batches: list[pa.RecordBatch]) -> None:
        table = pa.Table.from_batches(batches).select(self._schema.names)
        # Batches match the schema in position and type, but their nullability is Spark's.
        table = pa.Table.from_arrays(table.columns, schema=self._schema)
        if self._layout.sort_by:
            table = table.sort_by([(name, "ascending") for name in self._layout.sort_by])
        file = self._open.pop(folder, None)
        if file is None:
            while len(self._open) >= OPEN_FILES:
                self._finish(next(iter(self._open)))
            name = f"part-{self._token}-{len(self._names):05d}.parquet"
            self._names.append(name)
            file = _FileWriter(self._directory, name, self._schema, self._layout)
        self._open[folder] = file
        file.write(table)
        # A file is sorted if all of its rows were available for sorting.
        if self._layout.sort_by or file.size >= self._layout.file_bytes:
            self._finish(folder)

    def _finish(self, folder: str) -> None:
        self._written.append(self._open.pop(folder).close(folder))

    def close(self) -> list[WrittenFile]:
        """Complete all files; return them."""
        for folder in list(self._open):
            self._finish(folder)
        return self._written

    def abandon(self) -> None:
        """Remove all files as far as possible; the folder is removed later in any case."""
        for each in self._open.values():
            each.abandon()
        for name in self._names:
            with suppress(WireloomError):
                self._directory.delete(name)


class _FileWriter:
    """A file that is being written."""

    def __init__(self, directory: Folder, name: str, schema: pa.Schema, layout: FileLayout) -> None:
        self._name = name
        self._schema = schema
        self._file = directory.store.open_output_stream(f"{directory.path}/{name}")
        self._found: list[pq.FileMetaData] = []
        dictionaries = layout.dictionaries(schema)
        self._writer = pq.ParquetWriter(
            self._file,
            schema,
            compression=layout.compression,
            use_dictionary=dictionaries or False,
            write_statistics=[each.name for each in schema if not pa.types.is_binary(each.type)] or False,
            metadata_collector=self._found,
        )
        self.size = 0

    def write(self, table: pa.Table) -> None:
        self._writer.write_table(table, row_group_size=max(1, table.num_rows))
        self.size = int(self._file.tell())

    def close(self, folder: str) -> WrittenFile:
        try:
            self._writer.close()
            size = int(self._file.tell())
            self._file.close()
        except BaseException:
            self.abandon()
            raise
        [found] = self._found
        return WrittenFile(self._name, found.num_rows, size, folder, statistics_of(found, self._schema))

    def abandon(self) -> None:
        # Whatever closing raises, such as RuntimeError for metadata that was not written, is a consequence of the error
        # that is being raised.
        with suppress(Exception):
            self._writer.close()
        self._writer.is_open = False
        with suppress(Exception):
            self._file.close()


# On the way to the driver --------------------------------------------------------------------------------------------

HANDED_BACK = pa.schema(
    [
        pa.field("name", pa.string()),
        pa.field("rows", pa.int64()),
        pa.field("bytes", pa.int64()),
        pa.field("folder", pa.string()),
        pa.field("statistics", pa.string()),
    ]
)
"""Schema of the rows that Spark gets: one for each file."""


def handed_back(files: Iterable[WrittenFile]) -> Iterator[pa.RecordBatch]:
    """Yield the rows that report the files to the driver."""
    rows = [{**vars(each), "statistics": json.dumps(each.statistics)} for each in files]
    if rows:
        yield pa.RecordBatch.from_pylist(rows, schema=HANDED_BACK)


def taken_back(rows: Iterable[Any]) -> list[WrittenFile]:
    """Return the files that Spark's rows report, by name."""
    found = (WrittenFile(each[0], each[1], each[2], each[3], json.loads(each[4])) for each in rows)
    return sorted(found, key=lambda each: (each.folder, each.name))
