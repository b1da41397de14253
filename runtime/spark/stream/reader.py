"""Reads a folder as a stream: plans batches and their partitions on the driver, yields Arrow batches in the tasks."""

from __future__ import annotations

import copy
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    ReadMaxFiles,
    SupportsTriggerAvailableNow,
)

from ...base.errors import WireloomError
from ..errors import Brief
from ..read.reader import FormatReader, Partition
from .offset import StreamOffset
from .options import StreamOptions
from .planner import ADVICE, Limits, Planner

if TYPE_CHECKING:
    import pyarrow as pa

    from .growing import Growth
    from .listing import Listed
    from .planned_slices import Found, Piece
    from .reports import BatchReports
    from .rotation import Follower

LOG = logging.getLogger(__name__)


class StreamPartition(InputPartition):
    """What one task of a batch reads. ``index`` counts the partitions of the batch, ``batch`` those with data."""

    def __init__(self, index: int, batch: int, pieces: tuple[Piece, ...]) -> None:
        super().__init__(index)
        self.index = index
        self.batch = batch
        self.pieces = pieces


class FormatStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads one format as a stream. It is pickled on its way to the tasks; what is made while it plans stays behind.

    ``reader``: the batch reader of the same columns, which reads the slices that are planned here.
    """

    def __init__(self, reader: FormatReader, stream: StreamOptions) -> None:
        self.reader = reader
        self.stream = stream
        self._driver: _Driver | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_driver": None}

    # On the driver -------------------------------------------------------------------------------------------------

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Nothing has been read. Raises ``WireloomError`` for a local path that does not exist."""
        from .listing import check_paths

        with Brief():
            check_paths(self.reader.options)
        return StreamOffset().to_json()

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """``maxFilesPerTrigger``; ``maxBytesPerTrigger`` holds besides."""
        return ReadMaxFiles(self.stream.max_files)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """The offset behind the next batch. Raises ``WireloomError`` where data was lost, if that is to fail."""
        with Brief():
            return self._planning().latest(start, self._limits(limit))

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """From now on, only what is there at this moment is read."""
        with Brief():
            self._planning().fix()

    def reportLatestOffset(self) -> dict[str, Any]:  # noqa: N802
        """What Spark shows as ``latestOffset`` of the source in the progress of a query: how much is waiting, and what
        has been met so far."""
        with Brief():
            return self._planning().progress()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """The partitions between two offsets that follow each other. Nothing but ``end`` decides what is read."""
        from .partitions import pieces

        if start == end:
            return []
        with Brief():
            first, last = StreamOffset.from_json(start), StreamOffset.from_json(end)
            if last.batch != first.batch + 1:
                raise WireloomError(
                    f"batch {last.batch} does not follow batch {first.batch}: the checkpoint has gaps, begin a new one"
                )
            if self.reader.options.report_folder is not None:
                self._planning().reports(self.reader.options.report_folder).begin(last.batch)
            planned = pieces(self.reader.format, self.reader.options, last.taken)
        return [StreamPartition(index, last.batch, each) for index, each in enumerate(planned)]

    def _planning(self) -> _Driver:
        if self._driver is None:
            self._driver = _Driver(self.reader, self.stream)
        return self._driver

    def _limits(self, limit: ReadLimit) -> Limits:
        if isinstance(limit, ReadAllAvailable):
            return Limits()
        files = limit.max_files if isinstance(limit, ReadMaxFiles) else self.stream.max_files
        return Limits(files, limit.max_bytes if isinstance(limit, ReadMaxBytes) else self.stream.max_bytes)

    # In the tasks ----------------------------------------------------------------------------------------------------

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The batches of one partition, as ``FormatReader.read``.

        Raises ``WireloomError`` too where a file is not any more as it was when the batch was planned.
        """
        if not isinstance(partition, StreamPartition):
            return
        there = [(each, found) for each in partition.pieces if (found := self._found(each)) is not None]
        slices = tuple(found.slice for _, found in there)
        yield from self._reader(partition.batch).read(Partition(partition.index, slices))
        for piece, found in there:
            with Brief():
                self._lose(piece, piece.change_behind(found))

    def _reader(self, batch: int) -> FormatReader:
        options = self.reader.options
        if options.report_folder is None:
            return self.reader
        from .reports import folder_of

        reader = copy.copy(self.reader)
        reader.options = replace(options, report_folder=folder_of(options.report_folder, batch))
        return reader

    def _found(self, piece: Piece) -> Found | None:
        """What is to be read of a file."""
        with Brief():
            found = piece.found()
            if found is None:
                self._lose(piece, piece.change(piece.part.path))
                found = piece.as_it_is()
            return found

    def _lose(self, piece: Piece, change: str | None) -> None:
        if change is None:
            return
        if self.stream.fail_on_data_loss:
            raise WireloomError(change, path=piece.part.path, advice=ADVICE)
        LOG.warning("%s: %s: failOnDataLoss is false", piece.part.path, change)


class _Driver:
    """What exists only where batches are planned."""

    def __init__(self, reader: FormatReader, stream: StreamOptions) -> None:
        from .growing import Growth
        from .rotation import Follower

        self._reader = reader
        self._options = reader.options
        self._growth: Growth = Growth(reader.format, reader.options, stream)
        self._follower: Follower = Follower(reader.format, reader.options.paths)
        self._planner = Planner(stream, self._growth, self._follower)
        self._columns_checked = False
        self._fixed: list[Listed] | None = None
        self._end = StreamOffset()
        self._reports: BatchReports | None = None

    def fix(self) -> None:
        """What is there now is all that there will be."""
        self._fixed = self._list()

    def _list(self) -> list[Listed]:
        from .listing import listing

        files = listing(self._options)
        if not self._columns_checked:
            self._reader.check_columns(each.input for each in files)
            self._columns_checked = bool(files)
        return files

    def latest(self, start: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
        """The offset behind the next batch."""
        from .listing import with_tags

        files = self._list() if self._fixed is None else self._fixed
        before = StreamOffset.from_json(start)
        end = self._planner.next(before, files, limits, fixed=self._fixed is not None)
        self._end = (
            end if end is before else replace(end, taken=tuple(with_tags(end.taken, self._options.scan.location)))
        )
        there = {each.path for each in files}
        self._growth.forget(there)
        self._follower.forget(there)
        # Spark compares offsets as text.
        return dict(start) if self._end is before else self._end.to_json()

    def progress(self) -> dict[str, Any]:
        """Numbers for the progress of the query."""
        backlog = self._planner.backlog
        told = {
            "batches": self._end.batch,
            "files": self._end.files,
            "bytes": self._end.bytes,
            "lostFiles": self._end.lost,
            "waitingFiles": backlog.files,
            "waitingBytes": backlog.bytes,
        }
        return {**told, **({} if self._reports is None else self._reports.totals())}

    def reports(self, address: str) -> BatchReports:
        """What tasks have left."""
        from .reports import BatchReports

        if self._reports is None:
            self._reports = BatchReports(address, self._options.store)
        return self._reports
