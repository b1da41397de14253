"""Runs: consecutive fields of fixed sizes, which are read in one step."""

from __future__ import annotations

import re
import struct
from typing import Any

from .kaitai import EndOfStreamError, KaitaiStream
from .streams import MemoryStream, SubStream


def read_fields(io: KaitaiStream, packer: struct.Struct) -> tuple[Any, ...]:
    """Read and unpack the fields of ``packer``.

    If the stream ends inside the run, the error is that of the first incomplete field, and the stream is left at the
    beginning of that field.
    """
    if (type(io) is MemoryStream or type(io) is SubStream) and not io.bits_left:
        begin = io.position
        end = begin + packer.size
        if end <= io.end:
            io.position = end
            return packer.unpack_from(io.data, begin)
    try:
        return packer.unpack(io.read_bytes(packer.size))
    except EndOfStreamError as error:
        retreat(io, error)
        order, codes = packer.format[0], re.findall(r"\d*[a-zA-Z]", packer.format)
        for code in codes:
            io.read_bytes(struct.calcsize(order + code))
        raise


def retreat(io: KaitaiStream, error: EndOfStreamError) -> None:
    """Seek back to where a read beyond the end began. Raises ``error`` if the stream cannot seek."""
    try:
        io.seek(io.size() - error.bytes_available)
    except OSError:
        raise error from None
