"""Writes the rows of a task as files of a format within the requested size."""

from __future__ import annotations

import io
import secrets
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from ... import codecs
from ...base.errors import WireloomError
from ...format.description import Format
from ...reading.request import of_table
from ...reading.scanning import read
from ...writing import size_of, write
from ...writing.output import Counted
from ..folders import Folder
from ..option_values import flag
from ..options import WriteOptions

if TYPE_CHECKING:
    import pyarrow as pa

PIECES = 8
"""Minimum number of pieces in which the rows of a file of maximum size are passed to the encoder; determines how
closely files approach that size.
"""

MOST_ROWS = 1 << 62


def ending(format: Format, codec: str | None) -> str:
    """Return the suffix of file names, from which readers recognise the format and codec."""
    extensions = [each if each.startswith(".") else f".{each}" for each in format.extensions]
    plain = [each for each in extensions if codecs.by_suffix(f"x{each}") is None]
    base = plain[0] if plain else extensions[0].rpartition(".")[0] if extensions else f".{format.name}"
    return base + codecs.suffix_of(codec or format.codec)


def write_files(
    format: Format, batches: Iterable[pa.RecordBatch], directory: Folder, options: WriteOptions
) -> Iterator[tuple[str, int]]:
    """Write the rows, and return the name of each file with the number of its rows. Writes no file if there are no
    rows.

    Raises ``WireloomError`` for rows that cannot be written.
    """
    if format.message is not None and format.message.framing == "whole":
        yield from _write_units(format, batches, directory, options)
        return
    rows = _PendingRows(batches)
    chosen = _chosen(options)
    while rows.more():
        name = _new_name(format, options)
        with directory.created(name) as file:
            counted = Counted(file)
            taken = _taken(format, rows, counted, options)
            report = write(
                format,
                taken,
                counted,  # type: ignore[arg-type]
                codec=options.codec or format.codec,
                level=options.level,
                **chosen,
            )
        yield name, report.rows


def write_empty(format: Format, directory: Folder, options: WriteOptions) -> str | None:
    """Write a file without rows and return its name. Returns ``None``, and writes no file, if such a file is not valid
    for the format because its reader would find a row or damage in it.
    """
    chosen = _chosen(options)
    content = io.BytesIO()
    try:
        write(format, (), content, codec=options.codec or format.codec, level=options.level, **chosen)
        kind, _ = of_table(format, chosen)
        table = read(kind, content.getvalue(), mode="failfast")
    except WireloomError:
        return None
    if table.num_rows:
        return None
    name = _new_name(format, options)
    directory.write(name, content.getvalue())
    return name


def _chosen(options: WriteOptions) -> dict[str, Any]:
    """Return the options of the format, as for ``wireloom.write``."""
    chosen: dict[str, Any] = dict(options.format)
    if "lossy" in chosen:
        # Spark's options are strings.
        chosen["lossy"] = flag("lossy", chosen["lossy"])
    return chosen


def _new_name(format: Format, options: WriteOptions) -> str:
    return f"{secrets.token_hex(8)}{ending(format, options.codec)}"


def _taken(format: Format, rows: _PendingRows, file: Counted, options: WriteOptions) -> Iterator[pa.RecordBatch]:
    """Yield the rows of one file: at least one row, whatever its size."""
    most, largest = options.max_records_per_file or MOST_ROWS, options.max_file_bytes
    whole = 0
    while most and rows.more():
        piece = rows.take(most, None if largest is None else largest // PIECES)
        most -= piece.num_rows
        # A file that is encoded only when all of its rows are known has no size before.
        whole += 0 if format.stands_alone else size_of(piece)
        yield piece
        if largest is not None and max(file.count, whole) >= largest:
            return


class _PendingRows:
    """Rows that are taken in pieces."""

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self._batches = iter(batches)
        self._rest: Any = None

    def more(self) -> bool:
        """Return whether there are more rows."""
        while self._rest is None or not self._rest.num_rows:
            self._rest = next(self._batches, None)
            if self._rest is None:
                return False
        return True

    def take(self, rows: int, size: int | None) -> pa.RecordBatch:
        """Return the next rows of one batch, limited in number and approximately in bytes."""
        batch = self._rest
        if size is not None:
            each = max(1, size_of(batch) // batch.num_rows)
            rows = min(rows, max(1, size // each))
        piece = batch.slice(0, rows)
        self._rest = batch.slice(piece.num_rows)
        return piece


def _write_units(
    format: Format, batches: Iterable[pa.RecordBatch], directory: Folder, options: WriteOptions
) -> Iterator[tuple[str, int]]:
    """Write rows of a format in which a file is one message: one file per message."""
    from ...writing.messages.output import UnitWriter

    if options.max_file_bytes is not None:
        raise WireloomError(f"a file of {format.name} is one message: the format's own options set its size")
    writer = UnitWriter(format, dict(options.format))
    rows = writer.rows(batches)
    while (first := next(rows, None)) is not None:
        for packed in writer.units(chain([first], islice(rows, (options.max_records_per_file or MOST_ROWS) - 1))):
            name = _new_name(format, options)
            packer = codecs.compressor(options.codec or format.codec, options.level)
            with directory.created(name) as file:
                counted = Counted(file)
                counted.write(packer.compress(packed.unit))
                counted.write(packer.flush())
            yield name, packed.rows
