"""``wireloom count``: the number of rows."""

from __future__ import annotations

from typing import Any

import click

from .parameters import Command, reader_options
from .sources import source_arguments


@click.command("count", cls=Command, short_help="Print the number of rows.")
@source_arguments()
@reader_options("recover", "tail", "verify", "keep_unverified", "threads")
def command(format_name: str, inputs: tuple[str, ...], options: dict[str, Any]) -> None:
    """Print the number of rows of INPUT; of several inputs that of each, and their sum. Damaged rows do not count, and
    are reported on standard error; rows count as for "wireloom decode" without --columns.

    INPUT is a path, a glob in quotes, a folder, an s3:// address, or - for standard input. FORMAT may be left out if
    the first bytes of INPUT and its suffix show it.

    \b
      wireloom count segments/
    """
    from ..rows.selected_columns import deciding_columns
    from .reading import chosen, place, refuse_foreign, scanning, warn

    format, options = chosen(format_name, options)
    # The offset costs less than any column, and no read is without columns. A computed one may damage its row.
    columns = ["_offset", *deciding_columns(format)]
    with scanning(format, inputs, options | {"columns": columns}, f"count {format.name}") as (scanner, batches):
        for _ in batches:
            pass
    report = scanner.report
    if not report.rows:
        refuse_foreign(scanner)
    if len(report.files) == 1:
        click.echo(report.rows)
    else:
        width = len(str(report.rows))
        for each in report.files:
            click.echo(f"{each.rows:>{width}} {place(each)}")
        click.echo(f"{report.rows:>{width}} total")
    warn(scanner)
    refuse_foreign(scanner)
