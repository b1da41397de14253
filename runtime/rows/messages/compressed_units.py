"""Messages that are compressed one by one, as OpenTelemetry's file exporter does with ``compression: zstd``."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pyarrow as pa

from ...codecs import BLOCK_CODECS, ZSTD_MAGIC, CodecError
from ..reader import BATCH_BYTES
from .decoding import Decoded, UnitDecoder, UnitProblem

AT_ONCE = 1 << 15
"""Maximum number of units that are examined per call."""
INVALID = b"\0"
"""No message: field number 0. It is decoded in place of a unit that cannot be decompressed."""


def expanded_unit(unit: bytes | memoryview, limit: int) -> bytes:
    """Return a unit of such messages without compression, and one that is not compressed as it is. Raises
    ``CodecError`` if it cannot be decompressed, or has more than ``limit`` bytes."""
    return BLOCK_CODECS["zstd"].decompress(unit, limit) if is_compressed(unit) else bytes(unit)


def is_compressed(unit: bytes | memoryview) -> bool:
    """Return whether a unit of such messages is compressed."""
    return unit[:4] == ZSTD_MAGIC


class CompressedUnits:
    """Implements ``UnitDecoder`` for units of which some, those with the magic number of zstd, are compressed.

    ``decoder``: decodes all units after that; ``limit``: the maximum size in bytes of a decompressed unit.
    """

    def __init__(self, decoder: UnitDecoder, limit: int) -> None:
        self._decoder = decoder
        self._limit = limit

    def decode(self, source: Any, begins: pa.Array, sizes: pa.Array, first: int = 0, *, capacity: int) -> Decoded:
        """Implement ``UnitDecoder.decode``: the units up to where compressed ones begin or end."""
        view = memoryview(source).cast("B")
        last = min(len(begins), first + AT_ONCE)
        places = zip(begins[first:last].to_pylist(), sizes[first:last].to_pylist(), strict=True)
        units = [view[begin : begin + size] for begin, size in places]
        count = next((index for index, each in enumerate(units) if is_compressed(each)), len(units))
        if count or not units:
            end = first + count
            return self._decoder.decode(source, begins[:end], sizes[:end], first, capacity=capacity)
        content, own_begins, own_sizes, failed = bytearray(), [], [], {}
        for index, unit in enumerate(islice(units, capacity)):
            if not is_compressed(unit) or len(content) > BATCH_BYTES:
                break
            try:
                message = expanded_unit(unit, self._limit)
            except CodecError as error:
                message, failed[index] = INVALID, error
            own_begins.append(len(content))
            own_sizes.append(len(message))
            content += message
        decoded = self._decoder.decode(
            bytes(content), pa.array(own_begins, pa.uint64()), pa.array(own_sizes, pa.uint64()), capacity=capacity
        )
        decoded.problems = [
            each if each.unit not in failed else _problem(each.unit, failed[each.unit]) for each in decoded.problems
        ]
        return decoded


def _problem(unit: int, error: CodecError) -> UnitProblem:
    return UnitProblem(unit, 0, error.reason or "codec", error.message, 0)
