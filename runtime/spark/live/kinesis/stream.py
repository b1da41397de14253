"""The streaming reader of Kinesis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..stream import LiveStreamReader

if TYPE_CHECKING:
    from .planning import KinesisPlanning
    from .reader import KinesisReader


class KinesisStreamReader(LiveStreamReader):
    """Reads the stream that options name."""

    reader: KinesisReader

    def plan(self) -> KinesisPlanning:
        """Return the planning of a query."""
        from .planning import KinesisPlanning

        return KinesisPlanning(self.reader.options)
