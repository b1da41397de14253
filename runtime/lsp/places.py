"""Positions in a text: those of diagnostics, those of the protocol, and offsets."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from lsprotocol.types import Position, Range

from ..codegen.spec.reader import lines_of

_BREAK = re.compile("\r\n|\r|\n")
_LARGEST = {"utf-8": (0x7F, 0x7FF, 0xFFFF), "utf-16": (0xFFFF,), "utf-32": ()}
"""The largest characters of one unit, of two, and so on."""


class Places:
    """Converts positions in a text. ``encoding``: that in which the client counts the units of a line."""

    def __init__(self, text: str, encoding: str) -> None:
        self.text = text
        self._largest = _LARGEST[encoding]
        self._begins = [0, *(each.end() for each in _BREAK.finditer(text))]
        # YAML knows more line breaks than the protocol.
        self._yaml_begins = self._begins if text.isascii() else _begins(text)
        self._units: dict[int, list[int]] = {}

    def offset(self, position: Position) -> int:
        """Return the offset in the text of a position of the protocol."""
        number = min(position.line, len(self._begins) - 1)
        units = self._units_of(number)
        return self._begins[number] + max(bisect_right(units, position.character) - 1, 0)

    def position(self, offset: int) -> Position:
        """Return the position in the protocol of an offset."""
        number = bisect_right(self._begins, offset) - 1
        units = self._units_of(number)
        return Position(number, units[min(offset - self._begins[number], len(units) - 1)])

    def range(self, line: int, column: int, end_column: int) -> Range:
        """Return the range of a diagnostic, whose line and columns count from 1."""
        start = self._yaml_begins[min(line, len(self._yaml_begins)) - 1]
        begin, end = (min(start + each - 1, len(self.text)) for each in (column, max(column, end_column)))
        return Range(self.position(begin), self.position(end))

    def line_and_column(self, position: Position) -> tuple[int, int]:
        """Return the line and column, counted from 1 as in diagnostics, of a position of the protocol."""
        offset = self.offset(position)
        line = bisect_right(self._yaml_begins, offset)
        return line, offset - self._yaml_begins[line - 1] + 1

    def _units_of(self, number: int) -> list[int]:
        """Return the units before each character of a line, and those before its line break."""
        found = self._units.get(number)
        if found is None:
            end = self._begins[number + 1] if number + 1 < len(self._begins) else len(self.text)
            line = self.text[self._begins[number] : end].rstrip("\r\n")
            sizes = (1 + sum(ord(each) > largest for largest in self._largest) for each in line)
            found = self._units[number] = list(accumulate(sizes, initial=0))
        return found


def _begins(text: str) -> list[int]:
    begins = [0]
    for each in lines_of(text)[:-1]:
        end = begins[-1] + len(each)
        begins.append(end + (2 if text.startswith("\r\n", end) else 1))
    return begins


def utf_16(text: str) -> int:
    """Return the number of UTF-16 units of a text."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
