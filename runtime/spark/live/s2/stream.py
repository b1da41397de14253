"""The streaming reader of S2: plans batches on the driver, by sequence numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..stream import LiveStreamReader
from .options import S2ReadOptions
from .planning import S2Planning, limited
from .reader import S2Partition, S2Reader, partitions_of


class S2StreamPlanning(S2Planning):
    """Plans the batches of a streaming query. An offset is the sequence number of the next record of each stream."""

    def __init__(self, options: S2ReadOptions) -> None:
        super().__init__(options)
        self._is_fixed = False
        self._fixed: dict[str, int] | None = None
        self._tails: dict[str, int] = {}

    def initial(self) -> dict[str, Any]:
        """Return the first offset, see ``live.stream.StreamPlanning``."""
        return dict(sorted(self.begin(self.streams()).items()))

    def fix(self) -> None:
        """Restrict planning to existing records, see ``live.stream.StreamPlanning``."""
        self._is_fixed = True

    def latest(self, start: Mapping[str, Any], limit: int | None) -> dict[str, Any]:
        """Return the end offset of the next batch, see ``live.stream.StreamPlanning``."""
        self._tails = self._fixed if self._fixed is not None else self.checked_tails(start)
        self._fixed = self._tails if self._is_fixed else None
        return limited(start, self._tails, limit)

    def progress(self) -> dict[str, Any]:
        """Return the ends of the streams."""
        return dict(sorted(self._tails.items()))

    def partitions(self, start: Mapping[str, Any], end: Mapping[str, Any]) -> list[S2Partition]:
        """Return the partitions of a batch, see ``live.stream.StreamPlanning``."""
        return partitions_of(self.between(start, end))


class S2StreamReader(LiveStreamReader):
    """Reads the streams that options name."""

    reader: S2Reader

    def plan(self) -> S2StreamPlanning:
        """Create the planner of a streaming query."""
        return S2StreamPlanning(self.reader.options)
