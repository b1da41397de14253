"""Values that are inputs of another format, or compressed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from ... import codecs
from ...base.dataclass import dataclass
from ...base.errors import WireloomError
from ...format.description import Format
from ...input.inputs import MemoryInput
from ...input.stored import Stored
from ...rows.numbers import value_array
from ...units.framing import is_blob
from ..batching import batches_of
from ..blobs.reader import BlobReader
from ..input_scan import InputScan
from ..options import ScanOptions
from ..request import request_of
from ..scan_readers import ScanReaders
from .values import DecodedValues, ValueDecoder, ValueLimitError, each_decoded

LARGEST_VALUE = 256 * 1024 * 1024
"""Maximum size of a decompressed value in bytes."""


@dataclass(frozen=True)
class MessageDecoder(ValueDecoder):
    """Implements ``ValueDecoder`` for values that are messages of a format. An object is a row of it."""

    format: Format

    @property
    def type(self) -> pa.DataType:
        """Implement ``ValueDecoder.type``."""
        return _row_type(self.format)

    def decode(self, values: pa.Array, beside: Mapping[str, pa.Array], root: Any) -> DecodedValues:
        """Implement ``ValueDecoder.decode``."""
        reader, parts, counts = BlobReader(self.format, {}), list[pa.Array](), [0] * len(values)
        for part in reader.parts(values):
            parts.append(part.rows.to_struct_array())
            for blob, count in zip(part.blobs.to_pylist(), part.counts.to_pylist(), strict=True):
                counts[blob] = count
        items = pa.concat_arrays(parts) if parts else pa.nulls(0, self.type)
        broken = {
            each.blob: WireloomError(f"{each.detail or each.reason} in {self.format.name}")
            for each in reader.report.problems
        }
        if not broken and not values.null_count:
            return DecodedValues(items, counts)
        # A null is one object, and a broken message none, whatever its rows.
        rows, first = list[int | None](), 0
        for number, valid in enumerate(values.is_valid().to_pylist()):
            found = range(first, first + counts[number])
            first += counts[number]
            kept: list[int | None] = [None] if not valid else [] if number in broken else [*found]
            counts[number] = len(kept)
            rows += kept
        return DecodedValues(items.take(value_array(rows, pa.int64())), counts, sorted(broken.items()))


@dataclass(frozen=True)
class InputDecoder(ValueDecoder):
    """Implements ``ValueDecoder`` for values that are whole inputs of a format. An object is a row of it."""

    format: Format

    @property
    def type(self) -> pa.DataType:
        """Implement ``ValueDecoder.type``."""
        return _row_type(self.format)

    def decode(self, values: pa.Array, beside: Mapping[str, pa.Array], root: Any) -> DecodedValues:
        """Implement ``ValueDecoder.decode``."""
        request = request_of(self.format, ScanOptions(mode="failfast", prefetch=False), {})
        readers = ScanReaders(request)

        def rows(_: int, value: bytes) -> pa.Array:
            scan = InputScan(request, _input(value), readers)
            found = [batch.to_struct_array() for batch in batches_of(scan.events(), request, scan.report)]
            return pa.concat_arrays(found) if found else pa.nulls(0, self.type)

        return each_decoded(values, self.type, rows)


def _row_type(format: Format) -> pa.DataType:
    return pa.struct([format.schema.field(name) for name in format.default_columns])


def _input(value: bytes) -> MemoryInput:
    return MemoryInput(None, len(value), seekable=True, content=memoryview(value))


def format_decoder(format: Format) -> MessageDecoder | InputDecoder:
    """Return the decoder of values of a format."""
    return MessageDecoder(format) if is_blob(format) else InputDecoder(format)


@dataclass(frozen=True)
class CodecDecoder(ValueDecoder):
    """Implements ``ValueDecoder`` for compressed values: an object is the bytes. ``codec``: ``auto`` detects it for
    each value by the content, which may also be uncompressed."""

    codec: str

    @property
    def type(self) -> pa.DataType:
        """Implement ``ValueDecoder.type``."""
        return pa.binary()

    def decode(self, values: pa.Array, beside: Mapping[str, pa.Array], root: Any) -> DecodedValues:
        """Implement ``ValueDecoder.decode``."""
        return each_decoded(values, self.type, lambda _, value: pa.array([self._decompressed(value)], self.type))

    def _decompressed(self, value: bytes) -> bytes:
        codec = codecs.detect(value[: codecs.HEAD], "", "gzip") if self.codec == codecs.AUTO else self.codec
        decoder = codecs.decoder(codec, Stored(_input(value).open(), len(value)))
        buffer, found = bytearray(max(decoder.room, 65_536)), bytearray()
        while count := decoder.readinto(memoryview(buffer)):
            found += memoryview(buffer)[:count]
            if len(found) > LARGEST_VALUE:
                raise ValueLimitError(f"it decompresses to more than {LARGEST_VALUE} bytes")
        return bytes(found)
