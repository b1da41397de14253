"""The column engine: runs a format's column program over bytes and fills Arrow buffers.

It is written in C: see ``docs/internals/engine.md``.

``available`` is false if the extension was not built or cannot be loaded, and if the environment variable
``WIRELOOM_ENGINE`` is ``objects``. All functions here except ``md5_many`` require it. ``WIRELOOM_CPU`` (``portable``,
``sse4.2``, ``avx2``, ``avx512``, ``armv8``) forces the instructions that are used; an invalid value is a ``ValueError``
at import.
"""

from __future__ import annotations

import os
import warnings
from enum import IntEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from typing_extensions import Buffer

    from . import _engine
    from ._engine import Expand as Expand
    from ._engine import Program as Program
from typing import TYPE_CHECKING


def one_after_another(source: Buffer, begins: Buffer, sizes: Buffer) -> bytes:
    """Return the same as ``wireloom.engine.md5_many``, with the same errors."""
    from hashlib import md5

    data = memoryview(source).cast("B")
    first, second = memoryview(begins).cast("B"), memoryview(sizes).cast("B")
    if len(first) != len(second) or len(first) % 8:
        raise ValueError(
            f"begins has {len(first)} bytes and sizes {len(second)}: both must be 8 bytes per message, the same "
            "number in each"
        )
    digests = []
    for number, (begin, size) in enumerate(zip(first.cast("q"), second.cast("q"), strict=True)):
        if begin < 0 or size < 0 or begin + size > len(data):
            raise ValueError(f"message {number}: {size} bytes at {begin} are not within the source's {len(data)} bytes")
        digests.append(md5(data[begin : begin + size], usedforsecurity=False).digest())
    return b"".join(digests)


available = os.environ.get("WIRELOOM_ENGINE", "") != "objects"
"""Whether the engine can be used."""

if available and not TYPE_CHECKING:
    try:
        try:
            import_module("._engine", __name__)
        except ModuleNotFoundError:
            from .from_archive import load

            load(__name__)
        from . import _engine
        from ._engine import Program as Program
    except ModuleNotFoundError:
        # The extension was not built.
        available = False
    except ImportError as error:
        available = False
        warnings.warn(
            f"the engine cannot be loaded, and reading by generated classes is much slower: {error}; install wireloom "
            "again (pip install --force-reinstall wireloom), or set WIRELOOM_ENGINE=objects to use the generated "
            "classes",
            RuntimeWarning,
            stacklevel=2,
        )


def resync(
    program: Program,
    source: Buffer,
    begin: int,
    end: int,
    *,
    base_offset: int,
    at_end: bool,
    max_record: int,
    padding: int = 0,
    input_registers: Sequence[int] = (),
    expand: Expand | None = None,
    max_items: int = 0,
    carried_values: Buffer | None = None,
    stores: Buffer | None = None,
    proven: bool = False,
) -> tuple[int, int]:
    """Return ``(0, index)`` of the next consecutive row at or after ``begin`` that is valid, including its checksums (a
    row whose checksums cover no byte counts only if the next one is valid or the input ends); ``(1, index)`` if there
    is none up to ``index``: call again from there with more input.

    The time is linear in ``end - begin``. A row may be as long as ``max_record``, so a window must extend that far
    beyond ``begin`` for an answer; windows of twice that size are processed in large steps. ``expand``: the function
    that decompresses blocks; ``max_items``: the maximum number of items in their contents, in addition to the number of
    their bytes. ``carried_values`` and ``stores`` contain the variables, as for a fill without room for damages.
    ``proven``: whether only rows whose checksums cover bytes count.
    """
    return _engine.resync(
        program,
        source,
        begin,
        end,
        base_offset,
        at_end,
        padding,
        max_record,
        tuple(input_registers),
        expand,
        max_items,
        carried_values,
        stores,
        proven,
    )


class Holds(IntEnum):
    """The source of a fixed field of an encoded row."""

    COLUMN = 0
    """The caller's values, one per row."""
    SIZE = 1
    """The size of the row's byte string plus a constant."""
    CHECKSUM = 2


class EncodeStatus(IntEnum):
    """How an encoding ended."""

    DONE = 0
    """All rows are written."""
    NO_ROOM = 1
    """The next row may not fit into what is left."""
    REFUSED = 2
    """The next row cannot be written: its size does not fit its field, it is larger than ``max_record``, or it contains
    the delimiter and is not stuffed."""


