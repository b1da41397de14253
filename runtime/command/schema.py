"""``wireloom schema``: prints the dialect's JSON Schema for editors."""

from __future__ import annotations

import click

from .standard import write_json


@click.command(
    "schema",
    short_help="Print the JSON Schema of specs, for completion in editors.",
    context_settings={"allow_extra_args": True},
)
@click.option("-o", "--output", metavar="FILE", default="-", help="File to write [standard output].")
def command(output: str) -> None:
    """Print the JSON Schema (2020-12) of .ksy files with wireloom's keys.

    Editors with a YAML language server use it to complete and explain keys. Write it to a file and name the file in
    the first line of a spec: "# yaml-language-server: $schema=wireloom.schema.json". Names, expressions and
    everything else beyond the structure of a file are checked by "wireloom check".
    """
    from wireloom.codegen.spec.schema import schema

    from ..format.registry import get

    context = click.get_current_context()
    for name in context.args:
        # Raises an error with the nearest name if there is no such format.
        get(name)
        raise click.UsageError(
            f"the schema is that of all specs: 'wireloom formats {name}' prints the columns of a format", context
        )
    if output.endswith(".ksy"):
        raise click.UsageError(f"{output} is the name of a spec: name a .json file", context)
    write_json(output, schema())
