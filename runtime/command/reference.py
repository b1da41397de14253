"""``wireloom reference``: what may stand in a spec, as text."""

from __future__ import annotations

import click

from . import completing


@click.command("reference", short_help="What may stand in a spec: a key, a table, or everything.")
@click.argument("key", metavar="[KEY]", required=False, shell_complete=completing.entries)
def command(key: str | None) -> None:
    """Prints what the reference says of KEY; all of it where none is given.

    KEY is a key with the table that it stands in (attribute.size), a key alone (size), a table (attribute), or a
    chapter: types, expressions or limits. Messages about a spec name the entry that explains more.

    \b
      wireloom reference attribute.size
      wireloom reference checksum
    """
    from wireloom.codegen.spec.lookup import everything, lookup

    click.echo(everything() if key is None else lookup(key))
