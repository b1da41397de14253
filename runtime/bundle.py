"""Small files whose rows one call of the engine reads.

A file costs a reader about as much by itself as some hundred kilobytes in it do. So the bytes of several are put one
behind the other in memory, where rows stand back to back, and read as if they were one file. That holds only where
each file ends exactly where a row does and nothing in it is damaged. The first one of which that is not true ends the
bundle, and is read by itself, as ``filescan`` does.
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from . import codecs
from .batches import Builder
from .codecs import gzip, zstd
from .evidence import ROWS, candidates
from .feeders import Filled, Settings, Status, make
from .plan import Plan
from .report import FileReport
from .storage import FileInput, Input, MemoryInput
from .window import MemoryWindow

SMALL = 1024 * 1024
"""Most bytes of a file, as stored, that is read together with others."""
MEMORY = 4 * 1024 * 1024
"""Most bytes, decompressed, of the files of a bundle."""
MAGIC = 16
"""Bytes in which a codec's magic number is."""
SMALL_COMPRESSED = 256 * 1024
"""As ``SMALL``, of compressed files, which are larger once they are read."""


def is_possible(plan: Plan) -> bool:
    """Whether the rows of several files can be read at once: where they stand back to back, from the first byte on."""
    described = plan.format
    return (
        described.streaming
        and described.message is None
        and not described.has_prologue
        and not described.delimiter
        and plan.engine == "columns"
        and plan.verify
        and plan.byte_range is None
        and plan.chunk is None
        and not plan.prefetch
    )


def is_small(source: Input) -> bool:
    """Whether an input is a file that is worth to be read together with others."""
    return type(source) is FileInput and source.size is not None and 0 < source.size <= SMALL and not source.sparse


@dataclass
class Part:
    """A file in a bundle: bytes ``begin`` … ``end`` (not included) of its memory, and rows of it."""

    source: Input
    begin: int
    end: int
    first: int = 0
    last: int = 0
    """Its rows, counted from the first of the bundle."""

    def report(self, options: dict[str, str]) -> FileReport:
        """What was met in it."""
        size = self.end - self.begin
        return FileReport(
            self.source.path,
            rows=self.last - self.first,
            bytes=size,
            tail="clean",
            tail_offset=size,
            tail_size=0,
            options=dict(options),
        )


