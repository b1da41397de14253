"""``wireloom head``: the first rows as a table."""

from __future__ import annotations

from typing import Any

import click

from .parameters import Command, Count, bytes_option, reader_options
from .sources import source_arguments
from .standard import standard_output

ROWS = 10


@click.command("head", cls=Command, short_help="Show the first rows as a table.")
@source_arguments()
@click.option("-n", "--limit", metavar="N", type=Count(min=0), default=ROWS, show_default=True, help="Number of rows.")
@reader_options("columns", "mode", "recover", "tail", "verify", "keep_unverified")
@bytes_option
def command(
    format_name: str, inputs: tuple[str, ...], limit: int, as_bytes: str | None, options: dict[str, Any]
) -> None:
    """Show the first rows of INPUT, as "decode --to table" does. Reading stops after them.

    INPUT is a path, a glob in quotes, a folder, an s3:// address, or - for standard input. FORMAT may be left out if
    the first bytes of INPUT and its suffix show it.

    \b
      wireloom head capture.pcap -n 3
    """
    from .reading import chosen, refuse_foreign, scanning, warn
    from .sinks import sink

    format, options = chosen(format_name, options)
    with (
        scanning(format, inputs, options, f"head {format.name}", quiet=True, limit=limit) as (scanner, batches),
        sink(standard_output(), "-", "table", scanner.schema, as_bytes, limit) as rows,
    ):
        for batch in batches:
            rows.write(batch)
            if rows.enough:
                break
    warn(scanner)
    refuse_foreign(scanner)
