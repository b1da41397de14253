"""Compression of what is written."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import PurePath
from typing import Protocol

import zstandard

from ..base.arguments import one_of, shown
from ..base.errors import WireloomError
from ..format.description import Format
from ..input.codecs import SUFFIXES


class Compressor(Protocol):
    """Takes bytes, gives what is ready of their compressed form."""

    def compress(self, data: bytes | memoryview, /) -> bytes | memoryview:
        """What is ready after ``data``; often nothing."""
        ...

    def flush(self) -> bytes:
        """The rest. The compressor is done with then."""
        ...


class _Plain:
    def compress(self, data: bytes | memoryview, /) -> bytes | memoryview:
        return data

    def flush(self) -> bytes:
        return b""


def _plain(level: int | None) -> Compressor:
    if level is not None:
        raise WireloomError(f"level {level} without a codec: give codec='zstd' or codec='gzip'")
    return _Plain()


def _zstd(level: int | None) -> Compressor:
    level = 3 if level is None else level
    if not 1 <= level <= zstandard.MAX_COMPRESSION_LEVEL:
        raise WireloomError(f"zstd has the levels 1 to {zstandard.MAX_COMPRESSION_LEVEL}, not {level}")
    return zstandard.ZstdCompressor(level=level, write_checksum=True).compressobj()


def _gzip(level: int | None) -> Compressor:
    level = 6 if level is None else level
    if not 0 <= level <= 9:
        raise WireloomError(f"gzip has the levels 0 to 9, not {level}")
    # 31: a gzip header and trailer around deflate. The header has no time in it: equal input gives equal bytes.
    return zlib.compressobj(level, zlib.DEFLATED, 31)


CODECS: dict[str, Callable[[int | None], Compressor]] = {"none": _plain, "zstd": _zstd, "gzip": _gzip}


def codec_of(format: Format, name: str | None) -> str:
    """The codec that a file of that name gets: by its ending; the spec's own one where the name says nothing.

    A name that ends as the format's files do without their compression (``.wal`` of ``.wal.zst``) is not compressed.
    """
    if name is None:
        return format.codec
    suffix = PurePath(name).suffix.lower()
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    endings = [f".{each.lstrip('.')}" for each in format.extensions]
    if format.path_pattern is not None:
        endings.append(format.path_pattern.rpartition("}")[2])
    bare = {PurePath(f"x{each}").stem[1:] if PurePath(each).suffix in SUFFIXES else each for each in endings}
    return "none" if any(name.lower().endswith(each) for each in bare if each) else format.codec


def compressor(codec: str, level: int | None) -> Compressor:
    """A compressor of that name. Raises ``UnknownNameError``, or ``WireloomError`` for a level that it lacks."""
    if level is not None and (isinstance(level, bool) or not isinstance(level, int)):
        raise WireloomError(f"level is a whole number, not {shown(level)}")
    return CODECS[one_of("codec", codec, CODECS)](level)
