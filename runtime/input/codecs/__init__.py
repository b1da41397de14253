"""Compression of stored files: known by content, undone in a stream, never more output than there is room for."""

from __future__ import annotations

from pathlib import PurePath
from typing import Protocol

from ...base.arguments import one_of
from . import gzip, zstd
from .error import CodecError
from .stored import StorageError, Stored

CODECS = ("zstd", "gzip", "none")
AUTO = "auto"
MAX_WINDOW = 128 * 1024 * 1024
"""Default of the largest zstd window, in bytes: what a decompressor may have to hold in memory."""
HEAD = 160 * 1024
"""Bytes that are looked at to know the codec: more than the largest block of zstd."""

SUFFIXES = {".zst": "zstd", ".zstd": "zstd", ".gz": "gzip", ".gzip": "gzip"}


class Decoder(Protocol):
    """Gives the decompressed bytes."""

    room: int
    """The least size of a buffer to fill."""

    def readinto(self, buffer: memoryview, /) -> int:
        """Fills ``buffer`` from its start, not always wholly; 0 at the end. Raises ``CodecError`` where the stream is
        damaged, after everything before the damage has been given, and ``StorageError``."""
        ...


def named(name: str) -> str | None:
    """The codec that a file's name stands for by its ending; ``None`` where it stands for none.

    >>> named("a.log.GZ"), named("a.log"), named("gz")
    ('gzip', None, None)
    """
    return SUFFIXES.get(PurePath(name).suffix.lower())


def may_be_compressed(head: bytes) -> bool:
    """Whether a stream that begins so has the magic number of a codec."""
    return any(module.looks_like(head) for module in (zstd, gzip))


def detect(head: bytes, name: str, usual: str) -> str:
    """The codec of a stream, by ``head``, its first ``HEAD`` bytes.

    ``name`` is the file's name: a magic number in a file that is named accordingly needs no further proof, and neither
    does that of the ``usual`` codec of the format. In all others the bytes must also decompress: the first bytes of a
    log that is not compressed may be anything. Raises ``CodecError`` for a file named as compressed that is not.
    """
    expected = named(name)
    for codec, module in (("zstd", zstd), ("gzip", gzip)):
        if module.looks_like(head) and (codec in (expected, usual) or module.begins_well(head)):
            return codec
    if expected is not None and head:
        raise CodecError(f"not a {expected} stream, though its name ends in {PurePath(name).suffix}")
    return "none"


def decoder(codec: str, stored: Stored, *, max_window: int = MAX_WINDOW) -> Decoder:
    """What undoes ``codec``. ``max_window``: the largest zstd window in bytes that is accepted."""
    if codec == "zstd":
        return zstd.ZstdDecoder(stored, max_window)
    if codec == "gzip":
        return gzip.GzipDecoder(stored)
    return stored


def checked(codec: str) -> str:
    """``codec``, if it is one that a reader can be told. Raises ``UnknownNameError``."""
    return one_of("codec", codec, (*CODECS, AUTO))


__all__ = [
    "AUTO",
    "CODECS",
    "HEAD",
    "MAX_WINDOW",
    "CodecError",
    "Decoder",
    "StorageError",
    "Stored",
    "checked",
    "decoder",
    "detect",
    "may_be_compressed",
    "named",
]
