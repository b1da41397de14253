"""The streaming reader of Kinesis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..stream import LiveStreamReader

if TYPE_CHECKING:
    from .planning import Planning
    from .reader import KinesisReader


class KinesisStreamReader(LiveStreamReader):
    """Reads the stream that options name."""

    reader: KinesisReader

    def plan(self) -> Planning:
        """Return the planning of a query."""
        from .planning import Planning

        return Planning(self.reader.options)
