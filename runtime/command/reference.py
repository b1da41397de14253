"""``wireloom reference``: prints the reference of the spec dialect."""

from __future__ import annotations

import click

from . import shell_completion


@click.command("reference", short_help="Print the reference of specs: a key, a table, or everything.")
@click.argument("key", metavar="[KEY]", required=False, shell_complete=shell_completion.entries)
def command(key: str | None) -> None:
    """Print the entry of the reference for KEY, or the whole reference.

    KEY is a key with its table (attribute.size), a key alone (size), a table (attribute), or a chapter: types,
    expressions or limits. Messages about a spec name the entry with more details.

    \b
      wireloom reference attribute.size
      wireloom reference checksum
    """
    from wireloom.codegen.spec.lookup import everything, lookup

    click.echo(everything() if key is None else lookup(key))
