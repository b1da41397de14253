"""Files of web servers, through fsspec."""

from __future__ import annotations

from typing import Any

from ..base.shown_addresses import without_secrets

SKIPPED = 1024 * 1024
"""Bytes that are skipped per read."""


def is_web(spec: Any) -> bool:
    """Return whether a file system of fsspec is that of HTTP."""
    protocol = spec.protocol
    return "http" in ((protocol,) if isinstance(protocol, str) else protocol)


class WebFile:
    """A file that is read from one response as long as reads are sequential, and otherwise by ranges.

    If a server ignores ranges, the file is read from its beginning up to the wanted bytes. ``by_range``: start with a
    range request.
    """

    def __init__(self, spec: Any, path: str, size: int | None, *, by_range: bool) -> None:
        self._spec = spec
        self._path = path
        self._size = size
        self._by_range = by_range and size is not None
        self._ranges_work = size is not None
        self._ranged: Any = None
        self._answer: Any = None
        self._at = 0
        """The offset in the file of the next byte of the answer."""

    def read_at(self, size: int, position: int) -> bytes:
        """Like ``Ranged.read_at``."""
        if self._size is not None and position >= self._size:
            return b""
        self._by_range = self._by_range or position != self._at
        try:
            if self._by_range and self._ranges_work:
                try:
                    return self._of_range(size, position)
                except ValueError:
                    # fsspec's error for a response that is not the requested range.
                    self._ranges_work = False
            return self._of_answer(size, position)
        except Exception as error:
            raise OSError(without_secrets(str(error) or repr(error))) from None

    def _of_range(self, size: int, position: int) -> bytes:
        if self._ranged is None:
            self._ranged = self._spec.open(self._path, "rb", size=self._size, cache_type="none")
        self._ranged.seek(position)
        found: bytes = self._ranged.read(size)
        if len(found) > size:
            raise ValueError
        return found

    def _of_answer(self, size: int, position: int) -> bytes:
        if self._answer is None or position < self._at:
            self.close()
            self._answer, self._at = self._spec.open(self._path, "rb", block_size=0), 0
        while self._at < position:
            passed = self._answer.read(min(SKIPPED, position - self._at))
            if not passed:
                return b""
            self._at += len(passed)
        found: bytes = self._answer.read(size)
        self._at += len(found)
        return found

    def close(self) -> None:
        """Like ``Ranged.close``."""
        for file in (self._ranged, self._answer):
            if file is not None:
                file.close()
        self._ranged = self._answer = None
