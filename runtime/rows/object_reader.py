"""Rows by the generated classes: the same outcomes as the engine's, for every format and without a compiler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from ..input.window import Window
from ..objects.computing import ItemCounter
from ..objects.kaitai import EndOfStreamError
from ..objects.streams import MemoryStream
from ..objects.structs import Struct
from .object_fills import fill_frames, fill_rows
from .object_rows import IncompleteError, LostError, ObjectRows
from .object_search import ObjectSearch
from .reader import Filled, RowDamage, Status


class ObjectRowReader(ObjectRows):
    """Like ``RowReader``."""

    def begin(self, root: Struct | None) -> None:
        """Like ``RowReader.begin``. What searches may spend is counted again."""
        super().begin(root)
        self.search = ObjectSearch(self)

    def fill(self, window: Window, *, capacity: int, at_start: bool = False, stop: int = -1) -> Filled:
        """Like ``RowReader.fill``."""
        if self.format.delimiter:
            return fill_frames(self, window, capacity, stop, at_start)
        return fill_rows(self, window, capacity, stop)

    def whole(self, rows: Sequence[Struct]) -> tuple[Filled, int]:
        """Take rows that were read with their root, all at once. Return them, and how many hold before the first that
        is damaged. Where rows begin and end is not known: damage has the empty range at 0."""
        taken: list[list[Any] | None] = []
        damages: list[RowDamage] = []
        before = len(rows)
        for number, row in enumerate(rows):
            self.computing.begin()
            values, refused = self.values(row)
            if refused is not None:
                before = min(before, number)
                damages.append(RowDamage(0, 0, len(taken) if self.settings.null_rows else -1, refused))
            if values is not None or self.settings.null_rows:
                taken.append(values)
        filled = Filled(len(taken), self.arrays(taken), pa.nulls(len(taken), pa.uint64()), damages, 0, Status.END)
        return filled, before

    def bytes_needed(self, data: bytes, base: int) -> int | None:
        """Return how many bytes a row needs at least, of which ``data`` are the first ones; ``None`` where that is not
        known before more items of it are read than ``max_computed``. ``base``: where it begins in the input."""
        stream = MemoryStream(data, base)
        stream.counter = ItemCounter()
        try:
            self.parse(stream, verify=False)
        except IncompleteError as error:
            if isinstance(error.__cause__, EndOfStreamError):
                return stream.pos() - base + error.__cause__.bytes_needed
        except LostError:
            return None
        return None

    def resync(self, window: Window, begin: int) -> tuple[bool, int]:
        """Like ``RowReader.resync``."""
        return self.search.resync(window, begin)
