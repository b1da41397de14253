"""The column engine: runs a format's column program over bytes and fills Arrow buffers (C; see ``docs/engine.md``).

``available`` says whether it can be used: not where the extension was not built or cannot be loaded, and not where the
environment variable ``WIRELOOM_ENGINE`` is ``objects``. Every function here but ``md5_many`` needs it. ``WIRELOOM_CPU``
(``portable``, ``sse4.2``, ``avx2``, ``avx512``, ``armv8``) forces the instructions that are used; an impossible value
is a ``ValueError`` at import.
"""

from __future__ import annotations

import os
import warnings
from enum import IntEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._md5 import one_after_another

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from typing_extensions import Buffer

    from . import _engine
    from ._engine import Expand as Expand
    from ._engine import Maker as Maker
    from ._engine import Program as Program

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
        from ._engine import Maker as Maker
        from ._engine import Program as Program
    except ModuleNotFoundError:
        # It was not built.
        available = False
    except ImportError as error:
        available = False
        warnings.warn(
            f"the engine cannot be loaded, and reading by generated classes is much slower: {error}; install wireloom "
            "again (pip install --force-reinstall wireloom), or set WIRELOOM_ENGINE=objects if that is what you want",
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
    preset: Sequence[int] = (),
    expand: Expand | None = None,
    max_items: int = 0,
    chains: Buffer | None = None,
    stores: Buffer | None = None,
    proven: bool = False,
) -> tuple[int, int]:
    """``(0, index)`` of the next back-to-back row at or after ``begin`` that parses, is refused nothing and whose
    checksums hold (a row whose checksums cover nothing counts only where the next one holds or the input ends);
    ``(1, index)`` where there is none up to ``index``: call again from there with more input.

    The time grows with ``end - begin`` only. A row may be as long as ``max_record``, so a window must reach that far
    beyond ``begin`` for an answer; windows of twice that are settled in large steps. ``expand``: what decompresses
    blocks; ``max_items``: how many items their contents may have, besides as many as they have bytes. ``chains`` and
    ``stores`` hold the variables, as for a fill without room for damages. ``proven``: only a row whose checksums cover
    bytes counts.
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
        tuple(preset),
        expand,
        max_items,
        chains,
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
    """The next row cannot be written: its size does not fit its field, or it is larger than ``max_record``, or it holds
    the delimiter and nothing is stuffed."""


def encode(
    fields: tuple[tuple[int, int, Buffer | None, int], ...],
    offsets: Buffer | None,
    data: Buffer | None,
    *,
    first: int,
    rows: int,
    checksum: tuple[Callable[..., Any], int, int, int] | None,
    delimiter: bytes,
    stuffing: int,
    padding: int,
    max_record: int,
    out: Buffer,
) -> tuple[int, int, int, int]:
    """Write rows ``first`` … ``rows`` of columns to ``out``: of each row its fixed fields, then its byte string.

    Gives how many rows and bytes were written, an ``EncodeStatus`` and, where there was ``NO_ROOM``, how many bytes
    the next row needs at most.

    ``fields``: ``(kind, holds, values, added)`` for each, in the order of the wire: a ``program.Kind``, a ``Holds``,
    for a column its values (``rows`` of them, as wide as the kind, in the machine's order), for a size what is added.
    ``offsets`` (``rows`` + 1 int32) and ``data``: the byte strings, or ``None``. ``checksum``: ``(function, replace,
    begin, end)`` with a function of ``checksum`` over bytes ``begin`` … ``end`` of the row (-1: all that follow), its
    own bytes counting as ``replace``. ``delimiter`` and ``padding`` zeros follow each row. ``max_record``: the largest
    row in bytes, stuffed and without its delimiter.

    Other threads run meanwhile. Raises ``ValueError`` for buffers that are too small and numbers that do not exist.
    """
    return _engine.encode(fields, offsets, data, first, rows, checksum, delimiter, stuffing, padding, max_record, out)


def find_delimiter(source: Buffer, begin: int, end: int, delimiter: bytes) -> int:
    """Return the first index in ``[begin, end)`` where ``delimiter`` (1 to 4 bytes) stands wholly before ``end``, or
    -1."""
    return _engine.find_delimiter(source, begin, end, delimiter)


def stuff(data: Buffer, stuffing: int) -> bytes:
    """``data`` stuffed, without delimiter; ``stuffing`` is a ``program.Stuffing`` other than ``NONE``."""
    return _engine.stuff(data, stuffing)


def unstuff(data: Buffer, stuffing: int, limit: int) -> bytes:
    """Return the bytes that ``data`` (without delimiter) is the stuffing of. Raises ``ValueError`` if it is none, or
    is longer than ``limit`` bytes."""
    return _engine.unstuff(data, stuffing, limit)


def checksum(packed: bytes) -> Callable[..., Any]:
    """Return the function that computes a checksum, of parameters that ``wireloom.checksums.Algorithm.packed`` gives.

    ``function(data, value)``: ``value`` is the checksum of what comes before ``data`` (of xxHash the seed), by default
    that of nothing. Digests take ``data`` alone and give bytes. Other threads run meanwhile if there is much of it.
    Raises ``ValueError`` if there is no such checksum.
    """
    return _engine.checksum(packed)


def md5_many(source: Buffer, begins: Buffer, sizes: Buffer) -> bytes:
    """Return the MD5 digests (RFC 1321) of many parts of ``source``, 16 bytes each, one after another.

    ``begins`` and ``sizes`` hold a uint64 or int64 per message, in the machine's byte order: message ``i`` is
    ``source[begins[i] : begins[i] + sizes[i]]``. Messages may be empty and may overlap. They are digested side by side,
    so give as many as there are in one call. Other threads run meanwhile. Works without the extension too, one message
    after another. Raises ``ValueError`` if the two do not have as many numbers, or a message is not within
    ``source``.
    """
    if available:
        return _engine.md5_many(source, begins, sizes)
    return one_after_another(source, begins, sizes)


def features() -> dict[str, str | list[str]]:
    """Return what was chosen for this processor: ``cpu``, ``crc32c``, ``scan``, ``md5``; ``levels``: what could be
    forced."""
    return _engine.features()
