"""``wireloom verify``: reads everything and writes nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from .parameters import Command, location_of, reader_options
from .sources import source_arguments
from .standard import UNUSABLE

if TYPE_CHECKING:
    from ..base.report import FileReport, ReadReport
    from ..format.description import Format
    from ..input.inputs import Input, Location

CLEAN, DAMAGED = 0, 1
SHOWN_RANGES = 20


@click.command(
    "verify", cls=Command, short_help="Read and verify everything; exit code 0 clean, 1 damaged, 2 unusable."
)
@source_arguments()
@click.option("--json", "as_json", is_flag=True, help="Print the read report as JSON.")
@reader_options("recover", "tail", "threads")
@click.pass_context
def command(
    context: click.Context,
    format_name: str,
    inputs: tuple[str, ...],
    as_json: bool,
    options: dict[str, Any],
) -> None:
    """Read all of INPUT, verify lengths and checksums, and report damaged ranges.

    INPUT is a path, a glob in quotes, a folder, an s3:// address, or - for standard input.

    The exit code is 0 if all is clean, 1 if something is damaged or not read further, 2 if an input cannot be
    opened or decompressed, or is not of the format.
    """
    from ..base.errors import WireloomError
    from ..base.report import ReadReport
    from ..reading.request import scan_request
    from .overwriting import refuse_overwrite
    from .reading import chosen, scanning

    format, options = chosen(format_name, options)
    if not format.default_columns:
        options = {"columns": ["_offset"], **options}
    # Options are checked before anything is opened.
    scan_request(format, **options)
    refuse_overwrite(("-",), inputs, format_name)
    found, missing = _expanded(inputs, location_of(options))
    if not found and not as_json:
        raise WireloomError(missing[0].error or "nothing to read", path=missing[0].path)
    report = ReadReport(format.name)
    if found:
        with scanning(format, found, options, f"verify {format.name}") as (scanner, batches):
            for _ in batches:
                pass
            report = scanner.report
    report.files += missing
    click.echo(
        json.dumps(report.to_dict(), indent=2)
        if as_json
        else "\n".join(_lines(format, report, options.get("recover", False)))
    )
    context.exit(max((code_of(each) for each in report.files), default=CLEAN))


def _expanded(inputs: tuple[str, ...], location: Location) -> tuple[list[Input], list[FileReport]]:
    """Return the inputs that the arguments name, and a report for each argument that matches nothing; the others are
    still verified."""
    from ..base.errors import WireloomError
    from ..base.report import FileReport
    from ..input.expansion import expand

    found: list[Input] = []
    missing: list[FileReport] = []
    for each in inputs:
        try:
            found += expand(each, location)
        except WireloomError as error:
            missing.append(FileReport(error.path or each, error=error.message))
    return found, missing


def code_of(file: FileReport) -> int:
    """Return the exit code: ``UNUSABLE`` if the codec or the storage failed before any row, or if the input is not of
    the format; otherwise it depends on whether everything was clean."""
    if file.clean:
        return CLEAN
    return UNUSABLE if file.foreign or (file.failed and not file.rows) else DAMAGED


def _is_unread(file: FileReport) -> bool:
    """Return whether nothing of an input could be read, as when it does not exist."""
    return file.failed and not file.foreign and not file.bytes


def _counts(file: FileReport) -> str:
    """Return further counts of an input, besides its messages: skipped bytes, and such as invalid digests."""
    from ..base.text import counted

    skipped = f", {counted(file.skipped_bytes, 'skipped byte')}" if file.skipped_bytes else ""
    counts = {name: value for name, value in file.facts.items() if type(value) is int and value and name != "messages"}
    return skipped + "".join(f", {name} {value:,}" for name, value in counts.items())


def _lines(format: Format, report: ReadReport, recover: bool) -> list[str]:
    from ..base.text import counted, printable
    from .reading import place, search_advice, verdict

    lines = []
    for file in report.files:
        line = f"{place(file)}: {printable(verdict(file))}"
        if not _is_unread(file):
            line += f"; {counted(file.rows, 'row')}, {counted(file.bytes, 'byte')}{_counts(file)}"
        lines.append(line)
        if len(file.damaged) > 1:
            lines += [
                f"  bytes {each.offset} to {each.offset + each.length}: {each.reason}"
                for each in file.damaged[:SHOWN_RANGES]
            ]
            if len(file.damaged) > SHOWN_RANGES:
                lines.append(f"  and {len(file.damaged) - SHOWN_RANGES:,} more: --json lists them all")
        if advice := search_advice(format, file, recover=recover):
            lines.append(f"  {advice}")
    if len(report.files) > 1:
        unread = sum(map(_is_unread, report.files))
        bad = sum(not each.clean for each in report.files) - unread
        not_read = f", {unread:,} could not be read" if unread else ""
        total = f"{counted(report.rows, 'row')}, {counted(report.bytes, 'byte')}"
        lines.append(f"{len(report.files):,} inputs, {bad:,} damaged{not_read}; {total}")
    return lines
