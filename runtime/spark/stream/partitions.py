"""Converts the parts of files of a batch to the partitions that its tasks read."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from ...format.description import Format
from ...reading.request import splits
from ..options import ReadOptions
from ..read.file_listing import candidate, input_of, planned
from ..read.split_planning import LAST, Candidate, Slice
from .offset import FilePart
from .planned_slices import PlannedSlice


def partitions_of(
    format: Format, columns: Collection[str], options: ReadOptions, taken: Iterable[FilePart]
) -> list[tuple[PlannedSlice, ...]]:
    """Return the partitions, packed and split like those of a batch read of these columns."""
    parts = {each.path: each for each in taken if each.kind != "skip"}
    made = planned(format, [_candidate(format, columns, options, each) for each in parts.values()], options)
    return [tuple(_planned_slice(each, parts[each.input.path or ""], options) for each in found) for found in made]


def _candidate(format: Format, columns: Collection[str], options: ReadOptions, part: FilePart) -> Candidate:
    """Return a candidate for split planning that represents the part as if it were the whole file."""
    whole = input_of(part.path, part.size, part.modified, options.scan.location)
    if part.kind == "rest":
        return Candidate(whole, compressed=True)
    if part.kind != "whole":
        return Candidate(replace(whole, size=part.end - part.begin), splittable=splits(format, False, columns))
    return candidate(format, whole, options, columns)


def _planned_slice(found: Slice, part: FilePart, options: ReadOptions) -> PlannedSlice:
    location = options.scan.location
    source = input_of(part.path, part.size, part.modified, location)
    if part.kind == "rest":
        return PlannedSlice(replace(found, input=source, begin=part.begin, end=LAST), part, location)
    if part.kind == "whole":
        return PlannedSlice(replace(found, input=source), part, location)
    begin = part.begin + found.begin
    end = part.end if found.end in (None, LAST) else part.begin + (found.end or 0)
    if part.kind == "last" and end == part.end:
        # The damage at its end has to be reported too.
        end = LAST
    return PlannedSlice(Slice(source, begin, end, found.cost), part, location)
