"""``Readable``: constructors from bytes, from a file, and from an open file."""

from __future__ import annotations

from os import PathLike
from typing import IO, Self

from .errors import unset
from .fielded import Fielded
from .file_streams import FileStream
from .kaitai import KaitaiStream, KaitaiStruct
from .streams import MemoryStream


class Readable(Fielded, KaitaiStruct):
    """An object that is read from the stream passed to its constructor."""

    __slots__ = ()

    @classmethod
    def from_bytes(cls, buf: bytes) -> Self:
        """Read an object from bytes in memory."""
        return cls._read_from(MemoryStream(buf))

    @classmethod
    def from_file(cls, filename: str | PathLike[str]) -> Self:
        """Read an object from a file, which stays open until ``close`` or the end of a ``with`` block."""
        file = open(filename, "rb")  # noqa: SIM115 - the object owns it
        try:
            return cls._read_from(FileStream(file))
        except BaseException:
            file.close()
            raise

    @classmethod
    def from_io(cls, io: IO[bytes]) -> Self:
        """Read an object from an open binary file."""
        return cls._read_from(FileStream(io))

    @classmethod
    def _read_from(cls, stream: KaitaiStream) -> Self:
        try:
            return cls(stream)
        except AttributeError as error:
            raise unset(error) from error

    def _read(self) -> None:
        """Read all attributes from ``_io``."""
