"""``wireloom new``: a package of one's own around a first spec."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from ..base.printable import printable
from . import completing


@click.command("new", short_help="A small complete package for a format of one's own.")
@click.argument("name", metavar="NAME")
@click.option(
    "--in",
    "parent",
    metavar="DIR",
    type=click.Path(path_type=Path),
    default=Path(),
    shell_complete=completing.folders,
    help="Folder in which the new one is made [the current one]; made too where it is missing.",
)
def command(name: str, parent: Path) -> None:
    """Makes the folder NAME with a package of the format NAME.

    It holds a spec with comments, the code generated from it, samples of clean and damaged files, tests, and what
    checks in pre-commit and CI that code and spec agree. Where the package is installed, the format is known to every
    command, to Python and to Spark. Nothing that exists is overwritten.

    \b
      wireloom new door_log
    """
    from wireloom.codegen.starting.package import start

    started = start(name, parent)
    for path in started.files:
        click.echo(printable(f"wrote {started.folder / path}"))
    click.echo(printable(f"next: cd {shlex.quote(str(started.folder))} && pip install -e '.[test]' && pytest"))
