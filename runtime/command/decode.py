"""``wireloom decode``: writes the rows of binary files."""

from __future__ import annotations

import os
import sys
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

from ..base.text import counted, printable
from ..reading.options import NANOSECONDS
from . import shell_completion
from .parameters import (
    Command,
    bytes_option,
    limit_option,
    location_of,
    reader_options,
    report_option,
)
from .sources import source_arguments
from .standard import standard_output, write_json

if TYPE_CHECKING:
    import pyarrow as pa

BINARY = ("parquet", "arrow")


@click.command("decode", cls=Command, short_help="Convert binary files to rows: NDJSON, Parquet, Arrow, CSV, a table.")
@source_arguments()
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    default="-",
    shell_complete=shell_completion.files,
    help="File to write; by default standard output.",
)
@click.option(
    "--to",
    "kind",
    type=click.Choice(("ndjson", "parquet", "arrow", "csv", "table")),
    help="Output format; by default that of OUT's suffix, and ndjson on standard output.",
)
@reader_options("columns", "mode", "recover", "tail", "verify", "keep_unverified", "threads")
@limit_option
@bytes_option
@click.option(
    "--nanoseconds",
    type=click.Choice(tuple(NANOSECONDS)),
    help=f"Times in nanoseconds: {'. '.join(f'{name}: {meaning}' for name, meaning in NANOSECONDS.items())}. Default "
    "nanos, which Spark does not read from Parquet.",
)
@click.option(
    "--escape-formulas",
    is_flag=True,
    help="CSV: put an apostrophe before text that a spreadsheet evaluates (beginning with =, +, -, @, tab, return).",
)
@click.option(
    "--from",
    "begin",
    metavar="PLACE",
    help="Streams only: where to begin, as a sequence number, a time, tail, or tail-N; by default at the first record.",
)
@click.option("--before", metavar="PLACE", help="Streams only: end before this sequence number or time.")
@click.option("--follow", is_flag=True, help="Streams only: wait for more records at the end, until Ctrl-C.")
@report_option("the read report as JSON; - is standard output, if OUT is a file")
def command(
    format_name: str,
    inputs: tuple[str, ...],
    output: str,
    kind: str | None,
    limit: int | None,
    as_bytes: str | None,
    nanoseconds: str | None,
    escape_formulas: bool,
    begin: str | None,
    before: str | None,
    follow: bool,
    report_path: str | None,
    options: dict[str, Any],
) -> None:
    """Write the rows of INPUT as text or as a columnar file.

    INPUT is a path, a glob in quotes, a folder, an s3:// address, or - for standard input. FORMAT may be left out if
    the first bytes of INPUT and its suffix show it. A file gets its name only when it is complete. Damaged rows are
    left out and reported, unless --mode says otherwise; select the columns _error and _corrupt_record to return them
    as rows.

    Instead of FORMAT and INPUT, the address of a stream may be given, s2://BASIN/STREAM: its records up to its
    current end are written. The token is read from S2_ACCESS_TOKEN, the endpoint from --endpoint or
    S2_BASIN_ENDPOINT. Missing records are reported as warnings, and as an error with --mode failfast.

    \b
      wireloom decode edgemq_segment segments/ -o events.parquet --report report.json
      wireloom decode word_stuffed_log - --bytes utf8 < journal.log
      wireloom decode s2://my-basin/orders --from tail-100 --follow --bytes utf8
    """
    from ..rows.nanoseconds import Rounding, changed_schema
    from ..writing import opened
    from .live import followed, is_stream, reading, report_of
    from .overwriting import refuse_overwrite
    from .reading import chosen, limited, refuse_foreign, scanning, warn
    from .sinks import kind_of, sink

    context = click.get_current_context()
    streams = is_stream(format_name)
    if streams and inputs:
        raise click.UsageError("a stream cannot be read together with other inputs: leave these out", context)
    if any(map(is_stream, inputs)):
        raise click.UsageError(f"a stream is read without a format, and alone: leave out {format_name}", context)
    if not streams and (begin is not None or before is not None or follow):
        raise click.UsageError("--from, --before and --follow apply only to streams: s2://BASIN/STREAM", context)
    if kind is None:
        kind = "ndjson" if output == "-" else kind_of(output)
        if kind == "ndjson" and ".json" in PurePath(output).suffixes:
            click.echo(f"wireloom: note: {output} gets JSON lines, one object per line (NDJSON)", err=True)
    if escape_formulas and kind != "csv":
        raise click.UsageError(f"--escape-formulas applies only to CSV, not to {kind}", context)
    if as_bytes is not None and kind in BINARY:
        click.echo(f"wireloom: note: --bytes applies to text, and bytes in {kind} are as they are", err=True)
    if output == "-" and kind in BINARY and sys.stdout.isatty():
        raise click.UsageError(f"{kind} cannot be printed on a terminal: add -o FILE", context)
    if output == "-" and report_path == "-":
        raise click.UsageError("rows and report would be mixed: add -o FILE", context)
    if streams:
        refuse_overwrite((output, report_path), ())
        rows_given = 0
        with (
            reading(format_name, begin, before, follow, options) as found,
            opened(standard_output() if output == "-" else output, location_of({})) as file,
            sink(file, output, kind, found.schema, as_bytes, limit, escape_formulas=escape_formulas) as rows,
        ):
            for batch in limited(followed(found, file), limit):
                rows.write(batch)
                rows_given += batch.num_rows
                if rows.enough:
                    break
        if report_path is not None:
            write_json(report_path, report_of(found, rows_given))
        return
    format, options = chosen(format_name, options)
    refuse_overwrite((output, report_path), inputs, format_name)
    quiet = output == "-" and sys.stdout.isatty()
    rounding, written = Rounding(), 0
    with scanning(format, inputs, options, f"decode {format.name}", quiet=quiet, limit=limit) as (scanner, batches):
        schema = changed_schema(scanner.schema, nanoseconds or "nanos")
        with (
            opened(standard_output() if output == "-" else output, location_of(options)) as file,
            sink(file, output, kind, schema, as_bytes, limit, escape_formulas=escape_formulas) as rows,
        ):
            for batch in batches:
                rows.write(rounding.batch(batch, schema))
                written += batch.num_rows
                if rows.enough:
                    break
            if not scanner.report.rows and output != "-":
                # An empty file is not kept.
                refuse_foreign(scanner)
        report = scanner.report
    if report_path is not None:
        write_json(report_path, report.to_dict())
    if rounding.rounded:
        click.echo(f"wireloom: note: {counted(rounding.rounded, 'time')} rounded down to microseconds", err=True)
    elif kind == "parquet" and nanoseconds is None:
        _note_nanoseconds(output, schema)
    warn(scanner)
    if output != "-" and sys.stderr.isatty():
        size = f", {counted(os.path.getsize(output), 'byte')}" if os.path.isfile(output) else ""
        click.echo(printable(f"wireloom: {output}: {counted(written, 'row')}{size}"), err=True)
    refuse_foreign(scanner)


def _note_nanoseconds(output: str, schema: pa.Schema) -> None:
    """Say that Spark does not read a Parquet file with such columns."""
    from ..rows.nanoseconds import has_nanoseconds

    names = [each.name for each in schema if has_nanoseconds(each.type)]
    if names:
        what = f"{output} has times in nanoseconds ({', '.join(names)}), which Spark does not read from Parquet"
        click.echo(printable(f"wireloom: note: {what}: --nanoseconds micros or long writes others"), err=True)
