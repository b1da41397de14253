"""Groups rows by the values of partition columns, each combination in a folder such as ``day=2026-03-01/host=a``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ...base.errors import UnsupportedError, WireloomError
from ...base.text import unknown
from ...writing import size_of
from ..read.partition_columns import NULL

HELD_BYTES = 64 * 1024 * 1024
"""Maximum number of bytes of rows that a task buffers to collect rows of the same folder."""
_ESCAPED = re.compile(r"[\x00-\x1f\x7f\"#%'*/:=?\\{\[\]^]")
"""Characters that Spark and Hive escape in the names of such folders."""


def checked_partitions(schema: pa.Schema, names: Sequence[str]) -> pa.Schema:
    """Return the schema of the files. Raises ``WireloomError`` if these columns cannot name folders."""
    for name in names:
        if name not in schema.names:
            raise unknown("column of option partitionBy", name, schema.names)
        if name.startswith(("_", ".")):
            raise WireloomError(f"option partitionBy names {name!r}: readers ignore folders that begin with _ or .")
        kind, types = schema.field(name).type, pa.types
        if not any(fits(kind) for fits in (types.is_string, types.is_integer, types.is_boolean, types.is_date32)):
            raise UnsupportedError(
                f"option partitionBy names {name!r}, of type {kind}: folders are named by text, whole numbers, dates "
                "and booleans; cast it"
            )
    return pa.schema([each for each in schema if each.name not in names])


def null_folder(names: Sequence[str]) -> str:
    """Return the folder of the rows with nulls in all of these columns."""
    return "/".join(f"{_escaped(name)}={NULL}" for name in names)


def by_folder(batches: Iterable[pa.RecordBatch], names: Sequence[str]) -> Iterator[tuple[str, list[pa.RecordBatch]]]:
    """Yield the rows of each folder without the columns that name it; a folder with many rows is yielded
    several times."""
    held: dict[str, list[pa.RecordBatch]] = {}
    sizes: Counter[str] = Counter()
    for batch in batches:
        for folder, rows in _groups(batch, names):
            held.setdefault(folder, []).append(rows)
            sizes[folder] += size_of(rows)
        while sizes.total() > HELD_BYTES:
            [(largest, _)] = sizes.most_common(1)
            del sizes[largest]
            yield largest, held.pop(largest)
    yield from held.items()


def _groups(batch: pa.RecordBatch, names: Sequence[str]) -> Iterator[tuple[str, pa.RecordBatch]]:
    keys = [f"{number}" for number in range(len(names))]
    columns = [_texts(batch.column(name)) for name in names]
    rest = batch.drop_columns(list(names))
    if all(pc.count_distinct(each, mode="all").as_py() == 1 for each in columns):
        # A batch usually has rows of a single file, and so of a single folder.
        yield _folder(names, (each[0].as_py() for each in columns)), rest
        return
    rows = pa.Table.from_arrays([*columns, pa.array(range(batch.num_rows), pa.int64())], [*keys, "row"])
    groups = rows.group_by(keys, use_threads=False).aggregate([("row", "list")])
    for number, found in enumerate(groups.column("row_list")):
        yield _folder(names, (groups.column(key)[number].as_py() for key in keys)), rest.take(found.values)


def _texts(column: pa.Array) -> pa.Array:
    """Return values in Spark's spelling for the names of folders: times have no time zone, and fractions only if not
    zero.
    """
    texts = column.cast(pa.string())
    if pa.types.is_timestamp(column.type):
        texts = pc.replace_substring_regex(texts, r"(\.\d*?)0*Z?$", r"\1")
        texts = pc.utf8_rtrim(texts, ".")
    return texts


def _folder(names: Sequence[str], values: Iterable[str | None]) -> str:
    texts = (_escaped(value or "") or NULL for value in values)
    return "/".join(f"{_escaped(name)}={text}" for name, text in zip(names, texts, strict=True))


def _escaped(text: str) -> str:
    return _ESCAPED.sub(lambda each: f"%{ord(each[0]):02X}", text)
