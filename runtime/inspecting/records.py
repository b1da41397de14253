"""Records for display: their bytes, the same without stuffing, and the tree of their fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..base.dataclass import dataclass, field, replace
from ..format.description import Format
from ..format.program import Stuffing
from ..objects.computing import Computing
from ..objects.errors import FAILURES, reason_of
from ..objects.kaitai import KaitaiStructError
from ..objects.streams import MemoryStream
from ..objects.structs import Struct
from ..objects.stuffing import unstuff
from ..rows.batches import explained
from .field import Field
from .fields import items_of, tree
from .locating import Located, RecordScan, Wanted, places
from .tracing import Trace
from .unfinished import unfinished


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
        return "ok" if self.reason is None else explained(self.reason)


def records(scan: RecordScan, format: Format, wanted: Wanted) -> Iterator[Record]:
    """Yield the wanted records of a scan, in order."""
    reader = _Reader(scan, format)
    for each in scan.shown():
        if each.kind == "whole":
            yield from reader.whole(each, wanted)
        else:
            yield reader.record(each)


class _Reader:
    def __init__(self, scan: RecordScan, format: Format) -> None:
        self._scan = scan
        self._format = format
        self._root: Any = None

    def _parent(self) -> Any:
        """Return the root object, with everything before the records."""
        if self._root is None:
            root: Any = self._format.root_class()
            if self._scan.head:
                root._io = MemoryStream(self._scan.head)
                root._refusals = []
                root._read_prologue()
            self._root = root
        self._root._refusals = []
        return self._root

    def record(self, each: Located) -> Record:
        made = Record(each.kind, each.number, each.begin, each.end, each.reason, None, each.data, each.data, each.begin)
        delimiter = self._format.delimiter
        is_after_all = each.kind == "tail" and each.begin > 0 and not self._format.streaming
        if not each.data or is_after_all:
            return made
        if each.kind == "head" or (each.kind == "tail" and self._format.has_prologue and not self._scan.head):
            self._read(made, self._format.root_class(), "_read_prologue")
        elif delimiter:
            skip = len(delimiter) if each.data.startswith(delimiter) else 0
            self._unstuff(made, each.data[skip:], skip)
        elif each.kind != "damage":
            self._read(made, self._row(each), "_read")
            self._pad(made)
        return made

    def _row(self, each: Located | None = None) -> Any:
        parent = self._parent()
        if each is not None and each.states is not None:
            each.states.give(parent, self._format.variables, each.begin)
        kind: type[Struct] = self._format.row_class
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
        if stuffing is Stuffing.NONE:
            made.base = made.begin + skip
            made.places = [-1] * skip + list(range(len(stuffed)))
        else:
            made.base = 0
            made.places = [-1] * skip + places(stuffed, stuffing)
        if stuffed:
            self._read(made, self._row(), "_read")

    def _read(self, made: Record, struct: Any, method: str) -> Trace:
        """Read the fields of ``struct`` from the record's content as far as possible."""
        trace = Trace()
        failure: Exception | None = None
        with Computing(self._scan.max_computed):
            try:
                trace.read(struct, made.content, made.base, method)
            except (*FAILURES, RecursionError) as error:
                failure = error
            made.fields = tree(trace, struct, failure)
        if failure is not None:
            made.message = made.message or next(
                (e.problem for f in made.fields for _, e in f.walk() if e.problem), None
            )
            is_truncated = self._is_truncated(failure, struct, made.base + len(made.content))
            made.reason = made.reason or ("truncated" if is_truncated else reason_of(failure))
        return trace

    def _is_truncated(self, failure: BaseException, struct: Any, end: int) -> bool:
        """Return whether an object could not be read because the input ends, at ``end``; blocks end with it."""
        if not isinstance(failure, EOFError):
            return False
        block = self._format.block
        return end % block > 0 if block else unfinished(failure, struct)[-1].struct._io is struct._io

    def _pad(self, made: Record) -> None:
        ends = [each.end for each in made.fields if not each.computed and each.end >= 0]
        end = max(ends, default=made.begin)
        if made.kind == "record" and end < made.end:
            made.fields.append(Field("(unused)", None, end, made.end, computed=True))

    def whole(self, each: Located, wanted: Wanted) -> Iterator[Record]:
        """Yield the records of a format that is read as a whole: parts of one tree, or all of it without rows."""
        kind = "input" if self._format.is_plain else "head"
        root = Record(kind, None, 0, each.end, None, None, each.data, each.data, 0)
        trace = self._read(root, self._format.root_class(), "_read")
        if self._format.is_plain:
            if wanted.offset < max(each.end, 1) and wanted.number == 1:
                yield _from(root, wanted.offset)
            return
        rows = self._rows_of(root)
        items = [] if rows is None else [(item, root) for item in items_of(trace, rows)]
        part, block = root, self._format.block
        while block and part.reason is not None and items:
            # A damaged block costs its own bytes: the next one begins at a multiple of the size of blocks.
            begin = max(items[-1][0].begin, part.begin) // block * block + block
            if begin >= each.end:
                break
            data = each.data[begin:]
            part = Record(kind, None, begin, each.end, None, None, data, data, begin)
            trace = self._read(part, self._format.root_class(), "_read")
            found = self._rows_of(part)
            items += [] if found is None else [(item, part) for item in items_of(trace, found)]
        shown_to = max((found.end for found in part.fields), default=0) if rows is not None else each.end
        self._scan.count_whole(len(items), shown_to)
        head, foot = _head_and_foot(root, rows)
        if wanted.number == 1 and not wanted.offset and head is not None:
            yield head
        count = 0
        for number, (item, part) in enumerate(items, 1):
            begin, end = max(item.begin, 0), max(item.end, 0)
            if number < wanted.number or end <= wanted.offset or count >= wanted.count:
                continue
            count += 1
            problem = _problem(item.children) or item.problem
            reason = None if problem is None else (part.reason or "value")
            data = each.data[begin:end]
            yield Record("record", number, begin, end, reason, problem, data, data, begin, item.children)
        if foot is not None and count < wanted.count and wanted.number <= len(items) and wanted.offset < foot.end:
            yield foot

    def _rows_of(self, root: Record) -> Field | None:
        """Return the field with the rows of a format that is read as a whole; ``None`` if it was not read."""
        return next((found for found in root.fields if found.name == self._format.rows_attribute), None)


