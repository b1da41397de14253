"""Reads a folder as a stream: plans batches and partitions on the driver and yields Arrow batches in the tasks."""

from __future__ import annotations

import copy
import logging
from collections.abc import Iterator, Sequence
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
from ..errors import HideTraceback
from ..options import StreamOptions
from ..read.reader import FormatReader, Partition
from ..read.task_reports import folder_of
from .offset import StreamOffset
from .planner import ADVICE, Limits

if TYPE_CHECKING:
    import pyarrow as pa

    from .driver import Driver
    from .planned_slices import LocatedSlice, PlannedSlice

LOG = logging.getLogger(__name__)


class StreamPartition(InputPartition):
    """The input of one task. ``index`` counts the partitions of the batch, ``batch`` the batches with data."""

    def __init__(self, index: int, batch: int, slices: tuple[PlannedSlice, ...]) -> None:
        super().__init__(index)
        self.batch = batch
        self.slices = slices


class FormatStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads one format as a stream. It is pickled for the tasks, without the state that only the driver needs.

    ``reader``: the batch reader of the same columns, which reads the slices that are planned here.
    """

    def __init__(self, reader: FormatReader, stream: StreamOptions) -> None:
        self.reader = reader
        self.stream = stream
        self._driver: Driver | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_driver": None}

    # On the driver -------------------------------------------------------------------------------------------------

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Return the offset before any data has been read. Raises ``WireloomError`` for a local path that
        does not exist."""
        from .listing import check_paths

        with HideTraceback():
            check_paths(self.reader.options)
        return StreamOffset().to_json()

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """Return ``maxFilesPerTrigger``; ``maxBytesPerTrigger`` applies in addition."""
        return ReadMaxFiles(self.stream.max_files_per_trigger)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """Return the end offset of the next batch. Raises ``WireloomError`` for lost data if
        ``failOnDataLoss`` is on."""
        with HideTraceback():
            return self._planning().latest(start, self._limits(limit))

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Restrict reading to the input that exists now."""
        with HideTraceback():
            self._planning().fix()

    def reportLatestOffset(self) -> dict[str, Any]:  # noqa: N802
        """Return the ``latestOffset`` of the source in the progress of a query: the amount of input that waits, and of
        input read so far."""
        with HideTraceback():
            return self._planning().progress()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Return the partitions between two consecutive offsets, which depend on ``end`` alone."""
        if start == end:
            return []
        with HideTraceback():
            batch, planned = self._planning().partitions(start, end)
        return [StreamPartition(index, batch, each) for index, each in enumerate(planned)]

    def _planning(self) -> Driver:
        from .driver import Driver

        if self._driver is None:
            self._driver = Driver(self.reader, self.stream)
        return self._driver

    def _limits(self, limit: ReadLimit) -> Limits:
        if isinstance(limit, ReadAllAvailable):
            return Limits()
        files = limit.max_files if isinstance(limit, ReadMaxFiles) else self.stream.max_files_per_trigger
        return Limits(files, limit.max_bytes if isinstance(limit, ReadMaxBytes) else self.stream.max_bytes_per_trigger)

    # In the tasks ----------------------------------------------------------------------------------------------------

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the batches of one partition, like ``FormatReader.read``.

        Raises ``WireloomError`` also if a file has changed since the batch was planned.
        """
        if not isinstance(partition, StreamPartition):
            return
        there = [(each, found) for each in partition.slices if (found := self._locate(each)) is not None]
        reader, options = copy.copy(self.reader), self.reader.options
        if options.report_folder is not None:
            reader.options = replace(options, report_folder=folder_of(options.report_folder, partition.batch))
        yield from reader.read(Partition(partition.value, tuple(found.slice for _, found in there)))
        for planned, found in there:
            with HideTraceback():
                self._lose(planned, planned.change_after_reading(found))

    def _locate(self, planned: PlannedSlice) -> LocatedSlice | None:
        """Return the slice to read of a file."""
        with HideTraceback():
            found = planned.locate()
            if found is None:
                self._lose(planned, planned.change())
                found = planned.as_it_is()
            return found

    def _lose(self, planned: PlannedSlice, change: str | None) -> None:
        if change is None:
            return
        if self.stream.fail_on_data_loss:
            raise WireloomError(change, path=planned.part.path, advice=ADVICE)
        LOG.warning("%s: %s: failOnDataLoss is false", planned.part.path, change)
