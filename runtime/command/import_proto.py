"""``wireloom import-proto``: writes a spec for a ``.proto`` file."""

from __future__ import annotations

from pathlib import Path

import click

from . import shell_completion


@click.command("import-proto", short_help="Convert a .proto file to a spec.")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    default="-",
    help="The spec to write, a .ksy file [standard output]; it is replaced.",
)
@click.option(
    "--import-path",
    "import_paths",
    metavar="DIR",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    shell_complete=shell_completion.folders,
    help="Folder in which imports are looked up; may be given several times [the file's folder].",
)
@click.option("--message", metavar="NAME", help="The message that an input contains; makes the spec a complete format.")
def command(file: Path, output: str, import_paths: tuple[Path, ...], message: str | None) -> None:
    """Write a spec with all messages and enums of FILE, and those of its imports that it needs.

    With --message the spec has a table: the rows are the items of the message's only repeated field of messages, or
    the message itself. What a spec cannot express, such as groups and extensions, is left out and reported on
    standard error. protoc reads FILE: it comes with pip install 'wireloom[proto]'.

    \b
      wireloom import-proto readings.proto --message Batch -o specs/readings.ksy
    """
    from wireloom.codegen.protobuf.importing import import_proto

    from ..writing import opened
    from .standard import standard_output

    if output != "-" and not output.endswith(".ksy"):
        raise click.UsageError(f"{output} is not the name of a spec: name a .ksy file", click.get_current_context())
    name = Path(output).stem if output != "-" else None
    imported = import_proto(file, name=name, message=message, import_paths=import_paths)
    for warning in imported.warnings:
        click.echo(f"wireloom: warning: {warning}", err=True)
    with opened(standard_output() if output == "-" else output) as target:
        target.write(imported.text.encode())
        target.flush()
