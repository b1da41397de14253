"""The transformations that ``process`` names: functions of a field's bytes, and their inverses for writing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from ..base.errors import RoutineError, WireloomError
from ..codecs import BLOCK_CODECS, MAX_EXPANDED, CodecError, expand_block
from ..format.routines import load, said
from .computing import ItemCounter, SearchCounter
from .errors import InflateError, ProcessError
from .kaitai import KaitaiStream
from .streams import MemoryStream, SubStream

MAX_DECOMPRESSED = MAX_EXPANDED
"""The maximum number of bytes that one compressed field may expand to, unless its spec sets another limit."""


def decompress(data: bytes) -> bytes:
    """Undo ``process: zlib``. Bytes after the stream are ignored, as by Kaitai's runtimes. Raises ``ProcessError`` for
    a damaged stream, or for more than ``MAX_DECOMPRESSED`` bytes."""
    try:
        return BLOCK_CODECS["zlib"].first(data, MAX_DECOMPRESSED)[0]
    except CodecError as error:
        if error.reason == "limit":
            raise ProcessError(error.message, "limit") from error
        raise InflateError(error.message) from error


def compress(data: bytes) -> bytes:
    """Return the inverse of ``decompress``."""
    return BLOCK_CODECS["zlib"].compress(data)


def expanded(
    data: bytes,
    codecs: tuple[str, ...],
    chosen: int,
    most: int,
    size: int | None = None,
    met: int | str | bytes | None = None,
) -> bytes:
    """Return the content of bytes that are compressed with codec ``chosen``, an index in ``codecs``.

    ``most``: the maximum size of the content; ``size``: its exact size, if known; ``met``: the value that chose the
    codec, for errors. Bytes that are not compressed are returned as they are, without a copy. Raises ``ProcessError``.
    """
    try:
        content = expand_block(codecs, chosen, data, most, size, met)
        return data if codecs[chosen] == "none" else content
    except CodecError as error:
        raise ProcessError(error.message, error.reason or "codec") from error


def compressed(data: bytes, codecs: tuple[str, ...], chosen: int, most: int, size: int | None = None) -> bytes:
    """Return the inverse of ``expanded``. Raises ``WireloomError`` if the result could not be read back."""
    if not 0 <= chosen < len(codecs):
        raise WireloomError(f"no case of 'codec' matches, expected one of those for {' or '.join(codecs)}")
    if len(data) > most:
        raise WireloomError(f"{len(data)} bytes exceed the {most} bytes that a reader decompresses")
    if size is not None and not BLOCK_CODECS[codecs[chosen]].fits(data, size):
        raise WireloomError(f"the size of the content is given as {size}, it has {len(data)} bytes")
    return BLOCK_CODECS[codecs[chosen]].compress(data)


def undone(data: bytes, place: str, *arguments: Any) -> bytes:
    """Undo ``process: package.my_processor(…)``: return what ``decode`` of the class at ``place`` returns.

    ``place``: ``module:Class``, see ``format.routines``. Raises ``ProcessError`` for any error of the routine, and
    ``WireloomError`` if the class does not exist, lacks the method or does not return bytes.
    """
    return _called(place, "decode", data, arguments)


def decoded(data: bytes, routine: Any, *arguments: Any) -> bytes:
    """Return the result of ``decode`` of a routine's class. This is a function so that the arguments are evaluated
    after ``data`` has been read, as in Kaitai: they may depend on the position of the stream."""
    result: bytes = routine(*arguments).decode(data)
    return result


def done(data: bytes, place: str, *arguments: Any) -> bytes:
    """Return ``data`` encoded by ``encode`` of the class ``place``: the inverse of ``undone``."""
    return _called(place, "encode", data, arguments)


def summed(data: bytes, place: str, *arguments: Any) -> Any:
    """Return the checksum of bytes, a number or bytes: what ``checksum`` of the class at ``place`` returns.

    Raises ``RoutineError`` if the class does not exist, lacks the method, raises an error or returns something else.
    """
    kind = load(place)
    if not callable(getattr(kind, "checksum", None)):
        raise RoutineError(f"{place} is not a routine of 'checksum': it has no method checksum(data)")
    try:
        result = kind(*arguments).checksum(bytes(data))
    except Exception as error:
        raise RoutineError(f"{place}: {said(error)}") from error
    if not isinstance(result, int | bytes):
        raise RoutineError(f"{place} is not a routine of 'checksum': checksum(data) gives {type(result).__name__}")
    return result


def _called(place: str, method: str, data: bytes, arguments: tuple[Any, ...]) -> bytes:
    kind = load(place)
    if not callable(getattr(kind, method, None)):
        raise RoutineError(f"{place} is not a routine of 'process': it has no method {method}(data)")
    try:
        result = getattr(kind(*arguments), method)(data)
    except Exception as error:
        # Code of others may raise anything on damaged bytes.
        reason = "limit" if isinstance(error, MemoryError | RecursionError) else "value"
        raise ProcessError(f"{place}: {said(error)}", reason) from error
    if not isinstance(result, bytes | bytearray | memoryview):
        raise RoutineError(f"{place} is not a routine of 'process': {method}(data) gives {type(result).__name__}")
    return bytes(result)


def encoded(data: bytes, routine: type[Any], *arguments: Any) -> bytes:
    """Return the result of ``encode`` of a routine, in modules with Kaitai's API."""
    result: bytes = routine(*arguments).encode(data)
    return result


