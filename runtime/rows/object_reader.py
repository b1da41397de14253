"""Rows by the generated classes: the same outcomes as the engine's, for every format and without a compiler."""

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
    """Like ``RowReader``."""

    pauses = False

    def begin(self, root: Struct | None) -> None:
        """Like ``RowReader.begin``. What searches may spend is counted again."""
        super().begin(root)
        self.search = ObjectSearch(self)

    def fill(
        self, window: Window, *, capacity: int, at_start: bool = False, stop: int = -1, chooses: bool = False
    ) -> Filled:
        """Like ``RowReader.fill``."""
        if self.format.delimiter:
            return fill_frames(self, window, capacity, stop, at_start)
        self.begin_chains(window.base + window.begin)
        filled = fill_rows(self, window, capacity, stop)
        self.keep_chains(filled, window.base)
        return filled

    def bytes_needed(self, data: bytes, base: int) -> int | None:
        """Return how many bytes a row needs at least, of which ``data`` are the first ones; ``None`` if that is not
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
