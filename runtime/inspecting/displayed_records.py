"""Records for display: their bytes, the same without stuffing, and the tree of their fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..base.dataclass import dataclass, field, replace
from ..base.text import counted
from ..format.stuffings import Stuffing
from ..objects.computing import Computing
from ..objects.errors import FAILURES, reason_of
from ..objects.kaitai import KaitaiStructError
from ..objects.structs import Struct
from ..objects.stuffing import unstuff
from ..rows.reader import RowDamage
from ..rows.selected_columns import explained
from .field import Field
from .field_tree import items_of, tree
from .locating import Located, RecordScan
from .parts import arranged, shows_tail
from .stuffed import places
from .tracing import Trace

MOST_RANGES = 3
"""Maximum number of damaged ranges of a record that are described."""


@dataclass
class Record:
    """A part of the input, as it is shown.

    ``data`` are its bytes ``[begin, end)`` in the input. ``content`` are the bytes to which the fields' offsets refer,
    from ``base`` on: the same bytes, or the bytes without stuffing. In the latter case ``places`` has the index in the
    content of each byte of ``data``; -1 for delimiters and stuffing.
    """

    kind: str
    number: int | None
    begin: int
    end: int
    reason: str | None
    message: str | None
    data: bytes
    content: bytes
    base: int
    fields: list[Field] = field(default_factory=list)
    places: list[int] | None = None
    damages: tuple[RowDamage, ...] = ()
    """The damaged ranges of the report to which some of the bytes belong."""
    single: str | None = None
    """Why a message that is not of the format is a valid row of its own, one of ``REASONS``."""

    @property
    def title(self) -> str:
        """Return its title."""
        names = {
            "input": "the input",
            "head": "head of the file",
            "foot": "end of the file, after the records",
            "damage": "damaged range",
            "tail": "tail",
            "framing": "frame",
        }
        if self.kind == "message":
            return f"message {self.number}"
        return names.get(self.kind, f"record {self.number}" if self.number is not None else "record")

    @property
    def verdict(self) -> str:
        """Return ``ok``, or a description of the error."""
        if self.single is not None:
            return f"ok, a row by itself; {explained(self.single)}"
        if self.reason is None:
            return "ok"
        if all(each[:2] == (self.begin, self.end) for each in self.damages):
            return explained(self.reason)
        first, more = self.damages[:MOST_RANGES], len(self.damages) - MOST_RANGES
        ranges = [f"{explained(each.reason)}, bytes {each.begin:,} to {each.end:,}" for each in first]
        return "; ".join(ranges + [counted(more, "more damaged range")] * (more > 0))


def records(scan: RecordScan) -> Iterator[Record]:
    """Yield the wanted records of a scan, in order."""
    reader = _Reader(scan)
    for each in scan.shown():
        if each.kind == "whole":
            yield from reader.whole(each)
        else:
            yield reader.record(each)


class _Reader:
    """Shows the fields of what a scan has located. Only the scan decides what is a record, and what is damaged."""

    def __init__(self, scan: RecordScan) -> None:
        self._scan = scan
        self._format = scan.format

    def record(self, each: Located) -> Record:
        made = _made(each.kind, each.number, each.begin, each.end, each)
        made.reason, made.damages = each.reason, each.damages
        format = self._format
        is_after_all = each.kind == "tail" and each.begin > 0 and not format.streaming
        if not each.data or is_after_all:
            return made
        if each.kind == "head" or (each.kind == "tail" and format.has_prologue and self._scan.root is None):
            # Instances of the root may be in bytes after it.
            around = each.data if self._scan.root is None else self._scan.root._io.data
            self._read(made, format.root_class(), "_read_prologue", around)
        elif format.delimiter:
            skip = len(format.delimiter) if each.data.startswith(format.delimiter) else 0
            self._unstuff(made, each.data[skip:], skip)
        elif each.kind != "damage":
            self._read(made, self._row(each), "_read")
            self._pad(made)
        return made

    def _row(self, each: Located | None = None) -> Any:
        parent = self._scan.root
        if parent is None:
            parent = self._scan.root = self._format.root_class()
        parent._refusals = []
        if each is not None and each.states is not None:
            each.states.give(parent, self._format.variables, each.begin)
        kind: type[Struct] = self._format.row_class if self._format.block else self._format.unit_class
        row: Any = kind.__new__(kind)
        row._parent, row._root = parent, parent
        return row

    def _unstuff(self, made: Record, stuffed: bytes, skip: int) -> None:
        stuffing = self._format.stuffing
        try:
            made.content = unstuff(stuffed, stuffing, self._format.max_record)
        except KaitaiStructError as error:
            made.content, made.message = b"", str(error)
            made.places = [-1] * len(made.data)
            made.base = 0
            return
        if stuffing == Stuffing.NONE:
            made.base = made.begin + skip
            made.places = [-1] * skip + list(range(len(stuffed)))
        else:
            made.base = 0
            made.places = [-1] * skip + places(stuffed, stuffing)
        if stuffed:
            self._read(made, self._row(), "_read")

    def _read(self, made: Record, struct: Any, method: str, around: bytes = b"") -> tuple[Trace, Exception | None]:
        """Read the fields of ``struct`` from the record's content as far as possible. Return their trace, and the error
        that ended the reading. ``around``: the content, and what is after it."""
        trace = Trace()
        failure: Exception | None = None
        with Computing(self._scan.max_computed):
            try:
                trace.read(struct, around or made.content, made.base, method)
            except (*FAILURES, RecursionError) as error:
                failure = error
            made.fields = tree(trace, struct, failure)
        if failure is not None and made.reason is not None:
            made.message = made.message or _problem(made.fields)
        return trace, failure

    def _pad(self, made: Record) -> None:
        ends = [each.end for each in made.fields if not each.computed and each.end >= 0]
        end = max(ends, default=made.begin)
        if made.kind == "record" and end < made.end:
            made.fields.append(Field("(unused)", None, end, made.end, computed=True))

    # Inputs that are read as a whole ---------------------------------------------------------------------------------

    def whole(self, each: Located) -> Iterator[Record]:
        """Yield the records of an input that is read as a whole: parts of one tree, or all of it without rows."""
        if self._format.is_plain:
            yield from self._plain(each)
            return
        selection, wanted = self._scan.selection, self._scan.selection.wanted
        tail_at = each.end if each.reason is None else self._scan.report.tail_offset
        found = self._blocks(each, tail_at) if self._format.block else self._parts(each, tail_at)
        end = tail_at
        for part in arranged([(made.begin, made.end) for made in found], each.damages):
            end = max(end, part.end)
            made = found[part.number] if part.number >= 0 else _made("damage", None, part.begin, part.end, each)
            if part.damages:
                made.damages, made.reason = part.damages, part.damages[0].reason
            elif part.begin >= tail_at:
                made.reason = each.reason
            if made.kind in ("head", "foot"):
                is_first = wanted.number == 1 and not wanted.offset
                is_next = not selection.is_done and part.end > wanted.offset and wanted.number <= selection.seen
                if is_first if made.kind == "head" else is_next:
                    yield self._with_message(made)
                continue
            selection.seen += 1
            if selection.reaches(part.end) and selection.takes(is_damage=bool(part.damages)):
                if made.kind == "record":
                    made.number = selection.seen
                    if self._format.block:
                        self._read_block(made)
                yield self._with_message(made)
        if each.reason is not None and shows_tail(end, each.end, self._scan.report):
            selection.seen += 1
            if selection.reaches(each.end) and not selection.is_done:
                made = _made("tail", None, end, each.end, each)
                made.reason = each.reason
                if self._format.block:
                    self._read(made, self._row(), "_read")
                yield self._with_message(made)

    @staticmethod
    def _with_message(made: Record) -> Record:
        made.message = None if made.reason is None else _problem(made.fields)
        return made

    def _plain(self, each: Located) -> Iterator[Record]:
        made, selection = _made("input", None, 0, each.end, each), self._scan.selection
        failure = self._read(made, self._format.root_class(), "_read")[1]
        selection.seen, offset = 1, selection.wanted.offset
        if failure is not None:
            # There are no rows, so no scan has judged it.
            made.reason = "truncated" if isinstance(failure, EOFError) else reason_of(failure)
            made.message = _problem(made.fields)
        if offset < max(each.end, 1) and selection.wanted.number == 1:
            yield _from(made, offset)

    def _blocks(self, each: Located, stop: int) -> list[Record]:
        """Return the blocks of an input up to an offset, without their fields."""
        size = self._format.block
        places = [(begin, min(begin + size, stop)) for begin in range(0, stop, size)]
        return [_made("record", None, *bounds, each) for bounds in places]

    def _read_block(self, made: Record) -> None:
        trace, _ = self._read(made, self._format.root_class(), "_read")
        rows = self._around_rows(made.fields)[1]
        if rows is not None and (items := items_of(trace, rows)):
            made.fields = items[0].children

    def _parts(self, each: Located, stop: int) -> list[Record]:
        """Return what is before the rows, the rows, and what is after them. ``stop``: where a tail begins."""
        if not each.data:
            return []
        root = _made("head", None, 0, each.end, each)
        trace, failure = self._read(root, self._format.root_class(), "_read")
        before, rows, later = self._around_rows(root.fields)
        if rows is None or rows.begin < 0:
            return [root]
        parts = [("head", 0, rows.begin, before)]
        parts += [("record", max(item.begin, 0), max(item.end, 0), item.children) for item in items_of(trace, rows)]
        parts += [("foot", rows.end, max(found.end for found in later), later)] if later else []
        if failure is not None:
            # The reader goes on after an object whose end is known: its rows are in the rest.
            reached = max(end for _, _, end, _ in parts)
            parts += [("record", reached, stop, [])] if reached < stop else []
        made = []
        for kind, begin, end, fields in parts:
            if begin < stop < end:
                # Only its first bytes were read.
                end = stop
            if kind == "record" or begin < end or fields:
                made.append(_made(kind, None, begin, end, each))
                made[-1].fields = fields
        return made

    def _around_rows(self, fields: list[Field]) -> tuple[list[Field], Field | None, list[Field]]:
        """Return the field with the rows of a format that is read as a whole (``None`` if it was not read), the fields
        before it, and those after it."""
        format = self._format
        return _around(fields, format.rows_path or (format.rows_attribute,))


def _around(fields: list[Field], path: tuple[str, ...]) -> tuple[list[Field], Field | None, list[Field]]:
    """Return the first list on a path, or the object at its end, with the fields before and after it. Objects that lead
    to it are split: they are before it, and after it if they have fields there."""
    rows = next((found for found in fields if found.name == path[0]), None)
    if rows is None:
        return fields, None, []
    others = [found for found in fields if found is not rows]
    before: list[Field] = []
    later: list[Field] = []
    if len(path) > 1 and isinstance(rows.value, Struct):
        first, inner, last = _around(rows.children, path[1:])
        if inner is not None and inner.begin >= 0:
            before = [replace(rows, end=inner.begin, children=first)] if first else []
            later = [replace(rows, begin=inner.end, children=last)] if last else []
            rows = inner
    after_rows = [found for found in others if found.begin >= rows.end]
    ahead = [found for found in others if found.begin < rows.end]
    return [*ahead, *before], rows, [*later, *after_rows]


def _made(kind: str, number: int | None, begin: int, end: int, located: Located) -> Record:
    """Return a record without fields, of bytes in what is located."""
    data = located.data[begin - located.begin : end - located.begin]
    return Record(kind, number, begin, end, None, None, data, data, begin)


def _problem(fields: list[Field]) -> str | None:
    """Return the problem of the first field that has one, or ``None``."""
    return next((each.problem for found in fields for _, each in found.walk() if each.problem), None)


def _from(record: Record, offset: int) -> Record:
    """Return a record without the bytes before an offset, and without the fields that end there or earlier."""
    data = record.content[offset:]

    def kept(fields: list[Field]) -> list[Field]:
        found = [each for each in fields if each.begin < 0 or each.end > offset]
        return [replace(each, children=kept(each.children)) for each in found]

    fields = kept(record.fields) if offset else record.fields
    return replace(record, begin=offset, data=data, content=data, base=offset, fields=fields)
