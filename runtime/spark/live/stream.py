"""The streaming reader of all services, which implements Spark's interface with each service's planning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow

from ..errors import HideTraceback

if TYPE_CHECKING:
    import pyarrow as pa


class StreamPlanning(Protocol):
    """Plans the batches of one streaming query, on the driver. Offsets are JSON values in Spark's checkpoint.

    Each method raises ``WireloomError``, also for lost data if ``failOnDataLoss`` is on.
    """

    def initial(self) -> dict[str, Any]:
        """Return the offset at which reading begins."""
        ...

    def fix(self) -> None:
        """Restrict planning to the data that exists now."""
        ...

    def latest(self, start: Mapping[str, Any], limit: int | None) -> dict[str, Any]:
        """Return the end offset of the next batch of at most ``limit`` records; ``None``: unlimited."""
        ...

    def progress(self) -> dict[str, Any]:
        """Return the ``latestOffset`` of the source in the progress of a query."""
        ...

    def partitions(self, start: Mapping[str, Any], end: Mapping[str, Any]) -> Sequence[InputPartition]:
        """Return the partitions of the batch between two offsets, which depend on nothing else."""
        ...


class LiveStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """The streaming reader of a service. It is pickled for the tasks, without the state that only the driver needs.

    ``reader``: the batch reader of the same columns, which reads the partitions that are planned here.
    """

    def __init__(self, reader: Any) -> None:
        self.reader = reader
        self._planning: StreamPlanning | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_planning": None}

    # On the driver -------------------------------------------------------------------------------------------------

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Return the offset at which reading begins. Raises ``WireloomError``."""
        with HideTraceback():
            return self._planned().initial()

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """Return ``maxRecordsPerTrigger``."""
        most = self.reader.options.max_records_per_trigger
        return ReadAllAvailable() if most is None else ReadMaxRows(most)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """Return the end offset of the next batch. Raises ``WireloomError`` for lost data if
        ``failOnDataLoss`` is on."""
        with HideTraceback():
            return self._planned().latest(start, limit.max_rows if isinstance(limit, ReadMaxRows) else None)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Restrict reading to the data that exists now."""
        with HideTraceback():
            self._planned().fix()

    def reportLatestOffset(self) -> dict[str, Any]:  # noqa: N802
        """Return the ``latestOffset`` of the source in the progress of a query."""
        return self._planned().progress()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Return the partitions between two offsets. Raises ``WireloomError``."""
        with HideTraceback():
            return self._planned().partitions(start, end)

    def _planned(self) -> StreamPlanning:
        if self._planning is None:
            self._planning = self.reader.planning()
        return self._planning

    # In the tasks ----------------------------------------------------------------------------------------------------

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the batches of one partition, like the batch reader. Raises ``WireloomError``."""
        found: Iterator[pa.RecordBatch] = self.reader.read(partition)
        return found
