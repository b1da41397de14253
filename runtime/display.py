"""HTML for notebooks: small tables of escaped, shortened text. What is shown is bounded, whatever is behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import islice
from typing import TYPE_CHECKING, Any

from .plurals import counted
from .printable import markup

if TYPE_CHECKING:
    from .format import Format
    from .parsing.structs import Struct
    from .report import FileReport, ReadReport
    from .scanning import Scanner

LONGEST_TEXT = 120
"""Characters of one value."""
SHOWN_BYTES = 24
SHOWN_ITEMS = 20
"""Items of a list, files of a report, ranges of a file."""
DEEPEST = 4
"""Objects inside each other."""
MOST_VALUES = 300
"""Values of an object with everything inside it."""

LEFT = "text-align:left"


def shortened(text: str) -> str:
    """At most ``LONGEST_TEXT`` characters of ``text``, escaped.

    >>> shortened("a < b")
    'a &lt; b'
    """
    return markup(text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…")


def grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the cells of ``rows`` are HTML already."""
    top = "".join(f'<th style="{LEFT}">{markup(each)}</th>' for each in head)
    body = "".join(
        "<tr>" + "".join(f'<td style="{LEFT};vertical-align:top">{cell}</td>' for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def more(count: int, what: str) -> str:
    """The line that says how many are not shown; nothing where all are."""
    return f"<div>and {count:,} more {markup(what)}</div>" if count > 0 else ""


# Objects -------------------------------------------------------------------------------------------------------------


def html_of_struct(struct: Struct) -> str:
    """An object as a table of its attributes; objects inside it fold out."""
    return f"<div><b>{markup(type(struct).__qualname__)}</b></div>{_Objects().fields(struct, 0)}"


class _Objects:
    """Counts the values down, so that a whole file's object is as quick to show as one row."""

    def __init__(self) -> None:
        self._left = MOST_VALUES

    def fields(self, struct: Struct, depth: int) -> str:
        return grid(("attribute", "value"), list(self._rows(struct, depth)))

    def _rows(self, struct: Struct, depth: int) -> Iterator[tuple[str, str]]:
        for name in struct._fields:
            if self._left <= 0:
                yield "…", ""
                return
            self._left -= 1
            value = self.value(getattr(struct, name), depth) if hasattr(struct, name) else "<i>not set</i>"
            yield f"<code>{markup(name)}</code>", value

    def value(self, value: object, depth: int) -> str:
        from .parsing.structs import Struct

        if isinstance(value, Struct):
            name = markup(type(value).__qualname__)
            if depth >= DEEPEST or self._left <= 0:
                return f"{name} …"
            return f"<details><summary>{name}</summary>{self.fields(value, depth + 1)}</details>"
        if isinstance(value, list):
            return self._items(value, depth)
        return plain(value)

    def _items(self, values: list[Any], depth: int) -> str:
        count = f"{len(values):,} item{'' if len(values) == 1 else 's'}"
        if depth >= DEEPEST or self._left <= 0 or not values:
            return count
        rows = []
        for index, value in enumerate(islice(values, SHOWN_ITEMS)):
            if self._left <= 0:
                break
            self._left -= 1
            rows.append((str(index), self.value(value, depth + 1)))
        shown = grid(("", ""), rows) + more(len(values) - len(rows), "items")
        return f"<details><summary>{count}</summary>{shown}</details>"


def plain(value: object) -> str:
    """A single value: bytes as hex with their number, an enum with its name.

    >>> plain(b"ab")
    '<code>61 62</code> (2 bytes)'
    """
    if isinstance(value, bytes | bytearray):
        dots = " …" if len(value) > SHOWN_BYTES else ""
        count = f"{len(value):,} byte{'' if len(value) == 1 else 's'}"
        return f"<code>{bytes(value[:SHOWN_BYTES]).hex(' ')}{dots}</code> ({count})"
    if isinstance(value, Enum):
        return shortened(f"{value.name} ({value.value!r})")
    if isinstance(value, str):
        return shortened(repr(value[: LONGEST_TEXT + 1]))
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 256:
        return f"an integer of {value.bit_length():,} bits"
    return shortened(repr(value))


# Reports -------------------------------------------------------------------------------------------------------------


def html_of_file(file: FileReport) -> str:
    """How one input was: its numbers, and its damaged ranges."""
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
    notes = "; ".join(filter(None, (file.error, *said)))
    tail = file.tail if file.tail == "clean" else f"{file.tail} at byte {file.tail_offset:,}"
    damaged = len(file.damaged) + file.unlisted
    name = file.path if file.path is not None else "(bytes)"
    # The end of a long path says more than its beginning.
    name = name if len(name) <= LONGEST_TEXT else f"…{name[-LONGEST_TEXT + 1 :]}"
    return (shortened(name), f"{file.rows:,}", f"{file.bytes:,}", f"{damaged:,}", shortened(tail), shortened(notes))


def _fact(value: object) -> str:
    """A fact in short: of a list only how long it is."""
    return f"{len(value):,} of them" if isinstance(value, list) else str(value)


def html_of_report(report: ReadReport) -> str:
    """What a read met, file by file; those that are not clean come first."""
    state = "clean" if report.clean else f"{report.damaged:,} damaged ranges"
    said = f"{counted(report.rows, 'row')}, {counted(report.bytes, 'byte')}, {state}; read by {report.engine}"
    # Not sorted: a report may have very many files.
    bad = list(islice((each for each in report.files if not each.clean), SHOWN_ITEMS))
    good = islice((each for each in report.files if each.clean), SHOWN_ITEMS - len(bad))
    files = [*bad, *good]
    if len(report.files) == 1:
        shown = html_of_file(files[0])
    else:
        shown = grid(FILE_HEAD, [_file_row(each) for each in files]) + more(len(report.files) - len(files), "inputs")
    return f"<div><b>{shortened(report.format)}</b>: {markup(said)}</div>{shown}"


def html_of_scanner(scanner: Scanner) -> str:
    """The columns, and what has been met so far. Reads nothing."""
    columns = [(f"<code>{shortened(each.name)}</code>", shortened(str(each.type))) for each in scanner.schema]
    return grid(("column", "type"), columns) + html_of_report(scanner.report)


# Formats -------------------------------------------------------------------------------------------------------------


def html_of_format(format: Format) -> str:
    """A format's columns and options."""
    columns = [
        (
            f"<code>{shortened(each.name)}</code>",
            shortened(each.type),
            "yes" if each.default else "where asked for",
            shortened(each.doc),
        )
        for each in format.columns
    ]
    columns += [(f"<code>{shortened(each)}</code>", "utf8", "where asked for", "") for each in format.path_columns]
    options = [
        (
            f"<code>{shortened(each.name)}</code>",
            shortened(", ".join(["auto", *dict(each.padding)])),
            shortened(each.doc.partition("\n")[0]),
        )
        for each in format.choices
    ]
    shown = f"<div><b>{shortened(format.name)}</b>: {shortened(format.title)}</div>"
    shown += grid(("column", "type", "by default", ""), columns)
    return shown + (grid(("option", "values", ""), options) if options else "")
