"""The beginnings and ends of the checksums of a type: the marks that the engine sets while it reads the fields."""

from __future__ import annotations

from collections.abc import Iterable

from ...tree import StoredChecksum
from .assembler import Assembler
from .run import Run


class Marks:
    """The marks of one type. A position that several checksums use has one mark."""

    def __init__(self, assembler: Assembler, covers: Iterable[StoredChecksum]) -> None:
        self._before: dict[str, int] = {}
        self._after: dict[str, int] = {}
        self._covered: dict[tuple[str, ...], tuple[int, int]] = {}
        for cover in covers:
            if cover.content:
                self._covered[cover.way] = (assembler.mark(), assembler.mark())
                continue
            if cover.replace is not None and cover.attribute.id not in self._before:
                self._before[cover.attribute.id] = assembler.mark()
            if cover.first not in self._before:
                self._before[cover.first] = assembler.mark()
            if cover.last not in self._after:
                self._after[cover.last] = assembler.mark()
            self._covered[cover.way] = (self._before[cover.first], self._after[cover.last])

    def before(self, name: str) -> int | None:
        """Return the mark before an attribute; ``None`` if there is none."""
        return self._before.get(name)

    def set_before(self, run: Run, name: str) -> None:
        """Append the mark before an attribute, if there is one."""
        if name in self._before:
            run.mark(self._before[name], f"{name} begins")

    def set_after(self, run: Run, name: str) -> None:
        """Append the mark after an attribute, if there is one."""
        if name in self._after:
            run.mark(self._after[name], f"{name} ends")

    def covered(self, cover: StoredChecksum) -> tuple[int, int]:
        """Return the marks between which a checksum is computed."""
        return self._covered[cover.way]
