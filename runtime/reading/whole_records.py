"""Whole records put together from fragments, and the compression of records before they were split into these."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from .. import engine
from ..base.errors import UnsupportedError
from ..codecs import BLOCK_CODECS, CodecError, unsupported
from ..format.fragments import Fragments
from ..format.program import Reason
from ..rows.numbers import bytes_array, constant, number_array, number_scalar, value_array
from .options import AS_A_WHOLE

if TYPE_CHECKING:
    from .events import Rows


class RecordCodecs:
    """Decompresses the records of one input. A record whose codec column is null is compressed like the previous one
    that has a codec."""

    def __init__(self, fragments: Fragments) -> None:
        self._names = dict(fragments.codecs)
        self._most = fragments.most
        self._last: int | None = None
        self.unsupported: str | None = None
        """What is said about the first codec that is not supported."""
        self.are_known = False
        """Whether what the first records said holds for all: other byte ranges of the input know nothing else."""

    def known(self, chosen: pa.Array) -> pa.Array:
        """Return the codec values of the next fragments; null while no fragment has specified one."""
        if chosen.null_count == len(chosen) and self._last is None:
            return chosen
        if self.are_known and chosen.null_count:
            self._check_same(chosen)
        if chosen.null_count:
            chosen = pc.fill_null_forward(chosen)
            if chosen.null_count and self._last is not None:
                chosen = chosen.fill_null(constant(self._last, chosen.type))
        if len(chosen) and chosen[-1].is_valid:
            self._last = chosen[-1].as_py()
        return chosen

    def _check_same(self, chosen: pa.Array) -> None:
        """Raise ``UnsupportedError`` if records change the compression of later ones."""
        others = [each for each in pc.unique(chosen.drop_null()).to_pylist() if each != self._last]
        if others:
            raise UnsupportedError(
                "records are not compressed with the codec of the first ones, so the file cannot be read in byte "
                f"ranges: {AS_A_WHOLE}"
            )

    def expanded(self, records: pa.Array, chosen: pa.Array) -> tuple[pa.Array, list[tuple[int, str]]]:
        """Return the content of records, and the numbers of those without any, each with the reason."""
        if chosen.null_count == len(chosen):
            return records, []
        names = {value: "none" if value is None else self._names.get(value) for value in pc.unique(chosen).to_pylist()}
        if all(each == "none" for each in names.values()):
            return records, []
        if engine.available and {"none", "snappy"}.issuperset(names.values()):
            return self._expanded_by_engine(records, chosen)
        content: list[bytes] = []
        broken: list[tuple[int, str]] = []
        for number, (data, value) in enumerate(zip(_views(records), chosen.to_pylist(), strict=True)):
            name = names[value]
            try:
                if name is None:
                    raise unsupported(value, dict.fromkeys(self._names.values()))
                content.append(BLOCK_CODECS[name].decompress(data, self._most))
            except CodecError as error:
                if error.reason == "unsupported":
                    self.unsupported = self.unsupported or error.message
                broken.append((number, error.reason or "codec"))
                content.append(b"")
        return bytes_array(content, pa.binary()), broken

    def _expanded_by_engine(self, records: pa.Array, chosen: pa.Array) -> tuple[pa.Array, list[tuple[int, str]]]:
        values = [value for value, name in self._names.items() if name == "snappy"]
        compressed = pc.is_in(chosen, value_array(values, chosen.type)).cast(pa.uint8())
        records = records.fill_null(b"") if records.null_count else records
        bounds = memoryview(records.buffers()[1] or bytes(4))[4 * records.offset :]
        content, ends, reasons = engine.expand_records(
            memoryview(compressed.buffers()[1])[compressed.offset :][: len(records)],
            bounds,
            records.buffers()[2] or b"",
            self._most,
        )
        buffers = [None, pa.py_buffer(ends), pa.py_buffer(content)]
        broken = [(number, Reason(reason).name.lower()) for number, reason in enumerate(reasons) if reason]
        return pa.Array.from_buffers(pa.binary(), len(records), buffers), broken


def _views(records: pa.Array) -> Iterator[memoryview]:
    """Yield the bytes of each record, those of a null as none. Creating Arrow's scalars takes longer."""
    records = records.fill_null(b"") if records.null_count else records
    first, last = records.offset, records.offset + len(records) + 1
    bounds = memoryview(records.buffers()[1] or bytes(4)).cast("B").cast("i")[first:last]
    content = memoryview(records.buffers()[2] or b"").cast("B")
    return (content[begin:end] for begin, end in pairwise(bounds))


