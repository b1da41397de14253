"""Resynchronisation after a damaged length: the next valid message.

A single message proves little, since many byte sequences are valid. So several consecutive messages are required, each
at the end of the previous one, or as many as there are up to the end of the input.
"""

from __future__ import annotations

from functools import cached_property

from ..format.description import Format
from ..rows.messages.decoding import UnitDecoder
from ..rows.reader import RowDamage
from .beginning import CHAIN, field_ends, first_bytes
from .framing import CLEAN, Prefixed, Units
from .pieces import unit_array

CANDIDATES = 8
"""Maximum number of field ends in a refused message after which messages are searched for."""
PIECE = 4096
"""Maximum number of messages per call."""


class Search:
    """Searches for messages after a damaged length. ``decoder``: a decoder without columns."""

    def __init__(self, format: Format, framing: Prefixed, decoder: UnitDecoder) -> None:
        self._format = format
        self._framing = framing
        self._decoder = decoder

    def believed(self, units: Units, view: memoryview, base: int, at_end: bool) -> Units:
        """Return the units whose lengths are believed. The length of a refused unit is believed if ``CHAIN`` valid
        units follow it, and otherwise if no valid messages begin before the next valid units. ``at_end``: whether the
        input ends with the view."""
        bad, count, number = self._problems(units), len(units.begins), 0
        while (first := next((each for each in range(number, count) if each in bad), count)) < count:
            number = self._next_chain(bad, first + 1, count, units.ended == CLEAN)
            begin = units.offsets[first] - base
            if number == first + 1 < count:
                place = self._swallowed(units, first, view, at_end)
                if place:
                    return _cut(units, first, base + place, base)
                continue
            end = units.offsets[number] - base if number < count else units.consumed
            found, place = self.find(view, begin + 1, end, at_end)
            if found:
                return _cut(units, first, base + place, base)
            if number == count and first and not (units.ended or at_end):
                # What follows has not been read yet.
                waiting = _cut(units, first, base + begin, base)
                waiting.needed = len(view) - begin + 1
                return waiting
        return units

    def _swallowed(self, units: Units, number: int, view: memoryview, at_end: bool) -> int:
        """Return where valid messages begin in a refused unit that itself begins with a message; 0 if there are none.
        Its length is then wrong, and the bytes after it only look like units."""
        begin, end = units.begins[number], units.begins[number] + units.sizes[number]
        for place in reversed(field_ends(view[:end], begin)[-CANDIDATES:]):
            message = Units(view)
            message.add(begin, place - begin, begin, place - begin)
            if place < end and self._hold(view, place, at_end) and not self._problems(message):
                return place
        return 0

    @staticmethod
    def _next_chain(bad: set[int], begin: int, count: int, ends: bool) -> int:
        """Return the number of the first unit at which a chain begins; with ``ends``, the units up to the last one are
        a chain."""
        following = 0
        for number in range(begin, count):
            following = 0 if number in bad else following + 1
            if following == CHAIN:
                return number - CHAIN + 1
        return count - following if ends else count

    def find(self, view: memoryview, begin: int, end: int, at_end: bool) -> tuple[bool, int]:
        """Return whether valid messages begin at an index in ``[begin, end)``, and where; if there are none, the index
        at which to continue when there is more input. ``at_end``: whether the input ends with the view."""
        for place in range(begin, end):
            waiting = self._hold(view, place, at_end)
            if waiting is None:
                return False, place
            if waiting:
                return True, place
        return False, end

    def _hold(self, view: memoryview, place: int, at_end: bool) -> bool | None:
        """Return whether messages begin at an index; ``None`` if more input is needed."""
        units = Units(view)
        while len(units.begins) < CHAIN:
            length, start = self._framing.length(view, place)
            if length < 0 or (start and not 0 < length <= self._framing.max_record):
                return False
            if start and start < len(view) and view[start] not in self._first_bytes:
                return False
            if not start or start + length > len(view):
                if place == len(view) and at_end and units.begins:
                    break
                return False if at_end else None
            units.add(start, length, place, start + length - place)
            place = start + length
        return not self._problems(units)

    def _problems(self, units: Units) -> set[int]:
        """Return the numbers of the invalid units."""
        begins, sizes = unit_array(units.begins), unit_array(units.sizes)
        found: set[int] = set()
        first, count = 0, len(begins)
        while first < count:
            decoded = self._decoder.decode(units.source, begins, sizes, first, capacity=PIECE)
            found |= {first + each.unit for each in decoded.problems} | {first + each for each in decoded.wholes}
            first += decoded.units
        return found

    @cached_property
    def _first_bytes(self) -> frozenset[int]:
        return first_bytes(self._format)


def _cut(units: Units, count: int, end: int, base: int) -> Units:
    """Return the first ``count`` units, and as damage the range from their end to the offset ``end``, if it is not
    empty."""
    kept, begin = units.part(0, count), units.offsets[count]
    kept.damages = [each for each in units.damages if each.begin < begin]
    kept.details = units.details
    if end > begin:
        kept.damages.append(RowDamage(begin, end, -1, "length"))
    kept.consumed = end - base
    return kept
