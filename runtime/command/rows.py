"""The rows that ``encode`` is given: JSON lines, Parquet or Arrow, as record batches of a bounded size."""

from __future__ import annotations

import base64
import binascii
import gzip
import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import IO, Any, cast

import pyarrow as pa
import zstandard

from ..codecs import SUFFIXES
from ..errors import WireloomError
from ..format import Format
from ..storage import REMOTE_SCHEMES, STANDARD_INPUT, Location
from ..writing.batches import ROWS
from .sinks import KINDS
from .standard import standard_input

Place = Callable[[], tuple[int, int | None]]
"""Stored bytes of the input that have been read, and all of them where that is known."""

BLOCK = 8 * 1024 * 1024
"""About how many bytes of JSON lines make a batch."""


@contextmanager
def batches_of_file(
    format: Format, path: str, as_bytes: str, location: Location
) -> Iterator[tuple[Iterator[pa.RecordBatch], Place]]:
    """The record batches in a file, a URL or standard input (``-``), and how far in it they have come.

    The kind is told by the name's ending, else by the first bytes. ``as_bytes`` says how bytes stand in JSON lines.
    Raises ``WireloomError`` for a file that is not there, and while iterating for one that is damaged.
    """
    with _opened(path, location) as (file, place):
        kind = _kind(path, file)
        readers: dict[str, Callable[[], Iterator[pa.RecordBatch]]] = {
            "ndjson": lambda: _lines(format, file, as_bytes),
            "parquet": lambda: _parquet(file),
            "arrow": lambda: _arrow(file),
        }
        if kind not in readers:
            raise WireloomError(f"rows are taken from {', '.join(readers)}, not from {kind}", path=path)
        yield _named(path, readers[kind]()), place


def _named(path: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    try:
        yield from batches
    except (pa.ArrowException, OSError, EOFError, zstandard.ZstdError, UnicodeDecodeError) as error:
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
            # Standard input is not ours to close.
            reader.detach()
        return
    try:
        if path.split("://", 1)[0] in REMOTE_SCHEMES:
            from ..remote import READ_SIZE, filesystem, split

            bucket, key = split(path)
            # Arrow's own file objects read no lines.
            file: Any = io.BufferedReader(filesystem(location, bucket).open_input_file(key), READ_SIZE)
        else:
            file = open(path.removeprefix("file://"), "rb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise WireloomError(f"cannot be read: {error.strerror or error}", path=path) from error
    with file:
        place = _place(file)
        codec = SUFFIXES.get(PurePath(path).suffix.lower())
        if codec == "gzip":
            yield cast(IO[bytes], gzip.GzipFile(fileobj=file)), place
        elif codec == "zstd":
            content = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
            yield io.BufferedReader(cast(io.RawIOBase, content)), place
        else:
            yield file, place


def _place(file: IO[bytes]) -> Place:
    """Tells where a file is read; nothing is known of a pipe."""
    if not file.seekable():
        return lambda: (0, None)
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    return lambda: (file.tell(), size)


def _kind(path: str, file: IO[bytes]) -> str:
    name = PurePath(path)
    if name.suffix.lower() in SUFFIXES:
        name = name.with_suffix("")
    kind = KINDS.get(name.suffix.lower())
    if kind is not None:
        return kind
    head = _peek(file)
    if head.startswith(b"PAR1"):
        return "parquet"
    # An Arrow file begins with its name, an Arrow stream with the continuation marker.
    return "arrow" if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")) else "ndjson"


def _peek(file: IO[bytes]) -> bytes:
    """The first bytes, which stay to be read."""
    if isinstance(file, io.BufferedReader | gzip.GzipFile):
        return file.peek(8)[:8]
    return b""


def _seekable(file: IO[bytes]) -> IO[bytes]:
    # Parquet and Arrow files are read from their end, so that a pipe has to be taken in as a whole.
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


def _batch(format: Format, block: list[bytes], before: int, as_bytes: str) -> pa.RecordBatch:
    numbers: list[int] = []
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(block, before + 1):
        if line.isspace():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise WireloomError(f"line {number} is no JSON: {error}") from error
        if not isinstance(row, dict):
            raise WireloomError(f"line {number} is no JSON object, but {type(row).__name__}")
        numbers.append(number)
        rows.append(row)
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = [_column(format, name, [row.get(name) for row in rows], numbers, as_bytes) for name in names]
    return pa.RecordBatch.from_arrays(columns, names=names)


def _column(format: Format, name: str, values: list[Any], numbers: list[int], as_bytes: str) -> pa.Array:
    index = format.schema.get_field_index(name)
    kind = format.schema.field(index).type if index >= 0 else None
    if kind is not None and pa.types.is_binary(kind):
        return pa.array(_bytes(name, values, numbers, as_bytes), pa.binary())
    if kind is not None and pa.types.is_nested(kind):
        values = _nested(name, kind, values, numbers, as_bytes)
    if kind is not None and not pa.types.is_timestamp(kind) and not pa.types.is_dictionary(kind):
        try:
            return pa.array(values, kind)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            for number, value in zip(numbers, values, strict=True):
                try:
                    pa.scalar(value, kind)
                except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
                    raise WireloomError(f"line {number}, column {name}: {value!r:.60} is no {kind}") from error
    try:
        return pa.array(values)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise WireloomError(f"column {name} in the lines from {numbers[0]} on: {error}") from error


def _bytes(name: str, values: list[Any], numbers: list[int], as_bytes: str) -> list[bytes | None]:
    decode = DECODERS[as_bytes]
    try:
        return [None if value is None else decode(value) for value in values]
    except (ValueError, TypeError, AttributeError):
        for number, value in zip(numbers, values, strict=True):
            try:
                if value is not None:
                    decode(value)
            except (ValueError, TypeError, AttributeError) as error:
                raise WireloomError(
                    f"line {number}, column {name}: {value!r:.60} are no bytes in {as_bytes}: "
                    "choose another way with --bytes"
                ) from error
        raise


def _nested(name: str, kind: pa.DataType, values: list[Any], numbers: list[int], as_bytes: str) -> list[Any]:
    """Lists and objects with the bytes in them decoded."""
    done = []
    for number, value in zip(numbers, values, strict=True):
        try:
            done.append(_inner(kind, value, as_bytes))
        except (ValueError, TypeError, AttributeError) as error:
            raise WireloomError(f"line {number}, column {name}: {value!r:.60} is no {kind}: {error}") from error
    return done


def _inner(kind: pa.DataType, value: Any, as_bytes: str) -> Any:
    if value is None:
        return None
    if pa.types.is_binary(kind):
        return DECODERS[as_bytes](value)
    if pa.types.is_list(kind):
        if not isinstance(value, list):
            raise TypeError(f"{value!r:.40} is no list")
        return [_inner(kind.value_type, each, as_bytes) for each in value]
    if pa.types.is_struct(kind):
        if not isinstance(value, dict):
            raise TypeError(f"{value!r:.40} is no object")
        fields = {each.name: each.type for each in kind}
        stray = next((each for each in value if each not in fields), None)
        if stray is not None:
            raise ValueError(f"there is no {stray!r}, only {', '.join(fields)}")
        return {each: _inner(fields[each], inner, as_bytes) for each, inner in value.items()}
    return value


def _from_hex(text: str) -> bytes:
    return binascii.unhexlify(text)


DECODERS: dict[str, Callable[[Any], bytes]] = {
    "hex": _from_hex,
    "base64": lambda text: base64.b64decode(text, validate=True),
    "utf8": lambda text: text.encode(),
}
