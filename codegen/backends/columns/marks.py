"""The beginnings and ends of the checksums of a type: the marks that the engine sets while it reads the fields."""

from __future__ import annotations

from collections.abc import Iterable

from ...plan import Cover
from .assembler import Assembler


class Marks:
    """The marks of one type. A position that several checksums use has one mark."""

    def __init__(self, assembler: Assembler, covers: Iterable[Cover]) -> None:
        self._before: dict[str, int] = {}
        self._after: dict[str, int] = {}
        self._covered: dict[tuple[str, ...], tuple[int, int]] = {}
        for cover in covers:
            if cover.content:
                self._covered[cover.way] = (assembler.mark(), assembler.mark())
                continue
            if cover.replace is not None and cover.field.id not in self._before:
                self._before[cover.field.id] = assembler.mark()
            if cover.first not in self._before:
                self._before[cover.first] = assembler.mark()
            if cover.last not in self._after:
                self._after[cover.last] = assembler.mark()
            self._covered[cover.way] = (self._before[cover.first], self._after[cover.last])

    def before(self, name: str) -> int | None:
        """Return the mark to be set before the attribute; ``None`` if there is none."""
        return self._before.get(name)

    def after(self, name: str) -> int | None:
        """Return the mark to be set after the attribute; ``None`` if there is none."""
        return self._after.get(name)

    def covered(self, cover: Cover) -> tuple[int, int]:
        """Return the marks between which a checksum is computed."""
        return self._covered[cover.way]
