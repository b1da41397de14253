"""``wireloom inspect``: the bytes of records and what they mean."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .parameters import format_argument, format_options, region_option
from .standard import wants_colours

if TYPE_CHECKING:
    from ..format import Format
    from ..inspecting import RecordScan, Wanted
    from ..storage import Input

COUNT, PAGE_COUNT = 3, 100
BYTES, PAGE_BYTES = 512, 4096
PIPED_WIDTH = 160


@click.command("inspect", short_help="Shows the bytes of records beside their fields, as text or as a page.")
@format_argument
@click.argument("source", metavar="FILE")
@click.option(
    "--at",
    "offset",
    metavar="OFFSET",
    type=click.IntRange(min=0),
    help="Begin with the record that holds this byte of the decompressed file, or the next one.",
)
@click.option("--record", metavar="N", type=click.IntRange(min=1), help="Begin with the N-th record, from 1.")
@click.option("-n", "--count", type=click.IntRange(min=1), help="How many records; by default 3, and 100 on a page.")
@click.option(
    "--bytes",
    "limit",
    metavar="N",
    type=click.IntRange(min=0),
    help="Show so many bytes of a record, 0: all; by default 512, and 4096 on a page.",
)
@click.option("--recover", is_flag=True, help="After a damaged length, look for the next good row and go on.")
@click.option("--html", metavar="OUT", help="Write a page for the browser, with a map of the whole file.")
@region_option
@format_options
def command(
    format_name: str,
    source: str,
    offset: int | None,
    record: int | None,
    count: int | None,
    limit: int | None,
    recover: bool,
    html: str | None,
    region: str | None,
    options: dict[str, Any],
) -> None:
    """Shows records of FILE: hex beside the tree of fields, values, sizes, checksums, and damage in its place.

    FILE is a path, an s3:// address, or - for standard input. Only what leads to the wanted records is read: where
    records stand between delimiters, --at goes to the place at once; all else is streamed. With --html all of FILE is
    read once, and the page holds the first damaged ranges too.

    \b
      wireloom inspect edgemq_segment seg.wal.zst --record 1000
      wireloom inspect word_stuffed_log journal.log --at 123456789 -n 1
      wireloom inspect edgemq_segment seg.wal.zst --html seg.html
    """
    from ..inspecting import Wanted, record_scan
    from ..registry import get
    from ..storage import expand
    from .sparing import spare

    if offset is not None and record is not None:
        raise click.UsageError("--at and --record exclude each other", click.get_current_context())
    format = get(format_name)
    spare((html,), (source,), format_name)
    inputs = expand(source, region=region)
    if len(inputs) != 1:
        raise click.UsageError(f"one file is inspected at a time, and {source} is {len(inputs)}")
    wanted = Wanted(offset or 0, record or 1, count or (COUNT if html is None else PAGE_COUNT), html is not None)
    scan = record_scan(format, inputs[0], wanted, recover=recover, options=options)
    if html is not None:
        _page(format, inputs[0], scan, wanted, PAGE_BYTES if limit is None else limit, html)
    else:
        _text(format, inputs[0], scan, wanted, BYTES if limit is None else limit)


def _text(format: Format, source: Input, scan: RecordScan, wanted: Wanted, limit: int) -> None:
    from rich.console import Console

    from ..inspecting import Painter, records

    terminal = sys.stdout.isatty()
    console = Console(
        file=sys.stdout,
        highlight=False,
        markup=False,
        emoji=False,
        width=None if terminal else PIPED_WIDTH,
        no_color=not wants_colours(sys.stdout),
        force_terminal=terminal,
    )
    painter, any_shown = Painter(format, console, limit), False
    for each in records(scan, format, wanted):
        with console.capture() as printed:
            painter.print(each)
        # Cells are filled up with blanks, which nobody needs at the end of a line.
        lines = printed.get().split("\n")
        click.echo("\n".join(line.rstrip() for line in lines), nl=False)
        any_shown = True
    if scan.report.error is not None:
        click.echo(f"wireloom: warning: {source.path or 'standard input'}: {scan.report.error}", err=True)
    if not any_shown:
        what = f"at or behind byte {wanted.offset:,}" if wanted.offset else f"with number {wanted.number:,}"
        click.echo(f"wireloom: warning: there is no record {what}", err=True)


def _page(format: Format, source: Input, scan: RecordScan, wanted: Wanted, limit: int, out: str) -> None:
    from ..inspecting import page, page_record, records
    from ..writing import opened
    from .progress import bar

    with bar(f"inspect {format.name}") as progress:

        def notify() -> None:
            progress.rows, progress.damaged = scan.report.rows, len(scan.report.damaged)
            progress.notify(scan.stored_bytes, source.size)

        scan.notify = notify
        shown = [page_record(format, each, limit) for each in records(scan, format, wanted)]
    with opened(Path(out)) as file:
        file.write(page(format, source.path or "standard input", scan.report, shown))
