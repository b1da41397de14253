"""Resynchronisation after a damaged length: the next valid message.

A single message proves little, since many byte sequences are valid. So several consecutive messages are required, each
at the end of the previous one, or as many as there are up to the end of the input.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property, partial
from typing import NamedTuple

from ..format.description import Format
from ..rows.messages.decoding import UnitDecoder
from ..rows.reader import BATCH_BYTES, RowDamage
from ..rows.zero_runs import LEAST
from .decoded_units import unit_array
from .framing import Prefixed
from .framing_detection import CONFIRMING_UNITS, field_ends, first_bytes
from .units import Units

CANDIDATES = 8
"""Maximum number of field ends in a refused message after which messages are searched for."""
DECIDING_BYTES = BATCH_BYTES
"""Number of bytes after a refused message that decide about its length: no more than ``Prefixed.take`` looks at after
its first unit."""
MOST_MESSAGES = 4096
"""Maximum number of messages per call."""


class SearchedBytes(NamedTuple):
    """The bytes in which messages are searched for. ``at_end``: whether the input ends with the view. ``waits``:
    whether more bytes can be in memory if they are needed; otherwise messages that end after the view are passed
    over."""

    view: memoryview
    at_end: bool
    waits: bool


class MessageSearch:
    """Searches for messages after a damaged length. ``decoder``: a decoder without columns. ``grows``: whether more
    messages may be added to the input, so that its end says nothing about those before it."""

    def __init__(self, format: Format, framing: Prefixed, decoder: UnitDecoder, *, grows: bool = False) -> None:
        self._format = format
        self._framing = framing
        self._decoder = decoder
        self._grows = grows

    def trusted(self, units: Units, view: memoryview, base: int, at_end: bool, is_last: bool) -> Units:
        """Return the units whose lengths are trusted.

        The length of a refused unit is trusted if ``CONFIRMING_UNITS`` valid units follow it, and otherwise if no valid
        messages begin before the next valid units. The ``DECIDING_BYTES`` after it decide that, and never fewer or
        more: what is read does not depend on how much of the input is in memory.

        Args:
            units: The units at the beginning of ``view``.
            view: The bytes in memory.
            base: Offset of ``view[0]`` in the input.
            at_end: Whether the input ends with the view.
            is_last: Whether nothing follows the view, because the input ends or cannot be read any further.

        Returns:
            The units before the first one whose length is not trusted, or about which more bytes decide; all of them
            if there is none.
        """
        if units.is_open or not self._framing.has_lengths:
            return units
        bad, number = self._problems(units), 0
        while (first := next((each for each in range(number, len(units.begins)) if each in bad), -1)) >= 0:
            limit = _end(units, first) + DECIDING_BYTES
            # Whether zeros there are a run is known as well.
            searched = SearchedBytes(
                view[:limit], at_end and len(view) <= limit, not is_last and len(view) < limit + LEAST
            )
            count = bisect_right(range(len(units.begins)), limit, key=partial(_end, units))
            index, number = self._verify_length(units, bad, first, count, base, searched)
            if index == 0 and number == count and self._grows and is_last and len(view) < limit:
                # Neither valid messages after it nor ``DECIDING_BYTES`` say so.
                found, index = self.find(searched, units.consumed, len(view))
                index = index if found else None
            if index is None:
                waiting = self._before(units, first, units.offsets[first], base)
                waiting.needed = limit + LEAST - waiting.consumed if searched.waits else 0
                return waiting
            if index:
                return self._before(units, first, base + index, base)
        return units

    def _verify_length(
        self, units: Units, bad: set[int], first: int, count: int, base: int, searched: SearchedBytes
    ) -> tuple[int | None, int]:
        """Test the length of a refused unit. Return the index in the view at which valid messages begin inside the
        unit, 0 if there are none, so that its length is right, and ``None`` if more bytes decide that; and the number
        of the next unit to test. ``count``: number of units that end within ``searched``."""
        seen = min(units.consumed, len(searched.view))
        is_all = bool(units.ended) or not (searched.waits or (seen < len(searched.view) and not units.needed))
        ends = searched.at_end and not units.ended and seen == len(searched.view)
        confirmed = self._next_confirmed(bad, first + 1, count, ends)
        if confirmed == count and not is_all:
            return None, first
        if confirmed == first + 1 < count:
            return self._messages_inside(units, first, searched), confirmed
        end = units.offsets[confirmed] - base if confirmed < count else seen
        found, index = self.find(searched, units.offsets[first] - base + 1, end)
        return (index if found else 0 if index == end else None), confirmed

    def _messages_inside(self, units: Units, number: int, searched: SearchedBytes) -> int | None:
        """Return where valid messages begin in a refused unit that itself begins with a message; 0 if there are none,
        ``None`` if more bytes decide that. Its length is then wrong, and the bytes after it only look like units."""
        begin, end = units.begins[number], _end(units, number)
        for index in reversed(field_ends(searched.view[:end], begin)[-CANDIDATES:]):
            message = Units(searched.view)
            message.add(begin, index - begin, begin, index - begin)
            if index == end or self._problems(message):
                continue
            is_valid = self._begins_at(searched, index)
            if is_valid or is_valid is None:
                return index if is_valid else None
        return 0

    @staticmethod
    def _next_confirmed(bad: set[int], begin: int, count: int, ends: bool) -> int:
        """Return the number of the first of ``CONFIRMING_UNITS`` consecutive valid units, ``count`` if there is none;
        with ``ends``, fewer are enough up to the last unit."""
        following = 0
        for number in range(begin, count):
            following = 0 if number in bad else following + 1
            if following == CONFIRMING_UNITS:
                return number - CONFIRMING_UNITS + 1
        return count - following if ends else count

    def find(self, searched: SearchedBytes, begin: int, end: int) -> tuple[bool, int]:
        """Return whether valid messages begin at an index in ``[begin, end)``, and where; if there are none, the index
        at which to continue when there is more input, ``end`` if that is not needed."""
        for index in range(begin, end):
            is_valid = self._begins_at(searched, index)
            if is_valid:
                return True, index
            if is_valid is None:
                return False, index
        return False, end

    def _begins_at(self, searched: SearchedBytes, index: int) -> bool | None:
        """Return whether messages begin at an index; ``None`` if more input is needed."""
        view = searched.view
        units = Units(view)
        while len(units.begins) < CONFIRMING_UNITS:
            length, start = self._framing.length(view, index)
            if length < 0 or (start and not 0 < length <= self._framing.max_record):
                return False
            if start and start < len(view) and view[start] not in self._first_bytes:
                return False
            if not start or start + length > len(view):
                if index == len(view) and searched.at_end and units.begins:
                    break
                return None if searched.waits else False
            units.add(start, length, index, start + length - index)
            index = start + length
        return not self._problems(units)

    def _problems(self, units: Units) -> set[int]:
        """Return the numbers of the invalid units."""
        begins, sizes = unit_array(units.begins), unit_array(units.sizes)
        found: set[int] = set()
        first, count = 0, len(begins)
        while first < count:
            decoded = self._decoder.decode(units.source, begins, sizes, first, capacity=MOST_MESSAGES)
            found |= {first + each.unit for each in decoded.problems} | {first + each for each in decoded.wholes}
            first += decoded.units
        return found

    @cached_property
    def _first_bytes(self) -> frozenset[int]:
        return first_bytes(self._format)

    def _before(self, units: Units, count: int, end: int, base: int) -> Units:
        """Return the first ``count`` units, and as damage the range from their end to the offset ``end``, if it is not
        empty."""
        kept, begin = units.part(0, count), units.offsets[count]
        kept.damages = [each for each in units.damages if each.begin < begin]
        kept.details = units.details
        if end > begin:
            kept.damages.append(RowDamage(begin, end, -1, "length"))
        kept.consumed = end - base
        self._framing.zeros_end = -1
        return kept


def _end(units: Units, number: int) -> int:
    return int(units.begins[number] + units.sizes[number])
