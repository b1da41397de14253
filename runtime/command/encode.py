"""``wireloom encode``: rows to wire bytes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from .parameters import bytes_option, format_argument, format_options
from .progress import Bar, bar
from .standard import standard_output


@click.command("encode", short_help="Rows (NDJSON, Parquet, Arrow) to a file of a format.")
@format_argument
@click.argument("source", metavar="INPUT")
@click.option("-o", "--output", metavar="OUT", required=True, help="File to write; - is standard output.")
@click.option(
    "--codec", metavar="CODEC", help="zstd, gzip or none; by default what the name of OUT or the format says."
)
@click.option("--level", type=int, help="Level of the codec.")
@bytes_option
@format_options
def command(
    format_name: str,
    source: str,
    output: str,
    codec: str | None,
    level: int | None,
    as_bytes: str,
    options: dict[str, Any],
) -> None:
    """Writes the rows of INPUT as a file of FORMAT. Lengths, counts and checksums are filled in.

    INPUT is NDJSON, Parquet or Arrow, by its name or its first bytes; - is standard input. The file appears under its
    name only when it is complete.

    \b
      wireloom encode edgemq_segment events.parquet -o seg-00000001.wal.zst
    """
    from ..registry import get
    from ..writing import write
    from .rows import batches_of_file

    format = get(format_name)
    if output == "-" and sys.stdout.isatty():
        raise click.UsageError(
            "binary output is not for a terminal: give the name of a file", click.get_current_context()
        )
    with batches_of_file(format, source, as_bytes) as batches, bar(f"encode {format.name}") as shown:
        write(
            format,
            _followed(batches, shown),
            standard_output() if output == "-" else output,
            codec=codec,
            level=level,
            **options,
        )


def _followed(batches: Iterator[Any], shown: Bar) -> Iterator[Any]:
    done = 0
    for batch in batches:
        yield batch
        done += batch.nbytes
        shown.rows += batch.num_rows
        shown.notify(done, None)
