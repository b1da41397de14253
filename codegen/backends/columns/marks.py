"""Where the checksums of a type begin and end: the marks that the engine sets while it reads the type's fields."""

from __future__ import annotations

from ...model.model import Struct
from .assembler import Assembler


class Marks:
    """The marks of one type. A place that several checksums name is marked once."""

    def __init__(self, assembler: Assembler, struct: Struct) -> None:
        self._before: dict[str, int] = {}
        self._behind: dict[str, int] = {}
        self._covered: dict[str, tuple[int, int]] = {}
        for attribute in struct.attributes:
            rule = attribute.checksum
            if rule is None:
                continue
            if rule.replace is not None and attribute.id not in self._before:
                self._before[attribute.id] = assembler.mark()
            if rule.first not in self._before:
                self._before[rule.first] = assembler.mark()
            if rule.last not in self._behind:
                self._behind[rule.last] = assembler.mark()
            self._covered[attribute.id] = (self._before[rule.first], self._behind[rule.last])

    def before(self, name: str) -> int | None:
        """The mark to be set before the attribute, if any."""
        return self._before.get(name)

    def behind(self, name: str) -> int | None:
        """The mark to be set behind the attribute, if any."""
        return self._behind.get(name)

    def covered(self, name: str) -> tuple[int, int]:
        """The marks between which the checksum ``name`` is computed."""
        return self._covered[name]
