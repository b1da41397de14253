"""Describes records for the studio's page: fields with their bytes in the input and their lines in the spec."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from ..format.description import Format
from ..inspecting import Record, described_fields, record_head
from .attribute_lines import Lines


def described_record(format: Format, record: Record, lines: Lines) -> dict[str, Any]:
    """Return a record with its fields. ``begin`` and ``end`` of a field are offsets in the decompressed input, -1 if
    none of its bytes are stored there unchanged. ``line`` and ``last`` are those of the spec, 0 if it has none."""
    place = _Places(record)
    fields = []
    for each, described in described_fields(format, record):
        begin, end = place.of(described.pop("begin"), described.pop("size"))
        first, last = lines.get((each.owner, each.name.partition(" (")[0]), (0, 0))
        fields.append({**described, "begin": begin, "end": end, "line": first, "last": last})
    return {**record_head(record), "fields": fields}


class _Places:
    """Maps bytes of a record's content to their offsets in the input."""

    def __init__(self, record: Record) -> None:
        self._begin = record.begin if record.places is not None else record.base
        self._places: list[int] | None = None
        if record.places is not None:
            # In ascending order, except for stuffing, which counts as a part of the bytes after it.
            self._places = list(record.places)
            following = len(record.content)
            for number in reversed(range(len(self._places))):
                if self._places[number] < 0:
                    self._places[number] = following
                following = self._places[number]

    def of(self, begin: int, size: int) -> tuple[int, int]:
        """Return ``[begin, end)`` in the input of the part that begins at ``begin`` of the content."""
        if begin < 0:
            return -1, -1
        if self._places is None:
            return self._begin + begin, self._begin + begin + size
        first, last = bisect_left(self._places, begin), bisect_left(self._places, begin + size)
        while first < last and self._stuffs(first):
            first += 1
        return self._begin + first, self._begin + last

    def _stuffs(self, number: int) -> bool:
        assert self._places is not None
        return number + 1 < len(self._places) and self._places[number] == self._places[number + 1]