Item = TypeVar("Item")


def substream(io: KaitaiStream, data: bytes) -> MemoryStream:
    """Return a stream of bytes that were read from ``io``."""
    stream: MemoryStream = SubStream(data)
    if isinstance(io, MemoryStream):
        if io.trace is not None:
            stream = io.trace.inner(stream)
        if io.counter is not None:
            stream.counter = io.counter
    return stream


def placed_substream(io: KaitaiStream, data: bytes) -> MemoryStream:
    """Return a stream of bytes that have just been read from ``io``, with their position in the input."""
    stream = substream(io, data)
    if isinstance(io, MemoryStream):
        stream.origin = io.origin + io.pos() - len(data)
    return stream


def undone_stream(io: KaitaiStream, undo: Callable[..., bytes], data: bytes, *arguments: Any) -> MemoryStream:
    """Return a stream of the result of ``undo`` for bytes that were read from ``io``. Raises ``ProcessError`` if it
    cannot."""
    made = undo(data, *arguments)
    stream = substream(io, made)
    if len(made) > len(data) and type(stream.counter) is not ItemCounter:
        stream.counter = ItemCounter()
    return stream


def content_of(stream: MemoryStream | None) -> bytes:
    """Return all bytes of a stream that ``undone_stream`` made; no bytes if it failed."""
    return b"" if stream is None else stream.data


def bounded(io: KaitaiStream, items: Iterable[Item], count: int = 0, least: int = 0) -> Iterator[Item]:
    """Return the items of a repetition that is read from ``io`` as they are; if it has a counter, they are counted one
    by one.

    ``count``: the number of items, ``least``: the minimum number of bytes of each, if known. Iteration raises
    ``ComputedError`` if there are too many. In a search for rows, a repetition that cannot fit raises an error before
    its first item.
    """
    if isinstance(io, MemoryStream) and io.counter is not None:
        if least and isinstance(io.counter, SearchCounter):
            io.expect(count * least, io.counter.end)
        return _counted(io.counter, items)
    return iter(items)


def _counted(counter: ItemCounter, items: Iterable[Item]) -> Iterator[Item]:
    for each in items:
        counter.take(1)
        yield each


def count_items(io: KaitaiStream, items: int) -> None:
    """Count items that are made all at once from bytes of ``io``. Raises ``ComputedError`` if there are too many."""
    if isinstance(io, MemoryStream) and io.counter is not None:
        io.counter.take_numbers(items)
