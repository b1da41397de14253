"""``wireloom decode``: rows out of binary files."""

from __future__ import annotations

import sys
from pathlib import PurePath
from typing import Any

import click

from . import completing
from .parameters import (
    bytes_option,
    format_argument,
    inputs_argument,
    limit_option,
    location_of,
    reader_options,
    report_option,
)
from .standard import standard_output, write_json

BINARY = ("parquet", "arrow")


@click.command("decode", short_help="Convert binary files to rows: NDJSON, Parquet, Arrow, CSV, a table.")
@format_argument
@inputs_argument
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    default="-",
    shell_complete=completing.files,
    help="File to write; by default standard output.",
)
@click.option(
    "--to",
    "kind",
    type=click.Choice(("ndjson", "parquet", "arrow", "csv", "table")),
    help="Output format; by default that of OUT's suffix, and ndjson on standard output.",
)
@reader_options("columns", "mode", "recover", "tail", "verify")
@limit_option
@bytes_option
@click.option(
    "--escape-formulas",
    is_flag=True,
    help="CSV: put an apostrophe before text that a spreadsheet evaluates (beginning with =, +, -, @, tab, return).",
)
@report_option("the read report as JSON; - is standard output, where OUT is a file")
def command(
    format_name: str,
    inputs: tuple[str, ...],
    output: str,
    kind: str | None,
    limit: int | None,
    as_bytes: str,
    escape_formulas: bool,
    report_path: str | None,
    options: dict[str, Any],
) -> None:
    """Write the rows of INPUT as text or as a columnar file.

    INPUT is a path, a glob in quotes, a folder, an s3:// address, or - for standard input. A file gets its name
    only when it is complete. Damaged rows are left out and reported, unless --mode says otherwise; select the
    columns _error and _corrupt_record to return them as rows.

    \b
      wireloom decode edgemq_segment segments/ -o events.parquet --report report.json
      wireloom decode word_stuffed_log - --bytes utf8 < journal.log
    """
    from ..writing import opened
    from .overwriting import refuse_overwrite
    from .reading import chosen, limited, refuse_foreign, scanning, warn
    from .sinks import kind_of, sink

    format, options = chosen(format_name, options)
    if kind is None:
        kind = "ndjson" if output == "-" else kind_of(output)
        if kind == "ndjson" and ".json" in PurePath(output).suffixes:
            click.echo(f"wireloom: note: {output} gets JSON lines, one object per line (NDJSON)", err=True)
    if escape_formulas and kind != "csv":
        raise click.UsageError(f"--escape-formulas is for CSV, not for {kind}", click.get_current_context())
    if output == "-" and kind in BINARY and sys.stdout.isatty():
        raise click.UsageError(f"{kind} is not for a terminal: add -o FILE", click.get_current_context())
    if output == "-" and report_path == "-":
        raise click.UsageError("rows and report would be mixed: add -o FILE", click.get_current_context())
    refuse_overwrite((output, report_path), inputs, format_name)
    quiet = output == "-" and sys.stdout.isatty()
    with scanning(format, inputs, options, f"decode {format.name}", quiet=quiet) as (scanner, batches):
        with (
            opened(standard_output() if output == "-" else output, location_of(options)) as file,
            sink(file, output, kind, scanner.schema, as_bytes, limit, escape_formulas=escape_formulas) as rows,
        ):
            for batch in limited(batches, limit):
                rows.write(batch)
                if rows.enough:
                    break
            if not scanner.report.rows and output != "-":
                # No empty file is left.
                refuse_foreign(scanner)
        report = scanner.report
    if report_path is not None:
        write_json(report_path, report.to_dict())
    warn(scanner)
    refuse_foreign(scanner)
