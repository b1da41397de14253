"""Read reports: counts of rows and bytes, and damaged ranges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from .addresses import path_text
from .dataclass import dataclass, field
from .html_tables import LONGEST_TEXT, SHOWN_ITEMS, grid, more, shortened
from .text import counted, markup

if TYPE_CHECKING:
    import pyarrow as pa

REASONS = (
    "none",
    "length",
    "checksum",
    "value",
    "stuffing",
    "limit",
    "truncated",
    "encoding",
    "digest",
    "codec",
    "unsupported",
    "message",
    "index",
    "missing",
    "magic",
    "zeros",
    "fragment",
)
"""All reasons in reports and errors."""
LOST_TAILS = ("limit", "invalid_length", "invalid_value")
"""Values of ``tail`` of inputs whose rest could not be read."""
EMPTY = "the input is empty: its header is missing"
NESTED = "objects are nested too deeply"
"""The message about a type that contains itself more often than the engine or Python allows."""
REASON_OF_TAIL = {"truncated": "truncated", "limit": "limit", "invalid_length": "length", "invalid_value": "value"}
"""The reason why the end of an input contains no rows, by ``tail``."""
SOURCE_FAILURES = ("codec", "missing", "limit")
"""Reasons of failures of a codec or of storage."""


def tail_of(reason: str) -> str:
    """Return the value of ``tail`` of an input whose last row is lost for a reason."""
    return next((tail for tail, each in REASON_OF_TAIL.items() if each == reason), "invalid_value")


def too_much_computed(limit: int) -> str:
    """Return the message about a record with too much computed text, or too many items in decompressed bytes."""
    return (
        f"the computed text and decompressed lists of a record exceed {limit} characters and items: raise "
        "max_computed to allow it"
    )


@dataclass(frozen=True, slots=True)
class Damage:
    """Bytes without a row: ``[offset, offset + length)`` of the decompressed input, and why."""

    offset: int
    length: int
    reason: str


@dataclass
class FileReport:
    """The report of one input.

    - ``rows``: the number of rows that were returned; ``bytes``: the number of decompressed bytes that were read, or
      skipped.
    - ``damaged``: the damaged ranges.
    - ``skipped``: other ranges without rows, which are not damage: runs of empty frames (``empty``), holes of a sparse
      file (``hole``), and parts that an index in the file says a filter does not need (``filtered``). A log with a
      delimiter on both sides of each record has an empty frame between any two. ``skipped_bytes``: the number of
      their bytes, including those of ranges beyond the first 100,000, which are not listed.
    - ``tail``: how the input ended:

        - ``clean``: at the end of a row;
        - ``truncated``: inside a row;
        - ``growing``: inside a row that is still being written, with ``tail="growing"``;
        - ``invalid_length`` or ``invalid_value``: at a row whose layout cannot be trusted; the rest was not read;
        - ``limit``: at a row that is larger than ``max_record``; the rest was not read;
        - ``unread``: the reader was stopped before the end, by a limit or an error, or did not open the input.
    - ``tail_offset``: the offset of the end of the last complete row; ``tail_size``: the number of bytes from there to
      the end of the input, ``None`` if unknown; ``tail_zeros``: whether all of these are zero, as in space that was
      allocated ahead and never written.
    - ``error``: the message of the codec or the storage if it failed, the limit that ended the reading, or the problem
      of the first damaged message.
    - ``unsupported``: what the first damage with the reason ``unsupported`` needs, such as the codec that it names.
    - ``options``: the options that the reader has determined from the input, such as ``{"stride": "layout"}``.
    - ``facts``: details that are specific to the format, such as the number of messages.
    """

    path: str | None
    rows: int = 0
    bytes: int = 0
    damaged: list[Damage] = field(default_factory=list)
    unlisted: int = 0
    """Number of damaged ranges that are not in ``damaged``, which contains at most the first 100,000."""
    unlisted_reasons: dict[str, int] = field(default_factory=dict)
    """The same by reason."""
    skipped: list[Damage] = field(default_factory=list)
    skipped_bytes: int = 0
    tail: str = "unread"
    tail_offset: int = 0
    tail_size: int | None = None
    tail_zeros: bool = False
    error: str | None = None
    unsupported: str | None = None
    foreign: bool = False
    """Whether the input has another format: none of it is a valid record, and something in it cannot be part of one."""
    evidence: str | None = None
    """What shows that it has another format, if that is known."""
    options: dict[str, str] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        """Return whether all bytes were read and belong to valid rows, or to a row that is still being written."""
        return not self.damaged and self.tail in ("clean", "growing") and self.error is None

    @property
    def failed(self) -> bool:
        """Return whether the codec or the storage failed. ``error`` alone does not show that: it also describes a
        record over the limit or a damaged message."""
        if self.error is None or self.tail in LOST_TAILS:
            return False
        return not self.damaged or (self.damaged[-1].length == 0 and self.damaged[-1].reason in SOURCE_FAILURES)

    @property
    def lost_end(self) -> str | None:
        """Return the reason why the bytes from ``tail_offset`` on have no rows; ``None`` if there are no such bytes, if
        they were not read, or if a damaged range begins there."""
        reason = REASON_OF_TAIL.get(self.tail)
        return None if any(each.offset == self.tail_offset for each in self.damaged) else reason

    def to_dict(self) -> dict[str, Any]:
        """Return the report as values for JSON: ``damaged`` is a list of ``[offset, length, reason]``."""
        result: dict[str, Any] = {
            "path": None if self.path is None else path_text(self.path),
            "rows": self.rows,
            "bytes": self.bytes,
            "damaged": [[each.offset, each.length, each.reason] for each in self.damaged],
            "tail": self.tail,
            "tail_offset": self.tail_offset,
            "tail_size": self.tail_size,
        }
        if self.unlisted:
            result["unlisted"] = self.unlisted
            result["unlisted_reasons"] = dict(sorted(self.unlisted_reasons.items()))
        if self.skipped_bytes:
            result["skipped"] = [[each.offset, each.length, each.reason] for each in self.skipped]
            result["skipped_bytes"] = self.skipped_bytes
        if self.tail_zeros:
            result["tail_zeros"] = True
        if self.error is not None:
            result["error"] = self.error
        if self.unsupported is not None:
            result["unsupported"] = self.unsupported
        if self.foreign:
            result["foreign"] = True
        result.update(self.options)
        result.update(self.facts)
        return result

    def __repr__(self) -> str:
        # All damaged ranges would be too long.
        sizes = f"{counted(self.rows, 'row')}, {counted(self.bytes, 'byte')}"
        return f"<FileReport of {self.path}: {sizes}, {ReadReport('', [self]).state}>"

    def _repr_html_(self) -> str:
        """Return the HTML representation for notebooks."""
        return _html_of_file(self)


@dataclass
class ReadReport:
    """The report of all inputs of one read."""

    format: str
    files: list[FileReport] = field(default_factory=list)
    engine: str = "columns"
    """``columns`` if the C engine was used, ``objects`` if the object parser was."""

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return sum(each.rows for each in self.files)

    @property
    def bytes(self) -> int:
        """Return the number of decompressed bytes that were read."""
        return sum(each.bytes for each in self.files)

    @property
    def damaged(self) -> int:
        """Return the number of damaged ranges."""
        return sum(len(each.damaged) + each.unlisted for each in self.files)

    @property
    def clean(self) -> bool:
        """Return whether all inputs are clean."""
        return all(each.clean for each in self.files)

    def __repr__(self) -> str:
        sizes = f"{counted(self.rows, 'row')}, {counted(self.bytes, 'byte')}, {self.state}"
        return f"<ReadReport of {self.format}: {counted(len(self.files), 'input')}, {sizes}>"

    @property
    def state(self) -> str:
        """Return in words whether all inputs are clean: ``clean``, or what is damaged or not read.

        >>> ReadReport("pcap", [FileReport("a", tail="truncated"), FileReport("b")]).state
        '0 damaged ranges, 1 input truncated, 1 input unread'
        """
        if not self.files:
            return "nothing read yet"
        if self.clean:
            return "clean"
        tails = Counter(each.tail for each in self.files if each.tail not in ("clean", "growing"))
        failed = sum(each.failed for each in self.files)
        parts = [f"{counted(count, 'input')} {tail.replace('_', ' ')}" for tail, count in sorted(tails.items())]
        parts += [f"{counted(failed, 'input')} failed"] if failed else []
        return ", ".join([counted(self.damaged, "damaged range"), *parts])

    def damage_table(self) -> pa.Table:
        """Return the damaged ranges as a table of ``path``, ``offset``, ``length`` and ``reason``, in the order of the
        inputs. Ranges that a report does not list (``unlisted``) are not in it."""
        import pyarrow as pa

        found = [(file.path, each.offset, each.length, each.reason) for file in self.files for each in file.damaged]
        columns = [("path", pa.string()), ("offset", pa.uint64()), ("length", pa.uint64()), ("reason", pa.string())]
        return pa.table([[each[at] for each in found] for at in range(len(columns))], schema=pa.schema(columns))

    def to_dict(self) -> Mapping[str, Any]:
        """Return the report as values for JSON."""
        return {
            "format": self.format,
            "files": [each.to_dict() for each in self.files],
            "rows": self.rows,
            "bytes": self.bytes,
            "damaged": self.damaged,
            "clean": self.clean,
            "engine": self.engine,
        }

    def _repr_html_(self) -> str:
        """Return the HTML representation for notebooks."""
        return _html_of_report(self)


# For notebooks --------------------------------------------------------------------------------------------------------


def _html_of_file(file: FileReport) -> str:
    """Return the HTML of one input: its numbers and its damaged ranges."""
    head = grid(FILE_HEAD, [_file_row(file)])
    if not file.damaged:
        return head
    ranges = [(f"{each.offset:,}", f"{each.length:,}", shortened(each.reason)) for each in file.damaged[:SHOWN_ITEMS]]
    left = len(file.damaged) + file.unlisted - len(ranges)
    return head + grid(("damaged at byte", "bytes", "reason"), ranges) + more(left, "damaged ranges")


FILE_HEAD = ("input", "rows", "bytes", "damaged", "tail", "")


def _file_row(file: FileReport) -> tuple[str, ...]:
    said = [f"{name}={value}" for name, value in file.options.items()]
    said += [f"{name}={_fact(value)}" for name, value in file.facts.items()]
    notes = "; ".join(filter(None, (file.error, file.unsupported, *said)))
    tail = file.tail if file.tail == "clean" else f"{file.tail} at byte {file.tail_offset:,}"
    damaged = len(file.damaged) + file.unlisted
    name = file.path if file.path is not None else "(bytes)"
    # The end of a long path is shown, since it is more informative than the beginning.
    name = name if len(name) <= LONGEST_TEXT else f"…{name[-LONGEST_TEXT + 1 :]}"
    return (shortened(name), f"{file.rows:,}", f"{file.bytes:,}", f"{damaged:,}", shortened(tail), shortened(notes))


def _fact(value: object) -> str:
    """Return a fact as text; a list is shown by its length."""
    return f"{len(value):,} of them" if isinstance(value, list) else str(value)


def _html_of_report(report: ReadReport) -> str:
    """Return the HTML of the whole read, file by file; files that are not clean come first."""
    said = f"{counted(report.rows, 'row')}, {counted(report.bytes, 'byte')}, {report.state}; read by {report.engine}"
    # Not sorted, since a report may have very many files.
    bad = list(islice((each for each in report.files if not each.clean), SHOWN_ITEMS))
    good = islice((each for each in report.files if each.clean), SHOWN_ITEMS - len(bad))
    files = [*bad, *good]
    if len(report.files) == 1:
        shown = _html_of_file(files[0])
    else:
        shown = grid(FILE_HEAD, [_file_row(each) for each in files]) + more(len(report.files) - len(files), "inputs")
    return f"<div><b>{shortened(report.format)}</b>: {markup(said)}</div>{shown}"