def _problem(fields: list[Field]) -> str | None:
    """Return the problem of the first field that has one, or ``None``."""
    return next((each.problem for found in fields for _, each in found.walk() if each.problem), None)


def _head_and_foot(root: Record, rows: Field | None) -> tuple[Record | None, Record | None]:
    """Return the parts of an input before and after its ``rows``, with their fields; ``None`` for an empty part."""
    if rows is None or rows.begin < 0:
        return root, None
    others = [found for found in root.fields if found is not rows]
    later = [found for found in others if found.begin >= rows.end]
    in_rows = _problem([rows]) is not None

    def part(kind: str, begin: int, end: int, fields: list[Field]) -> Record | None:
        if begin == end and not fields:
            return None
        problem = _problem(fields)
        blamed = problem is not None or (kind == "head" and not in_rows and _problem(later) is None)
        reason, message = (root.reason, root.message) if blamed else (None, None)
        data = root.data[begin:end]
        reason = reason or ("value" if problem is not None else None)
        return replace(
            root, kind=kind, begin=begin, end=end, reason=reason, message=message,
            data=data, content=data, base=begin, fields=fields,
        )  # fmt: skip

    head = part("head", 0, rows.begin, [found for found in others if found not in later])
    return head, part("foot", rows.end, max(found.end for found in later), later) if later else None


def _from(record: Record, offset: int) -> Record:
    """Return a record without the bytes before an offset, and without the fields that end there or earlier."""
    data = record.content[offset:]

    def kept(fields: list[Field]) -> list[Field]:
        found = [each for each in fields if each.begin < 0 or each.end > offset]
        return [replace(each, children=kept(each.children)) for each in found]

    fields = kept(record.fields) if offset else record.fields
    return replace(record, begin=offset, data=data, content=data, base=offset, fields=fields)
