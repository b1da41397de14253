"""The common part of ``decode``, ``extract`` and ``verify``: a scan with a progress bar, and warnings about damage."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from ..base.text import counted, printable
from .progress import bar

if TYPE_CHECKING:
    from ..base.report import FileReport
    from ..format.description import Format
    from ..input.inputs import Input
    from ..reading.scanning import Scanner

NAMED_FILES = 10
"""Maximum number of damaged files that are named; further ones are counted."""
LONG_FIRST_ROW = 4096
"""Number of bytes from which on a first row without an end is more likely a wrong length."""


@contextmanager
def scanning(
    format: Format,
    inputs: Sequence[str | Input],
    how: dict[str, Any],
    label: str,
    *,
    quiet: bool = False,
    limit: int | None = None,
) -> Iterator[Any]:
    """Yield a scanner of the inputs and an iterator over its batches that updates the bar, as ``(scanner, batches)``.

    ``how`` is passed to ``wireloom.scan``. The batches end after ``limit`` rows.
    """
    from ..reading.scanning import scan

    if limit is not None:
        # Threads would read what is not wanted.
        how = how | {"threads": 1}
    with (
        bar(label, quiet=quiet) as shown,
        # Inputs of other formats are refused when everything else has been written.
        scan(format, list(inputs), progress=shown.notify, check_format=False, **how) as scanner,
    ):

        def poll() -> None:
            shown.damaged = scanner.report.damaged
            shown.notify(*scanner.progress)

        shown.poll = poll
        yield scanner, limited(_followed(scanner, shown), limit)


def chosen(format_name: str, options: dict[str, Any], *, needs_rows: bool = True) -> tuple[Format, dict[str, Any]]:
    """Return the format, or its table for the kind of message that an option names, and the other options. Without
    ``needs_rows`` the format may be a spec file without rows, whose inputs are then read without decompression."""
    from ..format.registry import get
    from ..reading.request import of_table

    modules, paths = options.pop("allow_modules", ()), options.pop("import_paths", ())
    format = get(format_name, modules, needs_rows=needs_rows, import_paths=paths)
    return of_table(format, {"codec": "none"} | options if format.is_plain else options)


def _followed(scanner: Scanner, shown: Any) -> Generator[Any]:
    for batch in scanner:
        shown.rows += batch.num_rows
        shown.damaged = scanner.report.damaged
        yield batch


def limited(batches: Generator[Any], limit: int | None) -> Generator[Any]:
    """Yield the batches up to ``limit`` rows, the last one truncated; all of them if it is ``None``.

    No batch is requested after the one with the last wanted row.
    """
    from ..reading import row_filter

    return batches if limit is None else row_filter.limited(batches, limit)


def warn(scanner: Scanner) -> None:
    """Print on standard error which inputs were damaged, except for those that ``refuse_foreign`` reports."""
    foreign = scanner.foreign
    damaged = [
        each for each in scanner.report.files if not each.clean and each.tail != "unread" and each not in foreign
    ]
    for each in damaged[:NAMED_FILES]:
        advice = search_advice(scanner.format, each, recover=scanner.recovers)
        said = f"{verdict(each)}; {advice}" if advice else verdict(each)
        click.echo(f"wireloom: warning: {place(each)}: {printable(said)}", err=True)
    if len(damaged) > NAMED_FILES:
        click.echo(f"wireloom: warning: {len(damaged) - NAMED_FILES} more damaged inputs", err=True)


def search_advice(format: Format, file: FileReport, *, recover: bool) -> str:
    """Return how many bytes at the end of an input are not read if ``recover`` may find records in them: at least as
    many as in two average rows, or so many that a first row is unlikely. Otherwise the text is empty."""
    from ..reading.request import searches_rows

    size = file.tail_size or 0
    is_searchable = not recover and (searches_rows(format) or format.input_format.message is not None)
    has_rest = file.tail not in ("clean", "unread", "growing", "limit") and not file.tail_zeros and not file.foreign
    is_long = size * file.rows >= 2 * file.tail_offset if file.rows else size >= LONG_FIRST_ROW
    if not (is_searchable and has_rest and is_long):
        return ""
    return f"{counted(size, 'byte')} are not read: --recover searches them for records"


def refuse_foreign(scanner: Scanner) -> None:
    """Raise ``WrongFormatError`` for inputs that are not of the format, and ``DamagedInputError`` for those that are
    too large to be read as a whole, or of which the codec or the storage failed before any row."""
    from ..base.errors import DamagedInputError

    error = scanner.wrong_format()
    if error is not None:
        raise error
    failed = [each for each in scanner.report.files if each.failed and not each.rows]
    if failed:
        more = f"; nor can {counted(len(failed) - 1, 'other input')}" if len(failed) > 1 else ""
        reason = failed[0].damaged[-1].reason if failed[0].damaged else "missing"
        raise DamagedInputError(f"cannot be read: {failed[0].error}{more}", path=failed[0].path, reason=reason)


def place(file: FileReport) -> str:
    """Return the name of an input."""
    return printable(file.path) if file.path not in (None, "-") else "standard input"


def verdict(file: FileReport) -> str:
    """Return one line about an input: ``clean``, or its problems with their positions; zeros at its end."""
    from ..base.report import EMPTY

    parts = ["no record is valid: is this a file of this format?"] if file.foreign and file.tail != "limit" else []
    # A wrong digest of an object is the error.
    damaged = [each for each in file.damaged if each.reason != "digest" or each.length]
    if damaged:
        first = damaged[0]
        count, length = counted(len(damaged), "damaged range"), counted(first.length, "byte")
        parts.append(f"{count} (the first at byte {first.offset}, {length}, {first.reason})")
    if file.tail == "growing" and not parts and file.error is None:
        return f"clean up to byte {file.tail_offset}, where a row begins that is not complete yet"
    if file.tail not in ("clean", "unread", "growing"):
        where = f"from byte {file.tail_offset} on"
        where = f"ends inside a row {where}" if file.tail == "truncated" else f"not read further {where}"
        if file.tail == "truncated" and file.error is not None and file.tail_offset == file.bytes:
            # The last row is complete, but the codec or the storage failed after it.
            where = f"ends early, at byte {file.tail_offset}"
        why = f"{file.tail}: zeros to the end" if file.tail_zeros else file.tail
        is_empty = file.tail == "truncated" and file.bytes == file.tail_size == 0 and file.error is None
        parts.append(f"{EMPTY} ({why})" if is_empty else f"{where} ({why})")
    parts += filter(None, (file.error, file.unsupported))
    zeros = file.tail == "clean" and file.tail_zeros
    size = "zeros" if file.tail_size is None else counted(file.tail_size, "zero byte")
    return ("; ".join(parts) or "clean") + (f", and {size} at the end, as preallocated files have" if zeros else "")
