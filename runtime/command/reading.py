"""What ``decode``, ``extract`` and ``verify`` have in common: a scan with a bar, and what is said about damage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from .progress import bar

if TYPE_CHECKING:
    from ..format import Format
    from ..report import FileReport, ReadReport
    from ..scanning import Scanner
    from ..storage import Input

NAMED_FILES = 10
"""Damaged files that are named before they are only counted."""


@contextmanager
def scanning(
    format: Format, inputs: Sequence[str | Input], how: dict[str, Any], label: str, *, quiet: bool = False
) -> Iterator[Any]:
    """A scanner of the inputs, and an iterator over its batches that keeps the bar up to date.

    Yields ``(scanner, batches)``. ``how`` goes to ``wireloom.scan``.
    """
    from ..scanning import scan

    with (
        bar(label, quiet=quiet) as shown,
        scan(format, list(inputs), progress=shown.notify, **how) as scanner,
    ):

        def poll() -> None:
            shown.damaged = scanner.report.damaged
            shown.notify(*scanner.progress)

        shown.poll = poll
        yield scanner, _followed(scanner, shown)


def _followed(scanner: Scanner, shown: Any) -> Iterator[Any]:
    for batch in scanner:
        shown.rows += batch.num_rows
        shown.damaged = scanner.report.damaged
        yield batch


def warn(report: ReadReport) -> None:
    """Says on standard error which inputs were damaged."""
    damaged = [each for each in report.files if not each.clean and each.tail != "unread"]
    for each in damaged[:NAMED_FILES]:
        click.echo(f"wireloom: warning: {place(each)}: {verdict(each)}", err=True)
    if len(damaged) > NAMED_FILES:
        click.echo(f"wireloom: warning: {len(damaged) - NAMED_FILES} more damaged inputs", err=True)


def place(file: FileReport) -> str:
    """The name of an input."""
    return file.path if file.path not in (None, "-") else "standard input"


def verdict(file: FileReport) -> str:
    """One line about how an input was: clean, or what was wrong where."""
    parts = []
    if file.damaged:
        first = file.damaged[0]
        count = f"{len(file.damaged):,} damaged ranges" if len(file.damaged) > 1 else "1 damaged range"
        parts.append(f"{count} (the first at byte {first.offset}, {first.length} bytes, {first.reason})")
    if file.tail not in ("clean", "unread"):
        what = dict.fromkeys(("invalid_length", "invalid_value", "limit"), "not readable") | {
            "truncated": "ends inside a row"
        }
        parts.append(f"{what.get(file.tail, file.tail)} from byte {file.tail_offset} on ({file.tail})")
    if file.error is not None:
        parts.append(file.error)
    return "; ".join(parts) if parts else "clean"
