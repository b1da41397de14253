"""``wireloom encode``: writes rows as a file of a format."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .. import codecs
from . import shell_completion
from .parameters import (
    Command,
    allow_option,
    bytes_option,
    format_argument,
    format_options,
    import_option,
    store_options,
    table_option,
)
from .progress import Bar, bar
from .standard import standard_output

if TYPE_CHECKING:
    from ..input.inputs import Location
    from .rows import Place


@click.command("encode", cls=Command, short_help="Convert rows (NDJSON, CSV, Parquet, Arrow) to a file of a format.")
@format_argument
@click.argument("source", metavar="INPUT", shell_complete=shell_completion.files)
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    required=True,
    shell_complete=shell_completion.files,
    help="File to write; - is standard output.",
)
@click.option("--codec", metavar="CODEC", help=f"{codecs.listed()}; by default that of OUT's suffix or of the format.")
@click.option("--level", type=int, help="Level of the codec.")
@click.option("--lossy", is_flag=True, help="Write messages without the fields that a table cannot hold.")
@bytes_option
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON: rows and bytes.")
@table_option
@store_options
@allow_option
@import_option
@format_options
def command(
    format_name: str,
    source: str,
    output: str,
    codec: str | None,
    level: int | None,
    lossy: bool,
    as_bytes: str | None,
    as_json: bool,
    location: Location,
    chosen_table: str | None,
    options: dict[str, Any],
    allow_modules: tuple[str, ...],
    import_paths: tuple[Path, ...],
) -> None:
    """Write the rows of INPUT as a file of FORMAT. Lengths, counts and checksums are filled in.

    INPUT is NDJSON, CSV, Parquet or Arrow, detected by its suffix or its first bytes (CSV only by its suffix); - is
    standard input. The file gets its name only when it is complete.

    \b
      wireloom encode edgemq_segment events.parquet -o seg-00000001.wal.zst
    """
    from ..writing import opened, write
    from ..writing.output import codec_of
    from .overwriting import refuse_overwrite
    from .reading import chosen
    from .rows import batches_of_file

    if chosen_table is not None:
        options = {"table": chosen_table, **options}
    format, options = chosen(format_name, options | {"allow_modules": allow_modules, "import_paths": import_paths})
    refuse_overwrite((output,), (source,), format_name)
    if output == "-" and sys.stdout.isatty():
        raise click.UsageError(
            "binary output cannot be printed on a terminal: name a file", click.get_current_context()
        )
    if output == "-" and as_json:
        raise click.UsageError("bytes and JSON would be mixed: name a file", click.get_current_context())
    with (
        batches_of_file(format, source, as_bytes or "hex", location) as (batches, place),
        bar(f"encode {format.name}") as shown,
        opened(standard_output() if output == "-" else output, location) as file,
    ):
        report = write(
            format,
            _followed(batches, shown, place),
            file,
            codec=codec or codec_of(format, None if output == "-" else output),
            level=level,
            lossy=lossy,
            **options,
        )
    if report.absent:
        names = ", ".join(report.absent)
        click.echo(f"wireloom: warning: the rows lack the columns {names}: no message has these fields", err=True)
    if as_json:
        said = asdict(report) if report.absent else {**asdict(report), "absent": None}
        values = {"format": format.name, "output": output} | said
        click.echo(json.dumps({name: value for name, value in values.items() if value is not None}, indent=2))


def _followed(batches: Iterator[Any], shown: Bar, place: Place) -> Iterator[Any]:
    from ..writing.row_batches import size_of

    gone = 0
    for batch in batches:
        yield batch
        shown.rows += batch.num_rows
        gone += size_of(batch)
        done, total = place()
        # The position in a pipe is known only from the data it has delivered.
        shown.notify(gone if total is None else done, total)
