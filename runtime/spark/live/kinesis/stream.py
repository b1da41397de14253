"""Reads a stream as it grows: plans batches on the driver, and reads them in the tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow

from ...errors import HideTraceback
from .reader import KinesisReader

if TYPE_CHECKING:
    import pyarrow as pa

    from .planning import Planning


class KinesisStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads a stream. It is pickled on its way to the tasks, without what only the driver needs. ``reader``: reads the
    parts of shards that are planned here."""

    def __init__(self, reader: KinesisReader) -> None:
        self.reader = reader
        self._planning: Planning | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_planning": None}

    # On the driver -------------------------------------------------------------------------------------------------

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Return the offset at which not even the shards are known."""
        return self._planned().begin()

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """Return ``maxRecordsPerTrigger``."""
        most = self.reader.options.max_records
        return ReadAllAvailable() if most is None else ReadMaxRows(most)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """Return the end offset of the next batch. Raises ``WireloomError`` if data was lost, if that is to fail."""
        with HideTraceback():
            return self._planned().latest(start, limit.max_rows if isinstance(limit, ReadMaxRows) else None)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """From now on, read only what has arrived at this moment."""
        with HideTraceback():
            self._planned().fix()

    def reportLatestOffset(self) -> dict[str, Any]:  # noqa: N802
        """Return how far the query has planned, which Spark shows as ``latestOffset`` of the source."""
        return self._planned().end.to_json()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Return the parts of shards of a batch."""
        with HideTraceback():
            return self._planned().between(start, end)

    def _planned(self) -> Planning:
        from .planning import Planning

        if self._planning is None:
            self._planning = Planning(self.reader.options)
        return self._planning

    # In the tasks ----------------------------------------------------------------------------------------------------

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the batches of one partition, as ``KinesisReader.read``."""
        return self.reader.read(partition)
