"""``wireloom schema``: the dialect as editors understand it."""

from __future__ import annotations

import click

from .standard import write_json


@click.command("schema", short_help="The JSON Schema of specs, for completion in editors.")
@click.option("-o", "--output", metavar="FILE", default="-", help="File to write [standard output].")
def command(output: str) -> None:
    """Prints the JSON Schema (2020-12) of .ksy files with wireloom's keys.

    Editors with a YAML language server complete and explain keys by it. Write it to a file and name that in the first
    line of a spec: "# yaml-language-server: $schema=wireloom.schema.json". What needs more than the shape of a file,
    such as names and expressions, is for "wireloom check".
    """
    from wireloom.codegen.spec.schema import schema

    if output.endswith(".ksy"):
        raise click.UsageError(f"{output} is the name of a spec: name a .json file", click.get_current_context())
    write_json(output, schema())
