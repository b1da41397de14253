"""``wireloom identify``: names the formats of files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from ..base.errors import WireloomError
from .parameters import inputs_argument, store_options
from .standard import UNUSABLE

if TYPE_CHECKING:
    from ..input.inputs import Input, Location
    from ..reading.identification import Identification

UNKNOWN = 1
"""Exit code if the format of an input is not known."""


@click.command("identify", short_help="Name the formats of files by their first bytes and suffixes.")
@inputs_argument()
@click.option("--json", "as_json", is_flag=True, help="Print what is known of each file as a JSON array.")
@store_options
@click.pass_context
def command(context: click.Context, inputs: tuple[str, ...], as_json: bool, location: Location) -> None:
    """Print the format of each INPUT: a path, a glob in quotes, a folder, or an s3:// address. At most its first 64 KiB
    are decompressed, or 4 MiB if these show nothing.

    Where several formats are possible, all are printed, the most likely first. The exit code is 1 if no format is known
    for an input, and 2 if an input cannot be opened.

    \b
      wireloom identify /var/log/*.wal
    """
    from ..base.text import printable
    from ..input.expansion import expand
    from ..reading.identification import identify_input

    found, code = [], 0
    sources: list[str | Input] = [*inputs]
    while sources:
        each = sources.pop(0)
        try:
            if isinstance(each, str):
                sources[:0] = expand(each, location)
            else:
                found.append(identify_input(each))
                if not as_json:
                    click.echo(f"{printable(found[-1].path or 'bytes')}: {_sentence(found[-1])}")
        except WireloomError as error:
            # The others are still identified.
            error.path = error.path or (each if isinstance(each, str) else each.path)
            click.echo(f"wireloom: error: {printable(str(error))}", err=True)
            code = UNUSABLE
    if as_json:
        click.echo(json.dumps([_described(known) for known in found], indent=2))
    context.exit(code or (0 if all(known.matches for known in found) else UNKNOWN))


def _sentence(found: Identification) -> str:
    if not found.matches:
        return found.description or ""
    codec = f", {found.codec}" if found.codec != "none" else ""
    if found.format is not None:
        return f"{found.format.name} ({found.format.title}){codec}"
    return f"perhaps {' or '.join(each.format.name for each in found.matches)}{codec}"


def _described(found: Identification) -> dict[str, Any]:
    return {
        "path": found.path,
        "format": found.format.name if found.format is not None else None,
        "title": found.format.title if found.format is not None else None,
        "candidates": [each.format.name for each in found.matches],
        "codec": found.codec,
        "description": found.description,
    }
