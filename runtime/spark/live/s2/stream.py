"""Reads streams as they grow: plans batches on the driver, by sequence numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)

from ...errors import HideTraceback
from .planning import Planning, limited
from .reader import S2Reader, partitions_of

if TYPE_CHECKING:
    import pyarrow as pa


class S2StreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads streams. An offset is, for each stream, the number of the next record. ``reader``: reads the ranges that
    are planned here."""

    def __init__(self, reader: S2Reader) -> None:
        self.reader = reader
        self._planning = Planning(reader.options)
        self._is_fixed = False
        self._fixed: dict[str, int] | None = None
        self._tails: dict[str, int] = {}

    # On the driver -------------------------------------------------------------------------------------------------

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Return where option ``start`` says that the streams are to be read from. Raises ``WireloomError``."""
        with HideTraceback():
            return dict(sorted(self._planning.begin(self._planning.streams()).items()))

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """Return ``maxRecordsPerTrigger``."""
        most = self.reader.options.max_records
        return ReadAllAvailable() if most is None else ReadMaxRows(most)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """Return the end offset of the next batch. Raises ``WireloomError`` if data was lost, if that is to fail."""
        with HideTraceback():
            self._tails = self._fixed if self._fixed is not None else self._planning.checked_tails(start)
            self._fixed = self._tails if self._is_fixed else None
            return limited(start, self._tails, limit.max_rows if isinstance(limit, ReadMaxRows) else None)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """From now on, read only what is there at this moment."""
        self._is_fixed = True

    def reportLatestOffset(self) -> dict[str, Any]:  # noqa: N802
        """Return where the streams end, which Spark shows as ``latestOffset`` of the source in the progress of a
        query."""
        return dict(sorted(self._tails.items()))

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Return the ranges between two offsets, which depend on nothing else."""
        return partitions_of(self._planning.between(start, end))

    # In the tasks ----------------------------------------------------------------------------------------------------

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the batches of one partition, as ``S2Reader.read``."""
        return self.reader.read(partition)
