"""Reads the input of ``encode``: JSON lines, CSV, Parquet or Arrow, as record batches of a bounded size."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import IO, Any, cast

import pyarrow as pa

from .. import codecs
from ..base.addresses import is_remote, local_path
from ..base.errors import WireloomError
from ..format.description import Format
from ..input.expansion import STANDARD_INPUT
from ..input.inputs import Location
from ..input.stored import Stored
from ..writing.row_batches import ROWS
from .sinks import KINDS
from .standard import standard_input
from .text_columns import csv_column, has_decimals, json_column, parse_json

Place = Callable[[], tuple[int, int | None]]
"""A function that returns the number of stored bytes read so far, and the total (``None`` if it is not known)."""

ARRAY = "a JSON array is not supported: write one object per line, as `jq -c '.[]'` does"
ROW_KINDS = ("NDJSON", "CSV", "Parquet", "Arrow")
BLOCK = 8 * 1024 * 1024
"""Approximate number of bytes of JSON lines in a batch."""
DECOMPRESSED = 256 * 1024
"""Number of bytes that are decompressed at a time."""
CSV_BLOCK = 64 * 1024 * 1024
"""Number of bytes of CSV that are parsed at once, which is also the maximum size of a row."""


@contextmanager
def batches_of_file(
    format: Format, path: str, as_bytes: str, location: Location
) -> Iterator[tuple[Iterator[pa.RecordBatch], Place]]:
    """Yield the record batches of a file, a URL or standard input (``-``), and the position in it.

    The kind is determined by the suffix of the name, otherwise by the first bytes. ``as_bytes`` names the text form of
    bytes in JSON lines and CSV. Raises ``WireloomError`` for a missing file, and during iteration for a damaged one.
    """
    with _opened(path, location) as (file, place):
        kind = _kind(path, file)
        readers: dict[str, Callable[[], Iterator[pa.RecordBatch]]] = {
            "ndjson": lambda: _lines(format, file, as_bytes),
            "parquet": lambda: _parquet(file),
            "arrow": lambda: _arrow(file),
            "csv": lambda: _csv(format, file, as_bytes),
        }
        if kind not in readers:
            suffixes = {each: name for each, name in KINDS.items() if name in readers}
            said = f"its suffix is that of a printed {kind}; rows are read from {', '.join(suffixes)} files"
            raise WireloomError(f"{said}: rename it if it is one of these", path=path)
        yield _named(path, readers[kind]()), place


def _named(path: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    try:
        yield from batches
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise WireloomError(f"cannot be read: {error}", path=path) from error
    except WireloomError as error:
        raise WireloomError(error.message, path=path) from error


@contextmanager
def _opened(path: str, location: Location) -> Iterator[tuple[IO[bytes], Place]]:
    if path == STANDARD_INPUT:
        reader = io.BufferedReader(cast(io.RawIOBase, standard_input()))
        try:
            yield reader, lambda: (0, None)
        finally:
            # Standard input must not be closed.
            reader.detach()
        return
    try:
        if is_remote(path):
            from ..input.remote_files import READ_SIZE
            from ..input.stores import store_of

            store = store_of(path, location)
            # Arrow's own file objects cannot read lines.
            file: Any = io.BufferedReader(store.files.open_input_file(store.path), READ_SIZE)
        else:
            file = open(local_path(path), "rb")  # noqa: SIM115 - closed below
    except OSError as error:
        advice = ": check the path and the folder it is relative to" if isinstance(error, FileNotFoundError) else ""
        raise WireloomError(f"cannot be read: {error.strerror or error}{advice}", path=path) from None
    with file:
        place = _place(file)
        codec = codecs.by_suffix(path)
        if codec is None:
            yield file, place
        else:
            decoder = codecs.decoder(codec, Stored(file, None))
            yield io.BufferedReader(_Decompressed(decoder), DECOMPRESSED), place


class _Decompressed(io.RawIOBase):
    """A read-once file of the decompressed bytes."""

    def __init__(self, decoder: codecs.Decoder) -> None:
        self._decoder = decoder
        self._buffer = memoryview(bytearray(max(decoder.room, DECOMPRESSED)))
        self._ready = self._buffer[:0]

    def readable(self) -> bool:
        """Return ``True``."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Read into a buffer, like ``io.RawIOBase.readinto``. Raises ``CodecError`` and ``StorageError``."""
        if not self._ready:
            self._ready = self._buffer[: self._decoder.readinto(self._buffer)]
        piece = self._ready[: len(buffer)]
        buffer[: len(piece)] = piece
        self._ready = self._ready[len(piece) :]
        return len(piece)


