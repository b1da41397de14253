"""Plans the batches of one streaming query, on the driver."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...base.addresses import is_remote
from ...base.errors import WireloomError
from ...format.description import Format
from ...input.expansion import expand
from ...reading.request import is_split
from ..options import ReadOptions, StreamOptions
from ..read.file_listing import candidate, input_of, planned
from ..read.reader import FormatReader
from ..read.split_planning import LAST, Candidate, Slice
from ..read.task_reports import BatchReports
from .file_contents import FileContents
from .growing_files import GrowingFiles
from .incremental_listing import IncrementalListing
from .listing import ListedFile, listing, with_tags
from .offset import FilePart, StreamOffset
from .planned_slices import PlannedSlice
from .planner import Limits, Planner


class Driver:
    """The state of a query while it runs. It only caches: the offsets contain everything that is needed
    for correctness."""

    def __init__(self, reader: FormatReader, stream: StreamOptions) -> None:
        self._reader = reader
        self._options = options = reader.options
        self._growing = GrowingFiles(reader.table, options, stream, reader.columns)
        self._contents = FileContents(reader.format, options.paths)
        self._planner = Planner(stream, self._growing, self._contents)
        interval = stream.full_listing_interval
        self._expand = expand if interval is None else IncrementalListing(options.paths, interval).expand
        self._columns_checked = False
        self._fixed: list[ListedFile] | None = None
        self._sizes: dict[int, int] = {}
        self._begun = False
        """Whether all files of a fixed listing are known."""
        self._end = StreamOffset()
        self._recent: list[tuple[dict[str, Any], StreamOffset]] = []
        """The latest offsets and their JSON."""
        self._reports = None if options.report_folder is None else BatchReports(options.report_folder, options.store)

    def fix(self) -> None:
        """Restrict planning to the input that exists now."""
        self._fixed, self._begun = self._list(), False
        self._sizes = {each.file_id: each.size for each in self._fixed if each.file_id}

    def _list(self) -> list[ListedFile]:
        files = listing(self._options, self._expand)
        if not self._columns_checked:
            self._reader.check_columns([each.input for each in files])
            self._columns_checked = bool(files)
        return files

    def latest(self, start: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
        """Return the end offset of the next batch."""
        before, options = self._parsed(start), self._options
        # Local files may be rotated while a fixed listing is read; objects keep their keys.
        again = self._begun and not all(is_remote(each) for each in options.paths)
        files = self._list() if self._fixed is None or again else self._fixed
        end = self._planner.next(before, files, limits, sizes=self._sizes, only_known=again)
        self._begun = self._fixed is not None
        self._growing.turn()
        self._contents.turn()
        if end is before:
            self._end = before
            # Spark compares offsets as strings.
            return dict(start)
        self._end = replace(end, taken=tuple(with_tags(end.taken, options.scan.location)))
        text = self._end.to_json()
        self._recent = [*self._recent[-1:], (text, self._end)]
        return text

    def _parsed(self, text: Mapping[str, Any]) -> StreamOffset:
        """Return an offset; the latest ones do not have to be parsed."""
        return next((offset for known, offset in self._recent if known == text), None) or StreamOffset.from_json(text)

    def partitions(
        self, start: Mapping[str, Any], end: Mapping[str, Any]
    ) -> tuple[int, list[tuple[PlannedSlice, ...]]]:
        """Return the number of the batch between two offsets, and the slices that each of its tasks reads."""
        first, last = self._parsed(start), self._parsed(end)
        if last.batch != first.batch + 1:
            raise WireloomError(
                f"batch {last.batch} does not follow batch {first.batch}: the checkpoint has gaps, use a new checkpoint"
            )
        if self._reports is not None:
            self._reports.begin(last.batch)
        found = partitions_of(self._reader.table, self._reader.columns, self._options, last.taken)
        # Tasks cannot count files that vanished after the batch was planned. Objects are left to them.
        slices = {each.part.path: each for task in found for each in task if not is_remote(each.part.path)}
        for path, each in slices.items():
            if each.locate() is None and (change := each.change()) is not None:
                self._planner.lose(change, path)
                self._planner.vanished.add(path)
        return last.batch, found

    def progress(self) -> dict[str, Any]:
        """Return metrics for the progress of the query."""
        found = {
            "batches": self._end.batch,
            "files": self._end.files,
            "bytes": self._end.bytes,
            "lostFiles": self._end.lost + len(self._planner.vanished),
            "waitingFiles": len(self._planner.backlog),
            "waitingBytes": sum(self._planner.backlog),
        }
        return {**found, **({} if self._reports is None else self._reports.totals())}


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
        return Candidate(replace(whole, size=part.end - part.begin), splittable=is_split(format, False, columns))
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
