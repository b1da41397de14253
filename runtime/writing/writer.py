"""``write``: a table to a file, and records in blocks of a fixed size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from .. import codecs
from ..base.arguments import check_booleans
from ..base.dataclass import dataclass
from ..base.errors import WireloomError
from ..base.options import documented, options_of
from ..base.text import unknown
from ..format.choices import chosen_values, with_values
from ..format.description import Format
from ..format.registry import get
from ..input.inputs import Location
from ..reading.request import of_table
from ..rows.numbers import bytes_array, number_array
from .encoder import RowEncoder
from .filled_fields import column_array
from .output import Counted, Target, codec_of, limit_of, name_of, opened, unit_options
from .refusals import refuse_repeated
from .row_batches import batches_of
from .units import UnitEncoder

if TYPE_CHECKING:
    from .messages.output import UnitWriter


class FragmentEncoder:
    """Encoder of the records of a format in pieces. ``max_record``: the maximum size of a record in bytes.

    A block without space for the header of another piece is filled with zeros. A piece may have no data.
    """

    def __init__(self, format: Format, *, max_record: int) -> None:
        self._rows = RowEncoder(format, max_record=max_record)
        assert format.fragments is not None
        self._fragments = format.fragments
        self._kind = format.schema.field(format.fragments.kind).type
        self._max_record = max_record
        self._header = 0
        """Size of a piece without data, in bytes."""
        self._left = format.fragments.block
        """Number of bytes left in the block."""

    def pieces(self, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[bytes, int]]:
        """Yield the bytes of a file piece by piece, each with the number of its rows.

        Raises ``WireloomError`` with the row, counted from 0, for a value that cannot be written.
        """
        first = 0
        for batch in batches:
            yield self._encoded(batch, first), batch.num_rows
            first += batch.num_rows

    def _encoded(self, batch: pa.RecordBatch, first: int) -> bytes:
        name = self._fragments.data
        whole = self._with(batch, [self._kinds(True, True)] * batch.num_rows)
        data = next(each for each in self._rows.fields(whole.schema) if each.name == name)
        if not batch.num_rows:
            return b""
        if not self._header:
            one = self._with(batch.slice(0, 1), [self._kinds(True, True)], [b""])
            self._header = len(self._rows.encode(one, first)[0])
        content = column_array(data, batch.column(name), first).to_pylist()
        rows: list[int] = []
        kinds: list[int] = []
        parts: list[bytes | None] = []
        zeros: list[int] = []
        for row, record in enumerate(content):
            size = 0 if record is None else len(record)
            if size > self._max_record:
                raise WireloomError(
                    f"row {first + row} has {size} bytes, more than max_record ({self._max_record}): raise it here and "
                    "for the readers, or leave the row out",
                    reason="limit",
                )
            done, begins = 0, True
            while begins or done < size:
                zeros.append(self._left if self._left < self._header else 0)
                self._left = self._fragments.block if zeros[-1] or not self._left else self._left
                end = min(size, done + self._left - self._header)
                rows.append(row)
                kinds.append(self._kinds(begins, end == size))
                parts.append(None if record is None else record[done:end])
                self._left -= self._header + end - done
                done, begins = end, False
        # Without the data column, since each piece has a part of the data.
        others = batch.drop_columns([name]).append_column(name, pa.nulls(batch.num_rows))
        made = self._rows.encode(self._with(others.take(number_array(rows, pa.int64())), kinds, parts), first)
        return b"".join(bytes(count) + piece for count, piece in zip(zeros, made, strict=True))

    def _kinds(self, begins: bool, ends: bool) -> int:
        fragments = self._fragments
        if begins and ends and fragments.full:
            return fragments.full[0]
        return (fragments.first if begins else fragments.last if ends else fragments.middle)[0]

    def _with(self, batch: pa.RecordBatch, kinds: list[int], data: list[bytes | None] | None = None) -> pa.RecordBatch:
        """Return the batch with columns for the kinds of pieces, and their data."""
        columns = {name: batch.column(name) for name in batch.schema.names}
        columns[self._fragments.kind] = number_array(kinds, self._kind)
        if data is not None:
            columns[self._fragments.data] = bytes_array(data, pa.binary())
        return pa.RecordBatch.from_pydict(columns)


LOCATION = tuple(name for name in options_of(Location) if name != "verify_sha256")
"""Options for access to the storage that is written to."""
ARGUMENTS = ("codec", "level", "lossy", "allow_modules", *LOCATION)
"""Arguments of ``write`` besides the options of the format."""
BLOCK = 1 << 20
"""Approximate number of bytes passed to the compressor at a time."""
Pieces = Iterator[tuple[bytes | memoryview, int]]
"""The bytes of a file piece by piece, each with the number of rows that it completes."""


@dataclass(frozen=True)
class WriteReport:
    """The report of a write.

    ``rows``: number of rows. ``bytes``: size in bytes before compression. ``stored``: size of the file in bytes.
    ``absent``: columns of a format of messages that the rows lack, so that these fields are in no message.
    """

    rows: int
    bytes: int
    stored: int
    absent: tuple[str, ...] = ()


def write(
    format: str | Path | Format,
    rows: Any,
    target: Target,
    *,
    codec: str | None = None,
    level: int | None = None,
    lossy: bool = False,
    allow_modules: Sequence[str] = (),
    **options: Any,
) -> WriteReport:
    """Write ``rows`` as a file of ``format``.

    - ``format``: a name (see ``wireloom.formats()``), the path of a spec or a ``Format``.
    - ``rows``: an Arrow table, record batches or a reader of them, a dataset of pyarrow or its scanner, any object with
      ``__arrow_c_stream__``, or mappings. Lengths, counts and checksums are computed; columns with such values are
      allowed and ignored.
    - ``target``: a path, an address (``s3://…``), a binary file object or the result of ``fsspec.open``. A file gets
      its name only when it is complete.
    - ``codec``: ``zstd``, ``gzip`` …; by default that of the target's suffix (``.zst``, ``.gz``), or the format's own.
      ``level``: the level of the codec.
    - ``lossy``: write messages even if a table cannot hold all of their fields, which is an error otherwise.
    - ``allow_modules``: modules whose classes a spec may name, see ``wireloom.load_spec``.
    {options}
    - ``options``: those of the format (``stride="rules"``); the one that selects the table (``table="index"``,
      ``message="append_input"``); ``max_record``, the maximum size of a row in the file, in bytes. For rows inside of
      units: ``unit_rows`` and ``unit_bytes``, the maximum number of rows and the approximate maximum number of data
      bytes per unit. For messages: the options of the packing and the framing, and ``max_record`` for the message.

    Raises ``UnknownNameError`` for a format, column, codec or option that does not exist and ``WireloomError`` with the
    row and the column for a value that cannot be written; rows count from 0.
    """
    check_booleans(lossy=lossy)
    location = Location(**{name: options.pop(name) for name in LOCATION if name in options})
    format, options = of_table(get(format, allow_modules), options)
    format = with_values(format, chosen_values(format, options))
    messages = _messages(format, options, lossy) if format.message is not None else None
    if messages is not None:
        pieces: Pieces = messages.pieces(messages.rows(rows))
    else:
        padding, max_record = padding_of(format, options), max_record_of(format, options)
        pieces = _pieces(format, rows, padding, max_record, options)
    chosen = codec if codec is not None else codec_of(format, name_of(target))
    packer = codecs.compressor(chosen, level)
    if codec is None and chosen == codecs.NONE.name:
        pieces = _recognised(pieces, format, name_of(target))
    count = size = 0
    with opened(target, location) as file:
        counted = Counted(file)
        for piece, number in pieces:
            count += number
            size += len(piece)
            _put(counted, packer, piece)
        counted.write(packer.flush())
    return WriteReport(count, size, counted.count, () if messages is None else messages.absent)


documented(write, Location, LOCATION)


def _pieces(format: Format, rows: Any, padding: bytes, max_record: int, options: dict[str, Any]) -> Pieces:
    """Yield the bytes of a file piece by piece, each with the number of rows that it completes."""
    if format.fragments is not None:
        yield from FragmentEncoder(format, max_record=max_record).pieces(batches_of(rows, format.schema))
        return
    if not format.stands_alone:
        if padding:
            raise WireloomError(f"{format.name} cannot be written with bytes between its rows")
        limits = {name: limit_of(options[name], name) for name in unit_options(format) if name in options}
        yield from UnitEncoder(format, max_record=max_record, **limits).pieces(
            refuse_repeated(format, batches_of(rows, format.schema))
        )
        return
    encoder = RowEncoder(format, padding=padding, max_record=max_record)
    first = 0
    for batch in refuse_repeated(format, batches_of(rows, format.schema, encoder.most_rows)):
        yield from ((block, 0) for block in encoder.blocks(batch, first))
        yield b"", batch.num_rows
        first += batch.num_rows


def _messages(format: Format, options: dict[str, Any], lossy: bool) -> UnitWriter:
    # Imported here, since most formats do not need messages.
    from .messages.output import UnitWriter, written_options

    return UnitWriter(format, {"lossy": lossy} | options if "lossy" in written_options(format) else options)


def _recognised(pieces: Pieces, format: Format, name: str | None) -> Pieces:
    """Yield the pieces of a file that is not compressed. Raises ``WireloomError`` after the last one if readers would
    take it for a compressed one: rows may begin like any codec."""
    head = b""
    for piece, number in pieces:
        if len(head) < codecs.HEAD:
            head += bytes(piece[: codecs.HEAD - len(head)])
        yield piece, number
    if (found := codecs.detect(head, name or "", format.codec, format.own_magic)) != codecs.NONE.name:
        raise WireloomError(
            f"the rows begin like a file in {found}, which readers would decompress: write them with a codec, such as "
            "codec='zstd', or with codec='none' and read them with codec='none' too",
            path=name,
        )


def _put(counted: Counted, packer: codecs.Compressor, content: bytes | memoryview) -> None:
    if len(content) <= BLOCK:
        counted.write(packer.compress(content))
        return
    for start in range(0, len(content), BLOCK):
        counted.write(packer.compress(content[start : start + BLOCK]))


def padding_of(format: Format, options: dict[str, Any]) -> bytes:
    """Return the unused bytes after each row that the options request; by default the first way of the spec."""
    padding = b""
    for choice in format.choices:
        sizes = dict(choice.padding)
        if not sizes:
            continue
        value = str(options.get(choice.name, "auto"))
        if value != "auto" and value not in sizes:
            raise unknown(f"{choice.name} of {format.name}", value, ["auto", *sizes])
        padding += bytes(sizes[value] if value != "auto" else next(iter(sizes.values())))
    return padding


def max_record_of(format: Format, options: dict[str, Any]) -> int:
    """Return the option ``max_record``.

    Raises for every option that the format does not have.
    """
    known = [*(each.name for each in format.choices), *unit_options(format), "max_record"]
    for name in options:
        if name not in known:
            raise unknown(f"option of {format.name}", name, [*known, *ARGUMENTS])
    return limit_of(options.get("max_record", format.max_record))