class BundleReader:
    """Reads bundles of one plan; its memory is used again for each."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._memory = memoryview(bytearray(MEMORY))
        paddings = candidates(plan)
        self._padding, self._options = paddings[0]
        layout = plan.layout
        self._feeder = make(
            plan.engine,
            plan.format,
            None,
            Settings(wanted=layout.wanted, offsets=True, padding=self._padding, max_record=plan.max_record),
        )
        self._others = [
            make(plan.engine, plan.format, None, Settings(padding=padding, max_record=plan.max_record))
            for padding, _ in paddings[1:]
        ]

    def read(self, sources: Sequence[Input], start: int) -> Bundle:
        """The bundle of the files from ``sources[start]`` on, as many as can be read together; perhaps none."""
        parts: list[Part] = []
        end = 0
        for number in range(start, len(sources)):
            source = sources[number]
            size = self._load(source, end) if is_small(source) else None
            if size is None:
                break
            parts.append(Part(source, end, end + size))
            end += size
        if len(parts) < 2:
            return Bundle(self._plan, len(parts))
        fills, places = self._fill(end)
        good = self._good(parts, fills, places)
        return Bundle(self._plan, len(parts), good, fills, self._options)

    def _load(self, source: Input, begin: int) -> int | None:
        """Puts a file's bytes, decompressed, into the memory and says how many there are; ``None`` where they do not
        fit, or where something is wrong, which is then found out again where the file is read by itself."""
        assert source.path is not None
        assert source.size is not None
        target = self._memory[begin:]
        if source.size >= len(target):
            return None
        try:
            descriptor = os.open(source.path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
            try:
                # A byte more than there should be, so that a file that has grown is noticed.
                size = os.readv(descriptor, [target[: source.size + 1]])
            finally:
                os.close(descriptor)
            if size != source.size:
                return None
            codec = self._codec(target[:size], source)
        except (OSError, codecs.CodecError):
            return None
        if codec == "none":
            return size
        if size > SMALL_COMPRESSED:
            return None
        return self._decompressed(bytes(target[:size]), codec, target)

    def _codec(self, content: memoryview, source: Input) -> str:
        if self._plan.codec != codecs.AUTO:
            return self._plan.codec
        head = bytes(content[:MAGIC])
        if zstd.looks_like(head) or gzip.looks_like(head):
            head = bytes(content[: codecs.HEAD])
        return codecs.detect(head, source.name, self._plan.format.codec)

    def _decompressed(self, content: bytes, codec: str, target: memoryview) -> int | None:
        stream = MemoryInput(None, len(content), content=memoryview(content)).open()
        decoder = codecs.decoder(codec, codecs.Stored(stream, len(content)), max_window=self._plan.max_window)
        size = 0
        try:
            while len(target) - size >= decoder.room:
                count = decoder.readinto(target[size:])
                if not count:
                    return size or None
                size += count
        except (codecs.CodecError, codecs.StorageError, MemoryError):
            return None
        return None

    def _fill(self, end: int) -> tuple[list[Filled], Sequence[int]]:
        """All rows up to ``end``, or to the first one that is not good, and the places of their first bytes."""
        window = MemoryWindow(self._memory[:end])
        fills: list[Filled] = []
        places = array("Q")
        while True:
            filled = self._feeder.fill(window, capacity=self._plan.batch_rows)
            fills.append(filled)
            places.frombytes(_bytes(filled.offsets))
            window.begin = filled.consumed
            if filled.damages:
                # Rows behind it count for nothing: the file with the damage is read by itself.
                del places[bisect_left(places, filled.damages[0].begin) :]
                return fills, places
            if filled.status is not Status.BATCH_FULL:
                if filled.status is Status.END and filled.consumed == end:
                    places.append(end)
                return fills, places

    def _good(self, parts: Sequence[Part], fills: Sequence[Filled], places: Sequence[int]) -> list[Part]:
        """Those of the files, from the first on, that reading by themselves would find the same rows in."""
        good: list[Part] = []
        first = 0
        for part in parts:
            last = bisect_left(places, part.end, first)
            if last == len(places) or places[last] != part.end or not self._is_evident(part, last - first):
                break
            part.first, part.last = first, last
            good.append(part)
            first = last
        return good

    def _is_evident(self, part: Part, rows: int) -> bool:
        """Whether the first candidate for the bytes between rows is the one that this file by itself decides for."""
        if not self._others or rows >= ROWS:
            return True
        if rows < 2:
            return False
        window = MemoryWindow(self._memory[part.begin : part.end])
        return all(each.fill(window, capacity=ROWS, at_start=True).rows <= rows for each in self._others)


@dataclass
class Bundle:
    """Files that were read together. ``loaded``: how many were tried; ``good``: those of them, from the first on, whose
    rows are here."""

    plan: Plan
    loaded: int
    good: list[Part] = field(default_factory=list)
    fills: list[Filled] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)

    def batches(self) -> Iterator[tuple[Any, list[tuple[FileReport, int]]]]:
        """The rows as record batches, each with the files that have rows in it: their reports, and how many rows."""
        reports = [part.report(self.options) for part in self.good]
        rows = self.good[-1].last if self.good else 0
        begin = at = 0
        for filled in self.fills:
            end = min(begin + filled.rows, rows)
            if end <= begin:
                return
            here: list[tuple[Part, FileReport, int]] = []
            while at < len(self.good) and self.good[at].first < end:
                part = self.good[at]
                here.append((part, reports[at], min(part.last, end) - max(part.first, begin)))
                if part.last > end:
                    break
                at += 1
            yield self._batch(filled, here, end - begin), [(report, count) for _, report, count in here]
            begin = end

    def _batch(self, filled: Filled, here: list[tuple[Part, FileReport, int]], rows: int) -> Any:
        arrays = {number: array.slice(0, rows) for number, array in filled.arrays.items()}
        offsets = None
        ends: list[int] = []
        for _, _, count in here:
            ends.append(count + (ends[-1] if ends else 0))
        if self.plan.layout.has_offsets and filled.offsets is not None:
            # Imported here: it takes longer than all else that a reader imports.
            import pyarrow.compute as pc

            begins = _runs(ends, pa.array([part.begin for part, _, _ in here], pa.uint64()))
            offsets = pc.subtract(filled.offsets.slice(0, rows), begins)
        return _Together(self.plan, here, ends).rows(rows, arrays, offsets, (), ())


class _Together(Builder):
    """Makes a batch of rows of several files. ``ends``: behind which row of the batch each file's rows end."""

    def __init__(self, plan: Plan, here: list[tuple[Part, FileReport, int]], ends: list[int]) -> None:
        super().__init__(plan.layout, {})
        self._here = here
        self._ends = ends

    def _constant(self, name: str, rows: int) -> Any:
        values = [self.layout.builder(part.source.path).constants[name] for part, _, _ in self._here]
        return _runs(self._ends, pa.array(values, pa.utf8()))


def _runs(ends: list[int], values: Any) -> Any:
    """Each value as often as its run is long."""
    import pyarrow.compute as pc

    return pc.run_end_decode(pa.RunEndEncodedArray.from_arrays(pa.array(ends, pa.int32()), values))


def _bytes(offsets: Any) -> memoryview:
    return memoryview(offsets.buffers()[1]).cast("B")[: 8 * len(offsets)]
