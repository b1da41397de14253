"""``wireloom extract``: writes the payloads, one per line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..base.errors import UnsupportedError
from .parameters import Command, limit_option, reader_options, report_option
from .sources import source_arguments
from .standard import standard_output, write_json

if TYPE_CHECKING:
    from ..format.description import Format


@click.command("extract", cls=Command, short_help="Print the payload column, one line per row.")
@source_arguments()
@reader_options("recover", "tail", "verify", "keep_unverified", "threads")
@limit_option
@report_option("the read report as JSON")
def command(
    format_name: str,
    inputs: tuple[str, ...],
    limit: int | None,
    report_path: str | None,
    options: dict[str, Any],
) -> None:
    """Write the payload of every row of INPUT to standard output, each followed by a newline.

    INPUT is a path, a glob in quotes, a folder, an s3:// address, or - for standard input. Damaged rows are left out
    and reported on standard error.

    \b
      wireloom extract edgemq_segment s3://bucket/prod/ --region eu-west-1 | jq .event
    """
    import sys

    from ..writing import opened
    from .overwriting import refuse_overwrite
    from .reading import chosen, refuse_foreign, scanning, warn

    format, options = chosen(format_name, options)
    options |= {"columns": [payload_column(format)]}
    if report_path == "-":
        raise click.UsageError("payloads and report would be mixed: name a file", click.get_current_context())
    refuse_overwrite(("-", report_path), inputs, format_name)
    quiet = sys.stdout.isatty()
    with (
        opened(standard_output()) as output,
        scanning(format, inputs, options, f"extract {format.name}", quiet=quiet, limit=limit) as (scanner, batches),
    ):
        for batch in batches:
            output.write(b"".join(value.removesuffix(b"\n") + b"\n" for value in batch.column(0).to_pylist()))
        output.flush()
    if report_path is not None:
        write_json(report_path, scanner.report.to_dict())
    warn(scanner)
    refuse_foreign(scanner)


def payload_column(format: Format) -> str:
    """Return ``payload``, or else the only default column of bytes. Raises ``UnsupportedError`` if there
    is no such column."""
    found = [each.name for each in format.columns if each.default and each.type in ("binary", "large_binary")]
    if "payload" in found:
        return "payload"
    if len(found) != 1:
        raise UnsupportedError(
            f"{format.name} has {'more than one column' if found else 'no column'} of bytes: use 'wireloom decode' "
            "with --columns"
        )
    return found[0]
