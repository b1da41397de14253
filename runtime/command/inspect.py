"""``wireloom inspect``: shows the bytes of records and their meaning."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..base.errors import WireloomError
from ..base.report import EMPTY
from ..base.text import printable
from .parameters import Command, Count, InputOffset, location_of, reader_options
from .sources import source_arguments
from .standard import wants_colours, write_json

DAMAGED = 1
LAST_OFFSET = 2**63 - 1

if TYPE_CHECKING:
    from ..format.description import Format
    from ..input.inputs import Input
    from ..inspecting import MessageScan, Record, RecordScan, Wanted

COUNT, PAGE_COUNT = 3, 100
BYTES, PAGE_BYTES = 512, 4096
PIPED_WIDTH = 160


@click.command(
    "inspect", cls=Command, short_help="Show the bytes of records next to their fields, as text or as a page."
)
@source_arguments(several=False)
@click.option(
    "--at",
    "offset",
    metavar="OFFSET",
    type=InputOffset(0, LAST_OFFSET),
    help="Begin with the record that contains this byte of the decompressed file, or the next one; also as 0x….",
)
@click.option("--record", metavar="N", type=Count(min=1), help="Begin with the N-th record, from 1.")
@click.option(
    "-n", "--count", metavar="N", type=Count(min=1), help="Number of records; by default 3, and 100 on a page."
)
@click.option(
    "--bytes",
    "limit",
    metavar="N",
    type=Count(min=0),
    help="Maximum number of bytes per record, 0: all; by default 512, and 4096 on a page.",
)
@reader_options("recover")
@click.option("--json", "as_json", is_flag=True, help="Print the records as one JSON array.")
@click.option("--html", metavar="OUT", help="Write a page for the browser, with a map of the whole file.")
def command(
    format_name: str,
    inputs: tuple[str, ...],
    offset: int | None,
    record: int | None,
    count: int | None,
    limit: int | None,
    as_json: bool,
    html: str | None,
    options: dict[str, Any],
) -> None:
    """Show records of FILE: bytes in hex next to the tree of fields with values, sizes and checksums, and damage
    in its place.

    FORMAT may be a spec without rows, like those of Kaitai. Then the whole of FILE is shown as one record, with --at
    from that byte on, and FILE is read without decompression (--option codec=auto decompresses it).

    FILE is a path, an s3:// address, or - for standard input. FORMAT may be left out if the first bytes of FILE and
    its suffix show it. Only what is needed to find the wanted records is
    read: if records are delimited, --at seeks to the place directly; otherwise the file is streamed up to it. With
    --html all of FILE is read once, and the page contains the first damaged ranges too. The exit code is 2 if --at
    or --record is beyond the end, and 1 if an empty FILE lacks a header.

    \b
      wireloom inspect edgemq_segment seg.wal.zst --record 1000
      wireloom inspect word_stuffed_log journal.log --at 123456789 -n 1
      wireloom inspect edgemq_segment seg.wal.zst --html seg.html
    """
    from ..format.routines import naming
    from ..input.expansion import expand
    from ..inspecting import Wanted, shown_records
    from ..reading.request import scan_request
    from .overwriting import refuse_overwrite
    from .reading import chosen

    if offset is not None and record is not None:
        raise click.UsageError("--at and --record exclude each other", click.get_current_context())
    if as_json and html is not None:
        raise click.UsageError("--json and --html exclude each other", click.get_current_context())
    format, options = chosen(format_name, options, needs_rows=False)
    # Options are checked before anything is opened.
    scan_request(format, columns=["_offset"], **options)
    refuse_overwrite(("-" if html is None else html,), inputs, format_name)
    sources = expand(list(inputs), location_of(options))
    if len(sources) != 1:
        raise click.UsageError(f"only one file can be inspected at a time, and {inputs[0]} is {len(sources)}")
    wanted = Wanted(offset or 0, record or 1, count or (COUNT if html is None else PAGE_COUNT), html is not None)
    format, scan, found = shown_records(format, sources[0], wanted, options)
    with naming(sources[0].path):
        if html is not None:
            _page(format, sources[0], scan, found, wanted, PAGE_BYTES if limit is None else limit, html)
        elif as_json:
            _json(format, sources[0], scan, found, wanted, BYTES if limit is None else limit)
        else:
            _text(format, sources[0], scan, found, wanted, BYTES if limit is None else limit)


def _text(
    format: Format, source: Input, scan: RecordScan | MessageScan, found: Iterator[Record], wanted: Wanted, limit: int
) -> None:
    from rich.console import Console

    from ..inspecting import Painter

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
    for each in found:
        with console.capture() as printed:
            painter.print(each)
        # Cells are padded with blanks, which are removed at the end of a line.
        lines = printed.get().split("\n")
        click.echo("\n".join(line.rstrip() for line in lines), nl=False)
        any_shown = True
    if scan.report.error is not None:
        click.echo(printable(f"wireloom: warning: {_name(source)}: {scan.report.error}"), err=True)
    if not any_shown:
        _refuse_what_is_beyond(scan, source, wanted)
        _tell_nothing(scan, source)


def _json(
    format: Format, source: Input, scan: RecordScan | MessageScan, found: Iterator[Record], wanted: Wanted, limit: int
) -> None:
    from ..inspecting import record_data

    described = [record_data(format, each, limit) for each in found]
    if scan.report.error is not None:
        click.echo(printable(f"wireloom: warning: {_name(source)}: {scan.report.error}"), err=True)
    if not described:
        _refuse_what_is_beyond(scan, source, wanted)
    write_json("-", described)
    if not described:
        _tell_nothing(scan, source)


def _name(source: Input) -> str:
    return source.path if source.path not in (None, "-") else "standard input"


def _tell_nothing(scan: RecordScan | MessageScan, source: Input) -> None:
    """Warn about an input without records; that is damage if there had to be a header, as for ``verify``."""
    problem = "" if scan.report.clean or scan.report.error else f": {EMPTY}"
    click.echo(printable(f"wireloom: warning: {_name(source)}: there are no records{problem}"), err=True)
    if not scan.report.clean:
        click.get_current_context().exit(DAMAGED)


def _refuse_what_is_beyond(scan: RecordScan | MessageScan, source: Input, wanted: Wanted) -> None:
    """Raise ``WireloomError`` if the requested position is beyond the end."""
    from ..inspecting import RecordScan

    length, seen = (scan.length, scan.seen) if isinstance(scan, RecordScan) else (None, None)
    if wanted.offset:
        end = f": the decompressed content has {length:,} bytes" if length is not None else ""
        raise WireloomError(f"there is no record at byte {wanted.offset:,} or after it{end}", path=_name(source))
    if wanted.number > 1:
        text = f"there is no record {wanted.number:,}"
        if seen is not None:
            text += f": there {f'are {seen:,}' if seen != 1 else 'is one'}, damaged ones counted"
        raise WireloomError(text, path=_name(source))


def _page(
    format: Format,
    source: Input,
    scan: RecordScan | MessageScan,
    found: Iterator[Record],
    wanted: Wanted,
    limit: int,
    out: str,
) -> None:
    from ..inspecting import page, page_record
    from ..writing import opened
    from .progress import bar

    with bar(f"inspect {format.name}") as progress:

        def notify() -> None:
            progress.rows, progress.damaged = scan.report.rows, len(scan.report.damaged)
            progress.notify(scan.stored_bytes, source.size)

        scan.notify = notify
        shown = [page_record(format, each, limit) for each in found]
    if not shown:
        _refuse_what_is_beyond(scan, source, wanted)
    with opened(Path(out)) as file:
        file.write(page(format, _name(source), scan.report, shown))
