"""The constant pool of a program: bytes that steps refer to by their position, such as the code of expressions."""

from __future__ import annotations

from collections.abc import Iterable

from wireloom.base.dataclass import dataclass, field, replace
from wireloom.format.program import KnownBytes


@dataclass
class ConstantPool:
    """The constants so far. ``known``: the positions of bytes that readers fill in."""

    content: bytearray = field(default_factory=bytearray)
    known: list[KnownBytes] = field(default_factory=list)

    def add(self, value: bytes) -> tuple[int, int]:
        """Return the start and size of ``value`` in the constants. Only bytes that readers do not fill in may be used
        more than once."""
        size = len(value)
        start = self.content.find(value)
        while start >= 0 and any(start < each.start + each.size and each.start < start + size for each in self.known):
            start = self.content.find(value, start + 1)
        if start < 0:
            start = len(self.content)
            self.content += value
        return start, size

    def add_known(self, known: KnownBytes) -> int:
        """Return the number, from 1, of bytes of any size that readers fill in after the constants."""
        self.known.append(known)
        return len(self.known)

    def add_code(self, code: bytes, known: Iterable[KnownBytes]) -> tuple[int, int]:
        """Return the start and size of code. ``known``: the positions in it of bytes that readers fill in."""
        known = tuple(known)
        if not known:
            return self.add(code)
        start = len(self.content)
        self.content += code
        self.known += (replace(each, start=start + each.start) for each in known)
        return start, len(code)