FULL, FIRST, MIDDLE, LAST, SKIPPED, UNKNOWN = range(6)
"""The role of a fragment in its record; ``UNKNOWN``: its kind is not one of the format's. The engine has the same
numbers (``fragments.h``)."""

WHOLE = re.compile(b"(?>%c++|%c%c*+%c)*+" % (FULL, FIRST, MIDDLE, LAST))
"""Roles of the fragments of whole records."""
LAST_OF_BEGINNINGS = number_scalar(FIRST, pa.uint8())
"""A record begins with the roles up to this one."""


class WholeRecords(NamedTuple):
    """Records, each with its offset in the input and its bytes.

    ``fragments``: the number of fragments that they consist of."""

    fragments: int
    offsets: pa.Array
    data: pa.Array


def whole_records(roles: bytes, offsets: pa.Array, data: pa.Array) -> WholeRecords:
    """Return the whole records at the beginning of fragments, up to the first fragment that does not continue the one
    before it. ``roles``: one byte per fragment; ``offsets``: a uint64 array without nulls. Bytes are not copied."""
    if engine.available and not data.null_count:
        return _joined_by_engine(roles, offsets, data)
    whole = WHOLE.match(roles)
    count = whole.end() if whole else 0
    begins = beginnings(roles[:count])
    return WholeRecords(count, offsets.slice(0, count).filter(begins), _put_together(data.slice(0, count), begins))


def beginnings(roles: bytes) -> pa.Array:
    """Return for each fragment whether a record begins with it."""
    return pc.less_equal(role_array(roles), LAST_OF_BEGINNINGS)


def role_array(roles: bytes) -> pa.Array:
    """Return the roles as an array of uint8, which shares their memory."""
    return pa.Array.from_buffers(pa.uint8(), len(roles), [None, pa.py_buffer(roles)])


def offsets_of(values: pa.Array) -> memoryview:
    """Return a uint64 array without nulls as a memory view, in which Python can search for integers."""
    return memoryview(values.buffers()[1] or b"").cast("B").cast("Q")[values.offset : values.offset + len(values)]


def ends_of(event: Rows, starts: pa.Array) -> pa.Array:
    """Return the offset after each row of an event: that of the next row or damaged range. ``starts``: those of the
    rows."""
    ends = pa.concat_arrays([starts.slice(1), number_array([event.end] * bool(len(starts)), pa.uint64())])
    if not event.damages:
        return ends
    values, offsets = ends.to_pylist(), offsets_of(starts)
    for damage in event.damages:
        if last := bisect_left(offsets, damage.begin):
            values[last - 1] = min(values[last - 1], damage.begin)
    return value_array(values, pa.uint64())


def _joined_by_engine(roles: bytes, offsets: pa.Array, data: pa.Array) -> WholeRecords:
    count = len(roles)
    bounds, content = data.buffers()[1:]
    bounds = memoryview(bounds)[4 * data.offset : 4 * (data.offset + count + 1)] if count else bytes(4)
    to_offsets, to_bounds = pa.allocate_buffer(8 * count), pa.allocate_buffer(4 * (count + 1))
    fragments, records = engine._engine.join_fragments(roles, offsets_of(offsets), bounds, to_offsets, to_bounds)
    return WholeRecords(
        fragments,
        pa.Array.from_buffers(pa.uint64(), records, [None, to_offsets]),
        pa.Array.from_buffers(data.type, records, [None, to_bounds, content]),
    )


def _put_together(pieces: pa.Array, begins: pa.Array) -> pa.Array:
    """Return one value for each piece that is a beginning (``begins``, booleans): the pieces from there to the next
    one. They are not copied, since the values of an array are contiguous."""
    pieces = pieces.fill_null(b"") if pieces.null_count else pieces
    ends = pa.Array.from_buffers(pa.int32(), len(pieces) + 1, [None, pieces.buffers()[1]], offset=pieces.offset)
    kept = pa.concat_arrays([ends.slice(0, len(pieces)).filter(begins), ends.slice(len(pieces))])
    return pa.Array.from_buffers(pieces.type, len(kept) - 1, [None, kept.buffers()[1], pieces.buffers()[2]])