def _place(file: IO[bytes]) -> Place:
    """Return a function that returns the position in a file, which is unknown for a pipe."""
    if not file.seekable():
        return lambda: (0, None)
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    return lambda: (file.tell(), size)


def _kind(path: str, file: IO[bytes]) -> str:
    kind = KINDS.get(PurePath(codecs.without_suffix(path)).suffix.lower())
    if kind is not None:
        return kind
    head = _peek(file)
    if head.startswith(b"PAR1"):
        return "parquet"
    # An Arrow file begins with its magic bytes, an Arrow stream with the continuation marker.
    return "arrow" if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")) else "ndjson"


def _peek(file: IO[bytes]) -> bytes:
    """Return the first bytes without consuming them."""
    if isinstance(file, io.BufferedReader):
        return file.peek(8)[:8]
    return b""


def _seekable(file: IO[bytes]) -> IO[bytes]:
    # Parquet and Arrow files are read from their end, so that a pipe has to be read completely first.
    return file if file.seekable() else io.BytesIO(file.read())


def _parquet(file: IO[bytes]) -> Iterator[pa.RecordBatch]:
    from pyarrow.parquet import ParquetFile

    yield from ParquetFile(_seekable(file)).iter_batches(batch_size=ROWS)


def _arrow(file: IO[bytes]) -> Iterator[pa.RecordBatch]:
    if not _peek(file).startswith(b"ARROW1"):
        yield from pa.ipc.open_stream(file)
        return
    reader = pa.ipc.open_file(_seekable(file))
    for index in range(reader.num_record_batches):
        yield reader.get_batch(index)


def _lines(format: Format, file: IO[bytes], as_bytes: str) -> Iterator[pa.RecordBatch]:
    number = 0
    while block := file.readlines(BLOCK):
        for start in range(0, len(block), ROWS):
            part = block[start : start + ROWS]
            yield _batch(format, part, number + start, as_bytes)
        number += len(block)


def _object(line: bytes, number: int, exact: bool) -> dict[str, Any]:
    try:
        # json.loads would detect UTF-16 or UTF-32 in bytes; JSON lines are UTF-8.
        row = parse_json(line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n"), exact)
    except UnicodeDecodeError as error:
        raise WireloomError(
            f"line {number} is not valid UTF-8: is this a binary file? Rows can be read from {', '.join(ROW_KINDS)}"
        ) from error
    except ValueError as error:
        if number == 1 and any(byte < 32 and byte not in b"\t\n\r" for byte in line):
            raise WireloomError(
                "line 1 contains control characters: is this a binary file? Rows can be read from "
                f"{', '.join(ROW_KINDS)}"
            ) from error
        if number == 1 and line.lstrip().startswith(b"["):
            raise WireloomError(ARRAY) from error
        raise WireloomError(f"line {number} is not JSON: {error}") from error
    if isinstance(row, list) and number == 1:
        raise WireloomError(ARRAY)
    if not isinstance(row, dict):
        raise WireloomError(f"line {number} is not a JSON object, but {type(row).__name__}")
    return row


def _batch(format: Format, block: list[bytes], before: int, as_bytes: str) -> pa.RecordBatch:
    numbers: list[int] = []
    rows: list[dict[str, Any]] = []
    exact = any(map(has_decimals, format.schema.types))
    for number, line in enumerate(block, before + 1):
        if line.isspace():
            continue
        row = _object(line, number, exact)
        numbers.append(number)
        rows.append(row)
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = [json_column(format, name, [row.get(name) for row in rows], numbers, as_bytes) for name in names]
    return pa.RecordBatch.from_arrays(columns, names=names)


def _csv(format: Format, file: IO[bytes], as_bytes: str) -> Iterator[pa.RecordBatch]:
    from pyarrow import csv

    reader = csv.open_csv(
        file,
        read_options=csv.ReadOptions(block_size=CSV_BLOCK),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        # Every cell is read as text first: its type is the format's, not one guessed from the first rows. An empty cell
        # is null, and "" in quotes is an empty text, as written by `decode`.
        convert_options=csv.ConvertOptions(
            column_types={each.name: pa.string() for each in format.columns},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    first = 1
    for block in reader:
        for start in range(0, block.num_rows, ROWS):
            part = block.slice(start, ROWS)
            columns = [
                csv_column(format, name, column, first, as_bytes)
                for name, column in zip(part.schema.names, part.columns, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, names=part.schema.names)
            first += part.num_rows
