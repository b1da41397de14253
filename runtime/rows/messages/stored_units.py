"""Messages that are stored in another form than that of the wire: in JSON, or compressed one by one, as OpenTelemetry's
file exporter does with ``compression: zstd``."""

from __future__ import annotations

from itertools import islice
from typing import Any, cast

import pyarrow as pa

from ...codecs import BLOCK_CODECS, ZSTD_MAGIC, CodecError
from ...format.description import Format
from ...objects.messages.errors import MessageError
from ...objects.messages.json_wire import json_wire
from ..reader import BATCH_BYTES
from .decoding import Decoded, UnitDecoder, UnitProblem

AT_ONCE = 1 << 15
"""Maximum number of units that are examined per call."""
INVALID = b"\0"
"""No message: field number 0. It is decoded in place of a unit that is not in the form that it seems to have."""
JSON_BEGIN = b"{"
"""The first byte of a message in JSON. As a tag it would begin a group, which no message of ``lines`` does."""


def is_compressed(unit: bytes | memoryview) -> bool:
    """Return whether a unit of such messages is compressed."""
    return unit[:4] == ZSTD_MAGIC


class UnitForms:
    """The forms in which the messages of a format may be stored, by their first bytes."""

    def __init__(self, format: Format, limit: int) -> None:
        units = format.message
        self._is_packed = units is not None and bool(units.codec)
        self._has_json = units is not None and "lines" in (units.framing, *units.framings)
        self._format = format
        self._limit = limit

    def __bool__(self) -> bool:
        """Return whether there is any form besides that of the wire."""
        return self._is_packed or self._has_json

    def has(self, unit: bytes | memoryview) -> bool:
        """Return whether a unit is stored in one of them."""
        return (self._is_packed and is_compressed(unit)) or (self._has_json and unit[:1] == JSON_BEGIN)

    def message(self, unit: bytes | memoryview) -> bytes:
        """Return the bytes of the message in a unit. Raises ``CodecError`` if it cannot be decompressed, or has more
        than ``limit`` bytes, and ``MessageError`` if its JSON is not valid."""
        if self._is_packed and is_compressed(unit):
            unit = BLOCK_CODECS["zstd"].decompress(unit, self._limit)
        if self._has_json and unit[:1] == JSON_BEGIN:
            return json_wire(cast(Any, self._format.message_class), unit)
        return bytes(unit)


class StoredUnits:
    """Implements ``UnitDecoder`` for units of which some have one of the ``forms``; ``decoder`` decodes their bytes."""

    def __init__(self, decoder: UnitDecoder, forms: UnitForms) -> None:
        self._decoder = decoder
        self._forms = forms

    def decode(self, source: Any, begins: pa.Array, sizes: pa.Array, first: int = 0, *, capacity: int) -> Decoded:
        """Implement ``UnitDecoder.decode``: the units up to where those in other forms begin or end."""
        view = memoryview(source).cast("B")
        last = min(len(begins), first + AT_ONCE)
        places = zip(begins[first:last].to_pylist(), sizes[first:last].to_pylist(), strict=True)
        units = [view[begin : begin + size] for begin, size in places]
        count = next((index for index, each in enumerate(units) if self._forms.has(each)), len(units))
        if count or not units:
            end = first + count
            return self._decoder.decode(source, begins[:end], sizes[:end], first, capacity=capacity)
        content, own_begins, own_sizes, failed = bytearray(), [], [], {}
        for index, unit in enumerate(islice(units, capacity)):
            if not self._forms.has(unit) or len(content) > BATCH_BYTES:
                break
            try:
                message = self._forms.message(unit)
            except (CodecError, MessageError) as error:
                message, failed[index] = INVALID, _problem(index, error)
            own_begins.append(len(content))
            own_sizes.append(len(message))
            content += message
        decoded = self._decoder.decode(
            bytes(content), pa.array(own_begins, pa.uint64()), pa.array(own_sizes, pa.uint64()), capacity=capacity
        )
        decoded.problems = [failed.get(each.unit, each) for each in decoded.problems]
        return decoded


def _problem(unit: int, error: CodecError | MessageError) -> UnitProblem:
    if isinstance(error, CodecError):
        return UnitProblem(unit, 0, error.reason or "codec", error.message, 0)
    sentence = f"{error.field}: {error.message}" if error.field else error.message
    return UnitProblem(unit, 0, error.reason or "message", sentence, 0, error.is_truncated)
