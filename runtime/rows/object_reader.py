"""Rows read by the generated classes: the same results as with the engine, for every format and without a compiler."""

from __future__ import annotations

from ..input.window import Window
from ..objects.computing import ItemCounter
from ..objects.kaitai import EndOfStreamError
from ..objects.streams import MemoryStream
from ..objects.structs import Struct
from .object_fills import fill_frames, fill_rows
from .object_rows import IncompleteError, LostError, ObjectRows
from .object_search import ObjectSearch
from .reader import Filled


class ObjectRowReader(ObjectRows):
    """Implements ``RowReader``."""

    def begin(self, root: Struct | None) -> None:
        """Implement ``RowReader.begin``. The allowance of searches is reset."""
        super().begin(root)
        self.search = ObjectSearch(self)

    def fill(
        self, window: Window, *, capacity: int, at_start: bool = False, stop: int = -1, chooses: bool = False
    ) -> Filled:
        """Implement ``RowReader.fill``."""
        if self.format.delimiter:
            return fill_frames(self, window, capacity, stop, at_start)
        self.begin_chains(window.base + window.begin)
        filled = fill_rows(self, window, capacity, stop)
        self.keep_chains(filled, window.base)
        return filled

    def bytes_needed(self, data: bytes, base: int) -> int | None:
        """Return the minimum number of bytes of a row that begins with ``data``; ``None`` if it is unknown before more
        than ``max_computed`` items are read. ``base``: the offset of the row in the input."""
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

    def resync(self, window: Window, begin: int, *, proven: bool = False) -> tuple[bool, int]:
        """Implement ``RowReader.resync``."""
        return self.search.resync(window, begin, proven)
