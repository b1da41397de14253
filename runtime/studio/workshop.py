"""Processes a spec and a file, in a separate process that may be killed at any time."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import SpecError, UnsupportedError, WireloomError
from ..base.iso_times import iso_time
from ..format.columns import ERROR, OFFSET
from ..format.description import Format
from ..input.expansion import expand
from ..input.inputs import FileInput, Input
from ..inspecting import (
    Field,
    MessageScan,
    Record,
    RecordScan,
    Wanted,
    described_fields,
    record_head,
    shown,
    shown_records,
)
from ..reading.request import UnitStart, looks_up, of_table, scan_request
from ..reading.scanning import Scanner
from .copying import json_of
from .files import stamp
from .survey import Survey
from .unpacking import codec_of, unpack

if TYPE_CHECKING:
    from ..codegen.tree import Attribute, Instance, Spec, Struct


Lines = dict[tuple[str, str], tuple[int, int]]
"""First and last line, counted from 1, by class and name."""


def attribute_lines(spec: Spec, text: str) -> Lines:
    """Return the lines of all attributes and instances of a spec; ``text`` is that of its file."""
    from wireloom.codegen.backends.python.names import field_name, qualified
    from wireloom.codegen.spec.entry_lines import last_line

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
            found[qualified(struct.path), field_name(each.id)] = line, last_line(lines, line)
    return found


def described_record(format: Format, record: Record, lines: Lines) -> dict[str, Any]:
    """Return a record with its fields. ``begin`` and ``end`` of a field are offsets in the decompressed input, -1 if
    none of its bytes are stored there unchanged. ``line`` and ``last`` are those of the spec, 0 if it has none.
    ``attribute`` names what has the same colour in all records; items of a list have that of the list."""
    place = _Places(record)
    fields: list[dict[str, Any]] = []
    for each, described in described_fields(format, record):
        begin, end = place.of(described.pop("begin"), described.pop("size"))
        name, parent = each.name.partition(" (")[0], described["parent"]
        first, last = lines.get((each.owner, name), (0, 0))
        attribute = fields[parent]["attribute"] if name.startswith("[") and parent >= 0 else f"{each.owner}.{name}"
        place_in_spec = {"line": first, "last": last, "attribute": attribute}
        fields.append({**described, "begin": begin, "end": end, **place_in_spec})
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


LONGEST = 160
"""Maximum number of characters of a cell."""


def cells(column: pa.Array) -> list[str | None]:
    """Return the values of a column as texts; nulls remain null."""
    if pa.types.is_timestamp(column.type):
        unit, zone = column.type.unit, "Z" if column.type.tz else ""
        return [None if each is None else iso_time(each, unit) + zone for each in column.cast(pa.int64()).to_pylist()]
    return [None if each is None else _text(each) for each in column.to_pylist()]


def _type_name(type: pa.DataType) -> str:
    return str(type.value_type if pa.types.is_dictionary(type) else type)


def _text(value: Any) -> str:
    if isinstance(value, list | dict | tuple):
        text = repr(value)
        text = text if text.isprintable() else ascii(value)
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return shown(Field("", value), None, LONGEST)


FAR = 2**63 - 1
CHUNK = 64 * 1024
"""Number of bytes per read if reading begins near the target."""
SLICE = 0.3
"""Seconds of one part of the survey, during which other jobs wait."""
MOST_FIELDS = 20_000
"""Maximum number of fields of all records in one result."""


class Workshop:
    """A spec and a file in their current state. Each method returns values that JSON supports."""

    def __init__(
        self,
        spec: Path,
        file: str,
        options: Mapping[str, Any] | None = None,
        allow_modules: tuple[str, ...] = (),
        import_paths: tuple[Path, ...] = (),
    ) -> None:
        self._spec = spec
        self._file = file
        self._options = dict(options or {})
        self._allowed = allow_modules
        self._import_paths = import_paths
        self._format: Format | None = None
        self._text = ""
        self._lines: Lines = {}
        self._survey: Survey | None = None
        self._surveyed: tuple[str, str] = ("", "")
        """The stamp of the file and the table of the survey."""
        self._known: Format | None = None
        """The format of the last valid spec."""
        self._unpacked: tuple[str, Input] | None = None
        """The stamp of a compressed file, with all of its decompressed content."""
        self._content: dict[str, Any] = {"state": ""}
        """The last result of ``unpack``."""

    def open(self, spec: str, file: str) -> dict[str, Any]:
        """Forget what is known, and continue with another spec or file."""
        self._forget_survey()
        self._spec, self._file = Path(spec), file
        self._format = self._known = self._unpacked = None
        self._content = {"state": ""}
        return {}

    def compile(self, text: str) -> dict[str, Any]:
        """Check a spec and create its format; ``text`` is the content of the spec's file."""
        from wireloom.codegen.checking import check, entry
        from wireloom.codegen.loading import load_format
        from wireloom.codegen.spec.diagnostics import InvalidSpecError

        self._format, self._text = None, text
        self._forget_survey()
        found = check(self._spec, self._import_paths, self._allowed, with_plan=True, text=text)
        said: dict[str, Any] = {
            "diagnostics": [self._placed(each.to_dict()) for each in found.diagnostics],
            "coverage": found.coverage["message"].replace("\n", "; ") if found.coverage else None,
            "plan": found.coverage["plan"] if found.coverage else None,
            "notes": [self._placed(each) for each in found.notes],
            "name": None,
            "tables": [],
            "plain": False,
        }
        if found.coverage is None or found.spec is None:
            return said
        try:
            self._format = load_format(self._spec, self._allowed, self._import_paths, needs_rows=False, text=text)
        except InvalidSpecError as error:
            said["diagnostics"] += [self._placed(each.to_dict()) for each in error.diagnostics]
            return said
        except SpecError as error:
            message = error.message.removeprefix("error: ")
            said["diagnostics"].append(self._placed(entry(str(self._spec), 1, 1, "error", message)))
            return said
        self._known = self._format
        self._lines = attribute_lines(found.spec, text)
        tables = [each.name for each in found.spec.tables if each.name]
        return said | {"name": self._format.name, "tables": tables, "plain": self._format.is_plain}

    def records(self, offset: int, count: int, table: str = "") -> dict[str, Any]:
        """Return records with their fields, from the one that contains byte ``offset`` on."""
        format, reading, found = self._records(offset, count, table)
        shown: list[dict[str, Any]] = []
        fields = 0
        for each in found:
            shown.append(described_record(format, each, self._lines))
            fields += len(shown[-1]["fields"])
            if fields > MOST_FIELDS:
                break
        error = reading.report.error
        return {"records": shown, "error": str(error) if error is not None else None}

    def rows(self, offset: int, count: int, table: str = "") -> dict[str, Any]:
        """Return rows of the table from ``offset`` on as texts, each with its offset and the reason if it
        is damaged."""
        format, options = self._chosen(table)
        if format.is_plain:
            return {"columns": [], "rows": [], "more": False}
        columns = list(format.default_columns)
        source, resume, options = self._near(format, options, table, offset)
        how: dict[str, Any] = {**options, "columns": [*columns, OFFSET, ERROR], "check_format": False}
        in_blocks = format.input_format.block and not looks_up(format, columns)
        if offset and (in_blocks or _is_found_anywhere(format)):
            how["byte_range"] = (offset, FAR)
        request = replace(scan_request(format, **how), resume=resume, chunk=CHUNK, prefetch=False)
        rows: list[dict[str, Any]] = []
        types: dict[str, str] = {}
        with Scanner(request, [source]) as batches:
            types = {each.name: _type_name(each.type) for each in batches.schema}
            for batch in batches:
                # Whole columns at a time, since the rows may be far into a large file.
                offsets = batch.column(batch.schema.get_field_index(OFFSET))
                first = pc.index(pc.greater_equal(offsets, offset), True).as_py()
                if first < 0:
                    continue
                part = batch.slice(first, count - len(rows) + 1)
                texts = [cells(part.column(n)) for n in range(len(columns))]
                errors = part.column(part.schema.get_field_index(ERROR)).to_pylist()
                rows += [
                    {"at": at, "error": error, "cells": list(values)}
                    for at, error, *values in zip(
                        offsets.slice(first, len(part)).to_pylist(), errors, *texts, strict=True
                    )
                ]
                if len(rows) > count:
                    break
        shown = [{"name": each, "type": types.get(each, "")} for each in columns]
        return {"columns": shown, "rows": rows[:count], "more": len(rows) > count}

    def survey(self, table: str = "", seconds: float = SLICE) -> dict[str, Any]:
        """Continue reading the file for some seconds, and return the number of rows found, the damage, and whether it
        is ``done``. Other jobs may run between two calls; a call after the end starts again if the file has changed."""
        format, options = self._chosen(table)
        if format.is_plain:
            nothing: dict[str, Any] = {
                "rows": None,
                "damaged": 0,
                "ranges": [],
                "tail": "clean",
                "stopped": None,
                "error": None,
                "bytes": None,
            }
            return {"done": True, "read": 1.0, **nothing}
        survey = self._survey_of(format, options, table)
        survey.go_on(seconds)
        return survey.found()

    def value(self, offset: int, number: int, table: str = "") -> dict[str, Any]:
        """Return the values of the record at ``offset``, or of its field with that number (-1: all), as JSON text."""
        record = next(self._records(offset, 1, table)[2], None)
        if record is None:
            raise WireloomError(f"there is no record at byte {offset:,}")
        return {"text": json_of(record, number)}

    def unpack(self, path: str, most: int) -> dict[str, Any]:
        """Write the decompressed content of a compressed file to ``path``, at most about ``most`` bytes, unless it has
        been written before. Return its size, or ``None`` if the stored bytes are to be shown. Needs no valid spec."""
        source, now = expand(self._file)[0], stamp(Path(self._file))
        is_plain = self._format is not None and self._format.is_plain
        codec, error = "none", None
        try:
            codec = "none" if is_plain else codec_of(source, self._known, self._options)
        except WireloomError as found:
            error = str(found)
        state = f"{now} {codec}"
        if state != self._content["state"]:
            size = None
            if codec != "none" and isinstance(source, FileInput):
                size, error, is_complete = unpack(source, codec, self._options, Path(path), most)
                self._unpacked = (now, expand(path)[0]) if is_complete else None
            self._content = {"state": state, "size": size, "error": error}
        return self._content

    def code(self) -> dict[str, Any]:
        """Return the generated modules by path, as written by ``wireloom generate`` except for formatting."""
        from wireloom.codegen.backends.base import backends
        from wireloom.codegen.emit import formatted, render
        from wireloom.codegen.model.load import load_all
        from wireloom.codegen.passes import with_facts

        specs = load_all([self._spec], self._allowed, {self._spec: self._text}, self._import_paths)
        files = render([with_facts(each) for each in specs], wanted=backends())
        try:
            files = formatted(files)
        except WireloomError as error:
            if not isinstance(error, UnsupportedError):
                raise
        return {"files": {path: text for path, text in sorted(files.items()) if path.endswith((".py", ".md"))}}

    def _placed(self, diagnostic: dict[str, Any]) -> dict[str, Any]:
        """Return a diagnostic with the file's name as seen from the spec; ``imported`` is the path of an imported file,
        empty for the spec itself."""
        file, spec = Path(diagnostic["file"]).resolve(), self._spec.resolve()
        return {**diagnostic, "file": relpath(file, spec.parent), "imported": "" if file == spec else str(file)}

    def _records(
        self, offset: int, count: int, table: str
    ) -> tuple[Format, RecordScan | MessageScan, Iterator[Record]]:
        format, options = self._chosen(table)
        source, resume, options = self._near(format, options, table, offset)
        return shown_records(format, source, Wanted(0 if format.is_plain else offset, 1, count), options, resume)

    def _near(
        self, format: Format, options: dict[str, Any], table: str, offset: int
    ) -> tuple[Input, UnitStart | None, dict[str, Any]]:
        """Return the input from which records and rows at ``offset`` are read, the place at which reading begins
        (``None``: the beginning of the file), and the options."""
        source = expand(self._file)[0]
        if not offset or format.is_plain:
            return source, None, options
        if self._unpacked is not None and self._unpacked[0] == stamp(Path(self._file)):
            source, options = self._unpacked[1], {**options, "codec": "none"}
        if _is_found_anywhere(format):
            return source, None, options
        return source, self._survey_of(format, options, table).place_before(offset), options

    def _survey_of(self, format: Format, options: Mapping[str, Any], table: str) -> Survey:
        wanted = stamp(Path(self._file)), table
        if self._survey is None or self._surveyed != wanted:
            self._forget_survey()
            self._survey, self._surveyed = Survey(format, expand(self._file)[0], options), wanted
        return self._survey

    def _forget_survey(self) -> None:
        if self._survey is not None:
            self._survey.close()
        self._survey = None

    def _chosen(self, table: str) -> tuple[Format, dict[str, Any]]:
        if self._format is None:
            raise WireloomError("the spec has errors: nothing is read by it")
        options = self._options | ({"table": table} if table else {})
        return of_table(self._format, {"codec": "none"} | options if self._format.is_plain else options)


def _is_found_anywhere(format: Format) -> bool:
    """Return whether rows can be found from any byte on without an index, as they are between delimiters."""
    input_format = format.input_format
    return bool(input_format.delimiter) and not input_format.has_prologue and input_format is format


def prepare() -> None:
    """Import the modules that jobs need, so that their time limits do not include it."""
    import wireloom.codegen.backends.base
    import wireloom.codegen.checking
    import wireloom.codegen.emit
    import wireloom.codegen.loading  # noqa: F401


JOBS: dict[str, Callable[..., dict[str, Any]]] = {
    name: getattr(Workshop, name)
    for name in ("open", "compile", "records", "rows", "value", "survey", "unpack", "code")
}
