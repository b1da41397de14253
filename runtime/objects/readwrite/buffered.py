"""``BufferedReadWriteStruct``: objects with Kaitai's read-write API that are read out of a buffer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from ..buffered import Buffer, Buffered, buffer_of
from ..kaitai import KaitaiStream
from ..windows import Held, window_of
from .assigned import NOTHING, put, put_dirty, put_given, put_parent, put_root, put_stream
from .structs import ReadWriteStruct


class BufferedReadWriteStruct(Buffered, ReadWriteStruct):
    """An object that is read from a buffer and notes which attributes are assigned."""

    @staticmethod
    def _put(holder: Any, name: str, value: Any) -> None:
        put(holder, name, value)

    def _stand(self, io: KaitaiStream, parent: Any, root: Any) -> None:
        put_stream(self, io)
        put_parent(self, parent)
        put_root(self, root)

    def _read(self) -> None:
        self._fill(buffer_of(self._io))

    def _fill(self, buffer: Buffer) -> None:
        super()._fill(buffer)
        self._has_read()

    @classmethod
    def _series(  # type: ignore[override]
        cls, io: KaitaiStream, parent: Any, root: Any, items: list[Any], *, to_end: bool = False
    ) -> Iterator[Self]:
        """Like ``Buffered._series``. An object that cannot be read completely is appended to ``items`` as far as it was
        read."""
        make = cls._maker(io, parent, root)
        with Held(io):
            while True:
                window = window_of(io)
                while (self := make(window.data, begin := window.position, window.end)) is not None:
                    put_given(self, NOTHING)
                    put_dirty(self, True)
                    try:
                        self._rest(window, begin)
                        put_dirty(self, False)
                    except BaseException:
                        items.append(self)
                        raise
                    yield self
                if to_end and io.is_eof():
                    return
                alone = cls(io, parent, root)
                try:
                    alone._fill(buffer_of(io))
                except BaseException:
                    items.append(alone)
                    raise
                yield alone