def encode(
    fields: tuple[tuple[int, int, Buffer | None, int], ...],
    offsets: Buffer | None,
    data: Buffer | None,
    *,
    first: int,
    rows: int,
    checksum: tuple[Callable[..., Any], int, int, int] | None,
    delimiter: bytes,
    stuffing: bytes,
    padding: int,
    max_record: int,
    out: Buffer,
) -> tuple[int, int, int, int]:
    """Write rows ``first`` … ``rows`` of columns to ``out``: for each row its fixed fields, then its byte string.

    Return the numbers of rows and bytes written, an ``EncodeStatus`` and, for ``NO_ROOM``, the maximum number of bytes
    that the next row needs.

    - ``fields``: ``(kind, holds, values, added)`` for each field, in the order of the wire: a ``program.Kind``, a
      ``Holds``, for a column its values (``rows`` of them, as wide as the kind, in the machine's byte order), for a
      size the constant that is added.
    - ``offsets`` (``rows`` + 1 int32) and ``data``: the byte strings, or ``None``.
    - ``checksum``: ``(function, replace, begin, end)`` with a function from ``checksum`` over the bytes ``begin`` …
      ``end`` of the row (-1: to its end); its own bytes count as ``replace``.
    - ``delimiter`` and ``padding`` zeros are written after each row.
    - ``max_record``: the maximum size of a row in bytes, stuffed and without its delimiter.

    The GIL is released. Raises ``ValueError`` for buffers that are too small and for invalid numbers.
    """
    return _engine.encode(fields, offsets, data, first, rows, checksum, delimiter, stuffing, padding, max_record, out)


def find_delimiter(source: Buffer, begin: int, end: int, delimiter: bytes) -> int:
    """Return the first index in ``[begin, end)`` at which the whole ``delimiter`` (1 to 4 bytes) is before ``end``, or
    -1."""
    return _engine.find_delimiter(source, begin, end, delimiter)


def stuff(data: Buffer, stuffing: bytes) -> bytes:
    """Return ``data`` stuffed, without delimiter; ``stuffing``: ``Stuffing.packed``, but not of ``NONE``."""
    return _engine.stuff(data, stuffing)


def unstuff(data: Buffer, stuffing: bytes, limit: int) -> bytes:
    """Return the unstuffed bytes of ``data`` (without delimiter). Raises ``ValueError`` if ``data`` is not validly
    stuffed, or is longer than ``limit`` bytes."""
    return _engine.unstuff(data, stuffing, limit)


def expand_snappy(data: Buffer, limit: int, repeats: bool) -> bytes:
    """Return the content of a block of Snappy or, with ``repeats``, of S2. Raises ``ValueError`` if the block is
    damaged, and ``OverflowError`` if it states more than ``limit`` bytes. The GIL is released for large contents."""
    return _engine.expand_snappy(data, limit, repeats)


def expand_records(compressed: Buffer, ends: Buffer, data: Buffer, limit: int) -> tuple[bytes, bytes, bytes]:
    """Return the contents of records, one after the other, their offsets in it (one int32 more than records), and a
    ``Reason`` for each record: not 0 for one without a content.

    ``compressed``: a byte per record, not 0 for blocks of Snappy; ``ends`` and ``data``: the offsets of the records
    (also one int32 more) and their bytes; ``limit``: the maximum size of a content. The GIL is released. Raises
    ``ValueError`` for offsets that are not within the data, and for contents of 2 GiB and more.
    """
    return _engine.expand_records(compressed, ends, data, limit)


def checksum(packed: bytes) -> Callable[..., Any]:
    """Return the function that computes a checksum with the parameters ``wireloom.checksums.Algorithm.packed``.

    ``function(data, value)``: ``value`` is the checksum of the bytes before ``data`` (for xxHash the seed), by default
    that of no bytes. Digests take only ``data`` and return bytes. The GIL is released for large data. Raises
    ``ValueError`` if there is no such checksum.
    """
    return _engine.checksum(packed)


def md5_many(source: Buffer, begins: Buffer, sizes: Buffer) -> bytes:
    """Return the MD5 digests (RFC 1321) of many parts of ``source``, 16 bytes each, concatenated.

    ``begins`` and ``sizes`` contain a uint64 or int64 per message, in the machine's byte order: message ``i`` is
    ``source[begins[i] : begins[i] + sizes[i]]``. Messages may be empty and may overlap. They are processed in parallel,
    so pass as many as possible in one call. The GIL is released. Works without the extension too, one message after
    another. Raises ``ValueError`` if the lengths of the two arrays differ, or a message is not within ``source``.
    """
    if available:
        return _engine.md5_many(source, begins, sizes)
    return one_after_another(source, begins, sizes)


def features() -> dict[str, str | list[str]]:
    """Return the variants selected for this processor: ``cpu``, ``crc32c``, ``scan``, ``md5``; ``levels``: those that
    can be forced."""
    return _engine.features()
