"""``write``: a table to a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import codecs
from ..base.arguments import check_booleans
from ..base.dataclass import dataclass
from ..base.errors import WireloomError
from ..base.nearest import unknown
from ..base.options import documented, options_of
from ..format.description import Format
from ..format.registry import get
from ..input.inputs import Location
from ..reading.request import of_table
from .batches import batches_of
from .encoder import RowEncoder
from .fragments import FragmentEncoder
from .limits import limit_of, unit_options
from .output import Counted, Target, codec_of, name_of, opened
from .units import UnitEncoder

if TYPE_CHECKING:
    from .messages.output import UnitWriter

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
        yield from UnitEncoder(format, max_record=max_record, **limits).pieces(batches_of(rows, format.schema))
        return
    encoder = RowEncoder(format, padding=padding, max_record=max_record)
    first = 0
    for batch in batches_of(rows, format.schema, encoder.most_rows):
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
    if (found := codecs.detect(head, name or "", format.codec)) != codecs.NONE.name:
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
