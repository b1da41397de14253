"""Describes records for the studio's page: fields with their bytes in the input and their lines in the spec."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any

from ..format.description import Format
from ..inspecting import Record, described_fields, record_head

if TYPE_CHECKING:
    from ..codegen.tree import Attribute, Instance, Spec, Struct


Lines = dict[tuple[str, str], tuple[int, int]]
"""First and last line, counted from 1, by class and name."""


def attribute_lines(spec: Spec, text: str) -> Lines:
    """Return the lines of all attributes and instances of a spec; ``text`` is that of its file."""
    from wireloom.codegen.backends.python.names import field_name, qualified

    lines, found = text.splitlines(), {}
    waiting: list[Struct] = [spec.root]
    while waiting:
        struct = waiting.pop()
        waiting += struct.structs
        members: list[Attribute | Instance] = [*struct.attributes, *struct.instances]
        for each in members:
            if each.position is None or each.position.file != spec.file:
                continue
            line = each.position.line
            found[qualified(struct.path), field_name(each.id)] = line, _last(lines, line)
    return found


def _last(lines: list[str], first: int) -> int:
    """Return the last line of the entry that begins on line ``first``, which includes the lines with more
    indentation."""
    indent, last = _indentation(lines[first - 1]) if first <= len(lines) else 0, first
    dashed = first <= len(lines) and lines[first - 1].lstrip().startswith("- ")
    for number in range(first + 1, len(lines) + 1):
        line = lines[number - 1]
        if not line.strip():
            continue
        inside = _indentation(line) > indent or (not dashed and _is_sibling(lines[first - 1], line, indent))
        if not inside:
            break
        last = number
    return last


def _is_sibling(first: str, line: str, indent: int) -> bool:
    """Return whether a line is a further key of a mapping whose first key, ``id``, is on a line of its own."""
    return first.lstrip().startswith("id:") and _indentation(line) == indent and not line.lstrip().startswith("- ")


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


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
