"""``wireloom new``: creates a package for a user's own format."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from ..base.text import printable
from . import shell_completion


@click.command("new", short_help="Create a package for a format of your own.")
@click.argument("name", metavar="NAME")
@click.option(
    "--in",
    "parent",
    metavar="DIR",
    type=click.Path(path_type=Path),
    default=Path(),
    shell_complete=shell_completion.folders,
    help="Folder in which the package is created [the current one]; created if missing.",
)
def command(name: str, parent: Path) -> None:
    """Create the folder NAME with a package of the format NAME.

    It contains a commented spec, the code generated from it, samples of clean and damaged files, tests, and checks
    for pre-commit and CI that the code matches the spec. Once the package is installed, the format is available in
    all commands, in Python and in Spark. Existing files are not overwritten.

    \b
      wireloom new door_log
    """
    from wireloom.codegen.starting.package import start

    started = start(name, parent)
    for path in started.files:
        click.echo(printable(f"wrote {started.folder / path}"))
    click.echo(printable(f"next: cd {shlex.quote(str(started.folder))} && pip install -e '.[test]' && pytest"))
